//! The implementation of the runtime's `Network` for the `Arena`.

use super::{Network, number};
use planner_core::model::InputMode;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

pub(super) fn implementation(network: &Network<'_>) -> TokenStream {
    let runtime = network.context.runtime;
    let names: Vec<_> = (0..network.ports.inputs.len()).map(|index| format_ident!("input_{index}")).collect();
    let wanted = number(names.len());
    let borrowed: Vec<_> = network
        .ports
        .inputs
        .iter()
        .zip(&names)
        .filter(|(input, _)| input.mode == InputMode::Borrowed)
        .map(|(_, name)| name)
        .collect();
    let fills = network.ports.inputs.iter().zip(&names).enumerate().map(|(index, (input, name))| {
        let (index, slot) = (number(index), network.slot(input.port.tensor));
        match input.mode {
            InputMode::Borrowed => {
                let len = number(input.port.ty.shape.elements());
                quote!(let #name = #runtime::__private::borrow::<_, #len>(#index, #name)?;)
            }
            InputMode::Plain | InputMode::Kept => {
                quote!(#runtime::__private::fill(#slot.get_mut(&mut self.words), #index, #name)?;)
            }
        }
    });
    quote! {
        impl #runtime::Network for Arena {
            fn plan(&self) -> &'static #runtime::Plan {
                &PLAN
            }

            fn arena(&mut self) -> &mut [u8] {
                #runtime::__private::bytes_mut(&mut self.words)
            }

            fn reset(&mut self) {
                Self::reset(self);
            }

            fn run<'a>(
                &'a mut self,
                inputs: &'a [&'a [u8]],
                observer: &mut dyn #runtime::Observer,
            ) -> ::core::result::Result<#runtime::OutputBytes<'a>, #runtime::RunError> {
                let [#(#names),*] = *inputs else {
                    return ::core::result::Result::Err(#runtime::RunError::Count { got: inputs.len(), wanted: #wanted });
                };
                #(#fills)*
                let outputs = self.frame(#(#borrowed),*).run_with(observer);
                let arena = #runtime::__private::bytes(outputs.words);
                ::core::result::Result::Ok(#runtime::OutputBytes::new(&PLAN, arena, inputs))
            }
        }
    }
}
