//! What names stand for, and what to say of one that stands for nothing.

use super::{Lowering, suggest};
use crate::ast::{Ident, Item};
use crate::reserved::{self, Role};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::model::{Origin, TensorId};
use planner_core::ops;
use planner_core::source::Src;
use std::collections::HashMap;
use std::rc::Rc;

/// What an unknown name should have stood for, in messages.
pub(super) const SIZE: &str = "named size";
/// See [`SIZE`].
pub(super) const TENSOR: &str = "tensor";

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// An integer.
    Size(i64),
    /// A tensor.
    Tensor(TensorId),
    /// Indexed params.
    Family(Rc<Family>),
    /// Something whose definition is wrong, which has been reported.
    Broken,
}

impl Binding {
    /// What it is, in messages.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Size(_) => "an integer",
            Self::Tensor(_) => "a tensor",
            Self::Family(_) => "a family of params",
            Self::Broken => "broken",
        }
    }
}

/// `param w[i in from..]`.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) from: i64,
    /// One a number of its range; `None` where it is broken.
    pub(super) tensors: Vec<Option<TensorId>>,
}

#[derive(Debug)]
struct Entry {
    binding: Binding,
    mutable: bool,
}

/// The names of a block.
struct Scope<'a> {
    entries: HashMap<String, Entry>,
    /// Its statements, which know what is defined further down.
    items: &'a [Item],
    /// The body of a `fn`: of what lies outside only named sizes of the module are visible.
    sealed: bool,
}

/// The blocks around a place, innermost last; the module is the first.
pub(super) struct Scopes<'a>(Vec<Scope<'a>>);

impl<'a> Scopes<'a> {
    pub(super) fn new(items: &'a [Item]) -> Self {
        Self(vec![Scope { entries: HashMap::new(), items, sealed: false }])
    }

    pub(super) fn push(&mut self, items: &'a [Item], sealed: bool) {
        self.0.push(Scope { entries: HashMap::new(), items, sealed });
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    /// The innermost block is the module.
    pub(super) fn at_module(&self) -> bool {
        self.0.len() == 1
    }

    /// What `name` stands for here, and in how many blocks outside the innermost.
    fn find(&self, name: &str) -> Option<(usize, &Entry)> {
        let visible = self.visible();
        for (out, scope) in self.0[visible..].iter().rev().enumerate() {
            if let Some(entry) = scope.entries.get(name) {
                return Some((out, entry));
            }
        }
        let entry = self.0.first().and_then(|module| module.entries.get(name))?;
        matches!(entry.binding, Binding::Size(_)).then_some((self.0.len() - 1, entry))
    }

    /// The index of the outermost block whose tensors are visible.
    fn visible(&self) -> usize {
        self.0.iter().rposition(|scope| scope.sealed).unwrap_or(0)
    }

    pub(super) fn get(&self, name: &str) -> Option<Binding> {
        self.find(name).map(|(_, entry)| entry.binding.clone())
    }

    /// Makes the `let mut` called `name` broken, if there is one.
    pub(super) fn spoil(&mut self, name: &str) {
        if let Some((out, Entry { mutable: true, .. })) = self.find(name) {
            self.set(out, name, Binding::Broken);
        }
    }

    /// Changes the meaning of `name`, which is defined in the block `out` outside the innermost.
    pub(super) fn set(&mut self, out: usize, name: &str, binding: Binding) {
        let index = self.0.len() - 1 - out;
        if let Some(entry) = self.0[index].entries.get_mut(name) {
            entry.binding = binding;
        }
    }

    fn insert(&mut self, name: &str, binding: Binding, mutable: bool) {
        if let Some(scope) = self.0.last_mut() {
            scope.entries.insert(name.into(), Entry { binding, mutable });
        }
    }

    /// All names that stand for integers here, or all others.
    fn names(&self, sizes: bool) -> impl Iterator<Item = &str> {
        let entries = self.0[self.visible()..].iter().flat_map(|scope| &scope.entries);
        entries
            .filter(move |(_, entry)| matches!(entry.binding, Binding::Size(_)) == sizes)
            .map(|(name, _)| name.as_str())
    }
}

/// The names that a statement defines in its block.
pub(super) fn defined(item: &Item) -> Vec<&Ident> {
    match item {
        Item::Const(item) => vec![&item.name],
        Item::Input(item) => vec![&item.name],
        Item::Param(item) => vec![&item.name],
        Item::State(item) => vec![&item.name],
        Item::Let(item) => item.names.iter().flatten().collect(),
        Item::Output(item) if item.value.is_some() => vec![&item.name],
        Item::Broken(item) if item.keyword != "fn" => item.names.iter().collect(),
        Item::Output(_) | Item::Assign(_) | Item::Update(_) | Item::Fn(_) | Item::For(_) | Item::Broken(_) => {
            Vec::new()
        }
    }
}

/// A loop below `items` defines `name`.
fn defined_in_loop(items: &[Item], name: &str) -> bool {
    items.iter().any(|item| match item {
        Item::For(item) => {
            item.body.iter().flat_map(defined).any(|ident| ident.name == name) || defined_in_loop(&item.body, name)
        }
        _ => false,
    })
}

impl Lowering<'_> {
    /// Gives `name` a meaning in the innermost block; false if it cannot have one.
    /// A name that has one there or further out keeps it.
    pub(super) fn define(&mut self, name: &Ident, binding: Binding, mutable: bool, role: Role) -> bool {
        let reserved = reserved::check(&name.name, role, name.src);
        let free = reserved.is_ok();
        if let Err(diagnostic) = reserved {
            self.report(diagnostic);
        }
        let Some((out, entry)) = self.scopes.find(&name.name) else {
            self.scopes.insert(&name.name, binding, mutable);
            return free;
        };
        let carried = role == Role::Let && matches!(entry.binding, Binding::Tensor(_) | Binding::Broken);
        let help = match (out, carried) {
            (_, false) => "choose another name".to_string(),
            (0, true) => format!("choose another name, or declare `let mut {0}` and write `{0} = ..;` here", name.name),
            (_, true) => format!(
                "to carry it from turn to turn declare `let mut {0}` outside and write `{0} = ..;` here",
                name.name
            ),
        };
        let message = format!("`{}` is already defined", name.name);
        self.report(Diagnostic::new(Kind::DuplicateName, name.src, message).help(help));
        false
    }

