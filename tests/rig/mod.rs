//! Sessions over our own manager, with a clock, identifiers and a world that are always the same: what a session
//! leaves in its journals is the same, byte for byte, wherever and whenever it is played.
//!
//! The manager is the real one, with its registry, policies, grants, approvals, artifacts and journals in files.
//! Only what it touches is made up: what tools answer, what people say, what time it is.

mod scenes;
mod tools;
mod world;

pub(crate) use scenes::SCENES;

use chrono::TimeDelta;
use proofhouse_manager::{
    adapters::home::Home,
    event::{Fact, GrantReach},
    manager::{HomeManager, HomeOptions, RegisterOptions, StatedIntent, ToolManager as _, Verdict},
    model::{
        EnablementScope, GrantId, Principal, ProposedArgs, ProposedBy, ProposedCall, ToolDescriptor,
        TrustLevel,
    },
    stage::Outcome,
};
use serde_json::Value;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};
use tempfile::TempDir;
use world::{Clockwork, Grace, Scripted, Suite};

/// The secret that is planted in arguments and outputs, and must be found nowhere.
pub(crate) const CANARY: &str = "canary-7f3a9c1e5b";

/// A session that always goes the same way.
pub(crate) struct Scene {
    /// Its name.
    pub(crate) name: &'static str,
    play: fn(&mut Rig),
}

/// What a session has left.
pub(crate) struct Played {
    /// The registry's journal and the run's.
    pub(crate) journals: Vec<PathBuf>,
    /// Where outputs are kept.
    pub(crate) artifacts: PathBuf,
    _folder: TempDir,
}

impl Scene {
    /// Plays it in a home of its own.
    pub(crate) fn play(&self) -> Played {
        let mut rig = Rig::open();
        (self.play)(&mut rig);
        let Rig { manager, folder, .. } = rig;
        manager.close().unwrap();
        let home = folder.path().join("agent");
        let runs = std::fs::read_dir(home.join("tool-runs")).unwrap().map(|e| e.unwrap().path());
        let run = runs.filter(|p| p.extension().is_some_and(|e| e == "jsonl"));
        let journals = [home.join("tools/registry.jsonl")].into_iter().chain(run).collect();
        Played { journals, artifacts: home.join("artifacts"), _folder: folder }
    }
}

/// A manager over a fresh home, and those around it.
pub(crate) struct Rig {
    manager: HomeManager,
    clock: Arc<Clockwork>,
    grace: Arc<Mutex<Grace>>,
    folder: TempDir,
}

const SCOPES: [&str; 4] = ["workspace:read", "workspace:write", "db:admin", "tickets:read"];

/// What a policy of the house's own denies.
const OWN_POLICY: &str = r#"@id("no-secrets")
@reason("files of secrets are for nobody")
forbid (principal, action == Action::"call:notes.read", resource) when { context.args.path == ".env" };
"#;

impl Rig {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("agent");
        let home = Home::open(&root).unwrap();
        std::fs::write(root.join("approvals/approvers.json"), r#"{"mayApprove":["user:grace"]}"#).unwrap();
        let (clock, grace) = (Arc::new(Clockwork::default()), Arc::new(Mutex::new(Grace::default())));
        let scopes = SCOPES.map(ToOwned::to_owned).into();
        let options = HomeOptions {
            principal: Some(Principal { id: "user:ada".into(), scopes }),
            adapters: ["builtin", "cli", "http", "mcp-stdio", "skill-script"]
                .map(|word| Arc::new(Scripted(word)) as Arc<_>)
                .into(),
            approver: Arc::new(world::Asked { grace: Arc::clone(&grace), clock: Arc::clone(&clock) }),
            clock: Arc::clone(&clock) as Arc<_>,
            ..HomeOptions::new("/workspace/shop")
        };
        let manager = HomeManager::open(home, options).unwrap();
        Self { manager, clock, grace, folder }
    }

    /// Adds the house's own policy, before the tool that it names is installed.
    fn forbid_secrets(&mut self) {
        std::fs::write(self.folder.path().join("agent/policies/own.cedar"), OWN_POLICY).unwrap();
    }

    /// Registers a tool as far as it gets with this evaluation.
    fn register(&mut self, tool: ToolDescriptor, suite: &Suite) {
        let source = tool.source.source_id.clone();
        let options =
            RegisterOptions { source: &source, trust: TrustLevel::FirstParty, evaluator: Some(suite) };
        self.manager.register(tool, &options).unwrap();
    }

    /// Enables a tool for Ada; whether it worked.
    fn enable(&mut self, tool: &str) -> bool {
        let scope = EnablementScope::Principal { principal: "user:ada".into() };
        self.manager.enable(&tool.into(), scope).is_ok()
    }

    /// Registers and enables tools.
    fn install(&mut self, tools: impl IntoIterator<Item = ToolDescriptor>) {
        for tool in tools {
            let id = tool.tool_id.clone();
            self.register(tool, &Suite::default());
            assert!(self.enable(&id), "{id}: {:?}", self.manager.tools().refused);
        }
    }

    /// Opens a turn in which everything that Ada may use is shown.
    fn turn(&mut self, prompt: &str) {
        let open = StatedIntent { action_types: Vec::new(), target: None };
        let intent = self.manager.stated_intent(prompt, &open);
        let resolved = self.manager.resolve(intent).unwrap();
        self.manager.compile_view(resolved).unwrap();
    }

    /// How Grace answers from here on.
    fn grace(&mut self, change: impl FnOnce(&mut Grace)) {
        change(&mut self.grace.lock().unwrap());
    }

    /// Loads a skill's instructions.
    fn observe(&mut self, fact: impl Into<Fact>) {
        self.manager.observe(fact.into()).unwrap();
    }

    /// Takes back what Grace granted last.
    fn revoke(&mut self) {
        let grant = self.grace.lock().unwrap().granted.take();
        self.manager.revoke(&grant.unwrap_or_else(|| GrantId::new("gr_none"))).unwrap();
    }

    /// Takes a call as far as it gets; `late` passes between the approval and the run.
    fn call_late(&mut self, tool: &str, args: Value, late: TimeDelta) {
        let proposed = ProposedCall {
            tool: tool.into(),
            args: ProposedArgs::from_value(args),
            proposed_by: ProposedBy::Model,
        };
        let (_, Outcome::Next(valid)) = self.manager.validate_args(proposed).unwrap() else { return };
        let authorized = match self.manager.authorize(valid).unwrap() {
            Verdict::Allowed(authorized) => authorized,
            Verdict::Stopped(_) => return,
            Verdict::Asked(pending) => match self.manager.approve(pending).unwrap() {
                Verdict::Allowed(authorized) => authorized,
                Verdict::Asked(_) | Verdict::Stopped(_) => return,
            },
        };
        self.grace.lock().unwrap().granted = authorized.grant_id().cloned();
        self.clock.pass(late);
        let Outcome::Next(prepared) = self.manager.prepare_runtime(authorized).unwrap() else { return };
        let Outcome::Next(executed) = self.manager.execute(prepared).unwrap() else { return };
        self.manager.verify(executed).unwrap();
    }

    fn call(&mut self, tool: &str, args: Value) {
        self.call_late(tool, args, TimeDelta::zero());
    }
}

/// What Grace grants: this once, or for the session.
const ONCE: GrantReach = GrantReach::Once;
