//! The planner's plans as those of the runtime, as the expansion prints them.

use planner_core::distances::Direction;
use planner_core::dtype::DType;
use planner_core::events::EventKind;
use planner_core::model::InputMode;
use planner_core::plan::Plan;
use planner_core::planned::Place;
use planner_core::steps::Spread;
use waterline::plan;

/// `plan` as the runtime's data. Never freed. Folded parameters stay in the list, as constants without bytes.
#[must_use]
pub fn runtime_plan(plan: &Plan) -> &'static plan::Plan {
    let program = &plan.program;
    let tensors = (0..program.tensors.len()).map(|index| tensor(plan, index));
    let steps = plan.steps.iter().enumerate().map(|(index, planned)| {
        let step = &program.steps[planned.step];
        let (reads, writes) = (planned.reads(program).map(|id| id.0), planned.writes(program).map(|id| id.0));
        let (reads, writes) = (leak(reads), leak(writes));
        let scratch = planned.scratch.as_ref().map(|range| plan::Span { offset: range.start, size: range.len() });
        plan::Step { index, name: text(&step.name), op: step.op, reads, writes, scratch, macs: step.macs }
    });
    let inputs = program.inputs.iter().map(|input| plan::Input {
        name: text(&program.tensor(input.tensor).name),
        tensor: input.tensor.0,
        mode: match input.mode {
            InputMode::Plain => plan::InputMode::Plain,
            InputMode::Kept => plan::InputMode::Kept,
            InputMode::Borrowed => plan::InputMode::Borrowed,
        },
    });
    let outputs = program.outputs.iter().map(|output| plan::Output {
        name: text(&output.name),
        tensor: output.tensor.0,
        kept: output.kept,
    });
    let states = program.states.iter().map(|state| plan::State {
        name: text(&program.tensor(state.tensor).name),
        tensor: state.tensor.0,
        next: state.next.0,
    });
    let buffers = plan.buffers.iter().map(|buffer| plan::Buffer {
        name: text(&buffer.name),
        offset: buffer.offset,
        size: buffer.size,
        first: buffer.life.first,
        last: buffer.life.last,
    });
    let events = plan.events.iter().map(|event| plan::Event {
        kind: match event.kind {
            EventKind::Alloc => plan::EventKind::Alloc,
            EventKind::Exec => plan::EventKind::Exec,
            EventKind::Free => plan::EventKind::Free,
        },
        tensor: event.tensor,
        buffer: event.buffer,
        step: event.step,
    });
    Box::leak(Box::new(plan::Plan {
        name: text(&program.name),
        arena_bytes: plan.arena_bytes,
        arena_align: plan.arena_align,
        separate_bytes: plan.separate_bytes,
        classic_bound_bytes: plan.classic_bound,
        lower_bound_bytes: plan.lower_bound,
        weight_bytes: program.weight_bytes(),
        param_bytes: program.param_bytes,
        macs: program.macs(),
        order: "",
        layout: "",
        placeholder: program.placeholder,
        tensors: leak(tensors),
        steps: leak(steps),
        inputs: leak(inputs),
        outputs: leak(outputs),
        states: leak(states),
        buffers: leak(buffers),
        events: leak(events),
    }))
}

/// The tensors in the arena, in the order in which their lives begin.
#[must_use]
pub fn by_birth(plan: &plan::Plan) -> Vec<usize> {
    let birth = |index: usize| plan.tensors[index].span().map(|_| (plan.tensors[index].first, index));
    let mut rows: Vec<(usize, usize)> = (0..plan.tensors.len()).filter_map(birth).collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, index)| index).collect()
}

fn tensor(plan: &Plan, index: usize) -> plan::Tensor {
    let tensor = &plan.program.tensors[index];
    let (first, last) = plan.lifetimes[index].map_or((0, 0), |life| (life.first, life.last));
    plan::Tensor {
        name: text(&tensor.name),
        dtype: match tensor.ty.dtype {
            DType::F32 => plan::DType::F32,
            DType::I8 => plan::DType::I8,
            DType::U8 => plan::DType::U8,
            DType::I16 => plan::DType::I16,
            DType::I32 => plan::DType::I32,
            DType::I64 => plan::DType::I64,
            DType::Bool => plan::DType::Bool,
        },
        shape: leak(tensor.ty.shape.iter().copied()),
        quant: None,
        place: match plan.places[index] {
            Place::Arena { offset, .. } => plan::Place::Arena { offset },
            Place::Borrowed { input, offset } => plan::Place::Borrowed { input, offset },
            Place::Static { .. } | Place::Nowhere => plan::Place::Constant { bytes: &[] },
        },
        size: tensor.ty.bytes(),
        first,
        last,
        shares: plan::Shares {
            inside: plan.shares[index].inside,
            over: plan.shares[index].over,
            ahead: plan.shares[index].ahead.map(|ahead| plan::Ahead {
                of: ahead.of,
                backward: ahead.direction == Direction::Backward,
                from: ahead.distances.from,
                multiple: ahead.distances.multiple,
                any: ahead.distances.any,
            }),
            spread: plan.shares[index].spread.map(|Spread { run, stride }| plan::Spread { run, stride }),
        },
    }
}

fn text(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

fn leak<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    Vec::leak(items.collect())
}
