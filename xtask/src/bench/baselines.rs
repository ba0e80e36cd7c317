//! Figures of others to compare with.

/// Instructions of one inference by TensorFlow Lite Micro with CMSIS-NN 7 on a Cortex-M4F, counted in the same
/// emulator (core -Os, kernels -O2, gcc 12.2).
pub(super) const CMSIS_NN: [(&str, u64); 13] = [
    ("ad01_int8", 583_000),
    ("hello_world_float", 3_440),
    ("hello_world_int8", 3_520),
    ("kws_ref_model", 7_700_000),
    ("mcunet__mcunet-320kb-1mb_imagenet", 395_300_000),
    ("micro_speech_quantized", 1_495_000),
    ("mltk__keyword_spotting_mobilenetv2", 10_910_000),
    ("person_detect", 22_930_000),
    ("pretrainedResnet", 88_700_000),
    ("pretrainedResnet_quant", 29_860_000),
    ("str_ww_ref_model", 2_230_000),
    ("tinyengine__detection", 75_990_000),
    ("vww_96_int8", 24_100_000),
];
