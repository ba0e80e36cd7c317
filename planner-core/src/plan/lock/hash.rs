//! What a locked plan depends on, as a number.

use crate::model::TensorId;
use crate::options::Options;
use crate::steps::{Program, Source};
use std::fmt::{self, Write};

/// FNV-1a of 64 bits: `hash = (hash ^ byte) * prime` for each byte.
struct Fnv(u64);

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

/// The hash of everything in `program` and `options` that a plan must suit: tensors, steps and what they read and
/// write, attributes, kernels, rules of sharing with their distances, scratch, the switches in force.
///
/// Neither weights nor scales are in it: a network that is trained again keeps its plan.
#[must_use]
pub fn hash(program: &Program, options: &Options) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    let _ = describe(&mut hash, program, options);
    hash.0
}

fn describe(out: &mut Fnv, program: &Program, options: &Options) -> fmt::Result {
    let name = |id: &TensorId| program.tensor(*id).name.as_str();
    for tensor in &program.tensors {
        let source = match tensor.source {
            Source::Input(_) => "input",
            Source::State(_) => "state",
            Source::Static(_) => "static",
            Source::Step => "step",
            Source::Unused => "unused",
        };
        writeln!(out, "tensor {} {} {} {source}", tensor.name, tensor.ty.dtype, tensor.ty.shape)?;
    }
    for input in &program.inputs {
        writeln!(out, "input {} {:?}", name(&input.tensor), input.mode)?;
    }
    for output in &program.outputs {
        writeln!(out, "output {} {} {}", output.name, name(&output.tensor), output.kept)?;
    }
    for state in &program.states {
        writeln!(out, "state {} {}", name(&state.tensor), name(&state.next))?;
    }
    for step in &program.steps {
        writeln!(out, "step {} {} {:?}", step.name, step.op, step.scratch)?;
        for (attribute, value) in &step.attributes {
            writeln!(out, "attribute {attribute} {value}")?;
        }
        step.reads.iter().try_for_each(|read| writeln!(out, "read {}", name(read)))?;
        step.writes.iter().try_for_each(|write| writeln!(out, "write {}", name(write)))?;
        for call in &step.calls {
            writeln!(out, "call {} {:?} {} {:?}", call.kernel, call.operands, call.units, call.elided_by)?;
        }
        step.sharing.iter().try_for_each(|rule| writeln!(out, "rule {rule:?}"))?;
    }
    let Options { align, views, in_place, concat, overlap, .. } = options;
    writeln!(out, "align {align:?} views {views} in_place {in_place} concat {concat} overlap {overlap}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        hash.write_str("foobar").unwrap();
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
    }
}
