//! What the firmware's ELF files are checked for.

use std::ops::Range;

use object::{Object, ObjectSection, ObjectSymbol};
use rustc_demangle::demangle;

/// The sizes of the sections, in bytes.
#[derive(Default)]
pub(crate) struct Sizes {
    /// Code, with the vector table.
    pub(crate) text: u64,
    /// Constants, among them the weights.
    pub(crate) rodata: u64,
    /// Initialised statics.
    pub(crate) data: u64,
    /// Zeroed statics, among them the arena.
    pub(crate) bss: u64,
}

/// Parts of names that no firmware may hold.
const FORBIDDEN: [&str; 7] = [
    "core::panicking",
    "panic_fmt",
    "rust_begin_unwind",
    "core::fmt::",
    "core::result::unwrap_failed",
    "core::option::unwrap_failed",
    "alloc::",
];

/// An ELF file that was read.
pub(crate) struct Elf<'a> {
    file: object::File<'a>,
    bytes: &'a [u8],
}

impl<'a> Elf<'a> {
    /// Reads the file's tables.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let file = object::File::parse(bytes).map_err(|error| format!("not an ELF file: {error}"))?;
        Ok(Self { file, bytes })
    }

    /// The sizes of the sections. Any that holds bytes of the board's memory and
    /// is not one of the four is an error of the linker script.
    pub(crate) fn sizes(&self) -> Result<Sizes, String> {
        let mut sizes = Sizes::default();
        for section in self.file.sections() {
            // Sections without an address are the linker's and debugger's.
            let object::SectionFlags::Elf { sh_flags } = section.flags() else { continue };
            if sh_flags & u64::from(object::elf::SHF_ALLOC) == 0 {
                continue;
            }
            match section.name().unwrap_or("?") {
                ".vectors" | ".text" => sizes.text += section.size(),
                ".rodata" => sizes.rodata += section.size(),
                ".data" => sizes.data += section.size(),
                ".bss" => sizes.bss += section.size(),
                name => return Err(format!("unexpected section {name} of {} bytes", section.size())),
            }
        }
        Ok(sizes)
    }

    /// The code, and where it lies.
    pub(crate) fn text(&self) -> Result<(u32, &'a [u8]), String> {
        let section = self.file.section_by_name(".text").ok_or("no .text")?;
        let bytes = section.data().map_err(|error| error.to_string())?;
        Ok((address(section.address())?, bytes))
    }

    /// Where the function of that path lies.
    pub(crate) fn function(&self, path: &str) -> Result<Range<u32>, String> {
        let named =
            |symbol: &object::Symbol<'_, '_>| symbol.name().is_ok_and(|name| format!("{:#}", demangle(name)) == path);
        let symbol = self.file.symbols().find(named).ok_or_else(|| format!("no function {path}"))?;
        // The lowest bit says that it is code of Thumb.
        let start = address(symbol.address() & !1)?;
        Ok(start..start + address(symbol.size())?)
    }

    /// The names of the panic machinery, formatting and allocators that it holds.
    pub(crate) fn forbidden_symbols(&self) -> Vec<String> {
        let names = self.file.symbols().filter(|symbol| !symbol.is_undefined());
        let names = names.filter_map(|symbol| symbol.name().ok());
        let names = names.map(|name| format!("{:#}", demangle(name)));
        names
            .filter(|name| FORBIDDEN.iter().any(|part| name.contains(part)) || name.starts_with("__rust_alloc"))
            .collect()
    }

    /// How many symbols it has: none would make the check above worthless.
    pub(crate) fn symbol_count(&self) -> usize {
        self.file.symbols().count()
    }

    /// Checks that the bytes stand in the file once, and that in `.rodata`.
    pub(crate) fn once_in_rodata(&self, pattern: &[u8]) -> Result<(), String> {
        let places: Vec<usize> = positions(self.bytes, pattern).collect();
        let [place] = places[..] else {
            return Err(format!("found {} times", places.len()));
        };
        let range = self.file.section_by_name(".rodata").and_then(|section| section.file_range());
        let (start, size) = range.ok_or("no .rodata")?;
        let inside = (start..start + size).contains(&(place as u64));
        if inside { Ok(()) } else { Err("outside of .rodata".to_owned()) }
    }
}

fn address(number: u64) -> Result<u32, String> {
    u32::try_from(number).map_err(|_| format!("an address of more than 32 bits: {number:#x}"))
}

fn positions<'a>(bytes: &'a [u8], pattern: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    bytes.windows(pattern.len().max(1)).enumerate().filter(move |(_, window)| *window == pattern).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_every_place() {
        let places: Vec<usize> = super::positions(b"abcabcab", b"abc").collect();
        assert_eq!(places, [0, 3]);
    }
}
