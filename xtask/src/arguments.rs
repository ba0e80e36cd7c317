//! Values of options.

/// The value of `option`, one of `allowed`.
pub(crate) fn one_of(option: &str, value: Option<&String>, allowed: &[&str]) -> Result<String, String> {
    let value = value.filter(|value| allowed.contains(&value.as_str()));
    value.cloned().ok_or_else(|| format!("{option} takes one of {}", allowed.join(", ")))
}
