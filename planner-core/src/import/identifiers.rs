//! Names of tensors, as identifiers.

use std::collections::HashMap;

/// Longest identifier that is made of a name.
const MAX_LEN: usize = 64;

/// Hands out identifiers, each once.
pub(crate) struct Identifiers {
    /// How often each has been asked for.
    taken: HashMap<String, usize>,
    is_reserved: fn(&str) -> bool,
}

impl Identifiers {
    /// None handed out yet.
    pub(crate) fn new(is_reserved: fn(&str) -> bool) -> Self {
        Self { taken: HashMap::new(), is_reserved }
    }

    /// An identifier for `name`, or for `fallback` if nothing of `name` can stand in one.
    pub(crate) fn unique(&mut self, name: &str, fallback: &str) -> String {
        let base = identifier(name).unwrap_or_else(|| fallback.to_owned());
        let base = if (self.is_reserved)(&base) { base + "_" } else { base };
        let mut unique = base.clone();
        while self.taken.contains_key(&unique) {
            let count = self.taken.entry(base.clone()).or_default();
            *count += 1;
            unique = format!("{}_{}", base.trim_end_matches('_'), *count + 1);
        }
        self.taken.insert(unique.clone(), 0);
        unique
    }
}

/// `name` in snake case: a fused tensor's first name, letters and digits, single underscores between.
fn identifier(name: &str) -> Option<String> {
    let mut text = String::new();
    let mut before = '_';
    for c in name.split(';').next().unwrap_or_default().chars() {
        if text.len() >= MAX_LEN {
            break;
        }
        let gap = c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if (gap || !c.is_ascii_alphanumeric()) && !text.is_empty() && !text.ends_with('_') {
            text.push('_');
        }
        if c.is_ascii_alphanumeric() {
            text.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    let text = text.trim_end_matches('_');
    match text.chars().next() {
        None => None,
        Some(first) if first.is_ascii_digit() => Some(format!("t{text}")),
        Some(_) => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        let cases = [
            ("serving_default_dense_input:0", "serving_default_dense_input_0"),
            ("MobilenetV1/Predictions/Reshape_1", "mobilenet_v1_predictions_reshape_1"),
            ("model/re_lu/Relu;model/conv2d/Conv2D;bias", "model_re_lu_relu"),
            ("1806", "t1806"),
            ("__x__", "x"),
        ];
        for (name, wanted) in cases {
            assert_eq!(identifier(name).as_deref(), Some(wanted));
        }
        assert_eq!(identifier("数:;"), None);
        assert_eq!(identifier(&"a".repeat(1000)).map(|text| text.len()), Some(MAX_LEN));
    }

    #[test]
    fn identifiers_differ() {
        let mut names = Identifiers::new(|name| name == "run");
        let mut unique = |name| names.unique(name, "tensor_7");
        assert_eq!(["x", "x:0", "x", "X"].map(&mut unique), ["x", "x_0", "x_2", "x_3"]);
        assert_eq!(
            ["x_2", "", "?", "run", "run_", "RUN"].map(unique),
            ["x_2_2", "tensor_7", "tensor_7_2", "run_", "run_2", "run_3"]
        );
    }
}
