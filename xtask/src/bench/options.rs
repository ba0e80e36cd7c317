//! What to run.

use crate::arguments::one_of;
use crate::boards::{BOARDS, Board};
use crate::firmware::PROFILES;

/// A way to build for a board.
pub(super) struct Build {
    pub(super) board: &'static Board,
    /// The opt-level.
    pub(super) opt: &'static str,
    /// Count each step by itself too.
    pub(super) layers: bool,
}

/// The options of the chore.
#[expect(clippy::struct_excessive_bools, reason = "a flag an option")]
pub(super) struct Options {
    /// On each of these boards with each of these opt-levels.
    pub(super) boards: Vec<&'static Board>,
    pub(super) opts: Vec<&'static str>,
    pub(super) models: Models,
    pub(super) json: bool,
    /// Print each step too.
    pub(super) layers: bool,
    /// Hold the figures to the committed ones.
    pub(super) check: bool,
    /// Commit the figures.
    pub(super) write: bool,
    /// What stands in the `plan` block.
    pub(super) plan: String,
}

/// Which models.
pub(super) enum Models {
    /// Those that others have figures of.
    Baselines,
    /// Every model file of the folder.
    All,
    /// These.
    Named(Vec<String>),
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            boards: BOARDS.iter().filter(|board| board.name == "mps2-an386").collect(),
            opts: vec!["3"],
            models: Models::Baselines,
            json: false,
            layers: false,
            check: false,
            write: false,
            plan: String::new(),
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--json" => options.json = true,
                "--layers" => options.layers = true,
                "--check" => options.check = true,
                "--write" => options.write = true,
                "--plan" => options.plan.clone_from(rest.next().ok_or("--plan takes the inside of a `plan` block")?),
                "--opt" => {
                    let profiles = chosen(argument, rest.next(), &PROFILES, |(_, opt)| opt)?;
                    options.opts = profiles.into_iter().map(|(_, opt)| *opt).collect();
                }
                "--models" => {
                    let list = rest.next().ok_or("--models takes `all` or a list of names")?;
                    options.models = match list.as_str() {
                        "all" => Models::All,
                        list => Models::Named(list.split(',').map(str::to_owned).collect()),
                    };
                }
                "--board" => options.boards = chosen(argument, rest.next(), &BOARDS, |board| board.name)?,
                other => return Err(format!("`cargo xtask bench` has no option `{other}`")),
            }
        }
        if !options.plan.is_empty() && (options.check || options.write) {
            return Err("--check and --write are of plans without options".to_owned());
        }
        if options.layers && (options.check || options.write) {
            return Err("--layers counts otherwise than --check and --write do: run one after the other".to_owned());
        }
        Ok(options)
    }
}

/// Those of `all` that `value` names: `all`, or one.
fn chosen<T>(
    option: &str,
    value: Option<&String>,
    all: &'static [T],
    name: impl Fn(&T) -> &'static str,
) -> Result<Vec<&'static T>, String> {
    let names: Vec<&str> = all.iter().map(&name).chain(["all"]).collect();
    let value = one_of(option, value, &names)?;
    Ok(all.iter().filter(|item| value == "all" || name(item) == value).collect())
}
