//! From a suite file and options to a run that is ready to go.

use super::{
    Ended, Filter, FilterError, Manifest, ModelHead, Offers, Plan, RunFolder, RunOptions, RunnerError,
    SuiteHead, ToolHead, Toolbox, ToolsError, TrialEnd, TrialKey, TrialRecord, ViewHead,
    runner::Run,
    trial::{Bench, Model},
};
use crate::{
    provider::{self, Limiter, ModelError, Patience, PerfectAnswers, ProviderSettings},
    suite::{Select, Suite},
};
use proofhouse_manager::{
    document::Diagnostics,
    event::{Fact, Fresh, Scope},
    manager::{Manager, Session},
    model::{EffectLevel, EventId, Principal, RunId, SessionId, ToolBudget, ToolId},
    policy::{Actor, PolicyEngine, PolicyLoadError},
    port::Clock,
    registry::Registry,
    resolve::{Environment, Selection, payload::Dialect},
    text::shorten,
};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, BTreeSet},
    num::{NonZeroU32, NonZeroUsize},
    path::Path,
    sync::Arc,
};

/// How a run is carried out, as far as it changes nothing of what is asked.
#[derive(Debug, Clone)]
pub struct Conduct {
    /// Trials at a time.
    pub concurrency: usize,
    /// Requests a minute and model.
    pub per_minute: Option<NonZeroU32>,
    /// How long and how often a model is asked.
    pub patience: Patience,
    /// Whether the suite itself may name programs to run and servers to send to.
    pub trust: SuiteTrust,
}

/// How far a suite file is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteTrust {
    /// It may name models that stay on this machine or are the providers' own.
    Inert,
    /// It may also name programs to run and servers to send prompts and keys to.
    Full,
}

/// What a run takes from its surroundings.
pub struct Surroundings<'a> {
    /// Time and identity.
    pub clock: Arc<dyn Clock>,
    /// Keys, recordings and cache of the models.
    pub providers: &'a ProviderSettings,
    /// Ids of the cases that did not pass in the latest run of the same suite.
    pub failed: &'a BTreeSet<String>,
}

/// A run that is ready to go.
pub struct Prepared {
    pub(super) run: Arc<Run>,
    pub(super) preamble: Vec<Fresh>,
    manifest: Manifest,
    notes: Vec<String>,
}

/// A run that cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The suite or its cases have mistakes.
    #[error("{0}")]
    Suite(Diagnostics),
    /// The tools cannot be loaded.
    #[error(transparent)]
    Tools(#[from] ToolsError),
    /// A model cannot be opened.
    #[error("model `{spec}`: {error}")]
    Model {
        /// As it was written.
        spec: String,
        /// What is wrong.
        error: ModelError,
    },
    /// The suite names a model that reaches out, and nobody has agreed to that.
    #[error(
        "the suite names the model `{spec}`: {what}\nhint: if you want that, name it yourself with `--model '{spec}'`, or pass `--trust-suite`"
    )]
    Consent {
        /// As it is written.
        spec: String,
        /// What it would do.
        what: String,
    },
    /// Two models have one name.
    #[error(
        "two models are called `{0}`, and a report could not tell them apart\nhint: leave one out, or rename a script"
    )]
    SameName(String),
    /// The suite names no model, and neither does the command line.
    #[error("no model is named\nhint: add `models: [lexical]` to the suite, or pass `--model lexical`")]
    NoModel,
    /// The filter cannot be read.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The policies cannot be used.
    #[error(transparent)]
    Policy(#[from] PolicyLoadError),
}

