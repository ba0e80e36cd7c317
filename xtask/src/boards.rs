//! The emulated boards.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use planner_core::arch::Arch;

use crate::project;

/// A board of the emulator.
pub(crate) struct Board {
    /// Its name, the emulator's too.
    pub(crate) name: &'static str,
    /// Its processor.
    pub(crate) processor: &'static str,
    /// What is compiled for it.
    pub(crate) target: &'static str,
    /// Which kernels it gets.
    pub(crate) arch: Arch,
    /// The feature that says so where the target's name does not.
    pub(crate) feature: Option<&'static str>,
    /// The emulator that knows it.
    pub(crate) emulator: &'static str,
    /// Its memory where that may differ, and how the firmware prints and exits there.
    console: &'static [&'static str],
}

const SEMIHOSTING: &[&str] = &[
    "-serial",
    "none",
    "-chardev",
    "stdio,id=console",
    "-semihosting-config",
    "enable=on,target=native,chardev=console",
];

/// All boards that the firmware runs on.
pub(crate) const BOARDS: [Board; 5] = [
    arm("microbit", "Cortex-M0", "thumbv6m-none-eabi", Arch::Portable, None),
    arm("mps2-an386", "Cortex-M4F", "thumbv7em-none-eabihf", Arch::Dsp, None),
    arm("mps2-an505", "Cortex-M33 with DSP", "thumbv8m.main-none-eabihf", Arch::Dsp, Some("dsp")),
    arm("mps3-an547", "Cortex-M55", "thumbv8m.main-none-eabihf", Arch::Mve, Some("mve")),
    Board {
        name: "virt",
        processor: "RISC-V",
        target: "riscv32imc-unknown-none-elf",
        arch: Arch::Portable,
        feature: None,
        emulator: "qemu-system-riscv32",
        console: &["-m", "8M", "-bios", "none", "-serial", "stdio"],
    },
];

const fn arm(
    name: &'static str,
    processor: &'static str,
    target: &'static str,
    arch: Arch,
    feature: Option<&'static str>,
) -> Board {
    Board { name, processor, target, arch, feature, emulator: "qemu-system-arm", console: SEMIHOSTING }
}

/// More than any firmware takes; a hung one must not hang the tests.
const LIMIT: Duration = Duration::from_mins(10);

impl Board {
    /// What runs an ELF file.
    pub(crate) fn command(&self, elf: &Path) -> Command {
        let mut command = Command::new(self.emulator);
        command
            .args(["-M", self.name, "-nographic", "-monitor", "none"])
            // One instruction takes one nanosecond of the board's time.
            .args(["-icount", "shift=0"])
            .args(self.console)
            .arg("-kernel")
            .arg(elf)
            .stdin(Stdio::null());
        command
    }

    /// Runs an ELF file to its exit and returns what it printed.
    pub(crate) fn run(&self, elf: &Path) -> Result<String, String> {
        let mut command = self.command(elf);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let shown = project::show(&command);
        let failed = |error: std::io::Error| format!("{shown}: {error}");
        let mut child = command.spawn().map_err(failed)?;
        let begun = Instant::now();
        // All that it prints is taken from the pipe at once, else it waits for room.
        let mut pipe = child.stdout.take().ok_or("no output")?;
        let printed = std::thread::spawn(move || {
            let mut printed = Vec::new();
            pipe.read_to_end(&mut printed).map(|_| printed)
        });
        while child.try_wait().map_err(failed)?.is_none() {
            if begun.elapsed() > LIMIT {
                child.kill().map_err(failed)?;
                return Err(format!("{shown}: no end after {LIMIT:?}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let result = child.wait_with_output().map_err(failed)?;
        let printed = printed.join().map_err(|_| "its output was not read")?.map_err(failed)?;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        if result.status.success() {
            return Ok(printed);
        }
        let errors = String::from_utf8_lossy(&result.stderr);
        Err(format!("{shown}: {}\n{printed}{errors}", result.status))
    }
}
