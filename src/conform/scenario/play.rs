//! Plays one scenario on one driver, and hands over what came of it.

use super::{
    Scenario, evidence,
    expand::{Ask, PERSON, Purpose, Step},
    secret,
    variables::Variables,
    world,
};
use crate::conform::{
    driver::{Driver, DriverError},
    invariants::forms_of_secret,
    protocol::{INITIALIZE, Initialized, JOURNAL, Journalled, Method, VERSION},
};
use aho_corasick::AhoCorasick;
use serde_json::{Value, json};
use std::{io, path::Path};

/// What came of a scenario.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) manager: Initialized,
    /// What a conforming manager would not have done, in sentences.
    pub(super) faults: Vec<String>,
    /// Answers that show a secret, in sentences.
    pub(super) exposed: Vec<String>,
    /// Why it did not come to its end.
    pub(super) stopped: Option<Stopped>,
    pub(super) journal: Option<Journalled>,
    pub(super) shown: evidence::Shown,
    /// The secrets that were planted.
    pub(super) secrets: Vec<String>,
}

/// Why a scenario did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The manager has no such method.
    NoMethod(String),
    /// Something on the way to the point was refused, or not said.
    Before(String),
}

/// Why a scenario could not be played.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The driver failed.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The workspace cannot be made.
    #[error("the workspace of the scenario cannot be written: {0}")]
    Workspace(#[from] io::Error),
    /// A pattern of the suite is none.
    #[error("the scenario itself is wrong: {0}")]
    Scenario(String),
}

/// Plays a scenario in a workspace.
///
/// # Errors
/// [`PlayError`] if it cannot be played; nothing is decided then.
pub(super) fn play(
    scenario: &Scenario,
    driver: &mut dyn Driver,
    workspace: &Path,
) -> Result<Played, PlayError> {
    world::furnish(workspace, &scenario.files)?;
    let manager = initialize(scenario, driver, workspace)?;
    let mut stage = Stage::new(driver, &manager.capabilities, workspace);
    let mut stopped = None;
    for step in &scenario.steps {
        stopped = stage.step(step)?;
        if stopped.is_some() {
            break;
        }
    }
    let journal = stage.journal()?;
    let Stage { mut faults, exposed, variables, secrets, lacking, .. } = stage;
    stopped = stopped.or(lacking.map(Stopped::NoMethod));
    faults.extend(world::faults(workspace, &scenario.files, &scenario.world));
    let events = journal.as_ref().map_or(&[][..], |journal| journal.events.as_slice());
    let shown = evidence::look(&scenario.journal, &variables, events).map_err(PlayError::Scenario)?;
    if journal.is_none() {
        stopped.get_or_insert(Stopped::NoMethod(JOURNAL.to_owned()));
    }
    Ok(Played { manager, faults, exposed, stopped, journal, shown, secrets })
}

fn initialize(
    scenario: &Scenario,
    driver: &mut dyn Driver,
    workspace: &Path,
) -> Result<Initialized, PlayError> {
    let mut params = json!({
        "protocolVersion": VERSION, "workspace": workspace, "principal": PERSON, "approvers": [PERSON],
    });
    if let Some(scopes) = &scenario.scopes {
        params["scopes"] = json!(scopes);
    }
    let answer = driver.call(INITIALIZE, params)?;
    let manager: Initialized = serde_json::from_value(answer)
        .map_err(|e| DriverError::Garbage { method: INITIALIZE.to_owned(), what: e.to_string() })?;
    if manager.protocol_version != VERSION {
        return Err(DriverError::Version { theirs: manager.protocol_version }.into());
    }
    Ok(manager)
}

struct Stage<'a> {
    driver: &'a mut dyn Driver,
    capabilities: &'a [String],
    workspace: &'a Path,
    variables: Variables,
    faults: Vec<String>,
    exposed: Vec<String>,
    secrets: Vec<String>,
    /// A method that was to be tried and is not there; what follows can be tried all the same.
    lacking: Option<String>,
    search: AhoCorasick,
}

impl<'a> Stage<'a> {
    fn new(driver: &'a mut dyn Driver, capabilities: &'a [String], workspace: &'a Path) -> Self {
        let search = AhoCorasick::new(forms_of_secret(secret::VALUE))
            .expect("INVARIANT: a handful of short texts can be searched for");
        let mut variables = Variables::default();
        variables.remember("secret", &json!({ "name": secret::NAME, "value": secret::VALUE }));
        Self {
            driver,
            capabilities,
            workspace,
            variables,
            faults: Vec::new(),
            exposed: Vec::new(),
            secrets: Vec::new(),
            lacking: None,
            search,
        }
    }

