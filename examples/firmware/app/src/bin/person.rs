//! The person network on a board.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

board::entry!(firmware::report::report::<firmware::networks::Person>);
