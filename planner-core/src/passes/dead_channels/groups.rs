//! Which channels can go.

use crate::model::{Channel, Data, Model, Node, TensorId, TypedModel};
use crate::ops::channels::{Flow, Layer, count};
use crate::ops::ranges::Range;

/// Kernels compute so many channels together: a tensor whose channels are a multiple of it keeps such a multiple.
const LANES: usize = 4;

/// The tensors that lose channels, and what becomes of each of theirs.
pub(super) fn dead(typed: &TypedModel, flows: &[Option<Flow>], ranges: &[Vec<Range>]) -> Vec<Option<Vec<Channel>>> {
    let model = &typed.model;
    let mut groups = Groups::new(typed, flows);
    let readers: Vec<Reader<'_>> =
        model.nodes.iter().zip(flows).filter_map(|(node, flow)| Reader::new(typed, node, (*flow)?)).collect();
    loop {
        groups.settle(&readers, ranges);
        if !groups.fill(ranges) {
            break;
        }
    }
    let of = |tensor: usize| {
        let channels: Vec<Channel> =
            (0..groups.count(tensor)).map(|channel| groups.fate(tensor, channel, &ranges[tensor])).collect();
        channels.iter().any(|channel| *channel != Channel::Kept).then_some(channels)
    };
    (0..model.tensors.len()).map(of).collect()
}

/// The channels of all tensors in sets that go or stay together.
struct Groups {
    /// The first channel of each tensor, and one more.
    first: Vec<usize>,
    /// Of each channel, another of its set that is nearer to the one that stands for all.
    parents: Vec<usize>,
    /// Of those that stand for sets: the set has to stay.
    pinned: Vec<bool>,
    /// Of those that stand for sets: the set goes.
    dead: Vec<bool>,
}

impl Groups {
    fn new(typed: &TypedModel, flows: &[Option<Flow>]) -> Self {
        let mut first = vec![0];
        for ty in &typed.types {
            first.push(first[first.len() - 1] + count(ty).unwrap_or(0));
        }
        let channels = first[first.len() - 1];
        let mut groups = Self {
            first,
            parents: (0..channels).collect(),
            pinned: vec![false; channels],
            dead: vec![false; channels],
        };
        let model = &typed.model;
        let mut can_shrink: Vec<bool> =
            (0..model.tensors.len()).map(|index| is_known_param(model, TensorId(index))).collect();
        for (node, flow) in model.nodes.iter().zip(flows) {
            groups.join(node, *flow);
            node.results.iter().for_each(|id| can_shrink[id.0] = !model.leaves(*id));
            if matches!(flow, Some(Flow::Layer(_) | Flow::Depthwise(_))) {
                node.args.iter().flatten().filter(|id| model.param(**id).is_some()).for_each(|id| groups.pin_all(*id));
            }
        }
        for (index, _) in can_shrink.iter().enumerate().filter(|(_, can)| !**can) {
            groups.pin_all(TensorId(index));
        }
        for channel in 0..channels {
            groups.parents[channel] = groups.root_of(channel);
        }
        groups
    }

    /// Channels that `node` carries from tensor to tensor go together; those of tensors that it uses in another way
    /// stay.
    fn join(&mut self, node: &Node, flow: Option<Flow>) {
        let args: Vec<TensorId> = node.args.iter().flatten().copied().collect();
        match flow {
            // What reads by weights is a `Reader`.
            Some(Flow::Layer(_)) => {}
            Some(Flow::Depthwise(_)) => {
                let (x, y) = (args[0], node.results[0]);
                let each = self.count(y.0) / self.count(x.0);
                (0..self.count(y.0)).for_each(|channel| self.union((x, channel / each), (y, channel)));
            }
            Some(Flow::Along) => {
                let y = node.results[0];
                for other in args.into_iter().chain(node.results[1..].iter().copied()) {
                    if self.count(other.0) == self.count(y.0) {
                        (0..self.count(y.0)).for_each(|channel| self.union((other, channel), (y, channel)));
                    } else {
                        self.pin_all(other);
                    }
                }
            }
            Some(Flow::Reshaped) => {
                let (x, y) = (args[0], node.results[0]);
                let (of_x, of_y) = (self.count(x.0), self.count(y.0));
                (0..of_x.max(of_y)).for_each(|element| self.union((x, element % of_x), (y, element % of_y)));
            }
            Some(Flow::Joined) => {
                let mut to = 0;
                for part in args {
                    for channel in 0..self.count(part.0) {
                        self.union((part, channel), (node.results[0], to + channel));
                    }
                    to += self.count(part.0);
                }
            }
            None => args.iter().chain(&node.results).for_each(|id| self.pin_all(*id)),
        }
    }

    fn count(&self, tensor: usize) -> usize {
        self.first[tensor + 1] - self.first[tensor]
    }

