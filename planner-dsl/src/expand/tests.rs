//! Views of the arena that no operator needs yet, from plans made by hand.

use super::{Context, expand};
use crate::lower::Lowered;
use crate::parse::parse;
use planner_core::dtype::DType;
use planner_core::emit::{Call, Operand, Struct, Value};
use planner_core::model::{Input, InputMode, Output, TensorId, TensorType};
use planner_core::options::Options;
use planner_core::plan::Plan;
use planner_core::planned::{Lifetime, Place, PlannedStep, Shares};
use planner_core::shape::Shape;
use planner_core::source::Src;
use planner_core::steps::{Program, ProgramTensor, Scratch, Source, Step};
use planner_core::variants::Variants;

/// The code, without spaces, of `y = op(x)` over eight elements with i32 scratch; each at its offset.
fn code(types: [DType; 2], offsets: [usize; 3]) -> String {
    code_of(0, types, offsets)
}

/// As [`code`], of a step of so many products.
fn code_of(macs: u64, types: [DType; 2], offsets: [usize; 3]) -> String {
    let tensor = |name: &str, dtype, source| ProgramTensor {
        name: name.into(),
        ty: TensorType::plain(dtype, Shape::new([8]).unwrap()),
        src: Src(0),
        source,
    };
    let call = Call {
        kernel: "op",
        params: Struct { name: "Op", fields: vec![("size", Value::Int(8))] },
        operands: vec![Operand::Read(0), Operand::Write(0), Operand::Scratch],
        units: 8,
        elided_by: None,
    };
    let step = Step {
        name: "y".into(),
        op: "op",
        attributes: Vec::new(),
        src: Src(0),
        reads: vec![TensorId(0)],
        writes: vec![TensorId(1)],
        scratch: Some(Scratch { bytes: 16, dtype: DType::I32 }),
        macs,
        calls: vec![call],
        sharing: Vec::new(),
        variants: Variants::default(),
    };
    let program = Program {
        name: "net".into(),
        tensors: vec![tensor("x", types[0], Source::Input(0)), tensor("y", types[1], Source::Step)],
        steps: vec![step],
        inputs: vec![Input { tensor: TensorId(0), mode: InputMode::Plain }],
        outputs: vec![Output { name: "y".into(), tensor: TensorId(1), kept: false, src: Src(0) }],
        ..Program::default()
    };
    let [x, y, scratch] = offsets;
    let plan = Plan {
        program,
        options: Options::default(),
        order: vec![0],
        scheduled: Vec::new(),
        applied: vec![Vec::new()],
        steps: vec![PlannedStep { step: 0, calls: vec![0], scratch: Some(scratch..scratch + 16) }],
        places: vec![Place::Arena { buffer: 0, offset: x }, Place::Arena { buffer: 1, offset: y }],
        lifetimes: vec![Some(Lifetime { first: 0, last: 0 }); 2],
        shares: vec![Shares::default(); 2],
        buffers: Vec::new(),
        arena_bytes: 128,
        arena_align: 16,
        classic_bound: 0,
        lower_bound: 0,
        separate_bytes: 0,
        peak_step: 0,
        events: Vec::new(),
    };
    let parsed = parse("mod net { }".parse().unwrap());
    let runtime = "waterline".parse().unwrap();
    let (ast, lowered) = (parsed.ast.as_ref().unwrap(), Lowered::default());
    let context = Context { runtime: &runtime, ast, lowered: &lowered, spans: &parsed.spans, stub: None };
    expand(&plan, context).to_string().split_whitespace().collect()
}

fn contains(code: &str, part: &str) {
    assert!(code.contains(part), "{part} is not in {code}");
}

#[test]
fn scratch_has_a_slot() {
    let code = code([DType::I8, DType::I8], [0, 8, 16]);
    contains(&code, "pub(super)constY_SCRATCH:Slot<i32,4,4>=Slot::HERE;");
    contains(&code, "scratch:::core::option::Option::Some(slots::Y_SCRATCH.span())");
}

#[test]
fn types_that_stand_apart_split_the_arena() {
    let code = code([DType::I8, DType::I8], [0, 8, 16]);
    contains(&code, "let(low,high)=split::<_,_,4,_>(&mutframe.arena.words);");
    contains(
        &code,
        "(&statics::Y,slots::X.cells(low),slots::Y.cells(low),slots::Y_SCRATCH.cells(high),Units::forward(0..8));",
    );
    let code = self::code([DType::I8, DType::I32], [32, 0, 48]);
    contains(&code, "letarena=region::<u8,_>(&mutframe.arena.words);");
}

#[test]
fn types_that_interleave_are_windows_of_bytes() {
    let code = code([DType::I8, DType::I8], [0, 24, 8]);
    contains(&code, "letarena=region::<u8,_>(&mutframe.arena.words);");
    contains(
        &code,
        "(&statics::Y,slots::X.bytes(arena),slots::Y.bytes(arena),slots::Y_SCRATCH.bytes(arena),Units::forward(0..8));",
    );
}

#[test]
fn one_type_is_one_region() {
    let code = code([DType::I32, DType::I32], [0, 64, 32]);
    contains(&code, "letarena=region(&mutframe.arena.words);");
    contains(
        &code,
        "(&statics::Y,slots::X.cells(arena),slots::Y.cells(arena),slots::Y_SCRATCH.cells(arena),Units::forward(0..8));",
    );
}

#[test]
fn long_steps_are_functions_of_their_own() {
    let code = |macs| code_of(macs, [DType::I8; 2], [0, 8, 16]);
    assert!(code(100_000).contains("#[inline(never)]pub(super)fny("));
    assert!(!code(100).contains("inline(never)"));
}