    fn step(&mut self, step: &Step) -> Result<Option<Stopped>, PlayError> {
        match step {
            Step::Write(files) => {
                world::write(self.workspace, files)?;
                Ok(None)
            }
            Step::Ask(ask) => self.ask(ask),
        }
    }

    fn ask(&mut self, ask: &Ask) -> Result<Option<Stopped>, PlayError> {
        let method = ask.method;
        if let Purpose::Question(call) = &ask.purpose
            && self.variables.get(&format!("{call}.decision")).is_none_or(|decision| decision != "ask")
        {
            return Ok(None);
        }
        let params = match (self.variables.fill(&ask.params), &ask.purpose) {
            (Ok(params), _) => params.unwrap_or_default(),
            // What was refused before cannot even be tried: the journal has to show it.
            (Err(_), Purpose::Look | Purpose::Attempt { .. }) => return Ok(None),
            (Err(name), Purpose::Setup | Purpose::Question(_)) => {
                let why = format!("`{method}` needs `{name}`, and no answer has given it");
                return Ok(Some(Stopped::Before(why)));
            }
        };
        let Some(answer) = self.call(method, params)? else {
            let lacking = method.to_owned();
            return Ok(match &ask.purpose {
                Purpose::Setup | Purpose::Question(_) => Some(Stopped::NoMethod(lacking)),
                Purpose::Attempt { .. } | Purpose::Look => {
                    self.lacking.get_or_insert(lacking);
                    None
                }
            });
        };
        if method == "seedSecret" {
            self.secrets.push(secret::VALUE.to_owned());
        }
        self.look_for_secrets(method, &answer);
        if let Some(name) = &ask.name {
            self.variables.remember(name, &answer);
        }
        match &ask.purpose {
            Purpose::Look => Ok(None),
            Purpose::Setup | Purpose::Question(_) => Ok(refusal(method, &answer).map(Stopped::Before)),
            Purpose::Attempt { expect, fault } => {
                // A name that nothing has a value for is equal to no answer.
                let expect = self.variables.fill(expect).ok().flatten().unwrap_or_else(|| expect.clone());
                let pattern = evidence::pattern(&expect).map_err(PlayError::Scenario)?;
                if !answer.as_object().is_some_and(|fields| pattern.accepts(fields, None)) {
                    self.faults.push(fault.clone());
                }
                Ok(None)
            }
        }
    }

    /// Asks, and holds the answer against the protocol. Nothing where the manager has no such method.
    fn call(&mut self, method: &str, params: Value) -> Result<Option<Value>, DriverError> {
        if !self.capabilities.iter().any(|known| known == method) {
            return Ok(None);
        }
        let answer = match self.driver.call(method, params) {
            Err(DriverError::NoMethod { .. }) => return Ok(None),
            answer => answer?,
        };
        let garbage = |what: String| DriverError::Garbage { method: method.to_owned(), what };
        Method::named(method).map_or(Ok(()), |m| m.check_answer(&answer)).map_err(garbage)?;
        Ok(Some(answer))
    }

    fn journal(&mut self) -> Result<Option<Journalled>, DriverError> {
        let Some(answer) = self.call(JOURNAL, json!({ "final": true }))? else { return Ok(None) };
        let journal: Journalled = serde_json::from_value(answer)
            .map_err(|e| DriverError::Garbage { method: JOURNAL.to_owned(), what: e.to_string() })?;
        Ok(Some(journal))
    }

    /// Whatever the manager answers goes to a model, or may.
    fn look_for_secrets(&mut self, method: &str, answer: &Value) {
        if !self.secrets.is_empty() && holds(&self.search, answer) {
            self.exposed.push(format!("the answer to `{method}` shows the secret that was planted"));
        }
    }
}

fn holds(search: &AhoCorasick, value: &Value) -> bool {
    match value {
        Value::String(text) => search.is_match(text),
        Value::Array(items) => items.iter().any(|item| holds(search, item)),
        Value::Object(fields) => fields.values().any(|field| holds(search, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Why a step on the way was not done.
fn refusal(method: &str, answer: &Value) -> Option<String> {
    if answer["status"] == "ok" {
        return None;
    }
    let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    Some(format!("`{method}` was refused on the way there, {}: {}", text("code"), text("message")))
}
