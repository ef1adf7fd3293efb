//! A shape: everything about a counted trial that any number depends on, and nothing else.
//!
//! Trials of one shape are the same to every metric, so a fold keeps each shape once and counts trials.
//! How long a trial took and what it cost differ each time; those are kept elsewhere.

use super::{
    book::{self, Book, Entry},
    confusion::{self, Cell},
    hash::FastMap,
    kind,
    names::Names,
    reading::Reading,
};
use crate::run::{AnswerOutcome, CaseKind, TrialEnd, TrialRecord};

/// What one counted trial adds to every number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// Whether it passed.
    pub(super) passed: bool,
    /// What kind of case.
    pub(super) kind: CaseKind,
    /// The case's tags by number, sorted.
    pub(super) tags: Vec<u32>,
    /// Turns by what the model did: called, abstained, refused, unparsable, truncated.
    pub(super) answers: [u32; 5],
    /// What the metrics booked, settled.
    pub(super) entries: Vec<Entry>,
    /// Cells of the confusion matrix, sorted; one that came twice is there twice.
    pub(super) cells: Vec<Cell>,
}

impl Shape {
    const EMPTY: Self = Self {
        passed: false,
        kind: CaseKind::Golden,
        tags: Vec::new(),
        answers: [0; 5],
        entries: Vec::new(),
        cells: Vec::new(),
    };

    /// Whether a tool's own numbers fell short here: it was missed, called wrongly, or had wrong arguments.
    pub(super) fn went_wrong(&self, tool: u32) -> bool {
        self.entries.iter().any(|entry| {
            entry.whose == book::Whose::Tool(tool)
                && entry.numerator < entry.denominator
                && kind::ALL[usize::from(entry.metric)].better() == kind::Better::Higher
        })
    }

    fn fill(&mut self, record: &TrialRecord, tools: &mut Names, tags: &mut Names) {
        let reading = Reading::of(record);
        self.passed = record.end == TrialEnd::Pass;
        self.kind = record.kind;
        self.tags.clear();
        self.tags.extend(record.tags.iter().map(|tag| tags.number(tag)));
        self.tags.sort_unstable();
        self.tags.dedup();
        self.answers = [0; 5];
        record.turns.iter().for_each(|turn| self.answers[outcome_place(turn.outcome)] += 1);
        self.entries.clear();
        for (metric, kind) in (0..).zip(kind::ALL) {
            kind.count(&reading, &mut Book::new(metric, tools, &mut self.entries));
        }
        book::settle(&mut self.entries);
        self.cells.clear();
        confusion::cells(&reading, tools, &mut self.cells);
        self.cells.sort_unstable();
    }
}

const fn outcome_place(outcome: AnswerOutcome) -> usize {
    match outcome {
        AnswerOutcome::Called => 0,
        AnswerOutcome::Abstained => 1,
        AnswerOutcome::Refused => 2,
        AnswerOutcome::Unparsable => 3,
        AnswerOutcome::Truncated => 4,
    }
}

/// Every shape that came, each once.
#[derive(Debug)]
pub(super) struct Shapes {
    numbers: FastMap<Shape, u32>,
    shapes: Vec<Shape>,
    scratch: Shape,
}

impl Default for Shapes {
    fn default() -> Self {
        Self { numbers: FastMap::default(), shapes: Vec::new(), scratch: Shape::EMPTY }
    }
}

impl Shapes {
    /// The number of a trial's shape.
    pub(super) fn number(&mut self, record: &TrialRecord, tools: &mut Names, tags: &mut Names) -> u32 {
        self.scratch.fill(record, tools, tags);
        if let Some(&number) = self.numbers.get(&self.scratch) {
            return number;
        }
        let number =
            u32::try_from(self.shapes.len()).expect("INVARIANT: fewer than 2³² shapes fit in memory");
        self.shapes.push(self.scratch.clone());
        self.numbers.insert(self.scratch.clone(), number);
        number
    }

    /// The shape of a number.
    pub(super) fn get(&self, number: u32) -> &Shape {
        &self.shapes[number as usize]
    }
}
