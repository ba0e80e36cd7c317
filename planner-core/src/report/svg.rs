//! The plan as a picture: steps across, addresses up, a rectangle a tensor.

use super::grouped;
use super::sheet::{Sheet, Tensor};
use std::fmt::Write;
use std::ops::Range;

/// Pixels of the plot, without its margins.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 92.0;
/// The least height of a line of text.
const LINE: f64 = 11.0;
/// Width of a character, a little more than the mean of most fonts.
const CHARACTER: f64 = 7.2;

const INPUT: &str = "#7cc4e8";
const OUTPUT: &str = "#8fd694";
const OTHERS: [&str; 6] = ["#f6c177", "#cbb5e8", "#f4aca4", "#f0dc9b", "#e3b8d3", "#cfd5dd"];
const INK: &str = "#1f2a37";
const PALE: &str = "#6b7785";
const WATER: &str = "#1769aa";

/// The plan as an SVG picture. What is live at each step stands in its column; the peak is marked.
#[must_use]
pub fn svg(plan: impl Into<Sheet>) -> String {
    let sheet = plan.into();
    let chart = Chart::new(&sheet);
    let (width, height) = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"{INK}\">\n\
         <title>memory plan of {}</title>\n\
         <defs><pattern id=\"scratch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <rect width=\"6\" height=\"6\" fill=\"#eceff3\"/><rect width=\"2\" height=\"6\" fill=\"#b6bfca\"/></pattern></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"#ffffff\"/>\n",
        escaped(&sheet.name)
    );
    chart.title(&mut out);
    chart.grid(&mut out);
    chart.peak(&mut out);
    chart.tensors(&mut out);
    chart.scratch(&mut out);
    chart.waterline(&mut out);
    out += "</svg>\n";
    out
}

struct Chart<'a> {
    sheet: &'a Sheet,
    /// Pixels a step.
    column: f64,
    /// Pixels a byte.
    scale: f64,
    /// Bytes at the top of the plot.
    top: usize,
}

impl<'a> Chart<'a> {
    fn new(sheet: &'a Sheet) -> Self {
        // The classic bound is drawn where it does not squeeze the rest.
        let bound = sheet.classic_bound.min(sheet.arena_bytes + sheet.arena_bytes / 2);
        let top = (sheet.arena_bytes.max(bound) + sheet.arena_bytes / 16).max(1);
        Self { sheet, column: WIDTH / float(sheet.steps.len().max(1)), scale: HEIGHT / float(top), top }
    }

    fn x(&self, step: f64) -> f64 {
        LEFT + step * self.column
    }

    fn y(&self, byte: usize) -> f64 {
        TOP + HEIGHT - float(byte) * self.scale
    }

