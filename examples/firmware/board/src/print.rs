//! Text out of the board, a byte at a time, without `core::fmt`.
//!
//! Never inlined: a program's size should tell of its network.

use crate::arch::write_byte;

/// Prints text.
#[inline(never)]
pub fn print(text: &str) {
    for &byte in text.as_bytes() {
        write_byte(byte);
    }
}

/// The powers of ten, the highest first.
static POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut at = 19;
    while at > 0 {
        powers[at - 1] = powers[at] * 10;
        at -= 1;
    }
    powers
};

/// Prints a number in decimal, without a division: some targets have none.
#[inline(never)]
pub fn print_number(number: u64) {
    let mut rest = number;
    let mut begun = false;
    for &power in &POWERS {
        let mut digit = 0;
        while rest >= power {
            rest -= power;
            digit += 1;
        }
        begun |= digit > 0 || power == 1;
        if begun {
            write_byte(b'0' + digit);
        }
    }
}

/// Prints bytes as two hexadecimal digits each.
#[inline(never)]
pub fn print_hex(bytes: &[u8]) {
    for &byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            write_byte(if nibble < 10 { b'0' + nibble } else { b'a' + (nibble - 10) });
        }
    }
}
