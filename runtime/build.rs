//! Which machine kernels the target has: compilers do not tell stable code of the DSP instructions.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(waterline_arch, values(\"dsp\", \"thumb\", \"riscv\", \"x86\"))");
    let target = std::env::var("TARGET").unwrap_or_default();
    let arch = [
        // Cortex-M4 and M7. On a Cortex-M33 they are an option that its target does not tell of.
        ("thumbv7em", "dsp"),
        // Cortex-M0 and M0+, and M23, which has the instructions of the two.
        ("thumbv6m", "thumb"),
        ("thumbv8m.base", "thumb"),
        // With multiplication.
        ("riscv32im", "riscv"),
    ];
    // Which of them it has is asked of the machine itself, for which there has to be a system.
    let x86 = std::env::var_os("CARGO_FEATURE_STD").map(|_| ("x86_64", "x86"));
    if let Some((_, arch)) = arch.iter().chain(&x86).find(|(prefix, _)| target.starts_with(prefix)) {
        println!("cargo::rustc-cfg=waterline_arch=\"{arch}\"");
    }
}
