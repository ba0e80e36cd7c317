//! States as the interface shows them: what they start from, and how to start again.

use super::names::ident;
use super::{Network, number, slots, statics};
use planner_core::dtype::DType;
use planner_core::state::{State, StateInit};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// The method of `Arena` that resets `state`.
fn method(network: &Network<'_>, state: &State) -> Ident {
    let tensor = network.plan.program.tensor(state.tensor);
    let name = ident(&tensor.name, network.context.spans.first(tensor.src));
    format_ident!("reset_{}", name)
}

/// `reset_h`, for each state.
pub(super) fn resets(network: &Network<'_>) -> TokenStream {
    let methods = network.plan.program.states.iter().map(|state| {
        let (method, slot) = (method(network, state), network.slot(state.tensor.0));
        let doc =
            format!(" Starts again from its initial values: state {}", slots::place(network.plan, state.tensor.0));
        let value = initial(network, state);
        quote! {
            #[doc = #doc]
            pub fn #method(&mut self) {
                *#slot.get_mut(&mut self.words) = #value;
            }
        }
    });
    methods.collect()
}

/// The states whose initial values are not those of an arena that is all zero.
fn non_zero<'n>(network: &'n Network<'_>) -> impl Iterator<Item = &'n State> {
    network.plan.program.states.iter().filter(|state| !state.init.is_zero())
}

/// The first run must write initial values.
pub(super) fn are_prepared(network: &Network<'_>) -> bool {
    non_zero(network).next().is_some()
}

/// What `Arena::frame` does before the first run.
pub(super) fn prepare(network: &Network<'_>) -> Option<TokenStream> {
    let resets = non_zero(network).map(|state| {
        let method = method(network, state);
        quote!(self.#method();)
    });
    are_prepared(network).then(|| {
        quote! {
            if !self.ready {
                #(#resets)*
                self.ready = true;
            }
        }
    })
}

/// The initial values of `state`, an array.
fn initial(network: &Network<'_>, state: &State) -> TokenStream {
    let ty = &network.plan.program.tensor(state.tensor).ty;
    match &state.init {
        StateInit::Static(id) => {
            let constant = &network.statics[id.0];
            quote!(statics::#constant)
        }
        StateInit::Splat(element) => {
            let (value, len) = (element_value(ty.dtype, element), number(ty.shape.elements()));
            quote!([#value; #len])
        }
    }
}

fn element_value(dtype: DType, bytes: &[u8]) -> TokenStream {
    if dtype == DType::F32 {
        let bits = bytes.iter().rev().fold(0, |bits: u32, byte| bits << 8 | u32::from(*byte));
        return statics::float(f32::from_bits(bits));
    }
    let bits = bytes.iter().rev().fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
    let unused = 64 - 8 * u32::try_from(dtype.bytes()).unwrap_or(8);
    statics::integer(match dtype {
        DType::U8 | DType::Bool => bits.cast_signed(),
        _ => (bits << unused).cast_signed() >> unused,
    })
}
