//! Tells the code which board it is for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(board, values(\"microbit\", \"mps2-an386\", \"mps2-an505\", \"mps3-an547\"))");
    let target = std::env::var("TARGET").unwrap_or_default();
    let board = match target.split('-').next() {
        Some("thumbv6m") => "microbit",
        Some("thumbv7em") => "mps2-an386",
        Some("thumbv8m.main") if std::env::var_os("CARGO_FEATURE_MVE").is_some() => "mps3-an547",
        Some("thumbv8m.main") => "mps2-an505",
        _ => return,
    };
    println!("cargo::rustc-cfg=board=\"{board}\"");
}