    /// The channel that stands for the set of `channel` of `tensor`.
    fn root(&self, tensor: usize, channel: usize) -> usize {
        self.root_of(self.first[tensor] + channel)
    }

    fn root_of(&self, mut at: usize) -> usize {
        while self.parents[at] != at {
            at = self.parents[at];
        }
        at
    }

    fn union(&mut self, a: (TensorId, usize), b: (TensorId, usize)) {
        let [a, b] = [a, b].map(|(tensor, channel)| {
            let root = self.root(tensor.0, channel);
            self.parents[self.first[tensor.0] + channel] = root;
            root
        });
        self.parents[a] = b;
        self.pinned[b] |= self.pinned[a];
    }

    fn pin_all(&mut self, tensor: TensorId) {
        for channel in 0..self.count(tensor.0) {
            let root = self.root(tensor.0, channel);
            self.pinned[root] = true;
        }
    }

    fn is_dead(&self, tensor: TensorId, channel: usize) -> bool {
        self.dead[self.root(tensor.0, channel)]
    }

    /// Finds the most sets that can go together.
    fn settle(&mut self, readers: &[Reader<'_>], ranges: &[Vec<Range>]) {
        self.dead = self.pinned.iter().map(|pinned| !pinned).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for reader in readers.iter().rev() {
                for (channel, range) in ranges[reader.x.0].iter().enumerate() {
                    let root = self.root(reader.x.0, channel);
                    if self.dead[root] && !reader.can_lose(channel, *range, self) {
                        self.dead[root] = false;
                        changed = true;
                    }
                }
            }
        }
    }

    /// Pins sets that could go where a tensor would be left with a number of channels that kernels are slow with, or
    /// none; whether there were any.
    fn fill(&mut self, ranges: &[Vec<Range>]) -> bool {
        let mut filled = false;
        for (tensor, ranges) in ranges.iter().enumerate() {
            let all = ranges.len();
            // Constant ones first: what they are made of may be constant too.
            let is_constant = |channel: &&usize| ranges[**channel][0] == ranges[**channel][1];
            loop {
                let (dead, kept): (Vec<usize>, Vec<usize>) =
                    (0..all).partition(|channel| self.is_dead(TensorId(tensor), *channel));
                // Two at least: a dimension of one has a meaning of its own.
                let least = if all.is_multiple_of(LANES) { LANES } else { all.min(2) };
                let whole = kept.len() >= least && (kept.len().is_multiple_of(LANES) || !all.is_multiple_of(LANES));
                let spare = dead.iter().find(is_constant).or(dead.first());
                let Some(&spare) = spare.filter(|_| !whole) else { break };
                let root = self.root(tensor, spare);
                self.dead[root] = false;
                self.pinned[root] = true;
                filled = true;
            }
        }
        filled
    }

    fn fate(&self, tensor: usize, channel: usize, ranges: &[Range]) -> Channel {
        match ranges[channel] {
            _ if !self.is_dead(TensorId(tensor), channel) => Channel::Kept,
            [least, most] if least == most => Channel::Constant(least),
            _ => Channel::Unread,
        }
    }
}

/// A parameter whose numbers can be had.
fn is_known_param(model: &Model, id: TensorId) -> bool {
    model.param(id).is_some_and(|param| matches!(param.data, Data::Bytes(_)) && !param.placeholder)
}

/// A layer that reads channels by weights.
struct Reader<'m> {
    layer: Layer,
    x: TensorId,
    y: TensorId,
    zero_point: i32,
    weights: &'m [u8],
    /// The byte of a weight that stands for zero.
    zero: u8,
}

impl<'m> Reader<'m> {
    fn new(typed: &'m TypedModel, node: &Node, flow: Flow) -> Option<Self> {
        let Flow::Layer(layer) = flow else { return None };
        let (x, weights) = (node.args[0]?, node.args[1]?);
        let Data::Bytes(bytes) = &typed.model.param(weights)?.data else { return None };
        let zero_point = |id: TensorId| typed.ty(id).quant.as_ref().map(crate::quant::Quant::zero_point);
        Some(Self {
            layer,
            x,
            y: node.results[0],
            zero_point: zero_point(x)?,
            weights: bytes,
            zero: zero_point(weights)?.to_le_bytes()[0],
        })
    }

    /// Its results stay what they are without `channel`, which is in `range`, if those that are `dead` go.
    fn can_lose(&self, channel: usize, [least, most]: Range, groups: &Groups) -> bool {
        // Padding is the zero point.
        if least == most && (least == self.zero_point || !self.layer.padded) {
            return true;
        }
        let inputs = groups.count(self.x.0);
        let filters = self.weights.chunks(self.weights.len() / groups.count(self.y.0));
        let kept = filters.enumerate().filter(|(output, _)| !groups.is_dead(self.y, *output));
        kept.flat_map(|(_, filter)| filter.iter().skip(channel).step_by(inputs)).all(|weight| *weight == self.zero)
    }
}
