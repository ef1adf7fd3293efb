//! The table that `run` prints: how every model did, what failed, and why.
//!
//! Pure text: whether there is a terminal, how wide it is and whether colour is wanted is the caller's to
//! know. Without a width nothing is cut, so that a pipe gets the same text everywhere. Whatever comes from
//! models and tool servers is printed without control characters: an answer cannot move the cursor.

use super::{
    Failure, ReportHead, RunView,
    failure::end_word,
    failures::{Failures, Group},
    figures,
    verdict::{self, State},
    words,
};
use crate::{metric::ModelMetrics, stats::Rate};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use proofhouse_manager::text::{clean, shorten};
use std::{borrow::Cow, fmt::Write as _};

/// How the text is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Columns of the terminal; `None` cuts nothing.
    pub width: Option<u16>,
    /// Whether words are coloured.
    pub paint: Paint,
    /// How many failures are listed.
    pub failures: usize,
    /// Where the rest can be read: the report's path, as the user may open it.
    pub report: Option<String>,
}

/// Whether words are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Text alone.
    Plain,
    /// ANSI colours, beside the words that say the same.
    Ansi,
}

/// The text for a finished run.
pub fn render(run: RunView<'_>, layout: &Layout) -> String {
    let mut text = String::new();
    let out = &mut text;
    push(out, &headline(&run, layout));
    push(out, "");
    push(out, &models_table(&run, layout));
    for model in &run.head.models {
        push(out, &format!("  {}: {}", clean(&model.name), clean(&model.label)));
    }
    missed(out, &run);
    worst(out, &run);
    rejected(out, run.head);
    let trials = run.trials;
    let failures = Failures::of(trials, LISTED_PER_TOOL.min(layout.failures));
    list(out, &failures, layout);
    text
}

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn headline(run: &RunView<'_>, layout: &Layout) -> String {
    let sentence = verdict::headline(run.judgements, &run.head.ends);
    let colour = match State::of(run.judgements, &run.head.ends) {
        State::Holds => "32",
        State::Fails => "31",
        State::Undecided => "33",
    };
    format!("{}: {}", clean(&run.head.suite), painted(&sentence, colour, layout.paint))
}

fn painted(text: &str, colour: &str, paint: Paint) -> String {
    match paint {
        Paint::Plain => text.to_owned(),
        Paint::Ansi => format!("\u{1b}[1;{colour}m{text}\u{1b}[0m"),
    }
}

