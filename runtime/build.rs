//! Which machine kernels the target has: compilers do not tell stable code of the DSP instructions.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(waterline_arch, values(\"dsp\"))");
    // Cortex-M4 and M7. On a Cortex-M33 they are an option that its target does not tell of.
    if std::env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv7em")) {
        println!("cargo::rustc-cfg=waterline_arch=\"dsp\"");
    }
}
