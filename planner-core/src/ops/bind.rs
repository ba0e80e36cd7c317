//! Turns what was written between an operator's parentheses into its arguments and attributes.

use super::{AttrSpec, AttrValue, Form, Operator, Role};
use crate::diagnostic::{Diagnostic, Diagnostics, Kind, did_you_mean};
use crate::model::{Node, TensorId};
use crate::source::Src;
use std::borrow::Cow;

/// An attribute as written: its name, where the name stands, its value, where the value stands.
pub type Argument = (String, Src, AttrValue, Src);

/// Most tensors that one application may define.
const MAX_PARTS: i64 = 1024;

/// A node of `op` without results, its attributes checked and defaults filled in.
///
/// # Errors
/// Wrong numbers of tensors; unknown, repeated, missing or malformed attributes: all of them at once.
pub fn bind(
    op: &'static dyn Operator,
    src: Src,
    tensors: &[(TensorId, Src)],
    written: &[Argument],
) -> Result<Node, Diagnostics> {
    let signature = op.signature();
    let mut found = Diagnostics::default();
    check_arity(op, src, tensors, &mut found);

    let mut attrs: Vec<Option<(AttrValue, Src)>> = vec![None; signature.attrs.len()];
    for (name, name_src, value, value_src) in written {
        let Some(index) = signature.attr(name) else {
            found.push(unknown_attribute(op, name, *name_src));
            continue;
        };
        if attrs[index].is_some() {
            let message = format!("attribute `{name}` of `{}` is given twice", signature.name);
            found.push(Diagnostic::new(Kind::DuplicateName, *name_src, message));
            continue;
        }
        match conform(&signature.attrs[index], value) {
            Ok(value) => attrs[index] = Some((value, *value_src)),
            Err(problem) => {
                let message = format!("attribute `{name}` of `{}` {problem}", signature.name);
                let wanted = signature.attrs[index].form.to_string();
                found.push(Diagnostic::new(Kind::Attribute, *value_src, message).got(value.to_string()).wanted(wanted));
                // Keeps a missing required attribute from being reported as well.
                attrs[index] = Some((value.clone(), *value_src));
            }
        }
    }

    let mut values = Vec::new();
    let mut attr_srcs = Vec::new();
    for (spec, attr) in signature.attrs.iter().zip(attrs) {
        let (value, at) = match (attr, &spec.default) {
            (Some(attr), _) => attr,
            (None, Some(default)) => (default.clone(), src),
            (None, None) => {
                let message = format!("`{}` needs the attribute `{}`", signature.name, spec.name);
                found.push(
                    Diagnostic::new(Kind::Attribute, src, message).wanted(format!("{} = {}", spec.name, spec.form)),
                );
                continue;
            }
        };
        values.push(value);
        attr_srcs.push(at);
    }

    let places = signature.args.len().max(tensors.len());
    let node = Node {
        label: None,
        op,
        args: (0..places).map(|i| tensors.get(i).map(|t| t.0)).collect(),
        attrs: values,
        results: Vec::new(),
        src,
        arg_srcs: (0..places).map(|i| tensors.get(i).map_or(src, |t| t.1)).collect(),
        attr_srcs,
    };
    found.barrier(node)
}

fn check_arity(op: &dyn Operator, src: Src, tensors: &[(TensorId, Src)], found: &mut Diagnostics) {
    let signature = op.signature();
    let required = signature.args.iter().filter(|arg| arg.role != Role::OptionalParam).count();
    let variadic = signature.args.last().is_some_and(|arg| arg.role == Role::Variadic);
    let usage = format!("{}({})", signature.name, signature.args.iter().map(|a| a.name).collect::<Vec<_>>().join(", "));
    if tensors.len() < required {
        let missing = signature.args[tensors.len()].name;
        let message = format!("`{}` needs a tensor for `{missing}`", signature.name);
        found.push(Diagnostic::new(Kind::Arity, src, message).got(count(tensors.len())).wanted(usage));
    } else if tensors.len() > signature.args.len() && !variadic {
        let message = format!("`{}` takes no further tensor", signature.name);
        let at = tensors[signature.args.len()].1;
        found.push(Diagnostic::new(Kind::Arity, at, message).got(count(tensors.len())).wanted(usage));
    }
}

