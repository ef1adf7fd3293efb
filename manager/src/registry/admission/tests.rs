use super::*;
use crate::{
    adapters::clock::SystemClock,
    event::fact::{HealthStatus, LintFinding},
    model::{
        EnablementScope, EvalScores, LintCode, LintStage, SessionId, Severity, ToolEval, testing::descriptor,
    },
    port::{Evaluation, Health},
    registry::ledger::Asker,
};
use std::{cell::RefCell, collections::BTreeMap};

/// Contracts in memory.
#[derive(Default)]
struct Shelf(RefCell<BTreeMap<Digest, ToolDescriptor>>);

impl DescriptorStore for Shelf {
    fn put(&self, digest: &Digest, tool: &ToolDescriptor) -> Result<(), DescriptorError> {
        self.0.borrow_mut().insert(digest.clone(), tool.clone());
        Ok(())
    }

    fn get(&self, digest: &Digest) -> Result<ToolDescriptor, DescriptorError> {
        let missing = || DescriptorError { digest: digest.clone(), reason: "missing".into() };
        self.0.borrow().get(digest).cloned().ok_or_else(missing)
    }
}

/// Finds an error in the stages it is told to.
#[derive(Default)]
struct Finds(Vec<LintStage>);

impl Linter for Finds {
    fn lint(&self, _: &ToolDescriptor, stage: LintStage) -> Vec<LintFinding> {
        let error = LintFinding {
            code: LintCode::new("bad"),
            severity: Severity::Error,
            pointer: String::new(),
            message: String::new(),
        };
        if self.0.contains(&stage) { vec![error] } else { Vec::new() }
    }
}

struct Healthy(HealthStatus);

impl HealthCheck for Healthy {
    fn check(&self, _: &ToolDescriptor) -> Health {
        Health { status: self.0, reason: "looked".into() }
    }
}

struct Scores(bool);

impl Evaluator for Scores {
    fn evaluate(&self, tool: &RegisteredTool) -> Result<Evaluation, EvaluatorError> {
        let eval = ToolEval {
            tool_id: tool.id().clone(),
            tool_version: tool.version().clone(),
            descriptor_digest: tool.digest().clone(),
            suite: "suite".into(),
            suite_digest: Digest::zero(),
            golden: 2,
            negative: 2,
            scores: EvalScores::default(),
        };
        Ok(Evaluation { eval, passed: self.0, thresholds: vec!["recall".into()], model: "m".into() })
    }
}

/// A journal in memory that stops taking events after some number.
#[derive(Default)]
struct Log {
    events: Vec<(EventId, Fact)>,
    room: Option<usize>,
}

impl EventSink for Log {
    fn append(&mut self, _: &Scope, _: Option<&EventId>, fact: Fact) -> Result<EventId, JournalError> {
        if self.room == Some(0) {
            return Err(JournalError("no space left".into()));
        }
        self.room = self.room.map(|room| room - 1);
        let id = EventId::new(format!("ev_{}", self.events.len()));
        self.events.push((id.clone(), fact));
        Ok(id)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        Ok(())
    }
}

impl Log {
    fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::default();
        for (event, fact) in &self.events {
            ledger.take(event, chrono::DateTime::UNIX_EPOCH, fact);
        }
        ledger
    }

    fn kinds(&self) -> Vec<&str> {
        self.events.iter().map(|(_, fact)| fact.kind()).collect()
    }
}

/// A world in which everything goes well, unless a test says otherwise.
struct World {
    shelf: Shelf,
    linter: Finds,
    health: Healthy,
    scores: Option<Scores>,
    log: Log,
}

impl World {
    fn new() -> Self {
        Self {
            shelf: Shelf::default(),
            linter: Finds::default(),
            health: Healthy(HealthStatus::Passed),
            scores: Some(Scores(true)),
            log: Log::default(),
        }
    }

