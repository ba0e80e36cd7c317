//! A model file with its samples.

use std::path::Path;

use planner_core::arch::Arch;
use planner_core::plan::Plan;
use planner_dsl::files::Files;
use proc_macro2::TokenStream;
use waterline_npz::{Difference, Npz, Samples, tolerance};

/// More samples than these are not run: inputs take flash.
const SAMPLES: usize = 3;

/// A planned model with inputs and what they give.
pub(super) struct Model {
    /// What the macro is given.
    pub(super) source: String,
    /// Its plan, as the macro makes it.
    pub(super) plan: Plan,
    /// What it is given, and what it should compute.
    pub(super) samples: Samples,
}

impl Model {
    /// The `.tflite` file at `path` for `arch`, planned with the options in `plan`, with the samples in the `.io.npz`
    /// beside it.
    pub(super) fn read(path: &Path, arch: Arch, plan: &str) -> Result<Self, String> {
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        let source = format!("pub mod network = {:?} {{ plan {{ {plan} }} }}", path.display().to_string());
        let tokens: TokenStream = source.parse().map_err(|error| format!("{error}"))?;
        let plan =
            planner_dsl::planned(tokens, &mut Files::new(".".into()), arch).map_err(|failure| failure.to_string())?;
        let npz = Npz::open(&path.with_extension("io.npz")).map_err(|error| error.to_string())?;
        let Samples { mut inputs, mut outputs } =
            Samples::read(&npz, &plan.program).map_err(|error| error.to_string())?;
        inputs.truncate(SAMPLES);
        outputs.truncate(SAMPLES);
        Ok(Self { source, plan, samples: Samples { inputs, outputs } })
    }

    /// The bytes of all samples of the input at `place`.
    pub(super) fn input(&self, place: usize) -> Vec<u8> {
        self.samples.inputs.iter().flat_map(|inputs| inputs[place].iter().copied()).collect()
    }

    /// What of the outputs, printed as `hex`, differs from the oracle's.
    pub(super) fn difference(&self, sample: usize, hex: &str) -> Result<Option<String>, String> {
        let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
        let bytes: Option<Vec<u8>> = digits.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect();
        let mut rest = &bytes.ok_or("the outputs are not printed in hex")?[..];
        let wanted = self.samples.outputs.get(sample).ok_or("more samples are printed than run")?;
        for (wanted, output) in wanted.iter().zip(&self.plan.program.outputs) {
            let (got, next) = rest.split_at_checked(wanted.len()).ok_or("an output is printed in part")?;
            rest = next;
            let difference = Difference::between(self.plan.program.tensor(output.tensor).ty.dtype, got, wanted);
            let tolerance = tolerance(&self.plan.program);
            if let Some(difference) = difference.filter(|difference| !difference.is_within(tolerance)) {
                return Ok(Some(format!("sample {sample}, output {}: {difference}", output.name)));
            }
        }
        Ok(None)
    }
}
