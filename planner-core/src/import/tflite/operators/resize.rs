//! Images at another size.

use super::ints;
use crate::diagnostic::Diagnostics;
use crate::import::tflite::graph::Graph;
use crate::import::tflite::schema::Operator;
use crate::import::tflite::schema::options;
use crate::ops::AttrValue;

pub(super) fn bilinear(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::ResizeBilinear = graph.options(op)?;
    resize(graph, op, "resize_bilinear", options.align_corners, options.half_pixel_centers)
}

pub(super) fn nearest(graph: &mut Graph<'_>, op: &Operator<'_>) -> Result<(), Diagnostics> {
    let options: options::ResizeNearestNeighbor = graph.options(op)?;
    resize(graph, op, "resize_nearest", options.align_corners, options.half_pixel_centers)
}

fn resize(
    graph: &mut Graph<'_>,
    op: &Operator<'_>,
    kind: &'static str,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Result<(), Diagnostics> {
    let x = graph.read(op, 0)?;
    let size = graph.ints(op, 1, "size", 2)?;
    let attrs = [
        ("size", ints(size)),
        ("align_corners", AttrValue::Bool(align_corners)),
        ("half_pixel_centers", AttrValue::Bool(half_pixel_centers)),
    ];
    graph.emit(op, kind, &[x], &attrs)
}
