//! A plan as code: a module with the interface, and private modules of slots, statics and steps below it.

mod api;
mod asserts;
mod docs;
mod names;
mod network;
mod plan_table;
mod ports;
mod slots;
mod states;
mod statics;
mod steps;
#[cfg(test)]
mod tests;

use crate::ast::Ast;
use crate::fallback::Stub;
use crate::lower::Lowered;
use crate::spans::Spans;
use names::Names;
use planner_core::dtype::DType;
use planner_core::plan::Plan;
use planner_core::planned::Place;
use ports::Ports;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// What the expansion needs besides the plan.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The path of the runtime.
    pub(crate) runtime: &'a TokenStream,
    /// The module's header.
    pub(crate) ast: &'a Ast,
    /// Documentation, constants of the user's crate, files.
    pub(crate) lowered: &'a Lowered,
    /// Where everything stands.
    pub(crate) spans: &'a Spans,
    /// What is not known of a network with errors, whose plan is a stub.
    pub(crate) stub: Option<&'a Stub>,
}

/// A plan with the names that its parts have in generated code.
struct Network<'a> {
    context: Context<'a>,
    plan: &'a Plan,
    /// The name of each tensor's slot; `None` if it is nowhere.
    slots: Vec<Option<Ident>>,
    /// The name of each step's function, in order of execution.
    steps: Vec<Ident>,
    /// The name of each scratch slot, by step in order of execution.
    scratch: Vec<Option<Ident>>,
    /// The name of each static; `None` if nothing refers to it.
    statics: Vec<Option<Ident>>,
    /// The name of the parameters of each remaining call of each step.
    params: Vec<Vec<Ident>>,
    ports: Ports,
}

/// The code of `plan`.
pub(crate) fn expand(plan: &Plan, context: Context<'_>) -> TokenStream {
    let network = Network::new(plan, context);
    let ast = context.ast;
    let (attrs, vis, name) = (&ast.attrs, &ast.vis, names::ident(&ast.name.name, context.spans.first(ast.name.src)));
    let docs = docs::module(&network);
    let tracked = asserts::tracked(&context);
    let (api, implementation) = (api::items(&network), network::implementation(&network));
    let (slots, steps, statics) = (slots::module(&network), steps::module(&network), statics::module(&network));
    let (table, proof) = (plan_table::item(&network), asserts::proof(&network));
    let externals = statics::externals_trait(&network);
    let values = statics::externals_impl(&network, &name);
    quote! {
        #attrs
        #docs
        #vis mod #name {
            #api
            #table
            #implementation
            #slots
            #steps
            #statics
            #externals
            #proof
            #tracked
        }
        #values
    }
}

impl<'a> Network<'a> {
    fn new(plan: &'a Plan, context: Context<'a>) -> Self {
        let program = &plan.program;
        let mut slot_names = Names::default();
        let slots = program
            .tensors
            .iter()
            .zip(&plan.places)
            .map(|(tensor, place)| (*place != Place::Nowhere).then(|| slot_names.upper(&tensor.name)))
            .collect();
        let mut step_names = Names::default();
        let steps: Vec<Ident> =
            plan.steps.iter().map(|planned| step_names.lower(&program.steps[planned.step].name)).collect();
        let scratch = plan
            .steps
            .iter()
            .map(|planned| {
                let name = format!("{}_scratch", program.steps[planned.step].name);
                planned.scratch.as_ref().map(|_| slot_names.upper(&name))
            })
            .collect();
        let used = statics::used(plan);
        let mut static_names = Names::default();
        let statics =
            program.statics.iter().zip(used).map(|(item, used)| used.then(|| static_names.upper(&item.name))).collect();
        let params = plan
            .steps
            .iter()
            .map(|planned| {
                let name = &program.steps[planned.step].name;
                planned.calls.iter().map(|_| static_names.upper(name)).collect()
            })
            .collect();
        let ports = Ports::new(plan, context);
        Self { context, plan, slots, steps, scratch, statics, params, ports }
    }

    /// The slot of tensor `index`, as generated code names it.
    fn slot(&self, index: usize) -> TokenStream {
        let name = self.slots[index].clone().unwrap_or_else(|| format_ident!("NOWHERE"));
        quote!(slots::#name)
    }
}

/// A number without a suffix.
fn number(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// An element type in Rust.
fn rust_type(dtype: DType) -> Ident {
    format_ident!("{}", dtype.rust_name())
}
