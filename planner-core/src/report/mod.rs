//! A plan for people: as a line, a table, a map of characters, a picture.

mod map;
mod sheet;
mod svg;
mod table;

pub use map::map;
pub use sheet::{Place, Scratch, Sheet, Step, Tensor};
pub use svg::svg;
pub use table::table;

/// One line: name, arena, what it would be without reuse and its bounds, weights as kernels need them and as the model
/// has them, multiply-accumulates, steps, and removed channels and kernels other than the usual ones if there are any.
#[must_use]
pub fn line(plan: impl Into<Sheet>) -> String {
    let sheet = plan.into();
    let Sheet { name, slower, faster, steps, .. } = &sheet;
    let [arena, separate, classic] = [sheet.arena_bytes, sheet.separate_bytes, sheet.classic_bound].map(grouped);
    let [lower, weights, params] = [sheet.lower_bound, sheet.weight_bytes, sheet.param_bytes].map(grouped);
    let macs = grouped(sheet.macs);
    let steps = if steps.len() == 1 { "1 step".to_owned() } else { format!("{} steps", steps.len()) };
    let removed = match sheet.removed_channels {
        0 => String::new(),
        1 => ", 1 channel removed".to_owned(),
        count => format!(", {} channels removed", grouped(count)),
    };
    let [slower, faster] = [(slower, "slower"), (faster, "faster")].map(|(count, what)| match count {
        0 => String::new(),
        1 => format!(", 1 {what} kernel than usual"),
        count => format!(", {count} {what} kernels than usual"),
    });
    format!(
        "{name}: arena {arena} B (no reuse {separate} B, classic bound {classic} B, lower bound {lower} B), \
         weights {weights} B ({params} B in the model), {macs} MACs, {steps}{removed}{slower}{faster}"
    )
}

/// `number` with its digits in groups of three: `12,345`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(super::grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
