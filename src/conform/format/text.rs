//! The terminal: a line an invariant, and under a broken one what happened, why it matters and where to look.

use super::{Format, FormatError, line};
use crate::conform::{Chain, Evidence, Finding, Report, Ruling, Standing, invariants};

pub(super) struct Text;

const INDENT: &str = "                  ";

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["txt"]
    }

    fn tell(&self, report: &Report) -> Result<String, FormatError> {
        let mut out: String = report.rulings.iter().map(ruling).collect();
        out.push('\n');
        out.extend(report.evidence.iter().filter_map(evidence));
        out.push_str(&line::summary(report));
        out.push('\n');
        Ok(out)
    }
}

fn ruling(ruling: &Ruling) -> String {
    let Ruling { invariant, title, exercised, violations, .. } = ruling;
    let mut out = match ruling.standing {
        Standing::Holds => format!("holds         {invariant:>2}  {title} ({})\n", times(*exercised)),
        Standing::Violated => {
            // A requirement may be broken where the invariant's own case never came up.
            let looked = (*exercised).max(*violations);
            format!("VIOLATED      {invariant:>2}  {title} ({violations} of {})\n", times(looked))
        }
        Standing::NotExercised => format!("not exercised {invariant:>2}  {title}\n"),
    };
    if let Some(missing) = ruling.missing {
        out += &format!("{INDENT}missing: {missing}\n");
    }
    out.extend(ruling.findings.iter().map(finding));
    let hidden = violations.saturating_sub(ruling.findings.len() as u64);
    if hidden > 0 {
        out += &format!("{INDENT}… and {hidden} more\n");
    }
    if ruling.standing == Standing::Violated {
        let why = invariants::ALL[usize::from(*invariant) - 1].why();
        out += &format!(
            "{INDENT}it matters because {why}; `proofhouse conform --explain {invariant}` shows more\n"
        );
    }
    out.extend(ruling.advice.iter().map(|advised| format!("{INDENT}advice:\n{}", finding(advised))));
    out
}

fn finding(finding: &Finding) -> String {
    let mut out = format!("{INDENT}{}  {}\n", finding.requirement, finding.sentence.escape_debug());
    for event in &finding.events {
        let (kind, id) = (event.kind.escape_debug(), event.event_id.escape_debug());
        out += &format!("{INDENT}      {}:{} {kind} {id}\n", event.file, event.line);
    }
    out
}

fn evidence(evidence: &Evidence) -> Option<String> {
    let file = &evidence.file;
    match &evidence.chain {
        Chain::Sound => None,
        Chain::Broken { line, what } => Some(format!(
            "NO EVIDENCE   {file}:{line}: {}; what stands there is not what was written\n",
            what.escape_debug()
        )),
        Chain::Absent => Some(format!(
            "no chain      {file}: no line carries a hash, so anybody may have changed it: no full proof\n"
        )),
    }
}

fn times(count: u64) -> String {
    if count == 1 { "1 time".to_owned() } else { format!("{count} times") }
}
