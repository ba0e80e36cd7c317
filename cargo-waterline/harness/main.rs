//! Runs a network on samples and writes what it computes.
//!
//! Arguments: a file with the bytes of every input of every sample in turn; a file to write every output
//! of every sample to; a file to write every operator's results in the first sample to, as the length of
//! the name, the name, the length of the bytes, the bytes.

use std::error::Error;
use std::sync::Mutex;
use waterline::{Network, Plan, Step};

waterline::graph! { NETWORK }

static ARENA: Mutex<network::Arena> = Mutex::new(network::Arena::new());

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [given, outputs_to, results_to] = arguments.as_slice() else { return Err("wanted three files".into()) };
    let given = std::fs::read(given)?;
    let plan = &network::PLAN;
    let sizes: Vec<usize> = plan.inputs.iter().map(|input| plan.tensors[input.tensor].size).collect();
    let (mut outputs, mut results) = (Vec::new(), Vec::new());
    let mut arena = ARENA.lock().map_err(|_| "the arena is in use")?;
    let mut rest = given.as_slice();
    let mut sample = 0;
    while !rest.is_empty() {
        let mut inputs: Vec<&[u8]> = Vec::new();
        for size in &sizes {
            let (bytes, after) = rest.split_at_checked(*size).ok_or("the inputs are truncated")?;
            inputs.push(bytes);
            rest = after;
        }
        let run = arena.run(&inputs, &mut |plan: &'static Plan, step: &'static Step, arena: &mut [u8]| {
            for tensor in step.results(plan).filter(|_| sample == 0) {
                let bytes: Vec<u8> = tensor.pieces().filter_map(|piece| piece.of(arena)).flatten().copied().collect();
                for part in [tensor.name.as_bytes(), &bytes] {
                    results.extend((part.len() as u64).to_le_bytes());
                    results.extend(part);
                }
            }
        })?;
        outputs.extend((0..plan.outputs.len()).filter_map(|index| run.get(index)).flatten());
        sample += 1;
    }
    std::fs::write(outputs_to, outputs)?;
    std::fs::write(results_to, results)?;
    Ok(())
}
