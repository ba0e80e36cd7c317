//! Problems to measure the planner with, for `cargo waterline solve`.
//!
//! ```text
//! cargo run --release -p planner-core --example generate -- buffers 100000 > synthetic.csv
//! cargo run --release -p planner-core --example generate -- cells 1 > cells.txt
//! ```

use std::fmt::Write;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound
    }
}

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (kind, number) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let number = number.parse().map_err(|_| "`buffers` or `cells`, and a number".to_owned())?;
    print!("{}", if kind == "cells" { cells(number) } else { buffers(number) });
    Ok(())
}

/// An allocation problem as large networks have them: most buffers live briefly, some long.
fn buffers(count: usize) -> String {
    let mut random = Random(1);
    let mut text = String::from("id,lower,upper,size\n");
    for first in 0..count {
        let steps = if random.below(16) == 0 { random.below(1_000) } else { random.below(8) };
        let _ = writeln!(text, "{first},{first},{},{}", first + steps + 1, 64 << random.below(12));
    }
    text
}

/// A network of nine cells as architecture searches find them: five sums each, of two operators on what the cell has
/// so far, from the results of the two cells before it; what nothing in the cell reads is joined. Every third cell
/// halves its planes.
fn cells(seed: usize) -> String {
    let mut random = Random(seed as u64);
    let mut size = 32 * 32 * 16;
    let mut text = format!("image I {} - 0\n", 32 * 32 * 3);
    let mut outputs = ["image".to_owned(), "image".to_owned()];
    for cell in 0..9 {
        size = if cell % 3 == 2 { size / 2 } else { size };
        let mut values = outputs.to_vec();
        let mut read = vec![true, true];
        for sum in 0..5 {
            let mut arguments = String::new();
            for side in 0..2 {
                let from = random.below(values.len());
                read[from] = true;
                let name = format!("c{cell}_{sum}_{side}");
                let _ = writeln!(text, "{name} N {size} - 1 {}", values[from]);
                let _ = write!(arguments, " {name}");
            }
            let _ = writeln!(text, "c{cell}_{sum} P {size} - 2{arguments}");
            values.push(format!("c{cell}_{sum}"));
            read.push(false);
        }
        let loose: Vec<&str> =
            values.iter().zip(&read).filter(|(_, read)| !**read).map(|(name, _)| name.as_str()).collect();
        let (count, flag) = (loose.len(), if cell == 8 { "o" } else { "-" });
        let _ = writeln!(text, "c{cell} N {} {flag} {count} {}", size * count, loose.join(" "));
        outputs = [outputs[1].clone(), format!("c{cell}")];
    }
    text
}
