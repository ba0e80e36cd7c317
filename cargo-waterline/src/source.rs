//! The networks that a file holds: a model file one, a source file of Rust each `graph!` in it.

use crate::Error;
use clap::Args;
use planner_core::arch::Arch;
use planner_core::diagnostic::Diagnostics;
use planner_core::import::FileResult;
use planner_core::plan::Plan;
use planner_dsl::files::Files;
use planner_dsl::lower::Lowered;
use planner_dsl::networks::networks;
use planner_dsl::parse::is_rust_keyword;
use planner_dsl::{Failure, Unplanned, network, planned, unplanned};
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::quote;
use std::path::{Path, PathBuf};

/// What can be said about a model file, as in the braces after its path in `graph!`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Settings {
    /// Sizes for dimensions that a model file leaves open: `batch = 4, tokens[1] = 128`
    #[arg(long, value_name = "SIZES")]
    bind: Option<String>,
    /// Options of the plan for a model file: `budget = 32 KiB, order = memory`
    #[arg(long, value_name = "OPTIONS")]
    plan: Option<String>,
    /// What is said of a model file's inputs and outputs: `input image: quantized; output scores: kept;`
    #[arg(long, value_name = "STATEMENTS")]
    ports: Option<String>,
}

/// Which machine a network is planned for.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Machine {
    /// The machine: `portable`, `dsp` as on Cortex-M4 and M7, or `mve` as on Cortex-M55
    #[arg(long, value_name = "ARCH", default_value = "portable", value_parser = arch_named)]
    pub(crate) arch: Arch,
}

/// The machine called `name`.
pub(crate) fn arch_named(name: &str) -> Result<Arch, String> {
    let names = Arch::ALL.map(Arch::name).join(" or ");
    Arch::named(name).ok_or_else(|| format!("wanted {names}"))
}

/// A network of a file.
pub(crate) struct Network {
    path: PathBuf,
    /// What stands in the braces of its `graph!`.
    pub(crate) tokens: TokenStream,
    /// The file is one of Rust, in which tokens have places.
    is_rust: bool,
}

/// The networks of the file `path`.
///
/// # Errors
/// A file that cannot be read, holds no network or is not what `settings` are for.
pub(crate) fn read(path: &Path, settings: &Settings) -> Result<Vec<Network>, Error> {
    if path.extension().is_none_or(|extension| extension != "rs") {
        return model_file(path, settings).map(|network| vec![network]);
    }
    if settings.bind.is_some() || settings.plan.is_some() || settings.ports.is_some() {
        return Err(format!("{}: `--bind`, `--plan` and `--ports` are for model files", path.display()).into());
    }
    let source = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let source: TokenStream = source.parse().map_err(|error| format!("{}: {error}", path.display()))?;
    let found: Vec<Network> =
        networks(source).into_iter().map(|tokens| Network { path: path.to_owned(), tokens, is_rust: true }).collect();
    if found.is_empty() {
        return Err(format!("{}: there is no `graph!` in it", path.display()).into());
    }
    Ok(found)
}

/// Those networks of `file` that are called `name`, or all if there is none.
///
/// # Errors
/// As for [`read`], or there is no such network.
pub(crate) fn read_named(file: &Path, name: Option<&str>, settings: &Settings) -> Result<Vec<Network>, Error> {
    let mut networks = read(file, settings)?;
    let Some(name) = name else { return Ok(networks) };
    let names: Vec<String> = networks.iter().filter_map(Network::name).map(|name| format!("`{name}`")).collect();
    networks.retain(|network| network.name().is_some_and(|other| other == name));
    if networks.is_empty() {
        return Err(format!("{}: there is no network `{name}`, but {}", file.display(), names.join(", ")).into());
    }
    Ok(networks)
}

