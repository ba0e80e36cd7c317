//! What to run.

use crate::arguments::one_of;
use crate::boards::{BOARDS, Board};
use crate::firmware::PROFILES;

/// The options of the chore.
pub(super) struct Options {
    pub(super) board: &'static Board,
    pub(super) models: Models,
    pub(super) opt: String,
    pub(super) json: bool,
    /// What to print of the steps.
    pub(super) layers: Option<Layers>,
    /// Hold the figures to the committed ones.
    pub(super) check: bool,
    /// Commit the figures.
    pub(super) write: bool,
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

/// Which steps are printed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Layers {
    /// All, in order.
    All,
    /// Those that take the most.
    Top,
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> Result<Self, String> {
        let default = BOARDS.iter().find(|board| board.name == "mps2-an386").ok_or("no board")?;
        let mut options = Self {
            board: default,
            models: Models::Baselines,
            opt: "3".to_owned(),
            json: false,
            layers: None,
            check: false,
            write: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--json" => options.json = true,
                "--layers" => options.layers = Some(Layers::All),
                "--check" => options.check = true,
                "--write" => options.write = true,
                "--opt" => options.opt = one_of(argument, rest.next(), &PROFILES.map(|(_, opt)| opt))?,
                "--models" => {
                    let list = rest.next().ok_or("--models takes `all` or a list of names")?;
                    options.models = match list.as_str() {
                        "all" => Models::All,
                        list => Models::Named(list.split(',').map(str::to_owned).collect()),
                    };
                }
                "--board" => {
                    let name = one_of(argument, rest.next(), &BOARDS.map(|board| board.name))?;
                    options.board = BOARDS.iter().find(|board| board.name == name).unwrap_or(default);
                }
                other => return Err(format!("`cargo xtask bench` has no option `{other}`")),
            }
        }
        if options.layers.is_some() && (options.check || options.write) {
            return Err("--layers counts otherwise than --check and --write do: run one after the other".to_owned());
        }
        Ok(options)
    }
}
