//! Markdown, short enough for a comment on a change.
//!
//! What models and tool servers wrote stands in code spans only: it can neither format nor mention anybody.

use super::{
    Failure, ReportError, ReportFormat, RunView,
    failure::end_word,
    failures::Failures,
    figures, verdict, words,
};
use crate::metric::{Judgement, ModelMetrics};
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
        writeln!(out, "## {}: {}\n", code(&run.head.suite), verdict::headline(run.judgements, &run.head.ends))?;
        models(out, &run)?;
        judgements(out, run.judgements)?;
        if let Some(worst) = figures::worst(run.metrics) {
            let case = worst.case.map_or_else(String::new, |key| format!(", worst case {}", code(&key.case)));
            let (tool, model) = (code(worst.tool), code(worst.model));
            writeln!(out, "\nWorst tool: {tool}, {} {} with {model}{case}.", worst.name, words::rate(worst.rate))?;
        }
        let failures = Failures::of(run.trials, LISTED);
        list(out, &failures)?;
        writeln!(out, "\nRun {} of {}, seed {}.", code(&run.head.run_id), code(&run.head.suite_path), run.head.seed)?;
        Ok(())
    }
}

fn models(out: &mut dyn Write, run: &RunView<'_>) -> io::Result<()> {
    let names: Vec<_> = run.metrics.models.first().map(figures::key_figures).unwrap_or_default();
    let names: Vec<_> = names.iter().map(|figure| figure.name).collect();
    writeln!(out, "| Model | Pass | Fail | Error | Stale | {} |", names.join(" | "))?;
    writeln!(out, "| --- |{}", " ---: |".repeat(4 + names.len()))?;
    for model in &run.metrics.models {
        writeln!(out, "| {} |", model_row(run, model).join(" | "))?;
    }
    Ok(())
}

fn model_row(run: &RunView<'_>, model: &ModelMetrics) -> Vec<String> {
    let label = run.head.models.iter().find(|known| known.name == model.model).map_or("", |known| &known.label);
    let ends = figures::ends(model);
    let mut row = vec![format!("{} {}", code(&model.model), plain(label)).replace('|', "\\|")];
    row.extend([ends.pass, ends.fail, ends.error, ends.stale].map(words::count));
    row.extend(figures::key_figures(model).iter().map(|figure| words::rate(figure.rate)));
    row
}

fn judgements(out: &mut dyn Write, judgements: &[Judgement]) -> io::Result<()> {
    if judgements.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThresholds:\n")?;
    judgements.iter().try_for_each(|judgement| writeln!(out, "- {}", plain(&verdict::sentence(judgement))))
}

fn list(out: &mut dyn Write, failures: &Failures) -> io::Result<()> {
    if failures.total() == 0 {
        return Ok(());
    }
    writeln!(out, "\n<details><summary>{} did not pass</summary>\n", words::counted(failures.total(), "trial"))?;
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

/// Our own words, on one line.
fn plain(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_holds_what_it_is_given() {
        let rows = [("a", "`a`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a\nb", "`a b`"), ("", "`  `")];
        for (text, span) in rows {
            assert_eq!(code(text), span);
        }
    }
}
