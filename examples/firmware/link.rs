//! Chooses the board's memory map by the target and the features: the build script of every program.

fn main() {
    println!("cargo::rerun-if-changed=../link.rs");
    println!("cargo::rerun-if-changed=../board/ld");
    let target = std::env::var("TARGET").unwrap_or_default();
    let board = match target.split('-').next() {
        Some("thumbv6m") => "microbit",
        Some("thumbv7em") => "mps2-an386",
        Some("thumbv8m.main") if std::env::var_os("CARGO_FEATURE_MVE").is_some() => "mps3-an547",
        Some("thumbv8m.main") => "mps2-an505",
        Some("riscv32imc") => "virt",
        // The host: only the library is built, for the reference program.
        _ => return,
    };
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo::rustc-link-arg-bins=-L{here}/../board/ld");
    println!("cargo::rustc-link-arg-bins=-T{board}.ld");
    println!("cargo::rustc-link-arg-bins=--nmagic");
    println!("cargo::rerun-if-env-changed=WATERLINE_EDGE");
    if let Ok(bytes) = std::env::var("WATERLINE_EDGE") {
        println!("cargo::rustc-link-arg-bins=--defsym=EDGE_BYTES={bytes}");
    }
}
