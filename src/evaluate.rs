//! The manager's evaluation of one tool, as a fold over the trials of a finished run.
//!
//! Of a suite's cases, those that are *bound* to a tool count: golden ones expect it, negative ones expect
//! something else although it is offered and forbid it, or want no call at all. The suite's thresholds decide.
//! Metrics that a tool has by itself (precision, recall, view recall …) are judged on the tool's own calls, the
//! others on the trials of its cases; what has nothing to be judged on is missed, never held.
//!
//! It runs nothing: whoever calls has run the suite, and the run's folder is what anybody can look at later.

use crate::{
    metric::{
        DEFAULT_LOST_LIMIT, Judgement, MetricFold, Metrics, ModelMetrics, Scope, ToolMetrics, find, judge,
        lost_trials,
    },
    run::{CaseKind, FolderError, Manifest, RunFolder, TrialRecord},
    stats::Resampling,
    suite::{Case, Suite},
};
use proofhouse_manager::{
    model::{EffectLevel, EvalScores, ToolEval, ToolId},
    port::{Evaluation, Evaluator, EvaluatorError},
    registry::RegisteredTool,
};
use std::collections::BTreeSet;

/// A finished run, ready to be asked about single tools.
#[derive(Debug)]
pub struct SuiteEvaluator {
    suite: Suite,
    manifest: Manifest,
    trials: Vec<TrialRecord>,
}

/// A run that says nothing about tools.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The run folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// More than one model was asked.
    #[error("an evaluation is of one model, and this run asked {0}\nhint: name one with `--model MODEL`")]
    Models(usize),
    /// The answers were written down beforehand.
    #[error(
        "`{0}` answers what it was told to, so it measures nothing\nhint: name a model, such as `lexical`, `openai:MODEL` or a recording"
    )]
    Script(String),
}

/// How a case is bound to a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Golden,
    Negative,
}

impl SuiteEvaluator {
    /// Reads a finished run of a suite.
    ///
    /// # Errors
    /// [`EvaluateError`] if the folder cannot be read, or the run asked no single model that answers by itself.
    pub fn read(suite: Suite, folder: &RunFolder) -> Result<Self, EvaluateError> {
        let manifest = folder.manifest()?;
        let [model] = manifest.models.as_slice() else {
            return Err(EvaluateError::Models(manifest.models.len()));
        };
        refuse_script(&model.spec)?;
        let trials = folder.trials()?.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { suite, manifest, trials })
    }

    fn bound(&self, tool: &ToolId, level: EffectLevel) -> Vec<(&str, Bound)> {
        let bound = |case: &Case| bound(case, tool, level);
        self.suite.cases.iter().filter_map(|case| Some((case.id.as_str(), bound(case)?))).collect()
    }
}

/// Refuses a model that only repeats what somebody wrote for it.
///
/// # Errors
/// [`EvaluateError::Script`] for one.
pub fn refuse_script(model: &str) -> Result<(), EvaluateError> {
    if model.starts_with("script:") { Err(EvaluateError::Script(model.to_owned())) } else { Ok(()) }
}

