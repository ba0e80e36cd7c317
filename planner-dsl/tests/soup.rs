//! No tokens make the front end, or what takes its model, panic.

mod support;

use planner_core::{infer, steps};
use proc_macro2::{Group, TokenStream, TokenTree};
use std::path::Path;
use support::{Outcome, front_end_of};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// The networks of the corpus.
fn networks() -> Vec<TokenStream> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/networks.txt")).unwrap();
    let sources = text.split("\n# ").map(|case| case.split_once('\n').unwrap().1.split_once("\n=>").unwrap().0);
    let module = |source: &str| if source.contains("mod ") { source.into() } else { format!("mod net {{ {source} }}") };
    sources.map(|source| module(source).parse().unwrap()).collect()
}

fn all_tokens(tokens: TokenStream, into: &mut Vec<TokenTree>) {
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            all_tokens(group.stream(), into);
        }
        into.push(token);
    }
}

/// One change somewhere in `tokens`.
fn mutate(tokens: TokenStream, pool: &[TokenTree], random: &mut Random) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if tokens.is_empty() {
        return TokenStream::from(pool[random.below(pool.len())].clone());
    }
    let groups: Vec<usize> = (0..tokens.len()).filter(|&i| matches!(tokens[i], TokenTree::Group(_))).collect();
    if !groups.is_empty() && random.below(8) > 0 {
        let at = groups[random.below(groups.len())];
        if let TokenTree::Group(group) = &tokens[at] {
            tokens[at] = TokenTree::Group(Group::new(group.delimiter(), mutate(group.stream(), pool, random)));
        }
        return tokens.into_iter().collect();
    }
    let (at, other) = (random.below(tokens.len()), random.below(tokens.len()));
    match random.below(4) {
        0 => drop(tokens.remove(at)),
        1 => tokens.swap(at, other),
        2 => tokens.insert(at, pool[random.below(pool.len())].clone()),
        _ => tokens[at] = pool[random.below(pool.len())].clone(),
    }
    tokens.into_iter().collect()
}

#[test]
fn mutated_networks_are_refused_or_whole() {
    let networks = networks();
    let mut pool = Vec::new();
    for network in &networks {
        all_tokens(network.clone(), &mut pool);
    }
    let mut random = Random(1);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..2_000 {
        let mut tokens = networks[random.below(networks.len())].clone();
        for _ in 0..=random.below(3) {
            tokens = mutate(tokens, &pool, &mut random);
        }
        let Outcome { lowered, found, .. } = front_end_of(tokens);
        if !found.0.is_empty() {
            refused += 1;
            continue;
        }
        accepted += 1;
        assert!(lowered.stubs.is_empty(), "something is broken and nothing is said: {}", lowered.model);
        if let Ok(typed) = infer::infer(lowered.model) {
            let _ = steps::lower(&typed);
        }
    }
    assert!(accepted > 100 && refused > 1_000, "{accepted} accepted, {refused} refused");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(5_000), close.repeat(5_000));
    let blocks = |n: usize, body: fn(usize) -> String| {
        (0..n).map(|i| format!("fn f{i}(x) {{ {} }}", body(i + 1))).collect::<Vec<_>>().concat()
    };
    let many = |before: &str, repeated: &str, after: &str| format!("{before}{}{after}", repeated.repeat(5_000));
    for statement in [
        format!("output y = {};", deep("(", "x", ")")),
        format!("output y = {};", deep("relu(", "x", ")")),
        format!("output y = x{};", many("", ".relu()", "")),
        format!("const n = {}1;", many("", "-", "")),
        format!("const n = {}1;", many("", "1 + ", "")),
        format!("const n = {};", deep("[", "", "]")),
        deep("for i in 0..1 {", "", "}"),
        many("", "fn f", "(x) { x }"),
        format!("#[doc{}] output y = x;", deep("(", "", ")")),
        format!("param w: f32[4] = crate::W {};", deep("(", "", ")")),
        blocks(5_000, |next| format!("f{next}(x)")) + "output y = f0(x);",
        blocks(60, |next| format!("f{next}(f{next}(x))")) + "output y = f0(x);",
    ] {
        let text = format!("mod net {{ input x: f32[4]; {statement} }}");
        let Outcome { found, .. } = support::front_end(&text);
        let chain = statement.contains(".relu");
        assert_eq!(found.0.is_empty(), chain, "{}", &statement[..40]);
    }
}
