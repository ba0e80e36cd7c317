//! What no order can be below, step by step: whatever is finished when a step runs, all that it waits for is, and
//! nothing that waits for it. Of the sets of steps for which that holds, and which hold all that their steps wait for,
//! the one that leaves least alive is a minimum cut (a *closure*, Picard 1976).

use super::Observer;
use super::values::Values;
use super::waits::successors;
use std::collections::VecDeque;

/// What the cuts of a network are made of.
pub(super) struct Cuts<'a> {
    values: &'a Values,
    before: &'a [Vec<usize>],
    after: Vec<Vec<usize>>,
    costs: Costs,
}

impl<'a> Cuts<'a> {
    /// Each step waits for those in `before`.
    pub(super) fn new(values: &'a Values, before: &'a [Vec<usize>]) -> Self {
        Self { values, before, after: successors(before), costs: Costs::new(values, before.len()) }
    }

    /// No order has a lower peak when `steps` run. Each step has a bound of its own, so that those count
    /// that were found before `observer`, told of the `states` so far, ended the search.
    pub(super) fn bound(
        &self,
        steps: impl IntoIterator<Item = usize>,
        states: u64,
        observer: &mut Observer<'_>,
    ) -> usize {
        let steps = steps.into_iter().take_while(|_| observer(states).is_continue());
        steps.map(|step| self.of(step)).max().unwrap_or(0)
    }

    fn of(&self, step: usize) -> usize {
        let (earlier, later) = (reached(self.before, step), reached(&self.after, step));
        let during = self.costs.during(self.values, step, &later);
        self.costs.least_live(self.before, &earlier, &later).saturating_add(during)
    }
}

/// The steps that `step` comes to along `edges`, itself among them.
fn reached(edges: &[Vec<usize>], step: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = vec![step];
    while let Some(step) = open.pop() {
        if !std::mem::replace(&mut reached[step], true) {
            open.extend(&edges[step]);
        }
    }
    reached
}

/// A value that is freed when all its readers are finished.
struct Value {
    bytes: usize,
    /// None if it is there from the start.
    writer: Option<usize>,
    readers: Vec<usize>,
}

/// What sets of finished steps leave alive.
struct Costs {
    /// Bytes that are always there, and those of them and of all others that are counted elsewhere too.
    given: usize,
    twice: usize,
    values: Vec<Value>,
    /// Bytes of each step's results, and those of them that are never freed.
    allocated: Vec<usize>,
    stays: Vec<usize>,
}

impl Costs {
    fn new(values: &Values, steps: usize) -> Self {
        let mut writer = vec![None; values.bytes.len()];
        for (step, writes) in values.writes.iter().enumerate() {
            for &value in writes {
                writer[value] = Some(step);
            }
        }
        let mut bytes = values.bytes.clone();
        let mut allocated = values.allocated.clone();
        // New values of states may take no bytes of their own.
        for (step, renewals) in values.renewals.iter().enumerate() {
            for renewal in renewals {
                bytes[renewal.value] = 0;
                allocated[step] = allocated[step].saturating_sub(renewal.bytes);
            }
        }
        let mut twice: usize = 0;
        let mut stays = allocated.clone();
        let mut freed = Vec::new();
        for (value, readers) in values.readers.iter().enumerate() {
            match writer[value] {
                _ if bytes[value] == 0 => {}
                Some(step) => {
                    // Where results count for less than their bytes, so do they when they are freed.
                    twice += bytes[value].saturating_sub(stays[step]);
                    stays[step] = stays[step].saturating_sub(bytes[value]);
                }
                None if readers.is_empty() => {}
                None => twice += bytes[value],
            }
            if bytes[value] > 0 && !readers.is_empty() {
                freed.push(Value { bytes: bytes[value], writer: writer[value], readers: readers.clone() });
            }
        }
        debug_assert_eq!(stays.len(), steps);
        Self { given: values.given, twice, values: freed, allocated, stays }
    }

    /// Bytes that live while `step` runs beside what lives before, at least, if `later` are the steps after it.
    fn during(&self, values: &Values, step: usize, later: &[bool]) -> usize {
        let read = values.reads[step].iter().zip(&values.saved[step]);
        let last =
            read.filter(|(value, _)| values.readers[**value].iter().all(|&reader| reader == step || !later[reader]));
        let shared: usize = last.map(|(_, saved)| saved).sum();
        self.allocated[step].saturating_sub(shared) + values.scratch[step]
    }