impl Evaluator for SuiteEvaluator {
    fn evaluate(&self, tool: &RegisteredTool) -> Result<Evaluation, EvaluatorError> {
        let (id, suite) = (tool.id(), &self.suite.name);
        let no = |what: String| {
            EvaluatorError(format!("`{id}` cannot be evaluated with the suite `{suite}`: {what}"))
        };
        match self.manifest.tools.iter().find(|head| head.id == *id) {
            None => {
                return Err(no(
                    "it does not offer the tool\nhint: add its source to the suite's `tools`".into()
                ));
            }
            Some(head) if head.digest != *tool.digest() => {
                let (theirs, ours) = (head.digest.short(), tool.digest().short());
                let hint = "register the tool from the source that the suite names";
                return Err(no(format!(
                    "it offers another contract of it, {theirs} and not {ours}\nhint: {hint}"
                )));
            }
            Some(_) => {}
        }
        let bound = self.bound(id, tool.level());
        let count = |kind| bound.iter().filter(|(_, b)| *b == kind).count() as u64;
        let (golden, negative) = (count(Bound::Golden), count(Bound::Negative));
        if golden == 0 || negative == 0 {
            let hint = "write cases that expect it, and cases in which it is offered and wrong";
            return Err(no(format!(
                "it has {golden} golden and {negative} negative prompts for it\nhint: {hint}"
            )));
        }
        let metrics = self.metrics(&bound);
        if lost_trials(&metrics, DEFAULT_LOST_LIMIT).iter().any(|lost| lost.undecidable) {
            return Err(
                no("too many of its trials were lost to the surroundings\nhint: run it again".into()),
            );
        }
        let mut metrics = metrics;
        let Some(model) = metrics.models.first_mut() else {
            return Err(no("no trial of its cases is in the run\nhint: run the whole suite".into()));
        };
        own_rates(model, id);
        let scores = scores(model);
        let judgements = judge(&metrics, &self.suite.thresholds);
        if judgements.is_empty() {
            let hint = "give it some, such as `thresholds: { recall: 0.5 }`";
            return Err(no(format!("it sets no threshold, so it decides nothing\nhint: {hint}")));
        }
        let eval = ToolEval {
            tool_id: id.clone(),
            tool_version: tool.version().clone(),
            descriptor_digest: tool.digest().clone(),
            suite: suite.clone(),
            suite_digest: self.manifest.suite.digest.clone(),
            golden,
            negative,
            scores,
        };
        Ok(Evaluation {
            eval,
            passed: judgements.iter().all(|judgement| judgement.held == Some(true)),
            thresholds: judgements.iter().map(words).collect(),
            model: self.manifest.models.first().map(|model| model.name.clone()).unwrap_or_default(),
        })
    }
}

impl SuiteEvaluator {
    fn metrics(&self, bound: &[(&str, Bound)]) -> Metrics {
        let cases: BTreeSet<&str> = bound.iter().map(|(case, _)| *case).collect();
        let mut fold =
            MetricFold::new(Resampling { seed: self.manifest.options.seed, ..Resampling::default() });
        self.trials.iter().filter(|trial| cases.contains(&*trial.key.case)).for_each(|trial| fold.add(trial));
        fold.finish()
    }
}

/// How a case is bound to a tool; not at all, where it expects it beside other things that are right, or never
/// offers it.
fn bound(case: &Case, tool: &ToolId, level: EffectLevel) -> Option<Bound> {
    let expects = case.turns.iter().flat_map(|t| &t.expect).flatten().any(|call| call.tool == *tool);
    let offered = case.offer.as_ref().is_none_or(|offer| offer.is_match(tool.as_str()));
    if expects {
        return offered.then_some(Bound::Golden);
    }
    let forbids = || case.turns.iter().flat_map(|t| &t.forbid).any(|s| s.selects(tool, Some(level)));
    (offered && (case.kind == CaseKind::Negative || forbids())).then_some(Bound::Negative)
}

/// Puts the tool's own rates where the pooled ones stand, so that thresholds judge the tool.
fn own_rates(model: &mut ModelMetrics, tool: &ToolId) {
    let own: Option<&ToolMetrics> = model.tools.iter().find(|metrics| metrics.tool == *tool);
    let is_own = |name: &str| find(name).is_some_and(|metric| metric.scope() == Scope::Tools);
    let rates = &mut model.overall.rates;
    rates.retain(|name, _| !is_own(name));
    if let Some(own) = own {
        rates.extend(own.rates.iter().map(|(name, rate)| (name.clone(), *rate)));
    }
}

fn scores(model: &ModelMetrics) -> EvalScores {
    let rate = |name: &str| model.overall.rates.get(name).and_then(|rate| rate.estimate);
    EvalScores {
        precision: rate("precision"),
        recall: rate("recall"),
        arg_validity: rate("argValidity"),
        unsafe_call_rate: rate("unsafeCallRate"),
        approval_trigger_rate: rate("approvalTriggerRate"),
    }
}

