//! A model file with its samples.

use std::path::Path;

use planner_core::dtype::DType;
use planner_core::model::TensorId;
use planner_core::plan::Plan;
use planner_dsl::files::Files;
use proc_macro2::TokenStream;
use waterline_npz::Npz;

/// More samples than these are not run: inputs take flash.
const SAMPLES: usize = 3;

/// The largest difference of an f32 result, relative to the output's largest value.
const TOLERANCE: f32 = 1e-5;

/// A planned model with inputs and what they give.
pub(super) struct Model {
    /// What the macro is given.
    pub(super) source: String,
    /// Its plan, as the macro makes it.
    pub(super) plan: Plan,
    /// For each input the bytes of all samples.
    pub(super) inputs: Vec<Vec<u8>>,
    /// For each sample the bytes of each output.
    pub(super) wanted: Vec<Vec<Vec<u8>>>,
}

impl Model {
    /// The `.tflite` file at `path`, with the samples in the `.io.npz` beside it.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        let source = format!("pub mod network = {:?} {{}}", path.display().to_string());
        let tokens: TokenStream = source.parse().map_err(|error| format!("{error}"))?;
        let plan = planner_dsl::planned(tokens, &mut Files::new(".".into())).map_err(|failure| failure.to_string())?;
        let samples = path.with_extension("io.npz");
        let bytes = std::fs::read(&samples).map_err(|error| format!("{}: {error}", samples.display()))?;
        let npz = Npz::read(&bytes).map_err(|error| format!("{}: {error}", samples.display()))?;
        let array = |side: &str, sample: usize, index: usize, tensor: TensorId| {
            npz.get(&format!("{side}{sample}_{index}"))?
                .convert(plan.program.tensor(tensor).ty.dtype)
                .map(std::borrow::Cow::into_owned)
        };
        let mut inputs = vec![Vec::new(); plan.program.inputs.len()];
        let mut wanted = Vec::new();
        for sample in 0..SAMPLES {
            let given = plan.program.inputs.iter().enumerate().map(|(i, input)| array("in", sample, i, input.tensor));
            let Some(given) = given.collect::<Option<Vec<_>>>() else { break };
            let outputs = plan.program.outputs.iter().enumerate();
            let outputs = outputs.map(|(i, output)| array("out", sample, i, output.tensor));
            wanted.push(outputs.collect::<Option<Vec<_>>>().ok_or("the samples lack an output")?);
            for (all, one) in inputs.iter_mut().zip(given) {
                all.extend(one);
            }
        }
        if wanted.is_empty() {
            return Err("it has no sample of its inputs' types".to_owned());
        }
        Ok(Self { source, plan, inputs, wanted })
    }

    /// What of the outputs, printed as `hex`, differs from the oracle's.
    pub(super) fn difference(&self, sample: usize, hex: &str) -> Result<Option<String>, String> {
        let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
        let bytes: Option<Vec<u8>> = digits.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect();
        let mut rest = &bytes.ok_or("the outputs are not printed in hex")?[..];
        let wanted = self.wanted.get(sample).ok_or("more samples are printed than run")?;
        for (wanted, output) in wanted.iter().zip(&self.plan.program.outputs) {
            let (got, next) = rest.split_at_checked(wanted.len()).ok_or("an output is printed in part")?;
            rest = next;
            if differs(self.plan.program.tensor(output.tensor).ty.dtype, got, wanted) {
                return Ok(Some(format!("sample {sample}, output {}", output.name)));
            }
        }
        Ok(None)
    }
}

fn differs(dtype: DType, got: &[u8], wanted: &[u8]) -> bool {
    if dtype != DType::F32 {
        return got != wanted;
    }
    let floats = |bytes: &[u8]| -> Vec<f32> { bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect() };
    let (got, wanted) = (floats(got), floats(wanted));
    let largest = wanted.iter().fold(0f32, |largest, value| largest.max(value.abs()));
    // Not a number is not within the tolerance.
    !got.iter().zip(&wanted).all(|(a, b)| (a - b).abs() <= largest * TOLERANCE)
}
