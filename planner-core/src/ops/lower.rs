//! What an operator works with while it becomes kernel calls.

use super::Call;
use crate::arch::Arch;
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::emit::{self, Init, Operand, Static, StaticId, Struct};
use crate::model::Data;
use crate::steps::{Scratch, Sharing, Statics};
use crate::variants::{Variant, Variants};
use std::ops::Deref;
use std::sync::Arc;

/// An application of an operator, the machine that it is for, and the statics that it may add to.
///
/// Derefs to [`Call`] for types and attributes.
pub struct Lower<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) arch: Arch,
    pub(crate) statics: &'a mut Statics,
    /// The name of the variant that is wanted.
    pub(crate) wanted: Option<&'a str>,
    /// Those that there are, once the operator has said so.
    pub(crate) variants: Variants,
}

impl<'a> Deref for Lower<'a> {
    type Target = Call<'a>;
    fn deref(&self) -> &Call<'a> {
        &self.call
    }
}

/// An operator as kernel calls.
///
/// Operands count the arguments that are *windows*: see [`Lowered::reads`].
#[derive(Debug, Default)]
pub struct Lowered {
    /// The argument places that kernels take as windows, in order: `Operand::Read(i)` is `reads[i]`.
    pub reads: Vec<usize>,
    /// The calls.
    pub calls: Vec<emit::Call>,
    /// Memory needed during the step.
    pub scratch: Option<Scratch>,
    /// Which bytes may be shared.
    pub sharing: Vec<Sharing>,
}

impl Lowered {
    /// One call over the argument places `reads` and all of one result, in that order of windows.
    #[must_use]
    pub fn one(kernel: &'static str, params: Struct, reads: Vec<usize>, units: usize) -> Self {
        let operands = (0..reads.len()).map(Operand::Read).chain([Operand::Write(0)]).collect();
        let call = emit::Call { kernel, params, operands, units, elided_by: None };
        Self { reads, calls: vec![call], ..Self::default() }
    }

    /// With scratch as the last window of its one call.
    #[must_use]
    pub fn in_scratch(mut self, scratch: Scratch) -> Self {
        for call in &mut self.calls {
            call.operands.push(Operand::Scratch);
        }
        self.scratch = Some(scratch);
        self
    }

    /// With a rule of sharing.
    #[must_use]
    pub fn sharing(mut self, rule: Sharing) -> Self {
        self.sharing.push(rule);
        self
    }
}

impl<'a> Lower<'a> {
    pub(crate) fn new(call: Call<'a>, arch: Arch, statics: &'a mut Statics) -> Self {
        Self { call, arch, statics, wanted: None, variants: Variants::default() }
    }
}

