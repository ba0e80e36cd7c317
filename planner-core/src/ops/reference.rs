//! The table of operators as a page to read.

use super::{ArgSpec, AttrSpec, AttrValue, Results, Role, Signature, TABLE};
use crate::dtype::DType;
use std::fmt::Write;

/// Every operator with its arguments and attributes, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut page = String::from(
        "# Operators\n\n\
         `f(x, w, name = value)` and `x.f(w, name = value)` are the same call: tensors by position, attributes by \
         name. Images are `[batch, height, width, channel]`. A result of i8 takes its scale and zero point from \
         `out = i8 q(scale, zero_point)` in the call or from the type written behind `let`, unless said otherwise.\n\n\
         This page is made from the table in `planner-core/src/ops/mod.rs`: \
         `BLESS=1 cargo test -p planner-core --test operators`.\n",
    );
    page.push_str("\n## Types of elements\n\nOf the first tensor that each operator takes.\n\n");
    let names: Vec<&str> = COLUMNS.iter().map(|dtype| dtype.name()).collect();
    let _ = writeln!(page, "| | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    for op in TABLE {
        let signature = op.signature();
        let taken = signature.args.first().map_or(Vec::new(), ArgSpec::dtypes);
        let cells: String = COLUMNS.map(|dtype| if taken.contains(&dtype) { " x |" } else { " |" }).concat();
        let _ = writeln!(page, "| `{}` |{cells}", signature.name);
    }
    for op in TABLE {
        operator(&mut page, op.signature());
    }
    page
}

/// The types of tensors that are computed.
const COLUMNS: [DType; 6] = [DType::F32, DType::I8, DType::U8, DType::I16, DType::I32, DType::Bool];

impl ArgSpec {
    /// The element types that the documentation names.
    #[must_use]
    pub fn dtypes(&self) -> Vec<DType> {
        let words = || self.doc.split(|c: char| !c.is_alphanumeric());
        let named = |dtype: &DType| words().any(|word| word == dtype.name() || word == "any");
        COLUMNS.into_iter().filter(named).collect()
    }
}

fn operator(page: &mut String, signature: &Signature) {
    let args = signature.args.iter().map(argument);
    let attrs = signature.attrs.iter().map(|attr| match &attr.default {
        Some(AttrValue::Ints(list)) if list.is_empty() => format!("[{} = ..]", attr.name),
        Some(default) => format!("{} = {default}", attr.name),
        None => format!("{} = ..", attr.name),
    });
    let usage: Vec<String> = args.chain(attrs).collect();
    let _ = write!(page, "\n## {}\n\n`{0}({})`\n\n{}\n", signature.name, usage.join(", "), signature.doc);
    let _ = match signature.results {
        Results::One => Ok(()),
        Results::Attr(name) => write!(page, "\nThe number of results follows from `{name}`.\n"),
        Results::States(1) => write!(page, "\nThe second result is the new value of the state.\n"),
        Results::States(_) => {
            write!(page, "\nThe results after the first are the new values of the states, in order.\n")
        }
    };
    page.push_str("\n| argument | |\n|---|---|\n");
    for ArgSpec { name, role, doc } in signature.args {
        let role = match role {
            Role::Any => "",
            Role::Param => "; a param",
            Role::OptionalParam => "; a param or nothing",
            Role::Variadic => "; one or more",
        };
        let _ = writeln!(page, "| `{name}` | {doc}{role} |");
    }
    if signature.attrs.is_empty() {
        return;
    }
    page.push_str("\n| attribute | | takes | default |\n|---|---|---|---|\n");
    for AttrSpec { name, form, default, doc } in signature.attrs {
        let default = match default {
            Some(AttrValue::Ints(list)) if list.is_empty() => String::from("none"),
            Some(value) => format!("`{value}`"),
            None => String::from("must be given"),
        };
        let _ = writeln!(page, "| `{name}` | {doc} | {form} | {default} |");
    }
}

fn argument(arg: &ArgSpec) -> String {
    match arg.role {
        Role::Any | Role::Param => arg.name.into(),
        Role::OptionalParam => format!("[{}]", arg.name),
        Role::Variadic => format!("{}..", arg.name),
    }
}
