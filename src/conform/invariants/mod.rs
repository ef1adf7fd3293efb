//! The sixteen invariants of §18, a file each, in [`ALL`].
//!
//! A file answers four questions in order: what is checked, why it matters, a log that keeps it, logs that
//! break it. The logs stand in the file without their envelope and are judged by every invariant in a test:
//! the one that keeps must keep all, the one that breaks must break exactly this one.

#[macro_use]
mod snippets;

mod approved_is_executed;
mod artifact_origin;
mod declared_effects;
mod destructive_confirmed;
mod evaluated_before_enabled;
mod explained_view;
mod explicit_authorization;
mod mcp_normalized;
mod no_credentials;
mod one_result;
mod output_is_artifact;
mod policy_first;
mod registered_version;
mod sandbox_first;
mod skill_scripts;
mod validated_first;

pub(super) use no_credentials::forms as forms_of_secret;

use super::{Event, Options, Requirement, judge::Notes, known::Known};

/// Every invariant, in the order of the specification.
pub(crate) const ALL: [&dyn Invariant; 16] = [
    &registered_version::RegisteredVersion,
    &one_result::OneResult,
    &validated_first::ValidatedFirst,
    &policy_first::PolicyFirst,
    &explicit_authorization::ExplicitAuthorization,
    &approved_is_executed::ApprovedIsExecuted,
    &no_credentials::NoCredentials,
    &output_is_artifact::OutputIsArtifact,
    &artifact_origin::ArtifactOrigin,
    &sandbox_first::SandboxFirst,
    &mcp_normalized::McpNormalized,
    &skill_scripts::SkillScripts,
    &declared_effects::DeclaredEffects,
    &destructive_confirmed::DestructiveConfirmed,
    &explained_view::ExplainedView,
    &evaluated_before_enabled::EvaluatedBeforeEnabled,
];

/// One invariant.
pub(crate) trait Invariant: Sync {
    /// Its number in the specification.
    fn number(&self) -> u8;

    /// What it demands, in the specification's words.
    fn title(&self) -> &'static str;

    /// Why it matters, in a sentence.
    fn why(&self) -> &'static str;

    /// What has to be in a log to put it to the test.
    fn needs(&self) -> &'static str;

    /// What exactly is checked, in the order of the ids.
    fn requirements(&self) -> &'static [Requirement];

    /// Starts watching.
    fn watch(&self, options: &Options) -> Box<dyn Watch>;

    /// A log that keeps it, one event a line, without envelope.
    fn keeps(&self) -> &'static str;

    /// Logs that break it and nothing else: what is done wrong, and the log.
    fn breaks(&self) -> &'static [(&'static str, &'static str)];
}

/// Looks at every event in order.
pub(crate) trait Watch {
    /// Takes an event into account; `known` is what was said before it.
    fn see(&mut self, event: &Event, known: &Known, notes: &mut Notes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::{Judge, Report, Standing};
    use serde_json::{Map, Value};

    /// Judges lines that have no envelope: identity and time are filled in where they are missing.
    fn judge(lines: &str) -> Report {
        let options = Options { canaries: vec!["canary-7f3a9c".to_owned()], ..Options::default() };
        let mut judge = Judge::new(&options);
        for (at, line) in lines.lines().filter(|l| !l.trim().is_empty()).enumerate() {
            let mut fields: Map<String, Value> =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            fields.entry("eventId").or_insert_with(|| format!("ev_{at}").into());
            fields.entry("ts").or_insert_with(|| format!("2026-01-01T00:00:{at:02}.000000Z").into());
            judge.see(&Event::new(0, at as u64 + 1, fields));
        }
        judge.rule(&["journal.jsonl".to_owned()])
    }

    #[test]
    fn a_log_that_keeps_an_invariant_exercises_it_and_breaks_none() {
        for invariant in ALL {
            let report = judge(invariant.keeps());
            assert_eq!(report.violated(), Vec::<u8>::new(), "{}: {report:#?}", invariant.number());
            let own = &report.rulings[usize::from(invariant.number()) - 1];
            assert_eq!(own.standing, Standing::Holds, "{}", invariant.number());
        }
    }

    #[test]
    fn a_log_that_breaks_an_invariant_breaks_exactly_this_one() {
        let mut strays = Vec::new();
        for invariant in ALL {
            let breaks = invariant.breaks();
            assert!(breaks.len() >= 3, "{}: {} logs break it", invariant.number(), breaks.len());
            for (what, log) in breaks {
                let report = judge(log);
                if report.violated() != [invariant.number()] {
                    let sentences: Vec<_> =
                        report.rulings.iter().flat_map(|r| r.findings.iter().map(|f| &f.sentence)).collect();
                    strays.push((invariant.number(), *what, report.violated(), format!("{sentences:?}")));
                }
                let own = &report.rulings[usize::from(invariant.number()) - 1];
                assert!(
                    own.findings.iter().all(|f| !f.events.is_empty() && !f.sentence.is_empty()),
                    "{what}"
                );
                let ids: Vec<&str> = invariant.requirements().iter().map(|r| r.id).collect();
                assert!(own.findings.iter().all(|f| ids.contains(&f.requirement)), "{what}");
            }
        }
        assert!(strays.is_empty(), "{strays:#?}");
    }

    #[test]
    fn nothing_is_exercised_by_nothing() {
        let report = judge("");
        assert!(!report.conforms());
        assert!(report.rulings.iter().all(|r| r.standing == Standing::NotExercised && r.missing.is_some()));
    }

    #[test]
    fn numbers_are_those_of_the_specification_and_every_file_is_in_the_table() {
        let numbers: Vec<u8> = ALL.iter().map(|i| i.number()).collect();
        assert_eq!(numbers, (1..=16).collect::<Vec<u8>>());
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/conform/invariants");
        // Beside the invariants, `mod.rs` and the snippets of their logs.
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), ALL.len() + 2);
    }
}
