//! `fn` blocks, written out at each call.

use super::scope::Binding;
use super::value::Target;
use super::{Lowering, count, suggest};
use crate::ast::{Call, Fn, Ident, Item};
use crate::reserved::Role;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::model::TensorId;
use planner_core::ops;
use planner_core::source::Src;

/// A block.
pub(super) struct Function<'a> {
    /// Its definition; `None` if it is broken.
    pub(super) item: Option<&'a Fn>,
    /// It is called somewhere.
    pub(super) used: bool,
}

impl<'a> Lowering<'a> {
    /// Collects the blocks of the module, which may be called above their definition.
    pub(super) fn functions(&mut self, items: &'a [Item]) {
        for item in items {
            let (name, item) = match item {
                Item::Fn(item) => (&item.name, Some(item)),
                Item::Broken(broken) if broken.keyword == "fn" => match broken.names.first() {
                    Some(name) => (name, None),
                    None => continue,
                },
                _ => continue,
            };
            let error = |message: String| Diagnostic::new(Kind::DuplicateName, name.src, message);
            if ops::find(&name.name).is_some() {
                self.report(error(format!("`{}` is an operator", name.name)).help("choose another name"));
            } else if self.functions.contains_key(name.name.as_str()) {
                self.report(error(format!("`fn {}` is already defined", name.name)));
            } else {
                self.functions.insert(&name.name, Function { item, used: false });
            }
        }
    }

    /// A block that is never called is never checked, so it is refused when nothing else is wrong.
    pub(super) fn unused_functions(&mut self) {
        let unused = |name: &Ident| {
            Diagnostic::new(Kind::Unused, name.src, format!("`fn {}` is never called", name.name))
                .help(format!("call it, remove it, or name it `_{}`", name.name))
        };
        let named = |function: &Function<'a>| Some(&function.item?.name).filter(|name| !name.name.starts_with('_'));
        let functions = self.functions.values().filter(|function| !function.used).filter_map(named);
        let found: Vec<Diagnostic> = functions.map(unused).collect();
        if self.found.0.is_empty() {
            self.found.0.extend(found);
        }
    }

    /// The statements of `item` with `args` for its parameters.
    pub(super) fn inline(
        &mut self,
        item: &'a Fn,
        call: &'a Call,
        args: Vec<(Binding, Src)>,
        target: Target,
    ) -> Option<Vec<TensorId>> {
        let name = item.name.name.as_str();
        let args = self.arguments(item, call, args, &target.base)?;
        if self.active.contains(&name) {
            let message = format!("`{name}` calls itself");
            let path: Vec<String> = self.active.iter().chain([&name]).map(|name| format!("`{name}`")).collect();
            return self.fail(
                Diagnostic::new(Kind::Unsupported, call.name.src, message)
                    .info(format!("a block is written out at each call: {}", path.join(" calls "))),
            );
        }
        self.active.push(name);
        let prefix = std::mem::replace(&mut self.prefix, format!("{name}_"));
        self.scopes.push(&item.body, true);
        let results = self.nested(call.name.src, |this| {
            for (param, binding) in item.params.iter().zip(args) {
                this.define(param, binding, false, Role::Inner);
            }
            this.items(&item.body);
            this.results(item.result.as_ref()?, Target { base: name.into(), ..target })
        });
        self.scopes.pop();
        self.prefix = prefix;
        self.active.pop();
        results
    }

    /// One binding a parameter.
    fn arguments(
        &mut self,
        item: &'a Fn,
        call: &'a Call,
        args: Vec<(Binding, Src)>,
        base: &str,
    ) -> Option<Vec<Binding>> {
        let name = &item.name.name;
        let params: Vec<&str> = item.params.iter().map(|param| param.name.as_str()).collect();
        let usage = format!("{name}({})", params.join(", "));
        let got = count(args.len() + call.named.len(), "argument");
        let mut values: Vec<Option<Binding>> = vec![None; params.len()];
        let mut whole = true;
        for (place, (binding, src)) in args.into_iter().enumerate() {
            if let Some(value) = values.get_mut(place) {
                *value = Some(binding);
            } else if whole {
                let error = Diagnostic::new(Kind::Arity, src, format!("`{name}` takes no further argument"));
                self.report(error.got(&got).wanted(&usage));
                whole = false;
            }
        }
        for (word, value) in &call.named {
            match params.iter().position(|param| *param == word.name) {
                Some(place) if values[place].is_none() => values[place] = Some(self.operand(value, base)),
                Some(_) => {
                    let message = format!("argument `{}` of `{name}` is given twice", word.name);
                    self.report(Diagnostic::new(Kind::DuplicateName, word.src, message));
                    whole = false;
                }
                None => {
                    let message = format!("`{name}` has no argument `{}`", word.name);
                    let error = Diagnostic::new(Kind::UnknownName, word.src, message).wanted(&usage);
                    self.report(if word.name == "out" {
                        error.help("write the type of the result at its name: `let y: i8 q(..) = ..;`")
                    } else {
                        suggest(error, &word.name, params.iter().copied())
                    });
                    whole = false;
                }
            }
        }
        let missing = values.iter().position(Option::is_none);
        if let (Some(place), true) = (missing, whole) {
            let message = format!("`{name}` needs an argument for `{}`", params[place]);
            return self.fail(Diagnostic::new(Kind::Arity, call.name.src, message).got(got).wanted(usage));
        }
        if whole { values.into_iter().collect() } else { None }
    }
}
