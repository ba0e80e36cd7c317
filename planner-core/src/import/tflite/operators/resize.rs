//! Images at another size.

use super::ints;
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options;
use crate::ops::AttrValue;

pub(super) fn nearest(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::ResizeNearestNeighbor = graph.options(op)?;
    let x = graph.read(op, 0)?;
    let size = graph.ints(op, 1, "size", 2)?;
    let attrs = [
        ("size", ints(size)),
        ("align_corners", AttrValue::Bool(options.align_corners)),
        ("half_pixel_centers", AttrValue::Bool(options.half_pixel_centers)),
    ];
    graph.emit_moved(op, "resize_nearest", x, &attrs)
}