/// The network in a model file.
///
/// # Errors
/// As for [`read`].
pub(crate) fn model_file(path: &Path, settings: &Settings) -> Result<Network, Error> {
    let absolute = std::path::absolute(path)?;
    let text = absolute.to_str().ok_or_else(|| format!("{}: the path is no text", path.display()))?;
    let (name, text) = (Ident::new(&module_name(path), Span::call_site()), Literal::string(text));
    let statement = |option: &str, text: &Option<String>| -> Result<TokenStream, Error> {
        let text = text.as_deref().unwrap_or_default();
        text.parse().map_err(|error| format!("`{option} {text}`: {error}").into())
    };
    let (bind, plan) = (statement("--bind", &settings.bind)?, statement("--plan", &settings.plan)?);
    let ports = statement("--ports", &settings.ports)?;
    let tokens = quote!(pub mod #name = #text { plan { #plan } bind(#bind) #ports });
    Ok(Network { path: path.to_owned(), tokens, is_rust: false })
}

/// The name of a module for the model file `path`: its own in snake case.
pub(crate) fn module_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let name = name.trim_matches('_');
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && !is_rust_keyword(name);
    if is_name { name.to_owned() } else { format!("model_{name}") }
}

impl Network {
    /// Its plan for `arch`.
    ///
    /// # Errors
    /// Everything that is wrong with it, as a compiler shows it.
    pub(crate) fn planned(&self, arch: Arch) -> Result<Plan, Error> {
        planned(self.tokens.clone(), &mut self.files(), arch).map_err(|failure| self.explained(&failure))
    }

    /// The network without its plan, and what is said of that.
    ///
    /// # Errors
    /// As for [`Network::planned`].
    pub(crate) fn unplanned(&self) -> Result<Unplanned, Error> {
        unplanned(self.tokens.clone(), &mut self.files()).map_err(|failure| self.explained(&failure))
    }

    /// The same network of a model file with more said of its inputs and outputs; `None` without braces to say it in.
    pub(crate) fn with_ports(&self, ports: &TokenStream) -> Option<Self> {
        let mut tokens: Vec<TokenTree> = self.tokens.clone().into_iter().collect();
        let Some(TokenTree::Group(braces)) = tokens.pop() else { return None };
        let said = braces.stream();
        tokens.push(Group::new(Delimiter::Brace, quote!(#said #ports)).into());
        Some(Self { path: self.path.clone(), tokens: tokens.into_iter().collect(), is_rust: self.is_rust })
    }

    /// The network before its types are inferred.
    ///
    /// # Errors
    /// As for [`Network::planned`].
    pub(crate) fn lowered(&self) -> Result<Lowered, Error> {
        network(self.tokens.clone(), &mut self.files()).map_err(|failure| self.explained(&failure))
    }

    /// What its module is called.
    fn name(&self) -> Option<String> {
        let after = self.tokens.clone().into_iter().skip_while(|token| !is_mod(token)).nth(1);
        after.map(|name| name.to_string())
    }

    /// The same network in a module called `name`, all on its own.
    pub(crate) fn called(&self, name: &str) -> TokenStream {
        let name = Ident::new(name, Span::call_site());
        let mut tokens: Vec<TokenTree> = self.tokens.clone().into_iter().collect();
        let module = tokens.iter().position(is_mod);
        if let Some(token) = module.and_then(|at| tokens.get_mut(at + 1)) {
            *token = name.into();
        }
        tokens.into_iter().collect()
    }

    /// What the operators of a model file compute.
    ///
    /// # Errors
    /// As for [`Network::planned`].
    pub(crate) fn results(&self) -> Result<Vec<FileResult>, Error> {
        self.lowered().map(|lowered| lowered.imported.map_or(Vec::new(), |file| file.results()))
    }

    /// Reads what the network names, from where the macro does.
    fn files(&self) -> Files {
        let path = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = path.parent().unwrap_or(Path::new("."));
        let package = path.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).unwrap_or(folder);
        Files::new(package.into()).of(path.clone())
    }

    /// What is wrong with it, at its file.
    pub(crate) fn explained_at_file(&self, found: &Diagnostics) -> Error {
        let errors = found.0.iter().map(|diagnostic| format!("error: {diagnostic}\n --> {}", self.path.display()));
        errors.collect::<Vec<_>>().join("\n\n").into()
    }

    fn explained(&self, failure: &Failure) -> Error {
        let errors = failure.found.0.iter().map(|diagnostic| {
            let at = failure.spans.first(diagnostic.src).start();
            let place = if self.is_rust { format!(":{}:{}", at.line, at.column + 1) } else { String::new() };
            format!("error: {diagnostic}\n --> {}{place}\n", self.path.display())
        });
        errors.collect::<Vec<_>>().join("\n").trim_end().into()
    }
}

fn is_mod(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(word) if word == "mod")
}
