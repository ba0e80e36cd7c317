//! Statements.

use super::scope::{Binding, TENSOR};
use super::value::{Slot, Target};
use super::{Lowering, Stub};
use crate::ast::{Assign, Broken, Const, For, Ident, Input, Item, Let, Output, Port, Type};
use crate::parse::STATEMENTS;
use crate::reserved::{self, Role};
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::model::{self, Declared, InputMode, Origin, Tensor, TensorId};
use planner_core::source::Src;

impl<'a> Lowering<'a> {
    /// The named sizes of the module, which are visible everywhere.
    pub(super) fn constants(&mut self, items: &'a [Item]) {
        for item in items {
            if let Item::Const(item) = item {
                self.constant(item);
            }
        }
    }

    /// All statements of a block.
    pub(super) fn items(&mut self, items: &'a [Item]) {
        for item in items {
            match item {
                Item::Const(item) if !self.scopes.at_module() => self.constant(item),
                Item::Const(_) | Item::Fn(_) => {}
                Item::Input(item) => self.input(item),
                Item::Param(item) => self.param(item),
                Item::State(item) => self.state(item),
                Item::Update(item) => self.update(item),
                Item::Let(item) => self.binding(item),
                Item::Assign(item) => self.assignment(item),
                Item::Output(item) => self.output(item),
                Item::For(item) => {
                    self.loops(item);
                }
                Item::Broken(item) => self.broken(item),
            }
        }
    }

    /// What a statement that does not parse would have defined or assigned.
    fn broken(&mut self, item: &Broken) {
        for name in &item.names {
            self.define(name, Binding::Broken, false, Role::Inner);
            let port = match item.keyword.as_str() {
                "input" => Port::Input(InputMode::Plain),
                "output" => Port::Output { kept: false },
                "state" => Port::State,
                _ => continue,
            };
            if self.scopes.at_module() {
                self.stub(name, port, Declared::default());
            }
        }
        if item.names.is_empty() {
            self.scopes.spoil(&item.keyword);
            self.spoil_state(&item.keyword);
        }
    }

    fn constant(&mut self, item: &Const) {
        let value = self.int(&item.value, "a named size");
        self.define(&item.name, value.map_or(Binding::Broken, Binding::Size), false, Role::Inner);
    }

    pub(super) fn stub(&mut self, name: &Ident, port: Port, declared: Declared) {
        self.out.stubs.push(Stub { name: name.clone(), port, declared });
    }

    fn input(&mut self, item: &Input) {
        let (declared, complete) = self.complete(&item.ty, "an input");
        // Under a name that it cannot have, not even a stub can show it.
        if !self.define(&item.name, Binding::Broken, false, Role::Input) {
            return;
        }
        if complete.is_none() {
            return self.stub(&item.name, Port::Input(item.mode), declared);
        }
        let origin = Origin::Input(self.out.model.inputs.len());
        let name = self.names.own(&item.name.name);
        let tensor = self.source(name, item.name.src, declared, origin);
        self.out.model.inputs.push(model::Input { tensor, mode: item.mode });
        self.out.input_docs.push(item.docs.clone());
        self.scopes.set(0, &item.name.name, Binding::Tensor(tensor));
    }

    /// A tensor that no operator defines.
    pub(super) fn source(&mut self, name: String, src: Src, declared: Declared, origin: Origin) -> TensorId {
        let may_be_unused = name.starts_with('_');
        self.out.model.tensors.push(Tensor { name, src, declared, origin, may_be_unused });
        TensorId(self.out.model.tensors.len() - 1)
    }

    /// The name of a result as a statement here gives it.
    pub(super) fn slot(&mut self, name: &Ident, ty: Option<&Type>) -> Slot {
        let declared = ty.map_or(Declared::default(), |ty| self.declared(ty).0);
        Slot {
            name: format!("{}{}", self.prefix, name.name),
            own: self.scopes.at_module(),
            src: name.src,
            declared: Declared { src: ty.map_or(name.src, |ty| ty.src), ..declared },
            may_be_unused: name.name.starts_with('_'),
        }
    }

