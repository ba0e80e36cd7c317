//! Running a network on arenas with different pasts.

/// The same body as a network with the default plan and one that shares nothing.
macro_rules! case {
    ($name:ident { plan { $($plan:tt)* } $($body:tt)* }) => {
        mod $name {
            waterline::graph! {
                pub(super) mod planned { plan { $($plan)* } $($body)* }
            }
        }
    };
    ($name:ident { $($body:tt)* }) => {
        mod $name {
            waterline::graph! {
                pub(super) mod planned { $($body)* }
            }
            waterline::graph! {
                pub(super) mod separate { plan { layout = separate } $($body)* }
            }
        }
    };
}

/// Runs both networks of a case on every kind of arena; the results must agree.
macro_rules! on_every_arena {
    ($case:ident, |$net:ident, $arena:ident| $body:expr) => {{
        let mut results = Vec::new();
        on_every_arena!(@ results, $case::planned, |$net, $arena| $body);
        on_every_arena!(@ results, $case::separate, |$net, $arena| $body);
        assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
    }};
    (@ $results:ident, $path:path, |$net:ident, $arena:ident| $body:expr) => {{
        use $path as $net;
        for fill in [0x00, 0xAA] {
            let mut arena = Box::new($net::Arena::new());
            waterline::Network::arena(&mut *arena).fill(fill);
            for _run in 0..2 {
                let $arena = &mut *arena;
                $results.push($body);
            }
        }
    }};
}