fn words(judgement: &Judgement) -> String {
    let Judgement { metric, threshold, value, held, .. } = judgement;
    let value = value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.2}"));
    let held = match held {
        Some(true) => "held",
        Some(false) => "missed",
        None => "missed: nothing to judge",
    };
    format!("{metric} {value} against {threshold:.2} {held}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Conduct, Prepared, RunOptions, Shard, SuiteTrust, Surroundings};
    use crate::{
        provider::{Patience, ProviderSettings},
        run::Home,
    };
    use proofhouse_manager::{adapters::clock::SystemClock, model::RunId, port::Clock};
    use std::{path::Path, sync::Arc};

    /// Plays the shipped admission suite with the embedded ranker.
    fn evaluator(folder: &Path) -> SuiteEvaluator {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/admission.yaml");
        let options = RunOptions {
            models: vec!["lexical".into()],
            trials: None,
            filter: String::new(),
            shard: Shard::WHOLE,
            seed: 0,
        };
        let conduct = Conduct {
            concurrency: 4,
            per_minute: None,
            patience: Patience::default(),
            trust: SuiteTrust::Inert,
        };
        let providers = ProviderSettings::new(Arc::new(|_| None), || chrono::DateTime::UNIX_EPOCH);
        let surroundings =
            Surroundings { clock: Arc::new(SystemClock), providers: &providers, failed: &BTreeSet::new() };
        let run = RunId::from_uuid(SystemClock.uuid());
        let prepared = Prepared::new(&path, run.clone(), &options, &conduct, &surroundings).unwrap();
        let folder = Home::in_folder(folder).create(&run).unwrap();
        folder.write("manifest.json", &serde_json::to_vec(prepared.manifest()).unwrap()).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(prepared.go(&folder, std::future::pending(), |_, _| {})).unwrap();
        SuiteEvaluator::read(Suite::load(&path).unwrap(), &folder).unwrap()
    }

    #[test]
    fn every_shipped_tool_is_measured_by_its_own_prompts_and_holds_the_floor() {
        let folder = tempfile::tempdir().unwrap();
        let evaluator = evaluator(folder.path());
        let tools = crate::run::Toolbox::of(&evaluator.suite).unwrap().registry;
        let mut missed = Vec::new();
        for tool in tools.tools() {
            let Evaluation { eval, passed, thresholds, .. } = evaluator.evaluate(tool).unwrap();
            assert!(eval.golden > 0 && eval.negative > 0 && !thresholds.is_empty(), "{}", tool.id());
            if !passed {
                missed.push(format!("{}: {}", tool.id(), thresholds.join("; ")));
            }
        }
        assert!(missed.is_empty(), "{}", missed.join("\n"));

        // Another contract of the same tool is not what was measured.
        let mut changed = tools.tools()[0].descriptor().clone();
        changed.description.summary.push_str(" And more.");
        let changed = RegisteredTool::new(changed).unwrap();
        assert!(evaluator.evaluate(&changed).unwrap_err().0.contains("another contract"));
        let mut unknown = tools.tools()[0].descriptor().clone();
        unknown.tool_id = "no.such".into();
        let unknown = RegisteredTool::new(unknown).unwrap();
        assert!(evaluator.evaluate(&unknown).unwrap_err().0.contains("does not offer"));
        // A threshold that is missed decides.
        let mut strict = evaluator;
        strict.suite.thresholds.view_recall = Some(1.0);
        let failed = tools.tools().iter().filter(|tool| !strict.evaluate(tool).unwrap().passed).count();
        assert!((1..40).contains(&failed), "{failed}");
    }

    #[test]
    fn a_script_measures_nothing() {
        assert!(refuse_script("script:perfect").unwrap_err().to_string().contains("hint"));
        assert!(refuse_script("lexical").is_ok());
    }
}
