//! The `plan` block.

use super::integer::describe;
use super::{Lowering, suggest};
use crate::ast::{Expr, ExprKind, Ident, Setting, SettingValue};
use crate::lock::LockFile;
use planner_core::diagnostic::{Diagnostic, Kind};
use planner_core::options::{Effort, Layout, Order, Prefer};
use planner_core::plan::MAX_ALIGN;
use std::collections::HashSet;

/// Every option, in the order of documentation.
const OPTIONS: [&str; 15] = [
    "budget",
    "order",
    "layout",
    "effort",
    "prefer",
    "align",
    "alpha",
    "beta",
    "views",
    "in_place",
    "concat",
    "overlap",
    "elimination",
    "size_classes",
    "lock",
];

/// How a plan is found: what a locked one leaves nothing to.
const SEARCH: [&str; 6] = ["order", "layout", "effort", "alpha", "beta", "size_classes"];

/// Units of bytes.
const UNITS: [(&str, i64); 3] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)];

impl Lowering<'_> {
    pub(super) fn options(&mut self, settings: &[Setting]) {
        let mut given = HashSet::new();
        for setting in settings {
            if given.insert(setting.name.name.as_str()) {
                self.option(setting);
            } else {
                let message = format!("option `{}` is given twice", setting.name.name);
                self.report(Diagnostic::new(Kind::DuplicateName, setting.name.src, message));
            }
        }
        for setting in settings.iter().filter(|_| given.contains("lock")) {
            let name = setting.name.name.as_str();
            if SEARCH.contains(&name) {
                let message = format!("option `{name}` contradicts `lock`");
                let error = Diagnostic::new(Kind::PlanOption, setting.name.src, message);
                let error = error.info("a locked plan has its order and its offsets; nothing is searched for");
                self.report(error.help(format!("remove `{name}` or `lock`")));
            }
        }
    }

    fn option(&mut self, setting: &Setting) -> Option<()> {
        match setting.name.name.as_str() {
            "budget" => {
                let bytes = self.bytes(setting)?;
                self.out.options.budget = Some((bytes, setting.src));
            }
            "order" => self.out.options.order = self.choice(setting, &Order::ALL)?,
            "layout" => self.out.options.layout = self.choice(setting, &Layout::ALL)?,
            "effort" => self.out.options.effort = self.choice(setting, &Effort::ALL)?,
            "prefer" => self.out.options.prefer = self.choice(setting, &Prefer::ALL)?,
            "align" => {
                let bytes = self.bytes(setting)?;
                if !bytes.is_power_of_two() || bytes > MAX_ALIGN {
                    let wanted = format!("a power of two up to {MAX_ALIGN}");
                    return self.malformed(setting, bytes.to_string(), &wanted);
                }
                self.out.options.align = Some(bytes);
            }
            "alpha" => self.out.options.alpha = self.weight(setting)?,
            "beta" => self.out.options.beta = self.weight(setting)?,
            "views" => self.out.options.views = self.switch(setting)?,
            "in_place" => self.out.options.in_place = self.switch(setting)?,
            "concat" => self.out.options.concat = self.switch(setting)?,
            "overlap" => self.out.options.overlap = self.switch(setting)?,
            "elimination" => self.out.options.elimination = self.switch(setting)?,
            "size_classes" => {
                let SettingValue::List(items) = &setting.value else {
                    return self.malformed(setting, "one value".into(), "a list of sizes, `[64, 256, 1 KiB]`");
                };
                let sizes: Vec<Option<usize>> =
                    items.iter().map(|(value, unit)| self.quantity(setting, value, unit.as_ref())).collect();
                let mut sizes: Vec<usize> = sizes.into_iter().collect::<Option<_>>()?;
                if sizes.is_empty() {
                    return self.malformed(setting, "none".into(), "at least one size");
                }
                sizes.sort_unstable();
                sizes.dedup();
                self.out.options.size_classes = sizes;
            }
            "lock" => {
                let wanted = "the path of a file, `\"net.plan\"`";
                let value = self.plain(setting, wanted)?;
                let ExprKind::File { path, path_src, key: None } = &value.kind else {
                    return self.malformed(setting, describe(value), wanted);
                };
                self.out.lock = Some(LockFile { path: path.clone(), src: *path_src, plan: None });
            }
            name => {
                let error = Diagnostic::new(Kind::UnknownName, setting.name.src, format!("unknown option `{name}`"));
                let names: Vec<String> = OPTIONS.iter().map(|name| format!("`{name}`")).collect();
                return self.fail(suggest(error.wanted(format!("one of {}", names.join(", "))), name, OPTIONS));
            }
        }
        Some(())
    }

    fn malformed<T>(&mut self, setting: &Setting, got: String, wanted: &str) -> Option<T> {
        let message = format!("option `{}` has the wrong value", setting.name.name);
        self.fail(Diagnostic::new(Kind::PlanOption, setting.src, message).got(got).wanted(wanted))
    }

    /// The only value of an option, which has no unit.
    fn plain<'s>(&mut self, setting: &'s Setting, wanted: &str) -> Option<&'s Expr> {
        match &setting.value {
            SettingValue::One(value, None) => Some(value),
            SettingValue::One(_, Some(unit)) => self.malformed(setting, format!("the unit `{}`", unit.name), wanted),
            SettingValue::List(_) => self.malformed(setting, "a list".into(), wanted),
        }
    }

    fn bytes(&mut self, setting: &Setting) -> Option<usize> {
        match &setting.value {
            SettingValue::One(value, unit) => self.quantity(setting, value, unit.as_ref()),
            SettingValue::List(_) => self.malformed(setting, "a list".into(), "a number of bytes, `4 KiB`"),
        }
    }

    fn quantity(&mut self, setting: &Setting, value: &Expr, unit: Option<&Ident>) -> Option<usize> {
        let number = self.int(value, &format!("`{}`", setting.name.name));
        let (unit, src) = unit.map_or(("B", value.src), |unit| (&unit.name, unit.src));
        let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            let error = Diagnostic::new(Kind::UnknownName, src, format!("unknown unit `{unit}`"));
            return self.fail(suggest(error.wanted("B, KiB or MiB"), unit, UNITS.map(|(name, _)| name)));
        };
        let number = number?;
        // Sizes that some target could not hold are refused on each.
        let bytes = number.checked_mul(*factor).and_then(|bytes| u32::try_from(bytes).ok()).filter(|bytes| *bytes > 0);
        let size = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        size.or_else(|| {
            let message = format!("a size of option `{}` is out of range", setting.name.name);
            let error = Diagnostic::new(Kind::PlanOption, value.src, message).got(format!("{number} {unit}"));
            self.fail(error.wanted("1 B to 4095 MiB"))
        })
    }

    fn choice<T: Copy>(&mut self, setting: &Setting, all: &[(&str, T)]) -> Option<T> {
        let names: Vec<String> = all.iter().map(|(name, _)| format!("`{name}`")).collect();
        let wanted = format!("one of {}", names.join(", "));
        let value = self.plain(setting, &wanted)?;
        let ExprKind::Name(word) = &value.kind else { return self.malformed(setting, describe(value), &wanted) };
        if let Some((_, choice)) = all.iter().find(|(name, _)| name == word) {
            return Some(*choice);
        }
        let message = format!("unknown {} `{word}`", setting.name.name);
        let error = Diagnostic::new(Kind::UnknownName, value.src, message).wanted(wanted);
        self.fail(suggest(error, word, all.iter().map(|(name, _)| *name)))
    }

    fn weight(&mut self, setting: &Setting) -> Option<f64> {
        let wanted = "a number that is not negative";
        let value = self.plain(setting, wanted)?;
        #[allow(clippy::cast_precision_loss, reason = "an integer written where a number is meant")]
        let number = match &value.kind {
            ExprKind::Float(text) => text.parse().ok(),
            ExprKind::Int(number) => Some(*number as f64),
            _ => None,
        };
        match number.filter(|number: &f64| number.is_finite()) {
            Some(number) => Some(number),
            None => self.malformed(setting, describe(value), wanted),
        }
    }

    fn switch(&mut self, setting: &Setting) -> Option<bool> {
        let wanted = "`on` or `off`";
        let value = self.plain(setting, wanted)?;
        match &value.kind {
            ExprKind::Name(word) if word == "on" => Some(true),
            ExprKind::Name(word) if word == "off" => Some(false),
            _ => self.malformed(setting, describe(value), wanted),
        }
    }
}