    fn title(&self, out: &mut String) {
        let sheet = self.sheet;
        let facts = [
            format!("arena {} B", grouped(sheet.arena_bytes)),
            format!("classic bound {} B", grouped(sheet.classic_bound)),
            format!("lower bound {} B", grouped(sheet.lower_bound)),
            format!("weights {} B", grouped(sheet.weight_bytes)),
            format!("{} MACs", grouped(sheet.macs)),
        ];
        let _ = writeln!(
            out,
            "<text x=\"{LEFT}\" y=\"34\" font-size=\"20\" font-weight=\"600\">{}</text>\n\
             <text x=\"{LEFT}\" y=\"55\" fill=\"{PALE}\">{}</text>",
            escaped(&sheet.name),
            facts.join("  ·  ")
        );
        let mut x = LEFT + WIDTH;
        for (label, fill) in
            [("scratch", "url(#scratch)"), ("intermediate", OTHERS[0]), ("output", OUTPUT), ("input", INPUT)]
        {
            x -= CHARACTER * float(label.len()) + 30.0;
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"23\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{fill}\"/>\
                 <text x=\"{:.1}\" y=\"33\" fill=\"{PALE}\">{label}</text>",
                x + 17.0
            );
        }
    }

    fn grid(&self, out: &mut String) {
        let step = tick(self.top);
        for byte in (0..=self.top).step_by(step) {
            let y = self.y(byte);
            let _ = writeln!(
                out,
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e6eaef\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\" fill=\"{PALE}\">{}</text>",
                LEFT + WIDTH,
                LEFT - 8.0,
                y + 4.0,
                grouped(byte)
            );
        }
        // As many labels as there is room for.
        let every = (15.0 / self.column).ceil().max(1.0);
        for (index, step) in self.sheet.steps.iter().enumerate() {
            let at = self.x(float(index) + 0.5);
            if float(index) % every == 0.0 {
                let y = TOP + HEIGHT + 16.0;
                let _ = writeln!(
                    out,
                    "<text transform=\"translate({at:.1} {y:.1}) rotate(-35)\" text-anchor=\"end\" font-size=\"11\">{}\
                     <tspan fill=\"{PALE}\" dx=\"5\">{}</tspan></text>",
                    escaped(&shortened(&step.name, 14)),
                    escaped(&step.op)
                );
            }
        }
    }

    /// A band behind the step at which most is live.
    fn peak(&self, out: &mut String) {
        let Some((step, bytes)) = self.sheet.peak() else { return };
        let (x, middle) = (self.x(float(step)), self.x(float(step) + 0.5));
        let label = format!("peak: {} B live", grouped(bytes));
        let room = CHARACTER * float(label.len()) / 2.0;
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{HEIGHT}\" fill=\"#fdeceb\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\" font-weight=\"600\" fill=\"#c0392b\">{label}</text>",
            self.column,
            middle.clamp(LEFT + room, LEFT + WIDTH - room),
            TOP - 7.0
        );
    }

    fn tensors(&self, out: &mut String) {
        let tensors = &self.sheet.tensors;
        let fills = self.fills();
        for (index, tensor) in tensors.iter().enumerate() {
            let Some((bytes, life)) = tensor.slot() else { continue };
            // A step that writes over its argument divides its column between the two.
            let replaced = tensors.iter().any(|other| {
                let same = |under: usize| under == index || tensors[under].inside == Some(index);
                other.over.or(other.ahead).is_some_and(same)
                    && other.slot().is_some_and(|(_, over)| over.first == life.last)
            });
            let mut first = float(life.first) + if tensor.over.or(tensor.ahead).is_some() { 0.5 } else { 0.0 };
            let mut last = float(life.last) + if replaced { 0.5 } else { 1.0 };
            let mut dashed = false;
            if let Some((_, holder)) = tensor.inside.and_then(|holder| tensors[holder].slot()) {
                dashed = holder.first <= life.first;
                if dashed {
                    // A view: what it keeps of its argument.
                    first = first.max(float(holder.last) + 1.0);
                } else {
                    // A part of a concat: until the concat takes over.
                    last = last.min(float(holder.first));
                }
            }
            if first < last {
                self.rectangle(out, first..last, bytes, (fills[index], dashed), tensor);
            }
        }
    }

    /// The color of each tensor; a view has that of its argument.
    fn fills(&self) -> Vec<&'static str> {
        let mut others = OTHERS.iter().copied().cycle();
        let mut fills: Vec<&str> = Vec::new();
        for tensor in &self.sheet.tensors {
            let argument = tensor.inside.and_then(|holder| fills.get(holder).copied());
            fills.push(match argument {
                _ if tensor.input => INPUT,
                _ if tensor.output => OUTPUT,
                Some(fill) => fill,
                None => others.next().unwrap_or(INPUT),
            });
        }
        fills
    }

    fn rectangle(
        &self,
        out: &mut String,
        steps: Range<f64>,
        bytes: &Range<usize>,
        (fill, dashed): (&str, bool),
        tensor: &Tensor,
    ) {
        let (x, width) = (self.x(steps.start) + 1.0, (steps.end - steps.start) * self.column - 2.0);
        let (y, height) = (self.y(bytes.end) + 0.75, float(bytes.len()) * self.scale - 1.5);
        let (width, height) = (width.max(1.0), height.max(1.5));
        let stroke = if dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        let _ = writeln!(
            out,
            "<g><title>{}: {}, bytes {}..{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\" rx=\"{:.1}\" fill=\"{fill}\" stroke=\"{INK}\" stroke-opacity=\"0.35\"{stroke}/>",
            escaped(&tensor.name),
            escaped(&tensor.ty),
            bytes.start,
            bytes.end,
            (height / 4.0).min(4.0)
        );
        if height >= LINE {
            label(out, (x, y), (width, height), &tensor.name, bytes.len());
        } else if self.free_above(&steps, bytes) {
            let text = shortened(&format!("{} {} B", tensor.name, grouped(bytes.len())), to_count(width / CHARACTER));
            let middle = x + width / 2.0;
            let _ = write!(
                out,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10.5\">{}</text>",
                y - 4.0,
                escaped(&text)
            );
        }
        *out += "</g>\n";
    }

    /// There is room for a line of text above `bytes`.
    fn free_above(&self, steps: &Range<f64>, bytes: &Range<usize>) -> bool {
        let top = float(bytes.end) + 1.5 * LINE / self.scale;
        let meets = |other: &Range<usize>, first: usize, last: usize| {
            let above = other.end > bytes.end && float(other.start) < top;
            above && float(first) < steps.end && steps.start < float(last) + 1.0
        };
        let mut tensors = self.sheet.tensors.iter().filter_map(Tensor::slot);
        let scratch = self.sheet.steps.iter().enumerate();
        let mut scratch = scratch.filter_map(|(index, step)| step.scratch.as_ref().map(|range| (range, index)));
        (steps.end - steps.start) * self.column >= 4.0 * CHARACTER
            && top < float(self.sheet.arena_bytes)
            && !tensors.any(|(other, life)| meets(other, life.first, life.last))
            && !scratch.any(|(other, index)| meets(other, index, index))
    }

    fn scratch(&self, out: &mut String) {
        for (index, step) in self.sheet.steps.iter().enumerate() {
            if let Some(range) = &step.scratch {
                let (x, y) = (self.x(float(index)) + 1.0, self.y(range.end));
                let (width, height) = (self.column - 2.0, float(range.len()) * self.scale);
                let _ = writeln!(
                    out,
                    "<g><title>scratch of {}, bytes {}..{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" \
                     height=\"{:.1}\" fill=\"url(#scratch)\" stroke=\"{INK}\" stroke-opacity=\"0.2\"/></g>",
                    escaped(&step.name),
                    range.start,
                    range.end,
                    width.max(1.0),
                    height.max(1.0)
                );
            }
        }
    }

    /// The arena's end, and the classic bound where it is in sight.
    fn waterline(&self, out: &mut String) {
        let mut line = |bytes: usize, color: &str, style: &str, text: &str, above: bool| {
            let y = self.y(bytes);
            let _ = writeln!(
                out,
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{color}\" {style}/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"11\" font-weight=\"600\" fill=\"{color}\" \
                 stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">{text} {} B</text>",
                LEFT + WIDTH,
                LEFT + WIDTH - 4.0,
                if above { y - 5.0 } else { y + 14.0 },
                grouped(bytes)
            );
        };
        let sheet = self.sheet;
        if sheet.classic_bound <= self.top && sheet.classic_bound != sheet.arena_bytes {
            let above = sheet.classic_bound > sheet.arena_bytes;
            line(sheet.classic_bound, PALE, "stroke-dasharray=\"5 4\"", "classic bound", above);
        }
        line(sheet.arena_bytes, WATER, "stroke-width=\"2\"", "arena", true);
    }
}