fn count(n: usize) -> String {
    if n == 1 { "1 tensor".into() } else { format!("{n} tensors") }
}

fn unknown_attribute(op: &dyn Operator, name: &str, src: Src) -> Diagnostic {
    let signature = op.signature();
    let names: Vec<&str> = signature.attrs.iter().map(|attr| attr.name).collect();
    let d = Diagnostic::new(Kind::UnknownName, src, format!("`{}` has no attribute `{name}`", signature.name));
    let d = if names.is_empty() {
        d.info("it has none")
    } else {
        d.wanted(format!("one of {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")))
    };
    match did_you_mean(name, names) {
        Some(close) => d.help(format!("did you mean `{close}`?")),
        None => d,
    }
}

/// The value in the form that the operator reads: a pair for one integer, a list for one of its elements.
fn conform(spec: &AttrSpec, value: &AttrValue) -> Result<AttrValue, &'static str> {
    const FORM: &str = "has the wrong form";
    const RANGE: &str = "is out of range";
    let within = |v: i64, lo: i64, hi: i64| if (lo..=hi).contains(&v) { Ok(()) } else { Err(RANGE) };
    match (spec.form, value) {
        (Form::Int(lo, hi), AttrValue::Int(v)) => within(*v, lo, hi)?,
        (Form::Pair(lo, hi), AttrValue::Int(v)) => {
            within(*v, lo, hi)?;
            return Ok(AttrValue::Ints(Cow::Owned(vec![*v, *v])));
        }
        (Form::Pair(lo, hi), AttrValue::Ints(list)) => {
            if list.len() != 2 {
                return Err(FORM);
            }
            list.iter().try_for_each(|v| within(*v, lo, hi))?;
        }
        (Form::Ints(lo, hi), AttrValue::Ints(list)) => list.iter().try_for_each(|v| within(*v, lo, hi))?,
        (Form::Float, AttrValue::Float(v)) => {
            if !v.is_finite() {
                return Err(RANGE);
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "an integer written where a number is meant")]
        (Form::Float, AttrValue::Int(v)) => return Ok(AttrValue::Float(*v as f32)),
        (Form::Choice(names), AttrValue::Name(v)) => {
            if !names.contains(&v.as_ref()) {
                return Err("is none of its choices");
            }
        }
        (Form::Padding, AttrValue::Name(v)) => {
            if !matches!(v.as_ref(), "same" | "valid") {
                return Err("is no padding");
            }
        }
        (Form::Padding, AttrValue::Ints(list)) => {
            if list.len() != 4 {
                return Err(FORM);
            }
            list.iter().try_for_each(|v| within(*v, 0, 1 << 20))?;
        }
        (Form::Bool, AttrValue::Bool(_)) | (Form::Axis, AttrValue::Int(_)) | (Form::Axes, AttrValue::Ints(_)) => {}
        (Form::Axis, AttrValue::Ints(list)) => match list.as_ref() {
            [axis] => return Ok(AttrValue::Int(*axis)),
            _ => return Err(FORM),
        },
        (Form::Axes, AttrValue::Int(v)) => return Ok(AttrValue::Ints(Cow::Owned(vec![*v]))),
        (Form::Parts, AttrValue::Int(v)) => within(*v, 1, MAX_PARTS)?,
        (Form::Parts, AttrValue::Ints(list)) => {
            within(i64::try_from(list.len()).unwrap_or(0), 1, MAX_PARTS)?;
            list.iter().try_for_each(|v| within(*v, 1, i64::MAX))?;
        }
        _ => return Err(FORM),
    }
    Ok(value.clone())
}
