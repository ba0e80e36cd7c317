//! States and what they are given.

use super::Lowering;
use super::scope::{Binding, TENSOR};
use super::value::{Slot, Target};
use crate::ast::{ExprKind, Ident, Port, State, Update};
use crate::reserved::Role;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::model::{self, Data, Origin, TensorId};

impl<'a> Lowering<'a> {
    pub(super) fn state(&mut self, item: &'a State) {
        let (declared, complete) = self.complete(&item.ty, "a state");
        if !self.define(&item.name, Binding::Broken, false, Role::Inner) {
            return;
        }
        let Some(ty) = complete.filter(|ty| self.affords(item.ty.src, ty)) else {
            return self.stub(&item.name, Port::State, declared);
        };
        if let ExprKind::Call(call) = &item.source.kind
            && call.name.name == "random"
        {
            let error = Diagnostic::new(Kind::Param, call.name.src, "a state cannot start from `random`");
            self.report(error.wanted("`zeros`, `splat(value)`, a file or the path of a constant array"));
        }
        let name = format!("{}{}", self.prefix, item.name.name);
        let name = if self.scopes.at_module() { self.names.own(&name) } else { self.names.fresh(&name) };
        let data = self.data(&item.source, &name, &ty);
        let data = data.map_or_else(|| Data::Bytes(vec![0; ty.bytes()].into()), |(data, _)| data);
        let origin = Origin::State(self.out.model.states.len());
        let tensor = self.source(name, item.name.src, declared, origin);
        self.out.model.states.push(model::State { tensor, data, next: tensor, src: item.name.src });
        self.states.push(None);
        self.scopes.set(0, &item.name.name, Binding::Tensor(tensor));
    }

    pub(super) fn update(&mut self, item: &'a Update) {
        let name = &item.name;
        let state = self.stated(name);
        let new = Ident { name: format!("{}_new", name.name), src: name.src };
        let slot = Slot { own: false, ..self.slot(&new, None) };
        let ids = self.results(&item.value, Target { base: slot.name.clone(), slots: vec![slot] });
        let Some(state) = state else { return };
        if let Some(before) = self.states[state].replace(item.value.src) {
            let message = format!("the state `{}` is given two values", name.name);
            let error = Diagnostic::new(Kind::DuplicateName, name.src, message);
            return self.report(if before == item.value.src {
                error
                    .info("a block or a loop is written out at each call and each turn")
                    .help("declare the state inside: each call and each turn has its own")
            } else {
                error
                    .info("reads see the value of the run before, wherever they stand")
                    .help("name what comes between: `let next = ..;`")
            });
        }
        if let Some(next) = ids.and_then(|ids| ids.first().copied()) {
            let state = &mut self.out.model.states[state];
            state.next = next;
            state.src = item.value.src;
        }
    }

    /// The state called `name`.
    fn stated(&mut self, name: &Ident) -> Option<usize> {
        let Some(binding) = self.scopes.get(&name.name) else {
            let error = self.unknown(&name.name, name.src, TENSOR);
            return self.fail(error.help(format!("declare it: `state {}: .. = zeros;`", name.name)));
        };
        let id = self.tensor(&binding, name.src)?;
        let help = match self.out.model.tensor(id).origin {
            Origin::State(state) => return Some(state),
            Origin::Result { .. } => format!("a `let mut` takes another value by `{} = ..;`", name.name),
            Origin::Input(_) | Origin::Param(_) => "only a `state` is kept between runs".into(),
        };
        let message = format!("`{}` is no state", name.name);
        self.fail(Diagnostic::new(Kind::Unsupported, name.src, message).help(help))
    }

    /// What the statement of a state that does not parse would have given it.
    pub(super) fn spoil_state(&mut self, name: &str) {
        if let Some(Binding::Tensor(id)) = self.scopes.get(name)
            && let Origin::State(state) = self.out.model.tensor(id).origin
        {
            self.states[state].get_or_insert(self.out.model.tensor(id).src);
        }
    }

    /// Refuses states that keep what they start from.
    pub(super) fn unassigned_states(&mut self) {
        let states = self.out.model.states.iter().zip(&self.states);
        let unassigned: Vec<TensorId> =
            states.filter(|(_, given)| given.is_none()).map(|(state, _)| state.tensor).collect();
        for id in unassigned {
            let tensor = self.out.model.tensor(id);
            let message = format!("the state `{}` is given no value", tensor.name);
            let help = format!("write `{} <- ..;`, or make it a `param`", tensor.name);
            self.report(Diagnostic::new(Kind::Unused, tensor.src, message).help(help));
        }
    }
}
