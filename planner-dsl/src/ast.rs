//! The syntax tree of a `graph!`: what was written, nothing looked up.

use planner_core::model::InputMode;
use planner_core::source::Src;
use proc_macro2::TokenStream;

/// A whole `graph!`.
#[derive(Debug)]
pub struct Ast {
    /// Doc comments and other attributes of the module, as written.
    pub attrs: TokenStream,
    /// The module's visibility, as written.
    pub vis: TokenStream,
    /// The module's name.
    pub name: Ident,
    /// The settings of the `plan` block.
    pub plan: Vec<Setting>,
    /// Everything else.
    pub body: Body,
    /// Some of it does not parse, which has been reported.
    pub broken: bool,
}

/// Where the network comes from.
#[derive(Debug)]
pub enum Body {
    /// Statements, in order.
    Statements(Vec<Item>),
    /// A model file.
    File(ModelFile),
}

/// `mod name = "path" { .. }`: the file and what is said about it.
#[derive(Debug)]
pub struct ModelFile {
    /// The path.
    pub path: String,
    /// Where the path stands.
    pub src: Src,
    /// Sizes for dimensions that the file leaves open.
    pub bindings: Vec<Binding>,
    /// What is said of its inputs and outputs.
    pub declarations: Vec<Declaration>,
}

/// `batch = size` or `input[dimension] = size` in a `bind`.
#[derive(Debug)]
pub struct Binding {
    /// `batch`, or the name of an input.
    pub name: Ident,
    /// Which dimension of the input.
    pub dimension: Option<Expr>,
    /// Its size, an integer.
    pub size: Expr,
}

/// `input name: quantized borrowed;` or `output name: kept;` about a model file.
#[derive(Debug)]
pub struct Declaration {
    /// Doc comments, as attributes.
    pub docs: TokenStream,
    /// Its name.
    pub name: Ident,
    /// Which of the two it is, and how its bytes are held.
    pub port: Port,
    /// Where it says that the network has the file's integers there.
    pub quantized: Option<Src>,
}

/// What the interface of a network shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// An input.
    Input(InputMode),
    /// An output.
    Output {
        /// It has a place of its own.
        kept: bool,
    },
    /// A state.
    State,
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub src: Src,
}

/// `name = value unit` in a `plan` block.
#[derive(Debug)]
pub struct Setting {
    /// Which option.
    pub name: Ident,
    /// Its value.
    pub value: SettingValue,
    /// Where the value stands, its unit included.
    pub src: Src,
}

/// The value of a [`Setting`].
#[derive(Debug)]
pub enum SettingValue {
    /// A number, a named size or a name, and its unit: `4 KiB`.
    One(Expr, Option<Ident>),
    /// A list of such.
    List(Vec<(Expr, Option<Ident>)>),
}

/// A statement.
#[derive(Debug)]
pub enum Item {
    /// `const name = value;`
    Const(Const),
    /// `input name: type kept;`
    Input(Input),
    /// `param name: type = source;`
    Param(Param),
    /// `state name: type = source;`
    State(State),
    /// `let name: type = value;`
    Let(Let),
    /// `name = value;`
    Assign(Assign),
    /// `name <- value;`
    Update(Update),
    /// `output name: type kept = value;`
    Output(Output),
    /// `fn name(a, b) { .. }`
    Fn(Fn),
    /// `for name in 0..n { .. }`
    For(For),
    /// A statement that does not parse.
    Broken(Broken),
}

/// A named size.
#[derive(Debug)]
pub struct Const {
    /// Its name.
    pub name: Ident,
    /// Its value, an integer.
    pub value: Expr,
}

/// A tensor given by the caller.
#[derive(Debug)]
pub struct Input {
    /// Doc comments, as attributes.
    pub docs: TokenStream,
    /// Its name.
    pub name: Ident,
    /// Its type, complete.
    pub ty: Type,
    /// How its bytes are held.
    pub mode: InputMode,
}

/// A constant tensor, or one for each index of a range.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// `[i in 0..n]`.
    pub index: Option<Index>,
    /// Its type, complete.
    pub ty: Type,
    /// Where its elements come from: a file, a path of the user's crate, `zeros`, `splat(x)`, `random(seed)`.
    pub source: Expr,
}

/// A tensor kept between runs.
#[derive(Debug)]
pub struct State {
    /// Its name.
    pub name: Ident,
    /// Its type, complete.
    pub ty: Type,
    /// Where its elements before the first run come from, as for a param.
    pub source: Expr,
}

