//! The kernels of a machine against what their layers' definition gives, on its board.

use planner_core::arch::Arch;
use waterline_tests::machine;

use crate::boards::Board;
use crate::project;
use crate::record::Record;
use crate::toolchain::Toolchain;

/// Random layers of each kind.
const ROUNDS: u64 = 150;
/// Bytes of the largest window.
const WINDOW: usize = 8000;
/// Bytes around each.
const GUARDS: usize = 64;
/// The same of boards with little memory.
const SMALL_ROUNDS: u64 = 50;
const SMALL_WINDOW: usize = 600;

/// Runs random layers on the board. Fewer than two of each round, and most did not take the machine's kernels.
pub(crate) fn check(board: &Board, toolchain: &Toolchain, profile: &str) -> Result<(), String> {
    let arch = board.arch;
    let (rounds, window) = if arch == Arch::Portable { (SMALL_ROUNDS, SMALL_WINDOW) } else { (ROUNDS, WINDOW) };
    let layers: Vec<u8> = machine::layers(arch, rounds, window).into_iter().flat_map(u32::to_le_bytes).collect();
    let folder = project::firmware_target();
    let file = folder.join(format!("layers-{}.bin", arch.name()));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, layers));
    written.map_err(|error| format!("{}: {error}", file.display()))?;
    let mut cargo = project::cargo(&project::firmware());
    cargo.args(["build", "--quiet", "--package", "kernels", "--profile", profile, "--target-dir"]);
    cargo
        .arg(project::firmware_target())
        .env("WATERLINE_LAYERS", &file)
        .env("WATERLINE_EDGE", (window + GUARDS).to_string());
    toolchain.apply(&mut cargo, board);
    project::output(&mut cargo)?;
    let printed = board.run(&project::firmware_target().join(board.target).join(profile).join("kernels"))?;
    let layers = Record::all(&printed).next().ok_or("kernels printed nothing")?.number("layers")?;
    if layers < 2 * rounds {
        return Err(format!("{}: only {layers} random layers take the machine's kernels", board.name));
    }
    Ok(())
}
