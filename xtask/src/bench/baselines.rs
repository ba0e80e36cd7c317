//! Figures of others to compare with.

/// What TensorFlow Lite Micro takes for one inference on a Cortex-M4F, counted in the same emulator
/// (core -Os, kernels -O2, gcc 12.2, CMSIS-NN 7).
pub(super) struct Baseline {
    /// The model.
    pub(super) model: &'static str,
    /// Instructions with CMSIS-NN.
    pub(super) cmsis_nn: u64,
    /// Those on a Cortex-M55, where they were counted.
    pub(super) vectors: Option<u64>,
    /// Instructions with its reference kernels, where they were counted.
    pub(super) reference: Option<u64>,
    /// Bytes of the arena that it plans with CMSIS-NN, where they are known.
    pub(super) arena: Option<u64>,
    /// Bytes of code with the interpreter and the kernels that the model needs, those of CMSIS-NN for i8.
    pub(super) code: Option<u64>,
}

const fn row(
    model: &'static str,
    cmsis_nn: u64,
    vectors: Option<u64>,
    reference: Option<u64>,
    arena: Option<u64>,
    code: Option<u64>,
) -> Baseline {
    Baseline { model, cmsis_nn, vectors, reference, arena, code }
}

/// By model.
pub(super) const TFLM: [Baseline; 13] = [
    row("ad01_int8", 583_000, Some(150_000), Some(1_952_000), Some(768), Some(28_300)),
    row("hello_world_float", 3_440, None, Some(3_440), None, None),
    row("hello_world_int8", 3_520, Some(2_156), Some(5_240), Some(32), Some(28_300)),
    row("kws_ref_model", 7_700_000, Some(1_820_000), Some(43_040_000), Some(16_000), Some(52_900)),
    row("mcunet__mcunet-320kb-1mb_imagenet", 395_300_000, None, None, None, None),
    row("micro_speech_quantized", 1_495_000, Some(1_010_000), Some(9_310_000), Some(5_968), Some(43_700)),
    row("mltk__keyword_spotting_mobilenetv2", 10_910_000, None, None, None, None),
    row("person_detect", 22_930_000, Some(6_510_000), Some(95_660_000), Some(55_296), Some(43_100)),
    row("pretrainedResnet", 88_700_000, None, Some(99_900_000), None, None),
    row("pretrainedResnet_quant", 29_860_000, Some(4_910_000), Some(107_400_000), Some(49_152), Some(50_600)),
    row("str_ww_ref_model", 2_230_000, Some(407_000), Some(8_290_000), Some(7_936), Some(50_300)),
    row("tinyengine__detection", 75_990_000, None, None, None, None),
    row("vww_96_int8", 24_100_000, Some(6_560_000), Some(100_250_000), Some(73_728), Some(52_900)),
];

/// That of `model`.
pub(super) fn of(model: &str) -> Option<&'static Baseline> {
    TFLM.iter().find(|baseline| baseline.model == model)
}
