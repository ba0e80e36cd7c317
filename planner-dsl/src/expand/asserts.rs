//! What the compiler checks and watches.

use super::plan_table::Rows;
use super::{Context, Network, number};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

/// Tensors from which on the proof takes long enough for the compiler to ask whether it is meant.
const LONG_PROOF: usize = 200;

/// The proof of the plan, under the network's name.
pub(super) fn proof(network: &Network<'_>) -> TokenStream {
    let Context { runtime, ast, spans, .. } = network.context;
    let rows = Rows::new(network).by_birth();
    let long = (rows.len() > LONG_PROOF).then(|| quote!(#[allow(long_running_const_eval)]));
    let rows = rows.into_iter().map(number);
    let span = spans.first(ast.name.src);
    quote_spanned! {span=>
        #long
        const _: () = match #runtime::__private::prove(&PLAN, &[#(#rows),*]) {
            ::core::result::Result::Ok(()) => (),
            ::core::result::Result::Err(flaw) => ::core::panic!("{}", flaw),
        };
    }
}

/// Files and variables whose change must expand the macro again.
pub(super) fn tracked(context: &Context<'_>) -> TokenStream {
    let files = context.lowered.files.iter().map(|file| {
        let path = file.to_string_lossy();
        quote!(
            const _: &[u8] = ::core::include_bytes!(#path);
        )
    });
    quote! {
        #(#files)*
        const _: ::core::option::Option<&str> = ::core::option_env!("WATERLINE_REPORT");
    }
}