    /// Does something to the registry as the journal leaves it.
    fn with<T>(&mut self, by: &str, act: impl FnOnce(&mut Admission<'_>) -> T) -> T {
        let ports = Ports {
            store: &self.shelf,
            linter: &self.linter,
            health: &self.health,
            evaluator: self.scores.as_ref().map(|scores| scores as &dyn Evaluator),
            clock: &SystemClock,
        };
        let ledger = self.log.ledger();
        act(&mut Admission::new(ledger, &mut self.log, ports, by.into()))
    }

    fn register(&mut self, found: &Found) -> Result<Standing, AdmissionError> {
        self.with("user:ann", |admission| admission.register(found))
    }

    fn is_callable(&self, found: &Found) -> bool {
        let (principal, session): (PrincipalId, SessionId) = ("user:dev".into(), "s".into());
        let asker = Asker { principal: &principal, session: &session, now: chrono::DateTime::UNIX_EPOCH };
        let tool = &found.descriptor;
        self.log.ledger().callable(&tool.tool_id, &tool.version, &tool.digest(), asker).is_ok()
    }
}

fn found(descriptor: ToolDescriptor, trust: TrustLevel) -> Found {
    let definition =
        Digest::of_bytes(crate::model::Domain::Definition, descriptor.digest().as_str().as_bytes());
    Found { descriptor, definition, source: "tools/".into(), trust }
}

fn first_party() -> Found {
    found(descriptor("file.read"), TrustLevel::FirstParty)
}

fn served(summary: &str) -> Found {
    let mut tool = descriptor("srv.read");
    tool.source.kind = crate::model::SourceType::Mcp;
    tool.source.server_id = Some("srv".into());
    tool.description.summary = summary.into();
    tool.version = format!("0.0.0+{}", summary.len()).into();
    tool.provenance.inferred = vec!["/version".into()];
    found(tool, TrustLevel::ThirdParty)
}

const WHOLE_WALK: [&str; 12] = [
    "ToolDiscovered",
    "ToolParsed",
    "ToolNormalized",
    "ToolLinted",
    "ToolLinted",
    "ToolLinted",
    "ToolLinted",
    "ToolLinted",
    "ToolSecurityReviewed",
    "ToolHealthChecked",
    "EvalCompleted",
    "ToolVerified",
];

fn enable(world: &mut World, found: &Found, scope: EnablementScope) -> Result<Standing, AdmissionError> {
    let (tool, digest) = (found.descriptor.tool_id.clone(), found.descriptor.digest());
    world.with("user:ann", |admission| admission.enable(&tool, &digest, scope))
}

#[test]
fn a_tool_walks_every_step_and_is_callable_once_somebody_enables_it() {
    let mut world = World::new();
    let found = first_party();
    let standing = world.register(&found).unwrap();
    assert_eq!((standing.state, standing.next), (RegistrationState::Verified, Some(Step::Enabled)));
    assert_eq!(world.log.kinds(), WHOLE_WALK);
    assert!(!world.is_callable(&found));
    enable(&mut world, &found, EnablementScope::Everyone).unwrap();
    assert!(world.is_callable(&found));
    let owner = world.log.ledger().get("file.read").unwrap().latest().unwrap().owner().cloned();
    assert_eq!(owner, Some("user:ann".into()));
}

#[test]
fn registering_or_enabling_the_same_again_leaves_nothing() {
    let mut world = World::new();
    let found = first_party();
    world.register(&found).unwrap();
    enable(&mut world, &found, EnablementScope::Everyone).unwrap();
    let before = world.log.events.len();
    world.register(&found).unwrap();
    enable(&mut world, &found, EnablementScope::Everyone).unwrap();
    assert_eq!(world.log.events.len(), before, "{:?}", &world.log.kinds()[before..]);
}

#[test]
fn a_walk_that_was_broken_off_anywhere_goes_on_where_the_journal_ends() {
    for room in 0..WHOLE_WALK.len() {
        let mut world = World::new();
        world.log.room = Some(room);
        let error = world.register(&first_party()).unwrap_err();
        assert!(matches!(error, AdmissionError::Journal(_)), "{error}");
        world.log.room = None;
        let standing = world.register(&first_party()).unwrap();
        assert_eq!(standing.state, RegistrationState::Verified);
        assert_eq!(world.log.kinds(), WHOLE_WALK, "broken off after {room}");
    }
}

#[test]
fn each_failure_has_its_state_and_is_told_once() {
    use RegistrationState as S;
    type Set = fn(&mut World);
    let rows: Vec<(Set, S, Step)> = vec![
        (|w| w.linter.0 = vec![LintStage::Schema], S::InvalidSchema, Step::SchemaLint),
        (|w| w.linter.0 = vec![LintStage::Permission], S::PermissionLintFailed, Step::PermissionLint),
        (|w| w.linter.0 = vec![LintStage::Sandbox], S::SandboxLintFailed, Step::SandboxLint),
        (|w| w.linter.0 = vec![LintStage::Security], S::SecurityReviewRequired, Step::Review),
        (|w| w.health = Healthy(HealthStatus::Failed), S::HealthCheckFailed, Step::Health),
        (|w| w.scores = Some(Scores(false)), S::EvalFailed, Step::Eval),
    ];
    for (set, state, next) in rows {
        let mut world = World::new();
        set(&mut world);
        let standing = world.register(&first_party()).unwrap();
        assert_eq!((standing.state, standing.next), (state, Some(next)));
        assert!(standing.advice.is_some() && standing.reason.is_some());
        let failed = |fact: &Fact| matches!(fact, Fact::ToolRegistrationFailed(f) if f.state == state);
        assert!(failed(&world.log.events.last().unwrap().1), "{:?}", world.log.kinds());
        let before = world.log.events.len();
        if state != S::EvalFailed {
            world.register(&first_party()).unwrap();
            assert_eq!(world.log.events.len(), before, "{state}: {:?}", &world.log.kinds()[before..]);
        }
        // What was mended goes on from there.
        if state != S::SecurityReviewRequired {
            let mended = World { shelf: world.shelf, log: world.log, ..World::new() };
            world = mended;
            assert_eq!(world.register(&first_party()).unwrap().state, S::Verified, "{state}");
        }
    }
    let mut broken = descriptor("file.read");
    broken.schemas.input_schema = serde_json::from_value(serde_json::json!({ "type": "array" })).unwrap();
    let mut world = World::new();
    let error = world.register(&found(broken.clone(), TrustLevel::FirstParty)).unwrap_err();
    assert!(matches!(error, AdmissionError::Schema { .. }), "{error}");
    assert_eq!(world.log.kinds(), ["ToolDiscovered", "ToolParsed", "ToolRegistrationFailed"]);
    world.register(&found(broken, TrustLevel::FirstParty)).unwrap_err();
    assert_eq!(world.log.events.len(), 3);
}

#[test]
fn a_person_reviews_what_nobody_vouches_for() {
    let mut world = World::new();
    let served = served("Reads.");
    let standing = world.register(&served).unwrap();
    assert_eq!(standing.state, RegistrationState::SecurityReviewRequired);
    let (tool, digest) = (served.descriptor.tool_id.clone(), served.descriptor.digest());
    let by_agent = world.with("agent:a", |a| a.review(&tool, &digest, Review::Accept, "fine"));
    assert!(matches!(by_agent, Err(AdmissionError::NotAPerson(_))));
    let early = enable(&mut world, &served, EnablementScope::Everyone).unwrap_err().to_string();
    assert!(early.contains("the next step is security review") && early.contains("hint"), "{early}");

    let rejected =
        world.with("user:ann", |a| a.review(&tool, &digest, Review::Reject, "sends data")).unwrap();
    assert!(rejected.reason.unwrap().contains("rejected by user:ann: sends data"));
    let accepted = world.with("user:ann", |a| a.review(&tool, &digest, Review::Accept, "read it")).unwrap();
    assert_eq!(accepted.state, RegistrationState::Verified);
    let dev = EnablementScope::Principal { principal: "user:dev".into() };
    assert!(!world.is_callable(&served));
    enable(&mut world, &served, dev).unwrap();
    assert!(world.is_callable(&served));
}

#[test]
fn a_definition_that_changes_is_stopped_with_what_changed_and_its_successor_wants_a_review() {
    let mut world = World::new();
    let (old, mut new) = (served("Reads."), served("Reads, and sends what it read."));
    new.descriptor.effects.external_calls = true;
    new = found(new.descriptor, TrustLevel::Workspace);
    world.register(&old).unwrap();
    let (tool, digest) = (old.descriptor.tool_id.clone(), old.descriptor.digest());
    world.with("user:ann", |a| a.review(&tool, &digest, Review::Accept, "read it")).unwrap();
    enable(&mut world, &old, EnablementScope::Principal { principal: "user:dev".into() }).unwrap();
    assert!(world.is_callable(&old));

    // Seeing it is enough.
    let drift = world.with("user:ann", |a| a.discover(&new)).unwrap();
    assert_eq!(drift[0].stopped, old.descriptor.version);
    assert_eq!(drift[0].changes[0].pointer, "/effects");
    assert!(!world.is_callable(&old));
    let blocked = world.log.events.iter().find_map(|(_, fact)| match fact {
        Fact::ToolBlocked(blocked) => Some(blocked.clone()),
        _ => None,
    });
    let blocked = blocked.unwrap();
    assert!(
        blocked.reason.contains("widening") && blocked.reason.contains("externalCalls"),
        "{}",
        blocked.reason
    );
    assert_eq!(blocked.definition_digest, Some(new.definition.clone()));

    let standing = world.register(&new).unwrap();
    assert_eq!(standing.state, RegistrationState::SecurityReviewRequired);
    // Back to what it was: still nothing without a person.
    world.register(&old).unwrap();
    assert!(!world.is_callable(&old));
    world.with("user:ann", |a| a.review(&tool, &digest, Review::Accept, "it is back")).unwrap();
    enable(&mut world, &old, EnablementScope::Principal { principal: "user:dev".into() }).unwrap();
    assert!(world.is_callable(&old));
}

#[test]
fn a_release_stands_beside_the_version_before_and_another_source_takes_no_name() {
    let mut world = World::new();
    let old = first_party();
    world.register(&old).unwrap();
    enable(&mut world, &old, EnablementScope::Everyone).unwrap();
    let mut next = descriptor("file.read");
    next.version = "1.1.0".into();
    let next = found(next, TrustLevel::FirstParty);
    assert!(world.register(&next).unwrap().drift.is_empty());
    assert!(world.is_callable(&old) && !world.is_callable(&next));
    enable(&mut world, &next, EnablementScope::Everyone).unwrap();
    assert_eq!(world.log.ledger().get("file.read").unwrap().enabled().unwrap().version(), &"1.1.0".into());

    // The same version with another content is no release.
    let mut changed = descriptor("file.read");
    changed.version = "1.1.0".into();
    changed.description.summary = "Reads any file.".into();
    let standing = world.register(&found(changed, TrustLevel::FirstParty)).unwrap();
    assert_eq!(standing.drift.len(), 1);
    assert!(!world.is_callable(&next));

    let mut squatter = descriptor("file.read");
    squatter.source.source_id = "elsewhere".into();
    let before = world.log.events.len();
    let error = world.register(&found(squatter, TrustLevel::Workspace)).unwrap_err();
    assert!(matches!(error, AdmissionError::Taken { .. }), "{error}");
    assert_eq!(world.log.events.len(), before);
}

#[test]
fn a_block_holds_until_a_person_has_looked_again() {
    let mut world = World::new();
    let found = first_party();
    let (tool, digest) = (found.descriptor.tool_id.clone(), found.descriptor.digest());
    world.register(&found).unwrap();
    enable(&mut world, &found, EnablementScope::Everyone).unwrap();
    world.with("user:ann", |a| a.block(&tool, None, "leaks")).unwrap();
    assert!(!world.is_callable(&found));
    // Registering again does not lift it, and adds nothing.
    let before = world.log.events.len();
    let standing = world.register(&found).unwrap();
    assert_eq!((standing.state, world.log.events.len()), (RegistrationState::Blocked, before));
    world.with("user:ann", |a| a.review(&tool, &digest, Review::Accept, "mended")).unwrap();
    enable(&mut world, &found, EnablementScope::Everyone).unwrap();
    assert!(world.is_callable(&found));
    world.with("user:ann", |a| a.deprecate(&tool, &"1.0.0".into(), "old", None)).unwrap();
    assert!(world.is_callable(&found));
    let unknown = world.with("user:ann", |a| a.block(&"nope".into(), None, "x")).unwrap_err();
    assert!(matches!(unknown, AdmissionError::Unknown(_)));
}
