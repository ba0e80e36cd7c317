//! The language of `graph!` as a library over token streams.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod ast;
pub mod error;
mod expand;
mod fallback;
pub mod files;
pub mod lock;
pub mod lower;
pub mod networks;
pub mod parse;
mod reserved;
pub mod spans;
pub mod write;

use ast::Ast;
use expand::Context;
use files::Files;
use lower::Lowered;
use parse::Parsed;
use planner_core::arch::Arch;
use planner_core::diagnostic::Diagnostics;
use planner_core::model::TypedModel;
use planner_core::options::Options;
use planner_core::plan::{Plan, plan_for};
use planner_core::{check, infer, passes, report};
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use spans::Spans;
use std::fmt;
use std::path::PathBuf;

/// The code of a network: what `graph!` becomes.
///
/// The first token of `tokens` is, in parentheses, the path of the runtime and the name of the [`Arch`] that it is
/// built for; the rest is what the user wrote. With errors, the code is the errors and the network's interface. If the
/// variable `WATERLINE_REPORT` is set, a line about the plan goes to standard error.
#[must_use]
pub fn expand(tokens: TokenStream) -> TokenStream {
    let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    expand_with(tokens, &mut Files::new(manifest_dir))
}

/// As [`expand`], reading files through `files`.
#[must_use]
pub fn expand_with(tokens: TokenStream, files: &mut Files) -> TokenStream {
    let mut tokens = tokens.into_iter();
    let (runtime, arch) = match tokens.next() {
        Some(TokenTree::Group(group)) => header(group.stream()),
        other => (other.into_iter().collect(), Arch::Portable),
    };
    let parsed = parse::parse(tokens.collect());
    let Some(ast) = &parsed.ast else {
        return error::compile_errors(&parsed.found, &parsed.spans);
    };
    let (mut lowered, mut errors) = lowered(&parsed, ast, files);
    errors.0.extend(lowered.read_lock(&parsed.spans, files));
    let mut planned = None;
    if errors.0.is_empty() && !lowered.incomplete {
        match planned_network(&lowered, arch, &parsed.spans, files) {
            Ok(plan) => planned = Some(plan),
            Err(found) => errors = found,
        }
    }
    let context = |lowered| Context { runtime: &runtime, ast, lowered, spans: &parsed.spans, stub: None };
    if let Some(plan) = planned {
        if std::env::var_os("WATERLINE_REPORT").is_some_and(|value| value == "1") {
            eprintln!("{}", report::line(&plan));
        }
        return expand::expand(&plan, context(&lowered));
    }
    // What a stub cannot use.
    lowered.externals.clear();
    let stub = fallback::stub(&lowered);
    let mut code = error::compile_errors(&errors, &parsed.spans);
    code.extend(quote!(#[allow(dead_code)]));
    code.extend(expand::expand(&stub.plan, Context { stub: Some(&stub), ..context(&lowered) }));
    code
}

/// `path, arch`: the path of the runtime and the machine.
fn header(tokens: TokenStream) -> (TokenStream, Arch) {
    let mut tokens = tokens.into_iter();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let path = tokens.by_ref().take_while(|token| !is_comma(token)).collect();
    let arch = tokens.next().and_then(|name| Arch::named(&name.to_string()));
    (path, arch.unwrap_or_default())
}

/// The network that `tokens`, without the path of the runtime, describe.
///
/// # Errors
/// Everything that is wrong with it before its types are inferred.
pub fn network(tokens: TokenStream, files: &mut Files) -> Result<Lowered, Failure> {
    let parsed = parse::parse(tokens);
    let found = match &parsed.ast {
        Some(ast) => match lowered(&parsed, ast, files) {
            (lowered, errors) if errors.0.is_empty() => return Ok(lowered),
            (_, errors) => errors,
        },
        None => parsed.found,
    };
    Err(Failure { found, spans: parsed.spans })
}

/// The plan for `arch` of the network that `tokens`, without the path of the runtime, describe.
///
/// # Errors
/// Everything that is wrong with it.
pub fn planned(tokens: TokenStream, files: &mut Files, arch: Arch) -> Result<Plan, Failure> {
    let parsed = parse::parse(tokens);
    let plan = match &parsed.ast {
        Some(ast) => {
            let (mut lowered, mut errors) = lowered(&parsed, ast, files);
            errors.0.extend(lowered.read_lock(&parsed.spans, files));
            errors.barrier(()).and_then(|()| planned_network(&lowered, arch, &parsed.spans, files))
        }
        None => Err(parsed.found),
    };
    plan.map_err(|found| Failure { found, spans: parsed.spans })
}

/// The network that `tokens`, without the path of the runtime, describe, ready to be planned.
///
/// # Errors
/// Everything that is wrong with it but its locked plan, which is not read.
pub fn unplanned(tokens: TokenStream, files: &mut Files) -> Result<Unplanned, Failure> {
    let parsed = parse::parse(tokens);
    let unplanned = match &parsed.ast {
        Some(ast) => {
            let (lowered, errors) = lowered(&parsed, ast, files);
            let lock = lowered.lock.as_ref().and_then(|lock| files.find(&lock.path, parsed.spans.first(lock.src)).ok());
            let typed = errors.barrier(()).and_then(|()| typed(&lowered));
            typed.map(|typed| Unplanned { typed, options: lowered.options, lock })
        }
        None => Err(parsed.found),
    };
    unplanned.map_err(|found| Failure { found, spans: parsed.spans })
}

/// A network that is ready to be planned.
#[derive(Debug)]
pub struct Unplanned {
    /// Its operators, as they are lowered to kernels.
    pub typed: TypedModel,
    /// The `plan` block.
    pub options: Options,
    /// Where the file is, or would be, that its `lock` names.
    pub lock: Option<PathBuf>,
}

/// Why a network cannot be had: what is wrong, and where that stands.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong.
    pub found: Diagnostics,
    /// The places that `found` names.
    pub spans: Spans,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.found.fmt(f)
    }
}

impl std::error::Error for Failure {}

/// The network as far as it can be understood, and everything that is wrong so far, in the order of the text.
fn lowered(parsed: &Parsed, ast: &Ast, files: &mut Files) -> (Lowered, Diagnostics) {
    let (lowered, found) = lower::lower(ast, &parsed.spans, files);
    let mut errors = parsed.found.clone();
    errors.0.extend(found.0);
    errors.0.sort_by_key(|error| error.src);
    (lowered, errors)
}

fn planned_network(lowered: &Lowered, arch: Arch, spans: &Spans, files: &Files) -> Result<Plan, Diagnostics> {
    let typed = typed(lowered)?;
    match &lowered.lock {
        Some(lock) => lock.plan(&typed, &lowered.options, arch, spans, files),
        None => plan_for(&typed, arch, &lowered.options),
    }
}

fn typed(lowered: &Lowered) -> Result<TypedModel, Diagnostics> {
    let mut found = check::check(&lowered.model).err().unwrap_or_default();
    let typed = match infer::infer(lowered.model.clone()) {
        Ok(typed) => found.barrier(typed)?,
        Err(types) => {
            found.0.extend(types.0);
            found.0.sort_by_key(|error| error.src);
            return Err(found);
        }
    };
    passes::rewrite(typed, &lowered.options)
}
