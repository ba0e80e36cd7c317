//! Where places that lie evenly apart end, `None` where that is no number: what would wrap is in no window.

/// The last of `count` places, each `step` behind the one before.
#[inline(always)]
pub(super) fn last(at: usize, step: usize, count: usize) -> Option<usize> {
    count.saturating_sub(1).checked_mul(step)?.checked_add(at)
}

/// The farther of both ends of `count` places, `step` from one to the next, wrapping where they go down.
#[inline(always)]
pub(super) fn farthest(at: usize, step: usize, count: usize) -> Option<usize> {
    let more = isize::try_from(count.saturating_sub(1)).ok()?;
    let end = at.checked_add_signed(step.cast_signed().checked_mul(more)?)?;
    Some(at.max(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_end_where_the_last_lies() {
        assert_eq!((last(5, 3, 4), last(5, 3, 1), last(5, 3, 0)), (Some(14), Some(5), Some(5)));
        assert_eq!(farthest(5, 3, 4), Some(14));
        assert_eq!(farthest(9, 3_usize.wrapping_neg(), 4), Some(9));
        assert_eq!(farthest(9, usize::MAX / 2, 1), Some(9));
    }

    #[test]
    fn what_wraps_has_no_end() {
        let half = usize::MAX / 2 + 1;
        assert_eq!(last(0, half, 3), None);
        assert_eq!(last(1, usize::MAX, 2), None);
        // Steps whose sum is 0, or just behind the start, when it wraps.
        assert_eq!(farthest(0, half, 3), None);
        assert_eq!(farthest(0, half / 2, 5), None);
        assert_eq!(farthest(0, (half / 2).wrapping_neg(), 5), None);
        // Below the window, beyond all windows, and more places than there can be.
        assert_eq!(farthest(8, 3_usize.wrapping_neg(), 4), None);
        assert_eq!(farthest(usize::MAX, 1, 2), None);
        assert_eq!(farthest(0, 0, usize::MAX), None);
    }
}