    fn binding(&mut self, item: &'a Let) {
        let slots: Vec<Slot> = item
            .names
            .iter()
            .map(|name| {
                let unused = Ident { name: "unused".into(), src: item.value.src };
                let slot = self.slot(name.as_ref().unwrap_or(&unused), item.ty.as_ref());
                if name.is_some() { slot } else { Slot { own: false, may_be_unused: true, ..slot } }
            })
            .collect();
        let base = slots.first().map_or(String::new(), |slot| slot.name.clone());
        let ids = self.results(&item.value, Target { base, slots });
        for (place, name) in item.names.iter().enumerate() {
            let id = ids.as_ref().and_then(|ids| ids.get(place));
            let binding = id.map_or(Binding::Broken, |id| Binding::Tensor(*id));
            if let Some(name) = name {
                self.define(name, binding, item.mutable, Role::Let);
            }
        }
    }

    fn assignment(&mut self, item: &'a Assign) {
        if self.scopes.get(&item.name.name).is_none() {
            let error = self.unknown(&item.name.name, item.name.src, TENSOR);
            let word = STATEMENTS.iter().find(|word| **word == item.name.name);
            return self.report(match word {
                Some(word) => error.help(format!("a statement is `{word} name ..;`")),
                None => error,
            });
        }
        let slot = Slot { own: false, ..self.slot(&item.name, None) };
        let ids = self.results(&item.value, Target { base: slot.name.clone(), slots: vec![slot] });
        let id = ids.and_then(|ids| ids.first().copied());
        self.assign(&item.name, id.map_or(Binding::Broken, Binding::Tensor));
    }

    fn output(&mut self, item: &'a Output) {
        let name = &item.name;
        let twice = self.out.model.outputs.iter().any(|output| output.name == name.name);
        let output = |stub: &Stub| matches!(stub.port, Port::Output { .. });
        if twice || self.out.stubs.iter().any(|stub| output(stub) && stub.name.name == name.name) {
            let message = format!("output `{}` is declared twice", name.name);
            return self.report(Diagnostic::new(Kind::DuplicateName, name.src, message));
        }
        let role = if item.kept { Role::KeptOutput } else { Role::Output };
        let slot = self.slot(name, item.ty.as_ref());
        let declared = slot.declared.clone();
        let tensor = match &item.value {
            Some(value) => {
                let target = Target { base: name.name.clone(), slots: vec![slot] };
                let id = self.results(value, target).and_then(|ids| ids.first().copied());
                let binding = id.map_or(Binding::Broken, Binding::Tensor);
                self.define(name, binding, false, role);
                if reserved::check(&name.name, role, name.src).is_err() {
                    return;
                }
                id
            }
            None => self.existing(name).filter(|id| self.restrict(*id, slot.declared).is_some()),
        };
        if let (Some(Origin::Input(_)), true) = (tensor.map(|id| self.out.model.tensor(id).origin), item.kept) {
            return self.report(kept_input(name));
        }
        match tensor {
            Some(tensor) => {
                let output = model::Output { name: name.name.clone(), tensor, kept: item.kept, src: name.src };
                self.out.model.outputs.push(output);
                self.out.output_docs.push(item.docs.clone());
            }
            None => self.stub(name, Port::Output { kept: item.kept }, declared),
        }
    }

    /// The tensor that is called `name`.
    fn existing(&mut self, name: &Ident) -> Option<TensorId> {
        if let Some(binding) = self.scopes.get(&name.name) {
            return self.tensor(&binding, name.src);
        }
        let error = self.unknown(&name.name, name.src, TENSOR);
        self.fail(match error.kind {
            Kind::UnknownName => error.help(format!("define it here: `output {} = ..;`", name.name)),
            _ => error,
        })
    }

    fn loops(&mut self, item: &'a For) -> Option<()> {
        let (from, to) = self.range(&item.index)?;
        for i in from..to {
            self.work(item.index.name.src)?;
            self.scopes.push(&item.body, false);
            self.nested(item.index.name.src, |this| {
                this.define(&item.index.name, Binding::Size(i), false, Role::Inner);
                this.items(&item.body);
                Some(())
            });
            self.scopes.pop();
        }
        Some(())
    }
}

/// What to say of the output `name` that is to be kept and is an input.
pub(super) fn kept_input(name: &Ident) -> Diagnostic {
    let message = format!("the output `{}` is an input, which has a place already", name.name);
    Diagnostic::new(Kind::Unsupported, name.src, message).help("write `kept` where the input is declared")
}