    /// Fewest bytes that live when all of `earlier` but the step itself and none of `later` are finished; the step is
    /// in both.
    fn least_live(&self, before: &[Vec<usize>], earlier: &[bool], later: &[bool]) -> usize {
        const SOURCE: usize = 0;
        const SINK: usize = 1;
        // The steps that are open either way have nodes of their own.
        let mut nodes = 2;
        let node: Vec<usize> = (0..before.len())
            .map(|step| match (later[step], earlier[step]) {
                (true, _) => SINK,
                (false, true) => SOURCE,
                (false, false) => {
                    nodes += 1;
                    nodes - 1
                }
            })
            .collect();
        let mut flow = Flow::default();
        let mut live = self.given;
        for (step, &at) in node.iter().enumerate() {
            match at {
                SINK => {}
                SOURCE => live += self.stays[step],
                at => {
                    flow.edge(at, SINK, self.stays[step]);
                    before[step].iter().for_each(|&earlier| flow.edge(at, node[earlier], usize::MAX));
                }
            }
        }
        for value in &self.values {
            let from = value.writer.map_or(SOURCE, |writer| node[writer]);
            let mut readers: Vec<usize> = value.readers.iter().map(|&reader| node[reader]).collect();
            readers.retain(|reader| *reader != SOURCE);
            if from == SINK || readers.is_empty() {
                continue;
            }
            if readers.contains(&SINK) {
                flow.edge(from, SINK, value.bytes);
                continue;
            }
            flow.edge(from, nodes, value.bytes);
            for reader in readers {
                flow.edge(nodes, reader, usize::MAX);
            }
            nodes += 1;
        }
        (live + flow.most(nodes, SOURCE, SINK)).saturating_sub(self.twice)
    }
}

/// A network of capacities; the largest flow is the smallest cut.
#[derive(Default)]
struct Flow {
    /// Pairs of an edge and its reverse: from, to, what is left of its capacity.
    edges: Vec<(usize, usize, usize)>,
}

impl Flow {
    fn edge(&mut self, from: usize, to: usize, capacity: usize) {
        if from != to && capacity > 0 {
            self.edges.extend([(from, to, capacity), (to, from, 0)]);
        }
    }

    /// The largest flow, by blocking flows of shortest paths (Dinic 1970).
    fn most(&mut self, nodes: usize, source: usize, sink: usize) -> usize {
        let mut leaving = vec![Vec::new(); nodes];
        for (edge, (from, ..)) in self.edges.iter().enumerate() {
            leaving[*from].push(edge);
        }
        let mut total: usize = 0;
        loop {
            let mut distance = vec![usize::MAX; nodes];
            distance[source] = 0;
            let mut open = VecDeque::from([source]);
            while let Some(node) = open.pop_front() {
                for &edge in &leaving[node] {
                    let (_, to, left) = self.edges[edge];
                    if left > 0 && distance[to] == usize::MAX {
                        distance[to] = distance[node] + 1;
                        open.push_back(to);
                    }
                }
            }
            if distance[sink] == usize::MAX {
                return total;
            }
            let mut next = vec![0; nodes];
            let mut path: Vec<usize> = Vec::new();
            let mut node = source;
            loop {
                if node == sink {
                    let flow = path.iter().map(|&edge| self.edges[edge].2).min().unwrap_or(0);
                    for &edge in &path {
                        self.edges[edge].2 -= flow;
                        self.edges[edge ^ 1].2 = self.edges[edge ^ 1].2.saturating_add(flow);
                    }
                    total = total.saturating_add(flow);
                    path.clear();
                    node = source;
                } else if let Some(&edge) = leaving[node].get(next[node]) {
                    let (_, to, left) = self.edges[edge];
                    if left > 0 && distance[to] == distance[node] + 1 {
                        path.push(edge);
                        node = to;
                    } else {
                        next[node] += 1;
                    }
                } else if let Some(edge) = path.pop() {
                    node = self.edges[edge].0;
                    next[node] += 1;
                } else {
                    break;
                }
            }
        }
    }
}
