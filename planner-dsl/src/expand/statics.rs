//! `mod statics`: weights, tables and the parameters of kernels, named after the tensors.

use super::{Network, number, rust_type};
use planner_core::dtype::DType;
use planner_core::emit::{Init, Static, StaticId, Struct, Value};
use planner_core::plan::Plan;
use planner_core::planned::Place;
use planner_core::state::StateInit;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

pub(super) fn module(network: &Network<'_>) -> TokenStream {
    let runtime = network.context.runtime;
    let program = &network.plan.program;
    let constants = network.statics.iter().zip(&program.statics).filter_map(|(name, item)| {
        let name = name.as_ref()?;
        let (ty, value) = (array(item), constant(network, item, name));
        Some(quote!(pub(super) static #name: #ty = #value;))
    });
    let params = network.plan.steps.iter().zip(&network.params).flat_map(|(planned, names)| {
        planned.calls.iter().zip(names).map(|(&call, name)| {
            let call = planned.call(program, &network.plan.shares, call);
            let (kind, value) = (kind(&call.params), structure(network, &call.params));
            quote!(pub(super) static #name: #kind = #value;)
        })
    });
    let (constants, params): (TokenStream, TokenStream) = (constants.collect(), params.collect());
    let import = (!params.is_empty()).then(|| quote!(use #runtime::__private::kernels;));
    if constants.is_empty() && params.is_empty() {
        return TokenStream::new();
    }
    quote! {
        mod statics {
            #import
            #constants
            #params
        }
    }
}

/// The trait through which the module reads constants of the user's crate, whose paths mean what they
/// mean where the `graph!` stands; see [`externals_impl`].
pub(super) fn externals_trait(network: &Network<'_>) -> Option<TokenStream> {
    let constants: TokenStream = externals(network)
        .map(|(name, item, _)| {
            let ty = array(item);
            quote!(const #name: #ty;)
        })
        .collect();
    (!constants.is_empty()).then(|| quote!(pub(super) trait Externals { #constants }))
}

/// Stands beside the module, also in a function's body.
pub(super) fn externals_impl(network: &Network<'_>, module: &Ident) -> Option<TokenStream> {
    let constants: TokenStream = externals(network)
        .map(|(name, item, external)| {
            let (ty, path) = (array(item), &network.context.lowered.externals[external].path);
            quote!(const #name: #ty = #path;)
        })
        .collect();
    (!constants.is_empty()).then(|| quote!(impl #module::Externals for #module::Arena { #constants }))
}

fn externals<'n>(network: &'n Network<'_>) -> impl Iterator<Item = (&'n Ident, &'n Static, usize)> {
    network.statics.iter().zip(&network.plan.program.statics).filter_map(|(name, item)| match item.init {
        Init::External(external) => Some((name.as_ref()?, item, external)),
        _ => None,
    })
}

/// Which statics the remaining steps and outputs refer to.
pub(super) fn used(plan: &Plan) -> Vec<bool> {
    let statics = &plan.program.statics;
    let mut used = vec![false; statics.len()];
    let mut open: Vec<StaticId> = Vec::new();
    for planned in &plan.steps {
        let calls = &plan.program.steps[planned.step].calls;
        for &call in &planned.calls {
            for (_, value) in &calls[call].params.fields {
                referred(value, &mut open);
            }
        }
    }
    open.extend(plan.program.states.iter().filter_map(|state| match state.init {
        StateInit::Static(id) => Some(id),
        StateInit::Splat(_) => None,
    }));
    open.extend(plan.places.iter().filter_map(|place| match place {
        Place::Static { id, .. } => Some(*id),
        _ => None,
    }));
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut used[id.0], true)
            && let Init::ConstFn { args, .. } = &statics[id.0].init
        {
            for value in args {
                referred(value, &mut open);
            }
        }
    }
    used
}

fn referred(value: &Value, found: &mut Vec<StaticId>) {
    match value {
        Value::Slice(id) => found.push(*id),
        Value::Array(values) => {
            for value in values {
                referred(value, found);
            }
        }
        Value::Struct(inner) => {
            for (_, value) in &inner.fields {
                referred(value, found);
            }
        }
        Value::Int(_) | Value::F32(_) | Value::Bool(_) | Value::Empty => {}
    }
}

fn array(item: &Static) -> TokenStream {
    let (element, len) = (rust_type(item.dtype), number(item.len));
    quote!([#element; #len])
}

fn constant(network: &Network<'_>, item: &Static, name: &Ident) -> TokenStream {
    let runtime = network.context.runtime;
    match &item.init {
        Init::Bytes(bytes) if bytes.iter().all(|byte| *byte == 0) => {
            let zero = if item.dtype == DType::F32 { Literal::f32_unsuffixed(0.0) } else { number(0) };
            let len = number(item.len);
            quote!([#zero; #len])
        }
        Init::Bytes(bytes) => {
            let bytes = Literal::byte_string(bytes);
            quote!(#runtime::__private::must_cast(*#bytes))
        }
        Init::External(_) => quote!(<super::Arena as super::Externals>::#name),
        Init::ConstFn { function, args } => {
            let function = format_ident!("{function}");
            let args = args.iter().map(|arg| self::value(network, arg));
            quote!(#runtime::__private::kernels::#function(#(#args),*))
        }
    }
}

/// The type of a parameter structure; it has a lifetime if it refers to statics.
fn kind(params: &Struct) -> TokenStream {
    let name = format_ident!("{}", params.name);
    let lifetime = refers(params).then(|| quote!(<'static>));
    quote!(kernels::#name #lifetime)
}

fn refers(params: &Struct) -> bool {
    params.fields.iter().any(|(_, value)| match value {
        Value::Slice(_) | Value::Empty => true,
        Value::Struct(inner) => refers(inner),
        _ => false,
    })
}

fn structure(network: &Network<'_>, params: &Struct) -> TokenStream {
    let name = format_ident!("{}", params.name);
    let fields = params.fields.iter().map(|(field, value)| {
        let (field, value) = (format_ident!("{field}"), self::value(network, value));
        quote!(#field: #value)
    });
    quote!(kernels::#name { #(#fields),* })
}

fn value(network: &Network<'_>, value: &Value) -> TokenStream {
    match value {
        Value::Int(v) => integer(*v),
        Value::F32(v) => float(*v),
        Value::Bool(v) => quote!(#v),
        Value::Array(values) => {
            let values = values.iter().map(|v| self::value(network, v));
            quote!([#(#values),*])
        }
        Value::Slice(id) => {
            let name = &network.statics[id.0];
            quote!(&#name)
        }
        Value::Empty => quote!(&[]),
        Value::Struct(inner) => structure(network, inner),
    }
}

/// `v` without a suffix.
pub(super) fn integer(v: i64) -> TokenStream {
    let magnitude = Literal::u64_unsuffixed(v.unsigned_abs());
    if v < 0 { quote!(-#magnitude) } else { quote!(#magnitude) }
}

/// Exactly `v`, as readable as it can be.
pub(super) fn float(v: f32) -> TokenStream {
    if !v.is_finite() {
        let bits = v.to_bits();
        return match (v.is_nan(), v > 0.0) {
            (true, _) => quote!(f32::from_bits(#bits)),
            (false, true) => quote!(f32::INFINITY),
            (false, false) => quote!(f32::NEG_INFINITY),
        };
    }
    let magnitude = Literal::f32_unsuffixed(v.abs());
    if v.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
}
