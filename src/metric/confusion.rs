//! Confusion: which tool came where another was expected.
//!
//! Pairs are on the diagonal. What a turn leaves over, expected calls and proposed calls that are not
//! allowed, is joined one to one in the order of the record; the rest meets "no tool". A call of something
//! that was not offered stands in the column "not offered". A turn that rightly called nothing is in the
//! cell of "no tool" with itself; one whose answer cannot be read adds only what it left unmet.

use super::{
    names::Names,
    reading::{Reading, Role, TurnReading},
};
use crate::{
    run::CaseKind,
    stats::{Rate, Resampling},
};
use proofhouse_manager::model::ToolId;
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::BTreeMap};

/// One side of a cell, a tool by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Side {
    Tool(u32),
    NoTool,
    NotOffered,
}

/// Expected and proposed.
pub(super) type Cell = (Side, Side);

/// A row or column of the matrix: a tool, or one of two that are no tool.
///
/// In JSON the tool's id, `(no tool)` or `(not offered)`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Label {
    /// A tool.
    Tool(ToolId),
    /// As a row: nothing was expected. As a column: nothing came.
    NoTool,
    /// As a column: something came that was never offered.
    NotOffered,
}

const NO_TOOL: &str = "(no tool)";
const NOT_OFFERED: &str = "(not offered)";

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.to_string()
    }
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        match text.as_str() {
            NO_TOOL => Self::NoTool,
            NOT_OFFERED => Self::NotOffered,
            _ => Self::Tool(text.into()),
        }
    }
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Tool(tool) => tool,
            Self::NoTool => NO_TOOL,
            Self::NotOffered => NOT_OFFERED,
        })
    }
}

/// The matrix, without its empty cells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Confusion {
    /// Every row and column that has a cell: tools by name, then the two that are no tool.
    pub labels: Vec<Label>,
    /// The cells, by row and column.
    pub cells: Vec<ConfusionCell>,
}

/// How often one thing came where another was expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfusionCell {
    /// The row.
    pub expected: Label,
    /// The column.
    pub proposed: Label,
    /// How often.
    pub count: u64,
}

/// A tool that came where another was expected, as a share of all calls expected of that other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Steal {
    /// Whose calls are stolen.
    pub expected: ToolId,
    /// What comes instead.
    pub proposed: ToolId,
    /// Stolen calls ÷ calls expected.
    pub rate: Rate,
}

/// Adds the cells of one trial.
pub(super) fn cells(trial: &Reading<'_>, tools: &mut Names, cells: &mut Vec<Cell>) {
    for turn in trial.turns() {
        turn_cells(turn, tools, cells);
        if trial.record.kind != CaseKind::Golden && turn.expects_nothing() && turn.called_nothing() {
            cells.push((Side::NoTool, Side::NoTool));
        }
    }
}

fn turn_cells(turn: &TurnReading<'_>, tools: &mut Names, cells: &mut Vec<Cell>) {
    let mut stray = turn.calls.iter().filter(|(_, role)| *role == Role::Stray).map(|(call, _)| call);
    for (expected, met) in &turn.expected {
        let row = Side::Tool(tools.number(&expected.tool));
        let column = if *met { Some(row) } else { stray.next().map(|call| proposed(call, tools)) };
        cells.push((row, column.unwrap_or(Side::NoTool)));
    }
    for call in stray {
        cells.push((Side::NoTool, proposed(call, tools)));
    }
}

fn proposed(call: &crate::run::CallRecord, tools: &mut Names) -> Side {
    if call.in_view { Side::Tool(tools.number(&call.tool)) } else { Side::NotOffered }
}

/// The matrix of counted cells.
pub(super) fn matrix(counts: &BTreeMap<Cell, u64>, tools: &Names) -> Confusion {
    let label = |side| match side {
        Side::Tool(number) => Label::Tool(tools.name(number).as_ref().into()),
        Side::NoTool => Label::NoTool,
        Side::NotOffered => Label::NotOffered,
    };
    let mut cells: Vec<ConfusionCell> = counts
        .iter()
        .map(|(&(row, column), &count)| ConfusionCell {
            expected: label(row),
            proposed: label(column),
            count,
        })
        .collect();
    cells.sort_unstable_by(|a, b| (&a.expected, &a.proposed).cmp(&(&b.expected, &b.proposed)));
    let mut labels: Vec<Label> =
        cells.iter().flat_map(|cell| [cell.expected.clone(), cell.proposed.clone()]).collect();
    labels.sort_unstable();
    labels.dedup();
    Confusion { labels, cells }
}

/// The pairs of tools that are confused, ranked by what is certain about them: the interval's low end.
pub(super) fn steals(confusion: &Confusion, plan: &Resampling) -> Vec<Steal> {
    let mut support: BTreeMap<&Label, u64> = BTreeMap::new();
    for cell in &confusion.cells {
        *support.entry(&cell.expected).or_default() += cell.count;
    }
    let mut steals: Vec<Steal> = confusion
        .cells
        .iter()
        .filter(|cell| cell.expected != cell.proposed)
        .filter_map(|cell| match (&cell.expected, &cell.proposed) {
            (Label::Tool(expected), Label::Tool(proposed)) => Some(Steal {
                expected: expected.clone(),
                proposed: proposed.clone(),
                rate: Rate::independent(cell.count, support[&cell.expected], plan),
            }),
            _ => None,
        })
        .collect();
    let low = |steal: &Steal| steal.rate.interval.map_or(0.0, |(low, _)| low);
    // Stable: what is equally certain stays in the order of names.
    steals.sort_by(|a, b| {
        low(b).total_cmp(&low(a)).then_with(|| Reverse(a.rate.numerator).cmp(&Reverse(b.rate.numerator)))
    });
    steals
}