impl Prepared {
    /// Loads a suite with everything that it names, and plans the run.
    ///
    /// # Errors
    /// [`SetupError`] for whatever cannot be used; mistakes in files are told all together.
    pub fn new(
        path: &Path,
        run_id: RunId,
        options: &RunOptions,
        conduct: &Conduct,
        surroundings: &Surroundings<'_>,
    ) -> Result<Self, SetupError> {
        let mut suite = Suite::load(path).map_err(SetupError::Suite)?;
        if let Some(trials) = options.trials {
            suite.trials = trials;
        }
        if !options.models.is_empty() {
            suite.models.clone_from(&options.models);
        }
        let toolbox = Toolbox::of(&suite)?;
        let mistakes = check_tools(&suite, &toolbox.registry);
        if !mistakes.is_empty() {
            return Err(SetupError::Suite(mistakes));
        }
        let filter = Filter::parse(&options.filter)?;
        let cases: Vec<usize> =
            (0..suite.cases.len()).filter(|i| filter.admits(&suite.cases[*i], surroundings.failed)).collect();
        let suite = Arc::new(suite);
        // Whoever names a model on the command line agrees to what it does.
        let agreed = if options.models.is_empty() { conduct.trust } else { SuiteTrust::Full };
        let (models, heads, notes) =
            open_models(&suite, &cases, &toolbox.registry, (conduct, agreed), surroundings)?;
        let names = heads.iter().map(|h| h.name.clone()).collect();
        let plan = Plan::new(Arc::clone(&suite), names, cases.clone(), options.shard);

        let clock = Arc::clone(&surroundings.clock);
        let manager = Manager::new(toolbox.registry, PolicyEngine::standard()?, Arc::clone(&clock));
        let manifest = Manifest {
            format: 1,
            run_id: run_id.clone(),
            proofhouse: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: clock.now(),
            suite: SuiteHead {
                name: suite.name.clone(),
                path: path.display().to_string(),
                digest: suite.digest.clone(),
                cases: suite.cases.len(),
                trials: suite.trials,
            },
            models: heads,
            options: options.clone(),
            failed_before: match filter.needs_failed() {
                true => surroundings.failed.iter().cloned().collect(),
                false => Vec::new(),
            },
            planned: plan.len(),
            principal: suite.principal.id.clone(),
            view: ViewHead {
                max_tools: suite.view.max_tools,
                max_tokens: suite.view.max_tokens,
                select: suite.view.select,
            },
            thresholds: suite.thresholds.clone(),
            policy_set: manager.policy_set(),
            tools: tool_heads(manager.registry(), &toolbox.distractors),
            rejected: toolbox.rejected,
        };
        let scope = Scope { session_id: SessionId::new("suite"), run_id: run_id.clone(), call_id: None };
        let preamble = preamble(toolbox.facts, &scope, clock.as_ref());
        let offers = Offers::draw(&suite, &cases, manager.index(), &toolbox.distractors, options.seed);
        let session = session(&suite, manager.registry(), scope);
        let bench = Bench { manager, clock, session, models, patience: conduct.patience.clone() };
        let run = Run { bench, plan, offers, run_id, concurrency: conduct.concurrency };
        Ok(Self { run: Arc::new(run), preamble, manifest, notes })
    }

    /// What the run is.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What will be asked.
    pub fn plan(&self) -> &Plan {
        &self.run.plan
    }

    /// Plays every trial that the folder does not hold yet. `stop` ends the run early; `progress` is told of
    /// every finished trial, from the writer's thread.
    ///
    /// # Errors
    /// [`RunnerError`] if the folder cannot be written. What was done is kept.
    pub async fn go(
        &self,
        folder: &RunFolder,
        stop: impl Future<Output = ()>,
        progress: impl FnMut(&TrialKey, TrialEnd) + Send + 'static,
    ) -> Result<Ended, RunnerError> {
        self.run.go(folder, &self.preamble, stop, progress).await
    }

    /// Plays one trial of the plan by itself; nothing is written.
    pub async fn play(&self, number: usize) -> Option<(TrialRecord, Vec<Fresh>)> {
        let Run { plan, bench, offers, .. } = self.run.as_ref();
        let planned = plan.get(number)?;
        let offered = offers.of(planned.case, planned.distractors);
        let played = bench.play(planned.model, plan.case(&planned), plan.key(&planned), offered).await;
        Some((played.record, played.events))
    }

