//! What is asked of a result before it is accepted: one file a check, and its line in [`ALL`].

mod cost;
mod declared_effects;
mod outcome;
mod output_schema;

use crate::model::{CheckResult, ToolDescriptor, VerificationCheck};
use crate::port::Ran;

pub(crate) use declared_effects::declared;

/// Something that every result is held against.
pub(super) trait Check: Sync {
    /// Its name in the journal.
    fn name(&self) -> &'static str;

    /// What it says; `None` where it has nothing to look at.
    fn check(&self, tool: &ToolDescriptor, ran: &Ran) -> Option<Result<(), String>>;
}

/// Every check, in the order of the journal.
pub(super) const ALL: &[&dyn Check] =
    &[&outcome::Outcome, &output_schema::OutputSchema, &declared_effects::DeclaredEffects, &cost::Cost];

/// Asks every check. The verifiers that a contract names are hooks, and asked behind them.
pub(super) fn run(tool: &ToolDescriptor, ran: &Ran) -> Vec<VerificationCheck> {
    let said = ALL.iter().filter_map(|check| {
        let (result, message) = match check.check(tool, ran)? {
            Ok(()) => (CheckResult::Pass, None),
            Err(message) => (CheckResult::Fail, Some(message)),
        };
        Some(VerificationCheck { name: check.name().to_owned(), result, message })
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::fact::FinishStatus,
        model::{ArtifactKind, EffectsObserved, JsonSchema, ResourceLimits, ResourceRef},
    };
    use serde_json::json;

    fn ran() -> Ran {
        Ran {
            status: FinishStatus::Success,
            output: Vec::new(),
            kind: ArtifactKind::ToolOutput,
            structured: None,
            effects: EffectsObserved::default(),
            error: None,
            latency_ms: 0,
        }
    }

    fn tool() -> ToolDescriptor {
        let mut tool = crate::model::testing::descriptor("t");
        tool.schemas.output_schema = Some(
            serde_json::from_value::<JsonSchema>(json!({ "type": "object", "required": ["n"] })).unwrap(),
        );
        tool.effects.writes = vec!["file:out/**".into()];
        tool.sandbox.limits = Some(ResourceLimits {
            timeout_ms: 1,
            max_memory_mb: None,
            max_output_bytes: None,
            max_cost_usd: Some(0.5),
        });
        tool
    }

    /// The checks that fail.
    fn failing(tool: &ToolDescriptor, ran: &Ran) -> Vec<String> {
        let failed = |c: &VerificationCheck| c.result == CheckResult::Fail;
        run(tool, ran).into_iter().filter(failed).map(|c| c.name).collect()
    }

    #[test]
    fn a_result_is_held_against_its_contract() {
        let wrote =
            |path: &str| EffectsObserved { writes: vec![ResourceRef(path.into())], ..Default::default() };
        let good = Ran { structured: Some(json!({ "n": 1 })), effects: wrote("file:out/a.txt"), ..ran() };
        let cost = |usd: f64| EffectsObserved { cost_usd: Some(usd), ..Default::default() };
        let rows: [(&str, Ran, &[&str]); 9] = [
            ("as dear as it may be", Ran { effects: cost(0.5), ..good.clone() }, &[]),
            ("too dear", Ran { effects: cost(0.51), ..good.clone() }, &["cost"]),
            ("a cost that is none", Ran { effects: cost(f64::NAN), ..good.clone() }, &["cost"]),
            ("as declared", good.clone(), &[]),
            ("no structure", Ran { structured: None, ..good.clone() }, &["output_schema"]),
            ("wrong structure", Ran { structured: Some(json!({})), ..good.clone() }, &["output_schema"]),
            ("elsewhere", Ran { effects: wrote("file:src/a.txt"), ..good.clone() }, &["declared_effects"]),
            (
                "look-alike",
                Ran { effects: wrote("file:output/a.txt"), ..good.clone() },
                &["declared_effects"],
            ),
            ("failed", Ran { status: FinishStatus::Error, structured: None, ..good }, &["outcome"]),
        ];
        for (what, ran, names) in rows {
            assert_eq!(failing(&tool(), &ran), names, "{what}");
        }
    }

    #[test]
    fn every_file_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/stage/check");
        let files = std::fs::read_dir(folder).unwrap().count();
        assert_eq!(files - 1, ALL.len());
    }
}
