//! Which machine kernels the target has: compilers do not tell stable code of the DSP instructions.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(waterline_arch, values(\"dsp\", \"thumb\", \"riscv\"))");
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
    if let Some((_, arch)) = arch.iter().find(|(prefix, _)| target.starts_with(prefix)) {
        println!("cargo::rustc-cfg=waterline_arch=\"{arch}\"");
    }
}
