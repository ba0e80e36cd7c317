//! A syntax tree to the planner's model: names looked up, blocks and loops written out, files read.
//!
//! Functions that return `None` have reported why; what depends on it is passed over in silence.

mod alias;
mod attribute;
mod call;
mod elements;
mod file;
mod function;
mod integer;
mod item;
mod model_file;
mod names;
mod options;
mod param;
mod quant;
mod scope;
mod state;
mod types;
mod value;

use crate::ast::{Ast, Body, Ident, Port};
use crate::files::Files;
use crate::lock::LockFile;
use crate::spans::Spans;
use file::NamedArrays;
use function::Function;
pub use model_file::Imported;
use names::Names;
use planner_core::diagnostic::{Diagnostic, Diagnostics, Kind, did_you_mean};
use planner_core::model::{Declared, Model, TensorType};
use planner_core::options::Options;
use planner_core::source::Src;
use proc_macro2::TokenStream;
use scope::Scopes;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// A network that the planner can take, and what the expansion needs besides.
#[derive(Debug, Default)]
pub struct Lowered {
    /// The network. With defects it holds what could be made of it: references are valid, but
    /// tensors may be missing, so only a stub may be generated from it.
    pub model: Model,
    /// The `plan` block.
    pub options: Options,
    /// The file that its `lock` names.
    pub lock: Option<LockFile>,
    /// Constants of the user's crate, by the index in [`Data::External`](planner_core::model::Data::External).
    pub externals: Vec<External>,
    /// Absolute paths of all files read, sorted: the compiler must watch them.
    pub files: Vec<PathBuf>,
    /// Doc attributes of each input, in the order of `model.inputs`.
    pub input_docs: Vec<TokenStream>,
    /// Doc attributes of each output, in the order of `model.outputs`.
    pub output_docs: Vec<TokenStream>,
    /// Inputs, outputs and states that are declared but broken, which only a stub can show.
    pub stubs: Vec<Stub>,
    /// The model file, if one defines the network.
    pub imported: Option<Imported>,
    /// A file could not be looked for because the source file is unknown, as in rust-analyzer:
    /// not an error, but only a stub may be generated.
    pub incomplete: bool,
}

impl Lowered {
    /// Reads the locked plan, if there is one, and says what is wrong with it.
    pub(crate) fn read_lock(&mut self, spans: &Spans, files: &mut Files) -> Option<Diagnostic> {
        let read = self.lock.as_mut()?.read(&self.model.name, spans, files);
        self.files = files.paths().map(PathBuf::from).collect();
        let found = read.err()?;
        self.incomplete |= found.is_none();
        found
    }
}

/// A constant array of the user's crate: `[T; N]`.
#[derive(Debug)]
pub struct External {
    /// Its path, as written.
    pub path: TokenStream,
    /// The type that the parameter declares; `T` and `N` follow.
    pub ty: TensorType,
    /// Where the path stands.
    pub src: Src,
}

/// What is known of a broken input, output or state.
#[derive(Debug)]
pub struct Stub {
    /// Its name.
    pub name: Ident,
    /// What it is.
    pub port: Port,
    /// What was written of its type and could be understood.
    pub declared: Declared,
}

/// Lowers `ast`, reading files through `files`, and says everything that is wrong.
#[must_use]
pub fn lower(ast: &Ast, spans: &Spans, files: &mut Files) -> (Lowered, Diagnostics) {
    let items: &[_] = match &ast.body {
        Body::Statements(items) => items,
        Body::File(_) => &[],
    };
    let mut lowering = Lowering {
        spans,
        files,
        named_arrays: Vec::new(),
        out: Lowered::default(),
        found: Diagnostics::default(),
        said: HashSet::new(),
        scopes: Scopes::new(items),
        functions: BTreeMap::new(),
        names: Names::new(items),
        prefix: String::new(),
        active: Vec::new(),
        depth: 0,
        fuel: MAX_WORK,
        param_bytes: 0,
        states: Vec::new(),
    };
    lowering.out.model.name.clone_from(&ast.name.name);
    lowering.out.model.src = ast.name.src;
    lowering.functions(items);
    lowering.constants(items);
    lowering.options(&ast.plan);
    match &ast.body {
        Body::Statements(items) => lowering.items(items),
        Body::File(file) => lowering.model_file(file, ast.broken),
    }
    if !ast.broken {
        lowering.unused_functions();
    }
    lowering.unassigned_states();
    let Lowering { mut out, found, files, .. } = lowering;
    out.files = files.paths().map(PathBuf::from).collect();
    (out, found)
}

/// Most statements and calls that a network may come to when blocks and loops are written out.
const MAX_WORK: usize = 20_000;

/// Most blocks, loops and arguments inside each other.
const MAX_DEPTH: usize = 200;

/// Most defects that are reported of one network.
const MAX_DEFECTS: usize = 100;

/// The state of a lowering.
struct Lowering<'a> {
    spans: &'a Spans,
    files: &'a mut Files,
    /// Files of named arrays whose header has been read.
    named_arrays: Vec<(Arc<[u8]>, NamedArrays)>,
    out: Lowered,
    found: Diagnostics,
    /// Where what was said, so that a block says it once however often it is called.
    said: HashSet<(Src, String)>,
    scopes: Scopes<'a>,
    functions: BTreeMap<&'a str, Function<'a>>,
    names: Names<'a>,
    /// What names of tensors start with: that of the block, and `_`.
    prefix: String,
    /// The blocks that are being written out, innermost last.
    active: Vec<&'a str>,
    depth: usize,
    fuel: usize,
    /// Bytes of the params and states so far.
    param_bytes: usize,
    /// Where each state of the model is given its value; `None` as long as it is not.
    states: Vec<Option<Src>>,
}

impl Lowering<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.found.0.len() < MAX_DEFECTS && self.said.insert((diagnostic.src, diagnostic.message.clone())) {
            self.found.push(diagnostic);
        }
    }

    /// Reports and stands for the missing value.
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    /// Accounts for one statement or call.
    fn work(&mut self, src: Src) -> Option<()> {
        self.fuel = self.fuel.checked_sub(1)?;
        if self.fuel > 0 {
            return Some(());
        }
        let message = format!("blocks and loops come to more than {MAX_WORK} statements");
        self.fail(Diagnostic::new(Kind::Unsupported, src, message))
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, src: Src, inner: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return self.fail(Diagnostic::new(Kind::Unsupported, src, message));
        }
        self.depth += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }
}

/// Adds the name that was probably meant.
fn suggest<'n>(diagnostic: Diagnostic, name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Diagnostic {
    match did_you_mean(name, candidates) {
        Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
        None => diagnostic,
    }
}

/// `3 tensors`, `1 tensor`.
fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