impl Lower<'_> {
    /// A kernel that the step could have, which takes so many hundredths of an instruction for a product, and `more`.
    pub(crate) fn variant(&self, name: &'static str, scratch: usize, cost: u64, more: usize) -> Variant {
        let macs = self.call.node.op.macs(&self.call);
        Variant { name, scratch, beside: 0, instructions: macs.saturating_mul(cost) / 100 + more as u64 }
    }

    /// The name of the variant that the step gets: the wanted one if it is among `all`, else the first.
    pub(crate) fn choose(&mut self, all: Vec<Variant>) -> &'static str {
        let chosen = all.iter().position(|variant| Some(variant.name) == self.wanted).unwrap_or(0);
        self.variants = Variants { all, chosen };
        self.variants.chosen().map_or("", |variant| variant.name)
    }

    /// Whether the step gets `own`, its usual variant, and not one of the `others`.
    pub(crate) fn choose_or(&mut self, own: Variant, others: &[Variant]) -> bool {
        let name = own.name;
        self.choose([own].into_iter().chain(others.iter().cloned()).collect()) == name
    }

    /// Whether the step gets the variant `name`, in so much scratch, and not the portable kernel, by what a product
    /// costs each.
    pub(crate) fn choose_or_portable(&mut self, name: &'static str, scratch: usize, costs: [u64; 2]) -> bool {
        let [own, portable] = costs;
        self.choose(vec![self.variant(name, scratch, own, 0), self.variant("portable", 0, portable, 0)]) == name
    }

    /// The name of the step's first result, for statics derived from it.
    #[must_use]
    pub fn result_name(&self) -> &str {
        &self.call.model.tensor(self.call.node.results[0]).name
    }

    /// The name of the tensor in place `index`, else that of the result with the place's name.
    #[must_use]
    pub fn static_name(&self, index: usize) -> String {
        match self.tensor(index) {
            Some(id) => self.call.model.tensor(id).name.clone(),
            None => format!("{}_{}", self.result_name(), self.arg_name(index)),
        }
    }

    /// The bytes of parameter `index`; `None` if only the compiler of the user's crate can read them.
    ///
    /// # Panics
    /// If no parameter stands there.
    #[must_use]
    pub fn bytes(&self, index: usize) -> Option<Arc<[u8]>> {
        match &self.param(index).expect("roles are checked").data {
            Data::Bytes(bytes) => Some(bytes.clone()),
            Data::External(_) => None,
        }
    }

    /// The bytes of parameter `index`.
    ///
    /// # Errors
    /// If only the compiler of the user's crate can read them.
    pub fn known_bytes(&self, index: usize) -> Result<Arc<[u8]>, Diagnostic> {
        self.bytes(index).ok_or_else(|| {
            self.arg_error(Kind::Param, index, "the values of a constant of the crate are not visible here")
                .help("keep these numbers in a file: `param name: type = \"file.npy\"`")
        })
    }

    /// The elements of an f32 parameter.
    ///
    /// # Errors
    /// As for [`Lower::known_bytes`].
    pub fn known_f32(&self, index: usize) -> Result<Vec<f32>, Diagnostic> {
        let bytes = self.known_bytes(index)?;
        Ok(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }

    /// The elements of an i32 parameter.
    ///
    /// # Errors
    /// As for [`Lower::known_bytes`].
    pub fn known_i32(&self, index: usize) -> Result<Vec<i32>, Diagnostic> {
        let bytes = self.known_bytes(index)?;
        Ok(bytes.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b)).collect())
    }

    /// The elements of an i8 parameter.
    ///
    /// # Errors
    /// As for [`Lower::known_bytes`].
    pub fn known_i8(&self, index: usize) -> Result<Vec<i8>, Diagnostic> {
        Ok(self.known_bytes(index)?.iter().map(|&b| b.cast_signed()).collect())
    }

    /// Parameter `index` as it is, as a static.
    ///
    /// # Panics
    /// If no parameter stands there.
    pub fn weights(&mut self, index: usize) -> StaticId {
        let ty = self.arg(index).clone();
        let init = match &self.param(index).expect("roles are checked").data {
            Data::Bytes(bytes) => Init::Bytes(bytes.to_vec()),
            Data::External(id) => Init::External(*id),
        };
        let name = self.static_name(index);
        self.statics.add(Static { name, dtype: ty.dtype, len: ty.shape.elements(), init, weights: true })
    }

    /// A static of f32.
    pub fn static_f32(&mut self, name: String, values: &[f32], weights: bool) -> StaticId {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.statics.bytes(name, DType::F32, bytes, weights)
    }

    /// A static of i32.
    pub fn static_i32(&mut self, name: String, values: &[i32], weights: bool) -> StaticId {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.statics.bytes(name, DType::I32, bytes, weights)
    }

    /// A static of i16, a table.
    pub fn static_i16(&mut self, name: String, values: &[i16]) -> StaticId {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.statics.bytes(name, DType::I16, bytes, false)
    }

    /// A static of i64.
    pub fn static_i64(&mut self, name: String, values: &[i64], weights: bool) -> StaticId {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.statics.bytes(name, DType::I64, bytes, weights)
    }

    /// A static of i8.
    pub fn static_i8(&mut self, name: String, values: &[i8], weights: bool) -> StaticId {
        let bytes = values.iter().map(|v| v.cast_unsigned()).collect();
        self.statics.bytes(name, DType::I8, bytes, weights)
    }

    /// A static made by a `const fn` of the runtime from other statics.
    pub fn static_fn(
        &mut self,
        name: String,
        dtype: DType,
        len: usize,
        function: &'static str,
        args: Vec<emit::Value>,
    ) -> StaticId {
        let init = Init::ConstFn { function, args };
        self.statics.add(Static { name, dtype, len, init, weights: true })
    }
}
