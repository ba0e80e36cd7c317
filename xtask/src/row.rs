//! One run of one network on one board: its figures and its checks.

use std::path::Path;

use crate::boards::Board;
use crate::elf::{Elf, Sizes};
use crate::record::Record;
use crate::weights;

/// The deepest stack that is allowed, in bytes.
const STACK_LIMIT: u64 = 1024;

/// What `.data` and `.bss` hold besides the arena and declared inputs and
/// outputs, in bytes: the flag of the arena's cell, padded to its alignment.
const FIXED_BYTES: u64 = 16;

/// Over the lines for people.
pub(crate) const HEADER: &str =
    "board        model        opt instructions   text rodata weights  data   bss arena stack equal";

/// One run of one network on one board.
pub(crate) struct Row {
    board: &'static str,
    model: &'static str,
    opt: &'static str,
    instructions: u64,
    sizes: Sizes,
    weights: u64,
    arena: u64,
    io: u64,
    stack: u64,
    equal: bool,
    elf: Vec<u8>,
}

impl Row {
    /// Runs the program and reads its file.
    pub(crate) fn measure(
        board: &Board,
        opt: &'static str,
        model: &'static str,
        path: &Path,
        reference: &str,
    ) -> Result<Self, String> {
        let elf = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let printed = board.run(path)?;
        let record = Record::all(&printed).next().ok_or_else(|| format!("{model} printed nothing"))?;
        let host = Record::all(reference).find(|record| record.text("model") == Ok(model));
        let host = host.ok_or_else(|| format!("the reference program knows no {model}"))?;
        Ok(Self {
            board: board.name,
            model,
            opt,
            instructions: record.number("instructions")?,
            sizes: Elf::read(&elf)?.sizes()?,
            weights: record.number("weights")?,
            arena: record.number("arena")?,
            io: record.number("io")?,
            stack: record.number("stack")?,
            equal: record.text("output")? == host.text("output")?,
            elf,
        })
    }

    /// The line of `--json`.
    pub(crate) fn json(&self) -> String {
        let Self { board, model, opt, instructions, sizes, weights, arena, stack, equal, .. } = self;
        let Sizes { text, rodata, data, bss } = sizes;
        format!(
            "{{\"board\":\"{board}\",\"model\":\"{model}\",\"opt\":\"{opt}\",\"instructions\":{instructions},\
             \"text\":{text},\"rodata\":{rodata},\"weights\":{weights},\"data\":{data},\"bss\":{bss},\
             \"arena\":{arena},\"stack\":{stack},\"equal\":{equal}}}"
        )
    }

    /// The line under [`HEADER`].
    pub(crate) fn table(&self) -> String {
        let Self { board, model, opt, instructions, sizes, weights, arena, stack, equal, .. } = self;
        let Sizes { text, rodata, data, bss } = sizes;
        format!(
            "{board:12} {model:12} {opt:>3} {instructions:12} {text:6} {rodata:6} {weights:7} {data:5} {bss:5} \
             {arena:5} {stack:5} {equal}"
        )
    }

    /// Everything that is wrong with it.
    pub(crate) fn check(&self, weights: Option<&Path>) -> Result<Vec<String>, String> {
        let mut failures = Vec::new();
        let elf = Elf::read(&self.elf)?;
        if !self.equal {
            failures.push("the outputs differ from the host's".to_owned());
        }
        if elf.symbol_count() == 0 {
            failures.push("the ELF file has no symbols to check".to_owned());
        }
        for name in elf.forbidden_symbols() {
            failures.push(format!("the ELF file holds {name}"));
        }
        let weights = weights.map(weights::of_file).transpose()?;
        for (name, bytes) in weights.into_iter().flatten() {
            if let Err(message) = elf.once_in_rodata(&bytes) {
                failures.push(format!("the weights {name} have to stand once in .rodata: {message}"));
            }
        }
        let statics = self.sizes.data + self.sizes.bss;
        let declared = self.arena + self.io;
        if statics < declared || statics > declared + FIXED_BYTES {
            failures.push(format!(
                ".data and .bss are {statics} bytes, arena, inputs and outputs {declared}, and {FIXED_BYTES} more allowed"
            ));
        }
        if self.stack >= STACK_LIMIT {
            failures.push(format!("{} bytes of stack, of less than {STACK_LIMIT} allowed", self.stack));
        }
        Ok(failures)
    }
}
