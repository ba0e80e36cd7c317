//! The interface of generated modules: frames, steps, observers, modes of inputs and outputs.

use static_assertions::{assert_impl_all, assert_not_impl_any, const_assert_eq};
use waterline::plan::{InputMode, Place, Values};
use waterline::{Plan, Step};

waterline::graph! {
    /// Every mode at once.
    mod modes {
        input x: f32[4];
        input calibration: f32[4] kept;
        input table: f32[8] borrowed;
        output sum = add(x, calibration).add(slice(table, begin = [0], size = [4]));
        output largest: f32[4] kept = maximum(sum, calibration);
        output table_again = table;
        output same = x;
    }
}

const TABLE: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

fn filled(arena: &mut modes::Arena) -> modes::Frame<'_> {
    let mut frame = arena.frame(&TABLE);
    *frame.x() = [10.0, -20.0, 30.0, -40.0];
    *frame.calibration() = [0.5; 4];
    frame
}

const SUM: [f32; 4] = [11.5, -17.5, 33.5, -35.5];
const LARGEST: [f32; 4] = [11.5, 0.5, 33.5, 0.5];

fn check(outputs: &modes::Outputs<'_>) {
    assert_eq!(outputs.sum(), &SUM);
    assert_eq!(outputs.largest(), &LARGEST);
    assert_eq!(outputs.table_again(), &TABLE);
    assert_eq!(outputs.same(), &[10.0, -20.0, 30.0, -40.0]);
}

#[test]
fn a_frame_is_filled_in_place_and_run() {
    let mut arena = modes::Arena::new();
    check(&filled(&mut arena).run());
}

#[test]
fn the_short_form_copies_in() {
    let mut arena = modes::Arena::default();
    check(&modes::run(&mut arena, &[10.0, -20.0, 30.0, -40.0], &[0.5; 4], &TABLE));
}

#[test]
fn borrowed_outputs_outlive_the_arena() {
    let table = TABLE;
    let again: &[f32; 8] = {
        let mut arena = modes::Arena::new();
        let outputs = modes::run(&mut arena, &[0.0; 4], &[0.0; 4], &table);
        assert_eq!(outputs.table_again(), &TABLE);
        &table
    };
    assert!(std::ptr::eq(again, &raw const table));
}

#[test]
fn kept_inputs_and_outputs_are_there_for_the_next_frame() {
    let mut arena = modes::Arena::new();
    assert_eq!(arena.frame(&TABLE).largest(), &[0.0; 4]);
    filled(&mut arena).run();
    let mut frame = arena.frame(&TABLE);
    *frame.x() = [0.0; 4];
    assert_eq!(frame.largest(), &LARGEST);
    assert_eq!(frame.calibration(), &[0.5; 4]);
    assert_eq!(frame.run().sum(), &[1.5, 2.5, 3.5, 4.5]);
    arena.reset();
    assert_eq!(arena.frame(&TABLE).largest(), &[0.0; 4]);
}

#[test]
fn steps_name_themselves_and_the_rest_can_be_left_to_finish() {
    let mut arena = modes::Arena::new();
    let mut stepper = filled(&mut arena).steps();
    let first = stepper.step().map(|step| (step.index, step.op));
    assert_eq!(first, Some((0, modes::PLAN.steps[0].op)));
    check(&stepper.finish());

    let mut stepper = filled(&mut arena).steps();
    let mut names = Vec::new();
    while let Some(step) = stepper.step() {
        names.push(step.name);
    }
    assert!(stepper.step().is_none());
    assert_eq!(names.len(), modes::STEPS);
    check(&stepper.finish());
}

