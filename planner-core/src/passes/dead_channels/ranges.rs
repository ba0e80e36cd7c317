//! What each channel of each tensor can hold, whatever the inputs are.

use crate::model::{Data, TypedModel};
use crate::ops::Call;
use crate::ops::channels::Flow;
use crate::ops::ranges::{Range, known, results, whole};

/// The ranges of the channels of every tensor; none of a tensor without channels.
pub(super) fn ranges(typed: &TypedModel, flows: &[Option<Flow>]) -> Vec<Vec<Range>> {
    let (model, types) = (&typed.model, &super::known(typed));
    let mut ranges: Vec<Vec<Range>> = typed.types.iter().map(whole).collect();
    for (node, flow) in model.nodes.iter().zip(flows) {
        let Some(flow) = *flow else { continue };
        if !matches!(flow, Flow::Layer(_) | Flow::Depthwise(_)) {
            for (id, param) in node.args.iter().flatten().filter_map(|id| Some((id, model.param(*id)?))) {
                if let (Data::Bytes(bytes), false) = (&param.data, param.placeholder) {
                    ranges[id.0] = known(typed.ty(*id), bytes);
                }
            }
        }
        let args: Vec<&[Range]> =
            node.args.iter().map(|arg| arg.map_or(&[][..], |arg| ranges[arg.0].as_slice())).collect();
        let found = results(&Call { model, node, types }, flow, &args);
        for (id, found) in node.results.iter().zip(found.into_iter().flatten()) {
            ranges[id.0] = found;
        }
    }
    ranges
}
