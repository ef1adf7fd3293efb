//! Markdown, short enough for a comment on a change.
//!
//! What models and tool servers wrote stands in code spans only: it can neither format nor mention anybody.

use super::{
    Failure, ReportError, ReportFormat, RunView, failure::end_word, failures::Failures, figures, verdict,
    words,
};
use crate::metric::ModelMetrics;
use std::io::{self, Write};

/// Failures that are listed.
const LISTED: usize = 30;

/// Markdown.
pub(super) struct Markdown;

impl ReportFormat for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["md"]
    }

    fn write(&self, run: RunView<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
        writeln!(
            out,
            "## {}: {}\n",
            code(&run.head.suite),
            verdict::headline(run.judgements, &run.head.ends)
        )?;
        models(out, &run)?;
        judgements(out, &run)?;
        if let Some(worst) = figures::worst(run.head, run.metrics) {
            let case =
                worst.case.map_or_else(String::new, |case| format!(", worst case {}", code(&case.case)));
            let (tool, model) = (code(worst.tool), code(worst.model));
            writeln!(out, "\nWorst tool: {tool}, F1 {} with {model}{case}.", words::rate(worst.f1))?;
        }
        list(out, &Failures::of(run.trials, LISTED))?;
        writeln!(
            out,
            "\nRun {} of {}, seed {}.",
            code(&run.head.run_id),
            code(&run.head.suite_path),
            run.head.seed
        )?;
        Ok(())
    }
}

fn models(out: &mut dyn Write, run: &RunView<'_>) -> io::Result<()> {
    let titles = figures::key_titles();
    writeln!(out, "| Model | Pass | Fail | Error | Stale | {} |", titles.join(" | "))?;
    writeln!(out, "| --- |{}", " ---: |".repeat(4 + titles.len()))?;
    for model in figures::models(run.head, run.metrics) {
        writeln!(out, "| {} |", model_row(run, model).join(" | "))?;
    }
    Ok(())
}

fn model_row(run: &RunView<'_>, model: &ModelMetrics) -> Vec<String> {
    let label = figures::label(run.head, &model.model);
    let ends = figures::ends(model);
    let mut row = vec![format!("{} {label}", code(&model.model)).replace('|', "\\|")];
    row.extend([ends.pass, ends.fail, ends.error, ends.stale].map(words::count));
    row.extend(figures::key_rates(model).map(|rate| rate.map_or_else(|| "n/a".to_owned(), words::rate)));
    row
}

fn judgements(out: &mut dyn Write, run: &RunView<'_>) -> io::Result<()> {
    if run.judgements.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThresholds:\n")?;
    run.judgements.iter().try_for_each(|judgement| {
        writeln!(out, "- {} {}", verdict::word(judgement), code(&verdict::sentence(judgement, run.metrics)))
    })
}

fn list(out: &mut dyn Write, failures: &Failures) -> io::Result<()> {
    if failures.total() == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "\n<details><summary>{} did not pass</summary>\n",
        words::counted(failures.total(), "trial")
    )?;
    let all = failures.groups().into_iter().flat_map(|(_, group)| &group.first);
    let listed = all.take(LISTED).map(|failure| writeln!(out, "- {}", failure_line(failure)));
    let listed = listed.collect::<io::Result<Vec<()>>>()?.len() as u64;
    if failures.total() > listed {
        writeln!(out, "- and {} more", words::count(failures.total() - listed))?;
    }
    writeln!(out, "\n</details>")
}

fn failure_line(failure: &Failure) -> String {
    let (case, model) = (code(&failure.key.case), code(&failure.key.model));
    format!("{} {case} with {model}: {}", end_word(failure.end), code(&failure.to_string()))
}

/// A code span that its content cannot leave.
fn code(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SmallRun;

    #[test]
    fn it_says_what_failed_and_why() {
        let text = SmallRun::new().written(&Markdown);
        for part in [
            "## `small`: 1 of 4 thresholds missed; 2 of 4 trials failed; 1 without an answer\n",
            "| `lexical` embedded lexical ranker, no LLM | 1 | 1 | 0 | 0 |",
            "- fail `limits` with `lexical`: `/limit: expected 20, got \"20\"`\n",
        ] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn a_code_span_holds_what_it_is_given() {
        let rows = [("a", "`a`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a\nb", "`a b`"), ("", "`  `")];
        for (text, span) in rows {
            assert_eq!(code(text), span);
        }
    }
}
