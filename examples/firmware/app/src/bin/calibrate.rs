//! Checks the board's instruction counter by loops of a known length: each is
//! compared with the first, so that the fixed cost of a loop's call drops out.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use board::{print, print_number};

board::entry!(calibrate);

const ROUNDS: [u32; 10] = [1, 2, 3, 10, 13, 100, 1_001, 10_000, 100_003, 1_000_000];

fn calibrate() -> u32 {
    let mut first = 0;
    let mut worst = 0;
    print("{\"calibrate\":[");
    for rounds in ROUNDS {
        let ((), counted) = board::count(|| board::spin(rounds));
        if rounds == 1 {
            first = counted;
        } else {
            print(",");
        }
        worst = worst.max(counted.abs_diff(first + 4 * u64::from(rounds - 1)));
        print_number(counted);
    }
    print("],\"worst\":");
    print_number(worst);
    print("}\n");
    u32::from(worst > 0)
}
