//! The interface of the module: `Arena`, `Frame`, `Stepper`, `Outputs`, `run`.

use super::ports::{Input, Output, Port};
use super::slots::borrowed_from;
use super::{Network, docs, number, states, statics};
use planner_core::model::InputMode;
use planner_core::planned::Place;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::BTreeSet;

pub(super) fn items(network: &Network<'_>) -> TokenStream {
    let constants = constants(network);
    let (arena, frame) = (arena(network), frame(network));
    let (stepper, outputs, run, debug) = (stepper(network), outputs(network), run(network), debug(network));
    quote!(#constants #arena #frame #stepper #outputs #run #debug)
}

fn constants(network: &Network<'_>) -> TokenStream {
    let plan = network.plan;
    let rows = [
        ("ARENA_BYTES", plan.arena_bytes, "Size of the arena in bytes."),
        ("ARENA_ALIGN", plan.arena_align, "Alignment of the arena in bytes."),
        (
            "CLASSIC_BOUND_BYTES",
            plan.classic_bound,
            "Most bytes live at once in this order when buffers are whole and apart.",
        ),
        (
            "LOWER_BOUND_BYTES",
            plan.lower_bound,
            "No plan of this order can need less under the sharing rules in force.",
        ),
        ("WEIGHT_BYTES", plan.program.weight_bytes(), "Size of the weights in flash in bytes."),
        ("STEPS", plan.steps.len(), "Number of steps of a run."),
    ];
    let sizes = rows.iter().map(|(name, value, doc)| {
        let (name, value, doc) = (quote::format_ident!("{name}"), number(*value), format!(" {doc}"));
        quote!(#[doc = #doc] pub const #name: usize = #value;)
    });
    let macs = proc_macro2::Literal::u64_unsuffixed(plan.program.macs());
    quote! {
        #(#sizes)*
        /// Multiply-accumulates of one run.
        pub const MACS: u64 = #macs;
    }
}

fn arena(network: &Network<'_>) -> TokenStream {
    let (align, words) = (number(network.plan.arena_align), number(network.plan.arena_bytes / 4));
    let (params, fields): (Vec<_>, Vec<_>) =
        network.ports.borrowed().map(|input| (parameter(input), name(input))).unzip();
    let (method, receiver, lifetime) = if params.is_empty() {
        (quote!(frame), quote!(&mut self), quote!('_))
    } else {
        (quote!(frame<'a>), quote!(&'a mut self), quote!('a))
    };
    let doc = docs::frame_method(network);
    let (resets, prepare) = (states::resets(network), states::prepare(network));
    let prepared = states::are_prepared(network);
    let ready = prepared.then(|| quote!(ready: bool,));
    let not_ready = prepared.then(|| quote!(, ready: false));
    let forget = prepared.then(|| quote!(self.ready = false;));
    let reset = if network.plan.program.states.is_empty() {
        " Makes it as good as new."
    } else {
        " Makes it as good as new: every state starts again from its initial values."
    };
    quote! {
        /// The memory of the network: all that it needs besides flash and a little stack.
        ///
        /// It is all zero when new, so a `static` of it lies in `.bss`.
        #[repr(C, align(#align))]
        pub struct Arena {
            words: [u32; #words],
            #ready
        }

        impl Arena {
            /// An arena that is all zero.
            #[must_use]
            pub const fn new() -> Self {
                Self { words: [0; #words] #not_ready }
            }

            #[doc = #reset]
            pub fn reset(&mut self) {
                self.words.fill(0);
                #forget
            }

            #resets

            #doc
            #[must_use]
            pub fn #method(#receiver, #(#params),*) -> Frame<#lifetime> {
                #prepare
                Frame { arena: self, #(#fields),* }
            }
        }

        impl ::core::default::Default for Arena {
            fn default() -> Self {
                Self::new()
            }
        }
    }
}

/// `image: &'a [f32; 64]`
fn parameter(input: &Input) -> TokenStream {
    let (name, array) = (&input.port.name, input.port.array());
    quote!(#name: &'a #array)
}

fn name(input: &Input) -> &Ident {
    &input.port.name
}

fn frame(network: &Network<'_>) -> TokenStream {
    let runtime = network.context.runtime;
    let borrowed = network.ports.borrowed().map(parameter);
    let slots = network.ports.in_arena().map(|input| {
        let (name, array, slot) = (&input.port.name, input.port.array(), network.slot(input.port.tensor));
        let (docs, doc) = (&input.port.docs, docs::input(input));
        quote! {
            #docs
            #doc
            #[must_use]
            pub fn #name(&mut self) -> &mut #array {
                #slot.get_mut(&mut self.arena.words)
            }
        }
    });
    let kept = network.ports.outputs.iter().filter(|output| output.kept).filter_map(|output| {
        let (name, array, slot) = (&output.port.name, output.port.array(), network.slot(output.port.tensor));
        let (docs, doc) = (&output.port.docs, docs::kept_output(output));
        matches!(network.plan.places[output.port.tensor], Place::Arena { .. }).then(|| {
            quote! {
                #docs
                #doc
                #[must_use]
                pub fn #name(&self) -> &#array {
                    #slot.get(&self.arena.words)
                }
            }
        })
    });
    let quants = network.ports.inputs.iter().map(|input| quant(network, &input.port));
    let steps = &network.steps;
    let receiver = if steps.is_empty() { quote!(self) } else { quote!(mut self) };
    let shown = shown(network);
    quote! {
        /// A run whose inputs are being filled.
        pub struct Frame<'a> {
            arena: &'a mut Arena,
            #(#borrowed,)*
        }

        impl<'a> Frame<'a> {
            #(#quants)*
            #(#slots)*
            #(#kept)*

            /// Runs the network. The bytes of its inputs may be used for something else, except those that are kept.
            pub fn run(#receiver) -> Outputs<'a> {
                #(steps::#steps(&mut self);)*
                self.outputs()
            }

            /// Runs the network and shows the arena to `observer` after each step.
            pub fn run_with(
                self,
                observer: &mut (impl #runtime::Observer + ?::core::marker::Sized),
            ) -> Outputs<'a> {
                observer.start(&PLAN, #runtime::__private::bytes_mut(&mut self.arena.words));
                let mut stepper = self.steps();
                while let ::core::option::Option::Some(step) = stepper.step() {
                    let arena = #runtime::__private::bytes_mut(&mut stepper.frame.arena.words);
                    observer.after_step(&PLAN, step, arena);
                }
                stepper.finish()
            }

            /// Runs the network a step at a time.
            #[must_use]
            pub fn steps(self) -> Stepper<'a> {
                Stepper { frame: self, next: 0 }
            }

            fn outputs(self) -> Outputs<'a> {
                Outputs { words: &self.arena.words, #(#shown: self.#shown),* }
            }
        }
    }
}

/// The borrowed inputs that outputs show.
fn shown(network: &Network<'_>) -> Vec<Ident> {
    let inputs: BTreeSet<usize> = network
        .ports
        .outputs
        .iter()
        .filter_map(|output| match network.plan.places[output.port.tensor] {
            Place::Borrowed { input, .. } => Some(input),
            _ => None,
        })
        .collect();
    inputs.into_iter().map(|input| borrowed_from(network, input)).collect()
}

fn stepper(network: &Network<'_>) -> TokenStream {
    let runtime = network.context.runtime;
    let arms = network.steps.iter().enumerate().map(|(index, step)| {
        let index = number(index);
        quote!(#index => steps::#step(&mut self.frame),)
    });
    let step = if network.steps.is_empty() {
        quote!(PLAN.steps.get(self.next))
    } else {
        quote! {
            match self.next {
                #(#arms)*
                _ => return ::core::option::Option::None,
            }
            let step = PLAN.steps.get(self.next);
            self.next += 1;
            step
        }
    };
    quote! {
        /// A run that goes on a step at a time, with time for other work in between.
        pub struct Stepper<'a> {
            frame: Frame<'a>,
            next: usize,
        }

        impl<'a> Stepper<'a> {
            /// Computes the next step and says which it was; `None` after the last.
            pub fn step(&mut self) -> ::core::option::Option<&'static #runtime::Step> {
                #step
            }

            /// Computes what is left.
            #[must_use]
            pub fn finish(mut self) -> Outputs<'a> {
                while self.step().is_some() {}
                self.frame.outputs()
            }
        }
    }
}

fn outputs(network: &Network<'_>) -> TokenStream {
    let words = number(network.plan.arena_bytes / 4);
    let shown = shown(network);
    let fields = network.ports.borrowed().filter(|input| shown.contains(&input.port.name)).map(parameter);
    let accessors = network.ports.outputs.iter().map(|output| accessor(network, output));
    let quants = network.ports.outputs.iter().map(|output| quant(network, &output.port));
    quote! {
        /// The results of a run. They borrow the arena until they are dropped.
        #[derive(Clone, Copy)]
        pub struct Outputs<'a> {
            words: &'a [u32; #words],
            #(#fields,)*
        }

        impl<'a> Outputs<'a> {
            #(#quants)*
            #(#accessors)*
        }
    }
}

/// `Debug`: outputs show their values, the rest only its name.
fn debug(network: &Network<'_>) -> TokenStream {
    let opaque = [quote!(Arena), quote!(Frame<'_>), quote!(Stepper<'_>)].map(|ty| {
        let name = ty.to_string().split(' ').next().unwrap_or_default().to_owned();
        quote! {
            impl ::core::fmt::Debug for #ty {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_struct(#name).finish_non_exhaustive()
                }
            }
        }
    });
    let fields = network.ports.outputs.iter().map(|output| {
        let name = &output.port.name;
        let text = name.to_string();
        quote!(.field(#text, &self.#name()))
    });
    quote! {
        #(#opaque)*
        impl ::core::fmt::Debug for Outputs<'_> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct("Outputs") #(#fields)* .finish()
            }
        }
    }
}

fn accessor(network: &Network<'_>, output: &Output) -> TokenStream {
    let Port { name, docs, tensor, .. } = &output.port;
    let (array, slot, doc) = (output.port.array(), network.slot(*tensor), docs::output(output));
    let value = match network.plan.places[*tensor] {
        Place::Borrowed { input, .. } => {
            let input = borrowed_from(network, input);
            quote!(#slot.array(self.#input))
        }
        Place::Static { id, .. } => {
            let constant = &network.statics[id.0];
            quote!(#slot.array(&statics::#constant))
        }
        Place::Arena { .. } | Place::Nowhere => quote!(#slot.get(self.words)),
    };
    quote! {
        #docs
        #doc
        #[must_use]
        pub fn #name(&self) -> &'a #array {
            #value
        }
    }
}

/// `pub const IMAGE: Quant`, for ports that are quantised.
fn quant(network: &Network<'_>, port: &Port) -> Option<TokenStream> {
    let quant = port.ty.quant.as_ref().filter(|quant| quant.axis().is_none())?;
    let (runtime, name, value) = (network.context.runtime, &port.quant, self::quant_value(network, quant));
    let doc = format!(
        " The quantisation of [`{}`](Self::{0}): real = {} * (stored - {}).",
        port.name,
        quant.scale(0),
        quant.zero_point()
    );
    Some(quote! {
        #[doc = #doc]
        pub const #name: #runtime::Quant = #value;
    })
}

/// A `Quant` of the runtime.
pub(super) fn quant_value(network: &Network<'_>, quant: &planner_core::quant::Quant) -> TokenStream {
    let runtime = network.context.runtime;
    let (scale, zero_point) = (statics::float(quant.scale(0)), statics::integer(quant.zero_point().into()));
    quote!(#runtime::Quant { scale: #scale, zero_point: #zero_point })
}

fn run(network: &Network<'_>) -> TokenStream {
    let params = network.ports.inputs.iter().map(|input| {
        let (name, array) = (&input.port.name, input.port.array());
        match input.mode {
            InputMode::Borrowed => quote!(#name: &'a #array),
            InputMode::Plain | InputMode::Kept => quote!(#name: &#array),
        }
    });
    // Hygienic: an input may have this name.
    let frame = Ident::new("frame", Span::mixed_site());
    let many = (network.ports.inputs.len() > 6).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let borrowed = network.ports.borrowed().map(name);
    let copies: Vec<TokenStream> = network
        .ports
        .in_arena()
        .map(|input| {
            let name = &input.port.name;
            if input.port.known { quote!(*#frame.#name() = *#name;) } else { quote!(let _ = (#frame.#name(), #name);) }
        })
        .collect();
    let mutable = (!copies.is_empty()).then(|| quote!(mut));
    quote! {
        /// Copies in the inputs and runs the network.
        #many
        pub fn run<'a>(arena: &'a mut Arena, #(#params),*) -> Outputs<'a> {
            let #mutable #frame = arena.frame(#(#borrowed),*);
            #(#copies)*
            #frame.run()
        }
    }
}
