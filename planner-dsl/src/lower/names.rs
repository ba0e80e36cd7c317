//! Unique names for tensors.

use crate::ast::Item;
use std::collections::{HashMap, HashSet};

/// Hands out each name once.
pub(super) struct Names<'a> {
    /// Names that the module's own statements define: nothing inside blocks and loops takes them.
    own: HashSet<&'a str>,
    used: HashSet<String>,
    /// How often a name was wanted.
    counts: HashMap<String, usize>,
}

impl<'a> Names<'a> {
    pub(super) fn new(items: &'a [Item]) -> Self {
        let own = items.iter().flat_map(super::scope::defined).map(|ident| ident.name.as_str()).collect();
        Self { own, used: HashSet::new(), counts: HashMap::new() }
    }

    /// The name that the module's own statement defines, or the next free one.
    pub(super) fn own(&mut self, name: &str) -> String {
        if self.used.insert(name.into()) {
            return name.into();
        }
        self.fresh(name)
    }

    /// `name`, or with a number from 2 on.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let count = self.counts.entry(name.into()).or_insert(0);
        loop {
            *count += 1;
            let candidate = if *count == 1 { name.into() } else { format!("{name}_{count}") };
            if !self.own.contains(candidate.as_str()) && self.used.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
