//! The book that metrics write what one trial adds to them into.

use super::names::Names;
use proofhouse_manager::model::ToolId;

/// Whom a booking is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Whose {
    /// A tool, by its number.
    Tool(u32),
    /// Whatever was called without having been offered.
    NotOffered,
    /// The trial as a whole.
    Trial,
}

/// What one trial adds to one metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Entry {
    /// The metric, by its place in the table.
    pub(super) metric: u8,
    /// Whom it is about.
    pub(super) whose: Whose,
    /// How many.
    pub(super) numerator: u32,
    /// Of how many.
    pub(super) denominator: u32,
}

/// One metric's pen: it adds entries for that metric alone.
#[derive(Debug)]
pub struct Book<'a> {
    metric: u8,
    tools: &'a mut Names,
    entries: &'a mut Vec<Entry>,
}

impl<'a> Book<'a> {
    /// A pen for a metric.
    pub(super) fn new(metric: u8, tools: &'a mut Names, entries: &'a mut Vec<Entry>) -> Self {
        Self { metric, tools, entries }
    }

    /// Books for the trial as a whole.
    pub fn trial(&mut self, numerator: u32, denominator: u32) {
        self.add(Whose::Trial, numerator, denominator);
    }

    /// Books for a tool; it adds to the trial as well.
    pub fn tool(&mut self, tool: &ToolId, numerator: u32, denominator: u32) {
        let tool = self.tools.number(tool);
        self.add(Whose::Tool(tool), numerator, denominator);
    }

    /// Books for what was never offered, which has no tool of its own; it adds to the trial as well.
    pub fn not_offered(&mut self, numerator: u32, denominator: u32) {
        self.add(Whose::NotOffered, numerator, denominator);
    }

    fn add(&mut self, whose: Whose, numerator: u32, denominator: u32) {
        debug_assert!(numerator <= denominator, "INVARIANT: a rate is a share");
        if denominator > 0 {
            self.entries.push(Entry { metric: self.metric, whose, numerator, denominator });
        }
    }
}

/// Brings entries into a canonical form: sorted, and one for each metric and subject.
pub(super) fn settle(entries: &mut Vec<Entry>) {
    entries.sort_unstable();
    entries.dedup_by(|next, kept| {
        let same = (next.metric, next.whose) == (kept.metric, kept.whose);
        if same {
            kept.numerator += next.numerator;
            kept.denominator += next.denominator;
        }
        same
    });
}
