//! `proofhouse tools eval`: how well tools are selected, as evidence for their registration.

use super::{
    Format,
    desk::{Place, contract, failed, line},
};
use crate::{
    cli::{
        CliError, Exit, cache_folder, environment,
        exit::{say, talk},
    },
    evaluate::{SuiteEvaluator, refuse_script},
    provider::{Patience, ProviderSettings},
    report,
    run::{Conduct, Ended, Home, Prepared, RunOptions, Shard, SuiteTrust, Surroundings},
    suite::Suite,
};
use proofhouse_manager::{
    adapters::clock::SystemClock,
    model::{RegistrationState, RunId},
    port::{Clock as _, Evaluation, Evaluator, EvaluatorError},
    registry::{
        RegisteredTool,
        ledger::{Ledger, Step},
    },
};
use serde_json::json;
use std::{
    cell::OnceCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

#[derive(Debug, clap::Args)]
pub(super) struct Eval {
    /// The tools' ids
    #[arg(required_unless_present = "all")]
    tools: Vec<String>,
    /// Every tool that waits for its evaluation
    #[arg(long, conflicts_with = "tools")]
    all: bool,
    #[command(flatten)]
    measure: Measure,
    #[command(flatten)]
    place: Place,
}

/// With what tools are measured.
#[derive(Debug, clap::Args)]
pub(super) struct Measure {
    /// The suite whose golden and negative prompts, and thresholds, decide
    #[arg(long, value_name = "SUITE", requires = "model")]
    suite: Option<PathBuf>,
    /// The model that answers them, such as `lexical` or PROVIDER:MODEL
    #[arg(short, long, value_name = "MODEL", requires = "suite")]
    model: Option<String>,
}

impl Measure {
    /// What measures, if both are given. The suite is run when the first tool gets so far, and once.
    pub(super) fn evaluator(&self) -> Result<Option<LazyEvaluator>, CliError> {
        let (Some(suite), Some(model)) = (&self.suite, &self.model) else { return Ok(None) };
        refuse_script(model).map_err(CliError::usage)?;
        let loaded = Suite::load(suite).map_err(CliError::usage)?;
        Ok(Some(LazyEvaluator {
            path: suite.clone(),
            suite: loaded,
            model: model.clone(),
            ran: OnceCell::new(),
        }))
    }
}

/// Runs a suite when the first tool asks.
pub(super) struct LazyEvaluator {
    path: PathBuf,
    suite: Suite,
    model: String,
    ran: OnceCell<Result<SuiteEvaluator, EvaluatorError>>,
}

impl Evaluator for LazyEvaluator {
    fn evaluate(&self, tool: &RegisteredTool) -> Result<Evaluation, EvaluatorError> {
        let ran = self.ran.get_or_init(|| self.run().map_err(EvaluatorError));
        ran.as_ref().map_err(Clone::clone)?.evaluate(tool)
    }
}

impl LazyEvaluator {
    /// Runs the suite as `proofhouse run` would, and keeps the run where it keeps them.
    fn run(&self) -> Result<SuiteEvaluator, String> {
        let run_id = RunId::from_uuid(SystemClock.uuid());
        let options = RunOptions {
            models: vec![self.model.clone()],
            trials: None,
            filter: String::new(),
            shard: Shard::WHOLE,
            seed: 0,
        };
        let conduct = Conduct {
            concurrency: 16,
            per_minute: None,
            patience: Patience::default(),
            trust: SuiteTrust::Inert,
        };
        let mut providers = ProviderSettings::new(environment(), || SystemClock.now());
        providers.cache = Some(cache_folder().join("responses"));
        let surroundings =
            Surroundings { clock: Arc::new(SystemClock), providers: &providers, failed: &BTreeSet::new() };
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let prepared = Prepared::new(&self.path, run_id.clone(), &options, &conduct, &surroundings)
            .map_err(|e| told(&e))?;
        let home = Home::in_folder(Path::new("."));
        let folder = home.create(&run_id).map_err(|e| told(&e))?;
        let manifest = serde_json::to_vec_pretty(prepared.manifest()).map_err(|e| told(&e))?;
        folder.write("manifest.json", &manifest).map_err(|e| told(&e))?;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|e| told(&e))?;
        let stop = async {
            // Without a signal handler nothing stops the run early, and that is all.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let ended = runtime.block_on(prepared.go(&folder, stop, |_, _| {})).map_err(|e| told(&e))?;
        if ended == Ended::Interrupted {
            return Err(format!(
                "the run was stopped\nhint: go on with `proofhouse run --resume {run_id}`, then evaluate again"
            ));
        }
        report::write_all(&folder).map_err(|e| told(&e))?;
        home.set_latest(&run_id).map_err(|e| told(&e))?;
        talk(&format!("evaluated with {}: {}", self.model, folder.file("report.html").display()));
        SuiteEvaluator::read(self.suite.clone(), &folder).map_err(|e| told(&e))
    }
}

pub(super) fn run(options: &Eval) -> Result<Exit, CliError> {
    let Some(evaluator) = options.measure.evaluator()? else {
        let hint = "name both, such as `--suite suites/admission.yaml --model lexical`";
        return Err(CliError::usage(format!("an evaluation needs a suite and a model\nhint: {hint}")));
    };
    let mut standings = Vec::new();
    options.place.change(Some(&evaluator), |admission| {
        let tools = if options.all { waiting(admission.ledger()) } else { options.tools.clone() };
        for tool in tools {
            let track = contract(admission.ledger(), &tool, None)?;
            let (tool, digest) = (track.tool().clone(), track.digest().clone());
            standings.push(admission.evaluate(&tool, &digest).map_err(failed)?);
        }
        Ok(())
    })?;
    let missed = standings.iter().any(|standing| standing.state == RegistrationState::EvalFailed);
    say(&match options.place.format {
        Format::Table => standings.iter().map(line).collect(),
        Format::Json => format!("{:#}\n", json!({ "format": 1, "tools": standings })),
    });
    Ok(if missed { Exit::Fails } else { Exit::Holds })
}

fn waiting(ledger: &Ledger) -> Vec<String> {
    let waits = ledger.tools().filter(|(_, record)| record.latest().is_some_and(|t| t.next() == Step::Eval));
    waits.map(|(id, _)| id.to_string()).collect()
}