/// What a state becomes at the end of a run.
#[derive(Debug)]
pub struct Update {
    /// The state.
    pub name: Ident,
    /// Its new value.
    pub value: Expr,
}

/// A name that runs over a range of integers, the end excluded.
#[derive(Debug)]
pub struct Index {
    /// The name.
    pub name: Ident,
    /// The first integer.
    pub from: Expr,
    /// The integer after the last.
    pub to: Expr,
}

/// One or more names for the results of an expression.
#[derive(Debug)]
pub struct Let {
    /// May be assigned to.
    pub mutable: bool,
    /// The names; `None` for `_`.
    pub names: Vec<Option<Ident>>,
    /// Written as `(a, b)`, even if it is only one name.
    pub tuple: bool,
    /// What is written of the type.
    pub ty: Option<Type>,
    /// The expression.
    pub value: Expr,
}

/// Another tensor for the name of a `let mut`.
#[derive(Debug)]
pub struct Assign {
    /// The name.
    pub name: Ident,
    /// The expression.
    pub value: Expr,
}

/// A tensor handed to the caller.
#[derive(Debug)]
pub struct Output {
    /// Doc comments, as attributes.
    pub docs: TokenStream,
    /// Its name.
    pub name: Ident,
    /// What is written of the type.
    pub ty: Option<Type>,
    /// It has a place of its own.
    pub kept: bool,
    /// The expression; the tensor of this name if there is none.
    pub value: Option<Expr>,
}

/// A block that is written out at each of its calls.
#[derive(Debug)]
pub struct Fn {
    /// Its name.
    pub name: Ident,
    /// Its arguments: tensors or integers.
    pub params: Vec<Ident>,
    /// Its statements.
    pub body: Vec<Item>,
    /// Its result; `None` if it is missing, which has been reported.
    pub result: Option<Expr>,
}

/// Statements that are written out for each integer of a range.
#[derive(Debug)]
pub struct For {
    /// The name and its range.
    pub index: Index,
    /// The statements.
    pub body: Vec<Item>,
}

/// What is known of a statement that does not parse. It has been reported.
#[derive(Debug, Default)]
pub struct Broken {
    /// Its keyword, or empty.
    pub keyword: String,
    /// The names it would have defined.
    pub names: Vec<Ident>,
}

/// What is written of a type: `i8[1, 8] q(0.5, -3)`.
#[derive(Debug)]
pub struct Type {
    /// The element type.
    pub dtype: Ident,
    /// The dimensions, integers.
    pub dims: Option<Vec<Expr>>,
    /// The arguments of `q`, which is their name.
    pub quant: Option<Call>,
    /// All of it.
    pub src: Src,
}

/// An expression: a tensor, an integer or an attribute's value, which its place decides.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub src: Src,
}

/// See [`Expr`].
#[derive(Debug)]
pub enum ExprKind {
    /// `x`
    Name(String),
    /// `7`
    Int(i64),
    /// `0.5`, as text without underscores, so that each use rounds it once.
    Float(String),
    /// `true`
    Bool(bool),
    /// `"path"` or `"path"["key"]`
    File {
        /// The path.
        path: String,
        /// Where the path stands.
        path_src: Src,
        /// The key and where it stands.
        key: Option<(String, Src)>,
    },
    /// `crate::weights::W`
    Path(TokenStream),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `-x`
    Negative(Box<Expr>),
    /// `a + b`
    Binary {
        /// One of `+ - * /`.
        op: char,
        /// Where the operator stands.
        op_src: Src,
        /// Left and right.
        sides: Box<[Expr; 2]>,
    },
    /// `w[i]`
    Indexed {
        /// The name.
        name: Ident,
        /// The index.
        index: Box<Expr>,
    },
    /// `f(x, name = value)`
    Call(Call),
    /// `x.f(name = value).g()`, flat so that a long chain needs no deep stack.
    Chain {
        /// What stands before the first dot.
        base: Box<Expr>,
        /// The calls, at least one.
        calls: Vec<Call>,
    },
    /// `i8 q(0.5, -3)`, only as the value of `out`.
    Type(Box<Type>),
}

/// A name with arguments.
#[derive(Debug)]
pub struct Call {
    /// The name.
    pub name: Ident,
    /// Arguments by position.
    pub args: Vec<Expr>,
    /// Arguments by name.
    pub named: Vec<(Ident, Expr)>,
    /// All of it.
    pub src: Src,
}
