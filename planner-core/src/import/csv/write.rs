//! A problem as text.

use super::Allocation;
use crate::layout::search::Buffer;
use std::fmt::Write;

/// Writes a problem, with the offsets of a solution; [`read`](super::read) takes it as one whose buffers are all
/// pinned.
#[must_use]
pub fn write(allocation: &Allocation, offsets: Option<&[usize]>) -> String {
    let buffers = allocation.instance.buffers();
    let aligned = buffers.iter().any(|buffer| buffer.align != 1);
    let gaps = buffers.iter().any(|buffer| !gaps(buffer).is_empty());
    let pinned = buffers.iter().any(|buffer| buffer.pinned.is_some());
    let mut text = String::from("id,lower,upper,size");
    text.push_str(if aligned { ",alignment" } else { "" });
    text.push_str(if gaps { ",gaps" } else { "" });
    text.push_str(if pinned || offsets.is_some() { ",offset" } else { "" });
    text.push('\n');
    for (index, (id, buffer)) in allocation.ids.iter().zip(buffers).enumerate() {
        let lower = buffer.lives.first().map_or(0, |life| life.first);
        let upper = buffer.lives.last().map_or(1, |life| life.last + 1);
        let _ = write!(text, "{id},{lower},{upper},{}", buffer.size);
        if aligned {
            let _ = write!(text, ",{}", buffer.align);
        }
        if gaps {
            let _ = write!(text, ",{}", self::gaps(buffer));
        }
        match (offsets.and_then(|offsets| offsets.get(index)).copied().or(buffer.pinned), pinned || offsets.is_some()) {
            (Some(offset), _) => _ = write!(text, ",{offset}"),
            (None, true) => text.push(','),
            (None, false) => {}
        }
        text.push('\n');
    }
    text
}

/// The steps of a buffer's life at which not all of it is in use, as [`Column::Gaps`] has them.
fn gaps(buffer: &Buffer) -> String {
    let mut gaps = Vec::new();
    let mut end = None;
    for life in &buffer.lives {
        if let Some(end) = end.filter(|&end| end < life.first) {
            gaps.push(format!("{end}-{}", life.first));
        }
        end = Some(life.last + 1);
        if (life.low, life.high) != (0, buffer.size) {
            gaps.push(format!("{}-{}@{}:{}", life.first, life.last + 1, life.low, life.high));
        }
    }
    if buffer.lives.is_empty() {
        gaps.push("0-1".to_owned());
    }
    gaps.join(" ")
}