    /// Roughly what each model would read, in tokens: prompts, and the tools of a view that is full.
    pub fn estimated_tokens(&self) -> Vec<u64> {
        let mut weights: Vec<u64> = self.manifest.tools.iter().map(|t| t.tokens).collect();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        let most = weights.len().min(self.manifest.view.max_tools).max(1) as u64;
        let mean = weights.iter().sum::<u64>() / weights.len().max(1) as u64;
        let plan = &self.run.plan;
        let mut totals = vec![0; self.manifest.models.len()];
        for planned in (0..plan.len()).filter_map(|n| plan.get(n)) {
            let turns = &plan.case(&planned).turns;
            let prompts: u64 = turns.iter().map(|t| t.prompt.len() as u64 / 4).sum();
            totals[planned.model] += prompts + turns.len() as u64 * most * mean;
        }
        totals
    }

    /// What people should know before they trust the answers.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Holds the cases of a suite against the tools that they are offered.
pub fn check_tools(suite: &Suite, registry: &Registry) -> Diagnostics {
    let ids: Vec<ToolId> = registry.tools().iter().map(|t| t.id().clone()).collect();
    let schema_of = |tool: &ToolId| registry.get(tool).map(|t| t.input_schema());
    suite.check_tools(&schema_of, &ids)
}

type Opened = (Vec<Model>, Vec<ModelHead>, Vec<String>);

fn open_models(
    suite: &Suite,
    cases: &[usize],
    registry: &Registry,
    (conduct, agreed): (&Conduct, SuiteTrust),
    surroundings: &Surroundings<'_>,
) -> Result<Opened, SetupError> {
    if suite.models.is_empty() {
        return Err(SetupError::NoModel);
    }
    let settings = ProviderSettings {
        perfect: Some(perfect_answers(suite, registry)),
        timeout: conduct.patience.timeout,
        ..surroundings.providers.clone()
    };
    let case_ids: Vec<&str> = cases.iter().map(|i| suite.cases[*i].id.as_str()).collect();
    let (mut models, mut heads, mut notes) = (Vec::new(), Vec::<ModelHead>::new(), Vec::new());
    for spec in &suite.models {
        let reaches_out = provider::reaches_out(spec).filter(|_| agreed == SuiteTrust::Inert);
        if let Some(what) = reaches_out {
            return Err(SetupError::Consent { spec: spec.clone(), what });
        }
        let provider = provider::open(spec, &settings)
            .map_err(|error| SetupError::Model { spec: spec.clone(), error })?;
        let name = provider.name().to_owned();
        if heads.iter().any(|h| h.name == name) {
            return Err(SetupError::SameName(name));
        }
        notes.extend(provider.notes(&case_ids).into_iter().map(|note| format!("{name}: {note}")));
        let downgrades = provider::dialect_of(spec).map(|d| downgrades(d, registry)).unwrap_or_default();
        notes.extend(downgrade_note(&name, &downgrades));
        let label = provider.label().to_owned();
        heads.push(ModelHead { spec: spec.clone(), name, label, downgrades });
        let limiter = Limiter::new(NonZeroUsize::new(conduct.concurrency), conduct.per_minute);
        models.push(Model { provider, limiter });
    }
    Ok((models, heads, notes))
}

/// How many tools a provider's form says less about, by kind of downgrade.
fn downgrades(dialect: Dialect, registry: &Registry) -> BTreeMap<String, usize> {
    let ids: Vec<ToolId> = registry.tools().iter().map(|t| t.id().clone()).collect();
    let names = dialect.names(&ids);
    let mut counts = BTreeMap::new();
    for tool in registry.tools() {
        let compiled = dialect.tool(tool, names.wire(tool.id()).unwrap_or(tool.id()));
        let codes: BTreeSet<&str> = compiled.downgrades.iter().map(|d| d.code.as_str()).collect();
        for code in codes {
            *counts.entry(code.to_owned()).or_default() += 1;
        }
    }
    counts
}

fn downgrade_note(model: &str, downgrades: &BTreeMap<String, usize>) -> Option<String> {
    let told: Vec<String> =
        downgrades.iter().map(|(code, tools)| format!("{code} on {tools} tools")).collect();
    (!told.is_empty())
        .then(|| format!("{model} is told less than the tools say: {}; see `tools show`", told.join(", ")))
}

/// Calls that a flawless model makes.
type Calls = Vec<(ToolId, Map<String, Value>)>;

/// What a flawless model answers: the case's example for the first expected call, and for every other one
/// arguments that satisfy its pattern.
fn perfect_answers(suite: &Suite, registry: &Registry) -> PerfectAnswers {
    let mut answers: BTreeMap<(String, usize), Option<Calls>> = BTreeMap::new();
    for case in &suite.cases {
        for (index, turn) in case.turns.iter().enumerate() {
            let alternative = turn.expect.iter().find(|a| !a.is_empty()).or(turn.expect.first());
            let calls = alternative.map_or(&[][..], Vec::as_slice);
            let answer = calls.iter().enumerate().map(|(number, call)| {
                let args = match (&turn.example, number) {
                    (Some(example), 0) => Some(example.clone()),
                    _ => call.args.witness(registry.get(&call.tool).map(|t| t.input_schema())),
                };
                args.map(|args| (call.tool.clone(), args))
            });
            answers.insert((case.id.clone(), index), answer.collect());
        }
    }
    Arc::new(move |case, turn| answers.get(&(case.to_owned(), turn)).cloned().flatten())
}

fn session(suite: &Suite, registry: &Registry, scope: Scope) -> Session {
    let asked_for =
        || registry.tools().iter().flat_map(|t| t.descriptor().permissions.required_scopes.iter().cloned());
    let scopes = match &suite.principal.scopes {
        Some(scopes) => scopes.iter().cloned().collect(),
        // Nobody said what the principal holds, so nothing that a suite measures may hang on it.
        None => asked_for().collect(),
    };
    Session {
        scope,
        actor: Arc::new(Actor::new(Principal { id: suite.principal.id.as_str().into(), scopes })),
        scene: Arc::default(),
        budget: ToolBudget { max_tools_visible: suite.view.max_tools, max_tokens: suite.view.max_tokens },
        selection: match suite.view.select {
            Select::Ranked => Selection::Ranked,
            Select::All => Selection::All,
        },
        max_level: EffectLevel::DestructiveOrAdmin,
        environment: Arc::new(Environment::default()),
        tenant: None,
        memory: Default::default(),
    }
}

fn tool_heads(registry: &Registry, distractors: &BTreeSet<ToolId>) -> Vec<ToolHead> {
    let mut heads: Vec<ToolHead> = registry
        .tools()
        .iter()
        .map(|tool| ToolHead {
            id: tool.id().clone(),
            version: tool.version().clone(),
            digest: tool.digest().clone(),
            level: tool.level(),
            tokens: tool.tokens(),
            summary: first_line(&tool.descriptor().description.summary),
            inferred: !tool.descriptor().provenance.inferred.is_empty(),
            distractor: distractors.contains(tool.id()),
        })
        .collect();
    heads.sort_by(|a, b| a.id.cmp(&b.id));
    heads
}

fn first_line(summary: &str) -> String {
    const MAX: usize = 160;
    let line = summary.trim().lines().next().unwrap_or_default();
    shorten(line, MAX).into_owned()
}

fn preamble(facts: Vec<Fact>, scope: &Scope, clock: &dyn Clock) -> Vec<Fresh> {
    let fresh = |fact| Fresh {
        event_id: EventId::from_uuid(clock.uuid()),
        ts: clock.now(),
        scope: scope.clone(),
        parent: None,
        fact,
    };
    facts.into_iter().map(fresh).collect()
}
