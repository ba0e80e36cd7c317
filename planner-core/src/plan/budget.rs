//! The error of a plan that exceeds its budget, and what would help.

use super::Plan;
use super::search::arena_bytes;
use crate::diagnostic::{Diagnostic, Kind};
use crate::dtype::DType;
use crate::layout::covered;
use crate::options::{Effort, Layout, Options, Order};
use crate::planned::Place;
use std::cmp::Reverse;
use std::fmt::Write;

/// How many tensors the error lists.
const LISTED: usize = 8;

/// `plan`, if it fits the budget of `options`, the ones it was asked for.
pub(super) fn check(plan: Plan, options: &Options) -> Result<Plan, Diagnostic> {
    let Some((budget, src)) = options.budget.filter(|(budget, _)| plan.arena_bytes > *budget) else {
        return Ok(plan);
    };
    let over = plan.arena_bytes - budget;
    let mut error = Diagnostic::new(Kind::Budget, src, format!("the plan exceeds its budget by {over} bytes"))
        .got(format!(
            "an arena of {} bytes, with `order = {}, layout = {}`",
            plan.arena_bytes,
            plan.options.order.name(),
            plan.options.layout.name()
        ))
        .wanted(format!("at most {budget} bytes"))
        .info(format!("no plan of this order can need less than {} bytes", plan.lower_bound));
    let live = live_at_peak(&plan);
    if let Some(text) = peak(&plan, &live) {
        error = error.info(text);
    }
    for (change, bytes) in changes(&plan, options) {
        let fits = if bytes <= budget { "fits" } else { "comes closer" };
        error = error.help(format!("{change} {fits}: {bytes} bytes"));
    }
    if let Some(Live { name, bytes, dtype }) = live.first() {
        let smaller = if *dtype == Some(DType::F32) { "; as i8 it would take a quarter" } else { "" };
        error = error
            .help(format!("a smaller `{name}` would help most, with {bytes} bytes it is the largest there{smaller}"));
    }
    Err(error)
}

/// Something that takes bytes at the peak.
struct Live {
    name: String,
    bytes: usize,
    dtype: Option<DType>,
}

/// The buffers that are live at the plan's peak, largest first.
fn live_at_peak(plan: &Plan) -> Vec<Live> {
    let at = plan.peak_step;
    let buffers = plan.buffers.iter().enumerate();
    let buffers = buffers.filter(|(_, buffer)| buffer.life.first <= at && at <= buffer.life.last);
    let mut live: Vec<Live> = buffers
        .map(|(index, buffer)| {
            // The largest tensor that uses it then, the latest of those.
            let here = |tensor: &usize| {
                let in_buffer = matches!(plan.places[*tensor], Place::Arena { buffer, .. } if buffer == index);
                in_buffer && plan.lifetimes[*tensor].is_some_and(|life| life.first <= at && at <= life.last)
            };
            let size = |tensor: &usize| plan.program.tensors[*tensor].ty.bytes();
            let tensor =
                (0..plan.places.len()).filter(here).max_by_key(size).map(|tensor| &plan.program.tensors[tensor]);
            Live {
                name: tensor.map_or(&buffer.name, |tensor| &tensor.name).clone(),
                bytes: buffer.size,
                dtype: tensor.map(|tensor| tensor.ty.dtype),
            }
        })
        .collect();
    live.sort_by_key(|live| Reverse(live.bytes));
    live
}

/// Bytes of the arena that are in use at the plan's peak.
fn used_at_peak(plan: &Plan) -> usize {
    let at = plan.peak_step;
    let live = plan.buffers.iter().filter(|buffer| buffer.life.first <= at && at <= buffer.life.last);
    covered(live.map(|buffer| buffer.offset..buffer.offset + buffer.size))
}

fn peak(plan: &Plan, live: &[Live]) -> Option<String> {
    let step = &plan.program.steps[plan.steps.get(plan.peak_step)?.step];
    let total: usize = live.iter().map(|live| live.bytes).sum();
    let used = used_at_peak(plan);
    let mut text = format!("most is live at step `{}` ({}), {used} bytes:", step.name, step.op);
    for Live { name, bytes, .. } in live.iter().take(LISTED) {
        let _ = write!(text, "\n{bytes:>8}  {name}");
    }
    let rest: usize = live.iter().skip(LISTED).map(|live| live.bytes).sum();
    if rest > 0 {
        let _ = write!(text, "\n{rest:>8}  in {} smaller ones", live.len() - LISTED);
    }
    if used < total {
        let _ = write!(text, "\n{:>8}  that two have in common", format!("-{}", total - used));
    }
    Some(text)
}

/// Changes of the options that make the arena smaller, with its bytes, the first that fit or all of them.
fn changes(plan: &Plan, options: &Options) -> Vec<(String, usize)> {
    // They are many, and only advice.
    let options = &Options { effort: options.effort.min(Effort::Default), ..options.clone() };
    let mut single: Vec<(&str, Options)> = Vec::new();
    let mut all = options.clone();
    let mut offer = |text, change: &dyn Fn(&mut Options)| {
        let mut changed = options.clone();
        change(&mut changed);
        change(&mut all);
        single.push((text, changed));
    };
    if options.order != Order::Auto {
        offer("`order = auto`", &|options| options.order = Order::Auto);
    }
    if options.layout != Layout::Auto {
        offer("`layout = auto`", &|options| options.layout = Layout::Auto);
    }
    if !options.views {
        offer("`views = on`", &|options| options.views = true);
    }
    if !options.in_place {
        offer("`in_place = on`", &|options| options.in_place = true);
    }
    if !options.concat {
        offer("`concat = on`", &|options| options.concat = true);
    }
    if !options.overlap {
        offer("`overlap = on`", &|options| options.overlap = true);
    }
    if options.align.is_some() {
        offer("the default alignment", &|options| options.align = None);
    }
    let together = single.iter().map(|(text, _)| *text).collect::<Vec<_>>().join(" with ");
    let several = single.len() > 1;
    let mut tried: Vec<(String, usize)> = single
        .into_iter()
        .map(|(text, options)| (text.to_owned(), arena_bytes(&plan.program, &options)))
        .filter(|(_, bytes)| *bytes < plan.arena_bytes)
        .collect();
    let budget = options.budget.map_or(0, |(budget, _)| budget);
    if several && tried.iter().all(|(_, bytes)| *bytes > budget) {
        let bytes = arena_bytes(&plan.program, &all);
        if tried.iter().all(|(_, single)| bytes < *single) {
            tried.push((together, bytes));
        }
    }
    tried.sort_by_key(|(_, bytes)| *bytes);
    tried
}
