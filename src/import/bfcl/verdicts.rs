//! Files of recorded answers to verdicts, a line for each.

use super::{
    CaseBook, ImportError,
    blocks::Block,
    cases::Bookmark,
    reader::Reader,
    row::{Row, RowError},
    stream::for_each_block,
};
use crate::matcher::bfcl::{Index, Judge, Names, Rules, Tape, Verdict};
use std::{collections::BTreeMap, io::Write, path::PathBuf};

/// What came out, counted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Summary {
    /// How many answers there were.
    pub rows: u64,
    /// How many of them are right.
    pub valid: u64,
    /// How many are wrong, by what is wrong first.
    pub errors: BTreeMap<&'static str, u64>,
}

impl Summary {
    fn count(&mut self, verdict: Verdict) {
        self.rows += 1;
        match verdict.error_type() {
            None => self.valid += 1,
            Some(error) => *self.errors.entry(error).or_default() += 1,
        }
    }

    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.valid += other.valid;
        for (error, count) in &other.errors {
            *self.errors.entry(error).or_default() += count;
        }
    }
}

/// Judges files of answers, in their order, and writes a line for each answer:
/// `{"row":1,"id":"simple_0","verdict":false,"errorType":"value_error:string"}`.
///
/// Rows are numbered from 1 through all files; blank lines are no rows. `names` holds for answers that do not
/// say otherwise themselves, by `dot_to_underscore`.
///
/// # Errors
/// The first line, in order, that cannot be judged: it is no JSON, or its id is that of no case. Everything
/// before it has been written.
pub fn judge(
    cases: &CaseBook,
    outputs: &[PathBuf],
    rules: Rules,
    names: Names,
    out: &mut dyn Write,
) -> Result<Summary, ImportError> {
    let mut summary = Summary::default();
    for_each_block(
        outputs,
        |block| judge_block(block, cases, rules, names),
        |part| {
            out.write_all(&part.lines).map_err(ImportError::Write)?;
            summary.add(&part.summary);
            part.error.map_or(Ok(()), Err)
        },
    )?;
    out.flush().map_err(ImportError::Write)?;
    Ok(summary)
}

#[derive(Default)]
struct Part {
    lines: Vec<u8>,
    summary: Summary,
    error: Option<ImportError>,
}

fn judge_block(block: &Block, cases: &CaseBook, rules: Rules, names: Names) -> Result<Part, ImportError> {
    let mut part = Part { lines: Vec::with_capacity(block.len() / 4), ..Part::default() };
    let mut row = block.rows_before;
    let judged = each_row(block, &block.index(), cases, rules, names, |found, _, verdict| {
        row += 1;
        part.summary.count(verdict);
        write_line(&mut part.lines, row, found.written_id(), verdict);
    });
    part.error = judged.err();
    Ok(part)
}

/// Judges every row of a block.
pub(super) fn each_row<'b>(
    block: &'b Block,
    index: &'b Index,
    cases: &CaseBook,
    rules: Rules,
    names: Names,
    mut take: impl FnMut(&Row<'b>, &Tape<'b>, Verdict),
) -> Result<(), ImportError> {
    let (mut judge, mut bookmark) = (Judge::new(rules), Bookmark::default());
    let (mut reader, mut converted) = (Reader::default(), Tape::default());
    block.lines(index, |line, text| {
        let failed = |error: RowError| ImportError::line(block.file(), line, error);
        let row = reader.read(text).map_err(failed)?;
        let id = row.id().map_err(failed)?;
        let case = cases.get_next(&id, &mut bookmark).ok_or_else(|| unknown(block, line, &id))?;
        if case.has_literals() {
            row.read_converted(&mut converted).map_err(failed)?;
        }
        let literals = case.has_literals().then_some(&converted);
        let verdict = judge.verdict(case, &row.answer(&reader.calls, literals, names));
        take(&row, &reader.calls, verdict);
        Ok(())
    })
}

#[cold]
fn unknown(block: &Block, line: u64, id: &str) -> ImportError {
    let what = format!("there is no case `{id}`\nhint: give the file that holds it with --cases");
    ImportError::line(block.file(), line, what)
}

fn write_line(out: &mut Vec<u8>, row: u64, id: &str, verdict: Verdict) {
    out.extend_from_slice(b"{\"row\":");
    write_decimal(out, row);
    out.extend_from_slice(b",\"id\":\"");
    out.extend_from_slice(id.as_bytes());
    match verdict.error_type() {
        None => out.extend_from_slice(b"\",\"verdict\":true,\"errorType\":null}\n"),
        Some(error) => {
            out.extend_from_slice(b"\",\"verdict\":false,\"errorType\":\"");
            out.extend_from_slice(error.as_bytes());
            out.extend_from_slice(b"\"}\n");
        }
    }
}

fn write_decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut place = digits.len();
    loop {
        place -= 1;
        digits[place] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[place..]);
}