/// A line a model: ends, then its key rates with counts and intervals.
fn models_table(run: &RunView<'_>, layout: &Layout) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(layout.width.unwrap_or(160));
    table.set_header(["Model", "Pass", "Fail", "Error", "Stale"].into_iter().chain(figures::key_titles()));
    for model in figures::models(run.head, run.metrics) {
        table.add_row(model_row(model));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

fn model_row(model: &ModelMetrics) -> Vec<String> {
    let ends = figures::ends(model);
    let mut row = vec![clean(&model.model).into_owned()];
    row.extend([ends.pass, ends.fail, ends.error, ends.stale].map(words::count));
    row.extend(figures::key_rates(model).map(|rate| rate.map_or_else(|| "n/a".to_owned(), rate_lines)));
    row
}

/// The share, below it what it was counted from, below that the interval.
fn rate_lines(rate: &Rate) -> String {
    let lines = [words::percent(rate), words::fraction(rate), words::interval(rate)];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The thresholds that do not hold.
fn missed(out: &mut String, run: &RunView<'_>) {
    let open: Vec<_> = run.judgements.iter().filter(|judgement| judgement.held != Some(true)).collect();
    if open.is_empty() {
        return;
    }
    push(out, "\nThresholds that do not hold");
    for judgement in open {
        push(out, &format!("  {}", clean(&verdict::sentence(judgement, run.metrics))));
    }
}

fn worst(out: &mut String, run: &RunView<'_>) {
    let Some(worst) = figures::worst(run.head, run.metrics) else { return };
    let case =
        worst.case.map_or_else(String::new, |case| format!("; its worst case is {}", clean(&case.case)));
    let (tool, model) = (clean(worst.tool), clean(worst.model));
    push(out, &format!("\nWorst tool: {tool}, F1 {} with {model}{case}", words::rate(worst.f1)));
}

fn rejected(out: &mut String, head: &ReportHead) {
    if head.rejected.is_empty() {
        return;
    }
    push(out, &format!("\n{} could not be offered", words::counted(head.rejected.len() as u64, "tool")));
    for tool in head.rejected.iter().take(5) {
        push(out, &format!("  {}: {}", clean(&tool.tool), clean(&tool.reasons.join("; "))));
    }
    if let Some(more @ 1..) = head.rejected.len().checked_sub(5) {
        push(out, &format!("  and {}", words::counted(more as u64, "more tool")));
    }
}

/// How many failures of one tool are listed before the next tool has its turn.
const LISTED_PER_TOOL: usize = 4;

/// The failures by tool, up to the layout's number.
fn list(out: &mut String, failures: &Failures, layout: &Layout) {
    let mut room = layout.failures;
    for (tool, group) in failures.groups() {
        if room == 0 {
            break;
        }
        push(out, &format!("\n{}: {}", clean(tool), words::counted(group.count, "trial")));
        room -= list_group(out, group, room, layout);
    }
    let more = failures.total().saturating_sub((layout.failures - room) as u64);
    if more > 0 {
        let place = layout.report.as_deref().map_or_else(String::new, |path| format!(": see {path}"));
        push(out, &format!("\nand {} more{place}", words::count(more)));
    }
}

fn list_group(out: &mut String, group: &Group, room: usize, layout: &Layout) -> usize {
    let shown = group.first.iter().take(room);
    shown.map(|failure| push(out, &failure_line(failure, layout))).count()
}

/// `  fail  g112 (lexical)  expected a, got b`, cut to the width.
fn failure_line(failure: &Failure, layout: &Layout) -> String {
    let mut name = failure.key.case.clone();
    let mut with = failure.key.model.clone();
    if failure.key.distractors > 0 {
        write!(with, ", +{}", failure.key.distractors).expect("INVARIANT: writing to a string does not fail");
    }
    if failure.key.repeat > 0 {
        write!(name, " #{}", failure.key.repeat + 1).expect("INVARIANT: writing to a string does not fail");
    }
    let word = end_word(failure.end);
    let rest = format!(" {} ({})  {}", clean(&name), clean(&with), clean(&failure.to_string()));
    let room = layout.width.map_or(usize::MAX, |width| usize::from(width).saturating_sub(7));
    format!(
        "  {}{}",
        painted(word, "31", layout.paint),
        cut(&format!("{:pad$}{rest}", "", pad = 6 - word.len()), room)
    )
}

/// At most so many characters, with a mark where something is missing.
fn cut(text: &str, room: usize) -> Cow<'_, str> {
    match text.char_indices().nth(room) {
        None => Cow::Borrowed(text),
        Some(_) => shorten(text, room.saturating_sub(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SmallRun;

    fn text(width: Option<u16>, paint: Paint, failures: usize) -> String {
        let layout = Layout { width, paint, failures, report: Some("report.html".into()) };
        SmallRun::new().view(|run| render(run, &layout))
    }

    #[test]
    fn it_says_what_failed_and_why() {
        insta::assert_snapshot!(text(None, Paint::Plain, 10), @r#"
        small: 1 of 4 thresholds missed; 2 of 4 trials failed; 1 without an answer

        ──────────────────────────────────────────────────────────────────────────────────────────────────
         Model      Pass   Fail   Error   Stale   Precision     Recall   Argument validity   Unsafe calls
        ══════════════════════════════════════════════════════════════════════════════════════════════════
         lexical       1      1       0       0       100 %      100 %               100 %            0 %
                                                        2/2        2/2                 2/2            0/2
                                                   34–100 %   34–100 %            34–100 %         0–66 %
        ──────────────────────────────────────────────────────────────────────────────────────────────────
         script:a      0      1       1       0         0 %        0 %                 n/a            0 %
                                                        0/1        0/1                                0/1
                                                     0–79 %     0–79 %                             0–79 %
        ──────────────────────────────────────────────────────────────────────────────────────────────────
          lexical: embedded lexical ranker, no LLM
          script:a: scripted answers

        Thresholds that do not hold
          Precision with script:a: 0 % (0/1, 0–79 %), asked for at least 90.0 %: missed

        Worst tool: file.read, F1 0 % (0/1, 0–79 %) with script:a; its worst case is deletes

        1 tool could not be offered
          broken: no schema

        without a verdict: 1 trial
          error  hangs (script:a)  no answer within 30s (timeout)

        file.read: 2 trials
          fail   limits (lexical)  /limit: expected 20, got "20"
          fail   deletes (script:a)  expected file.read, got </script><b>\u{1b}[2J`| =1 (not offered)
        "#);
    }

    #[test]
    fn what_is_not_listed_is_counted() {
        assert!(text(None, Paint::Plain, 1).ends_with("\nand 2 more: see report.html\n"));
    }

    #[test]
    fn nothing_moves_the_cursor_and_lines_keep_to_the_width() {
        let plain = text(Some(60), Paint::Plain, 10);
        assert!(!plain.contains('\u{1b}'));
        assert!(
            plain.lines().filter(|line| line.starts_with("  fail")).all(|line| line.chars().count() <= 60),
            "{plain}"
        );
        let colourful = text(Some(60), Paint::Ansi, 10);
        assert!(colourful.contains("\u{1b}[1;31m") && !colourful.contains("\u{1b}[2J"));
    }
}