#[test]
fn an_observer_sees_each_result_as_it_is_made() {
    let mut arena = modes::Arena::new();
    let mut seen = Vec::new();
    let outputs = filled(&mut arena).run_with(&mut |plan: &'static Plan, step: &'static Step, arena: &mut [u8]| {
        for tensor in step.results(plan) {
            let Some(Values::F32(values)) = tensor.values(arena) else { panic!("{tensor} is no f32 in the arena") };
            seen.push((tensor.name, values.to_vec()));
        }
    });
    check(&outputs);
    assert!(seen.contains(&("sum", SUM.to_vec())));
    assert!(seen.contains(&("largest", LARGEST.to_vec())));
    assert_eq!(seen.len(), modes::STEPS);
}

#[test]
fn the_plan_is_data() {
    let plan = &modes::PLAN;
    assert_eq!((plan.name, plan.arena_bytes, plan.arena_align), ("modes", modes::ARENA_BYTES, modes::ARENA_ALIGN));
    assert_eq!((plan.steps.len(), plan.macs), (modes::STEPS, modes::MACS));
    assert!(modes::LOWER_BOUND_BYTES <= modes::ARENA_BYTES && modes::WEIGHT_BYTES == 0);
    assert!(!plan.placeholder);
    let inputs: Vec<_> = plan.inputs.iter().map(|input| (input.name, input.mode)).collect();
    assert_eq!(inputs, [("x", InputMode::Plain), ("calibration", InputMode::Kept), ("table", InputMode::Borrowed)]);
    let outputs: Vec<_> = plan.outputs.iter().map(|output| (output.name, output.kept)).collect();
    assert_eq!(outputs, [("sum", false), ("largest", true), ("table_again", false), ("same", false)]);
    let table = &plan.tensors[plan.inputs[2].tensor];
    assert_eq!((table.place, table.shape, table.size), (Place::Borrowed { input: 2, offset: 0 }, &[8][..], 32));
    let text = format!("{plan}{}", plan.map());
    assert!(text.contains("sum: f32[4]") && text.contains("borrowed"), "{text}");
}

// The arena is as large and as aligned as it says.
const_assert_eq!(align_of::<modes::Arena>(), modes::ARENA_ALIGN);
const_assert_eq!(size_of::<modes::Arena>(), modes::ARENA_BYTES.next_multiple_of(modes::ARENA_ALIGN));
// It can lie in a `ConstStaticCell` and be handed to another thread.
assert_impl_all!(modes::Arena: Send, Sync);
// What is passed by value is a reference to the arena and one to the borrowed input.
const_assert_eq!(size_of::<modes::Frame<'static>>(), 2 * size_of::<usize>());
const_assert_eq!(size_of::<modes::Outputs<'static>>(), 2 * size_of::<usize>());
const_assert_eq!(size_of::<modes::Stepper<'static>>(), 3 * size_of::<usize>());
// A frame is used up by its run, outputs can be shown to many.
assert_not_impl_any!(modes::Frame<'static>: Clone);
assert_impl_all!(modes::Outputs<'static>: Copy, Send, Sync);

waterline::graph! {
    mod wide { plan { align = 64 } input x: f32[3]; output y = relu(x); }
}

#[test]
fn a_wish_for_alignment_is_met() {
    let mut arena = wide::Arena::new();
    assert_eq!(wide::ARENA_ALIGN, 64);
    assert!(std::ptr::from_ref(arena.frame().x()).addr().is_multiple_of(64));
}

waterline::graph! {
    /// Nothing to compute.
    mod idle {
        input x: f32[2, 2];
        param constant: f32[2] = splat(1.5);
        output flat = flatten(x);
        output same = x;
        output fixed = reshape(constant, shape = [2]);
    }
}

#[test]
fn a_network_without_steps_hands_its_inputs_on() {
    let mut arena = idle::Arena::new();
    let outputs = idle::run(&mut arena, &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!((outputs.flat(), outputs.same(), outputs.fixed()), (&[1.0, 2.0, 3.0, 4.0], outputs.flat(), &[1.5; 2]));
    assert_eq!(idle::STEPS, 0);
    assert!(arena.frame().steps().step().is_none());
}
