//! Which machine kernels the target has.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(waterline_arch, values(\"dsp\", \"mve\", \"thumb\", \"riscv\", \"x86\"))");
    println!("cargo::rustc-check-cfg=cfg(waterline_armv8m, waterline_fpu, waterline_small)");
    let target = env::var("TARGET").unwrap_or_default();
    // What the target's name tells, and what a processor of it may have besides.
    let (known, optional): (_, &[_]) = match target.split('-').next() {
        // Cortex-M4 and M7.
        Some("thumbv7em") => (Some("dsp"), &["dsp"]),
        Some("thumbv8m.main") => (None, &["mve", "dsp"]),
        // Cortex-M0 and M0+, and M23, which has the instructions of the two.
        Some("thumbv6m" | "thumbv8m.base") => (Some("thumb"), &[]),
        // With multiplication.
        Some(name) if name.starts_with("riscv32im") => (Some("riscv"), &[]),
        // Which of them it has is asked of the machine itself, for which there has to be a system.
        Some("x86_64") if asked("std") => (Some("x86"), &[]),
        _ => (None, &[]),
    };
    if target.starts_with("thumbv8m") {
        println!("cargo::rustc-cfg=waterline_armv8m");
    }
    if target.starts_with("thumb") {
        for feature in ["mve", "dsp"].into_iter().filter(|feature| asked(feature) && !optional.contains(feature)) {
            println!("cargo::error=no processor of the target {target} has what the feature `{feature}` is for");
        }
    }
    if let Some(arch) = optional.iter().copied().find(|name| asked(name) || compiled(name)).or(known) {
        println!("cargo::rustc-cfg=waterline_arch=\"{arch}\"");
        if matches!(arch, "dsp" | "mve") && target.ends_with("eabihf") {
            println!("cargo::rustc-cfg=waterline_fpu");
        }
        let for_size = env::var("OPT_LEVEL").is_ok_and(|level| level == "s" || level == "z");
        if matches!(arch, "thumb" | "riscv") && for_size {
            println!("cargo::rustc-cfg=waterline_small");
        }
    }
}

/// By the user, as a feature of this crate.
fn asked(name: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{}", name.to_uppercase())).is_some()
}

/// By `-C target-feature` or `-C target-cpu`, where the compiler tells.
fn compiled(name: &str) -> bool {
    env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.split(',').any(|feature| feature == name))
}