    /// Gives the `let mut` called `name`, which exists, another meaning.
    pub(super) fn assign(&mut self, name: &Ident, binding: Binding) {
        let Some((out, entry)) = self.scopes.find(&name.name) else { return };
        if !entry.mutable && !matches!(entry.binding, Binding::Broken) {
            let message = format!("`{}` is already defined, and not as `let mut`", name.name);
            let error = Diagnostic::new(Kind::DuplicateName, name.src, message);
            return self.report(match entry.binding {
                Binding::Tensor(id) if matches!(self.out.model.tensor(id).origin, Origin::State(_)) => {
                    error.help(format!("a state is given its value by `{} <- ..;`", name.name))
                }
                Binding::Tensor(_) => error.help(format!("declare it as `let mut {}`", name.name)),
                _ => error.help("choose another name"),
            });
        }
        self.scopes.set(out, &name.name, binding);
    }

    /// What to say of a `noun` called `name` that does not exist here.
    pub(super) fn unknown(&self, name: &str, src: Src, noun: &str) -> Diagnostic {
        let error = |kind, message: String| Diagnostic::new(kind, src, message);
        let visible = &self.scopes.0[self.scopes.visible()..];
        let mut later = visible.iter().flat_map(|scope| scope.items);
        let definition = later.find_map(|item| Some((item, defined(item).into_iter().find(|def| def.name == name)?)));
        if let Some((item, definition)) = definition {
            if noun == SIZE && !matches!(item, Item::Const(_)) {
                return error(Kind::Syntax, format!("`{name}` is a tensor, not a named size"));
            }
            // Places are numbered in the order of the text.
            return if definition.src < src {
                error(Kind::UseBeforeDefinition, format!("`{name}` is used in its own definition"))
            } else {
                error(Kind::UseBeforeDefinition, format!("`{name}` is used before its definition"))
                    .help("move its definition up")
            };
        }
        let unknown = error(Kind::UnknownName, format!("unknown {noun} `{name}`"));
        if self.scopes.0[0].items.iter().flat_map(defined).any(|ident| ident.name == name) {
            return unknown
                .info("a `fn` sees its arguments and the module's named sizes")
                .help("pass it as an argument");
        }
        if visible.iter().any(|scope| defined_in_loop(scope.items, name)) {
            return unknown
                .info("it is defined inside a `for`, and ends with each turn")
                .help(format!("declare `let mut {name}` before the loop and write `{name} = ..;` in it"));
        }
        if ops::find(name).is_some() || self.functions.contains_key(name) {
            return unknown.info(format!("`{name}` is to be called: `{name}(x)`"));
        }
        let mut names: Vec<&str> = self.scopes.names(noun == SIZE).collect();
        names.sort_unstable();
        suggest(unknown, name, names)
    }
}
