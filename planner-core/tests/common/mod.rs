//! What the tests of plans share.
#![allow(dead_code, unreachable_pub, reason = "each test uses its own part")]

pub mod machine;
pub mod programs;
pub mod random;

use planner_core::plan::Plan;
use planner_core::planned::Place;

/// Moves buffer `index` of `plan`, and all that lies in it, to `offset`.
pub fn move_buffer(plan: &mut Plan, index: usize, offset: usize) {
    let from = std::mem::replace(&mut plan.buffers[index].offset, offset);
    for place in &mut plan.places {
        if let Place::Arena { buffer, offset: at } = place
            && *buffer == index
        {
            *at = *at - from + offset;
        }
    }
    let is_tensor = plan.places.iter().any(|place| matches!(place, Place::Arena { buffer, .. } if *buffer == index));
    if !is_tensor {
        let size = plan.buffers[index].size;
        let step = &mut plan.steps[plan.buffers[index].life.first];
        assert_eq!(step.scratch, Some(from..from + size));
        step.scratch = Some(offset..offset + size);
    }
}