/// The name, and the bytes below it where there is room; turned where only that fits.
fn label(out: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), name: &str, bytes: usize) {
    let (middle, center) = (x + width / 2.0, y + height / 2.0);
    let turned = width < 34.0 && height > width;
    let (along, across) = if turned { (height, width) } else { (width, height) };
    if across < LINE || along < 16.0 {
        return;
    }
    let room = ((along - 4.0) / CHARACTER).floor();
    let size = format!("{} B", grouped(bytes));
    let two_lines = across >= 30.0 && room >= float(size.len());
    let name = escaped(&shortened(name, to_count(room)));
    let turn = if turned { format!(" transform=\"rotate(-90 {middle:.1} {center:.1})\"") } else { String::new() };
    let line = if two_lines { center - 2.0 } else { center + 4.0 };
    let _ = write!(out, "<text x=\"{middle:.1}\" y=\"{line:.1}\" text-anchor=\"middle\"{turn}>{name}");
    if two_lines {
        let _ =
            write!(out, "<tspan x=\"{middle:.1}\" dy=\"14\" font-size=\"10.5\" fill-opacity=\"0.65\">{size}</tspan>");
    }
    *out += "</text>";
}

/// A round distance between lines that makes 4 to 9 of them.
fn tick(top: usize) -> usize {
    let mut tick = 4;
    while top / tick > 8 {
        tick *= 2;
    }
    tick
}

/// `text` in at most `room` characters.
fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[expect(clippy::cast_precision_loss, reason = "pixels")]
fn float(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of characters")]
fn to_count(number: f64) -> usize {
    number as usize
}
