//! The broker as a run meets it: through the manager, with a tool that tells everything it is lent.

use super::{Broker, source::Sources};
use crate::{
    adapters::{clock::SystemClock, grants::GrantBook, guarded::Guarded, home::Home, journal::MemoryLog},
    event::{Fact, Scope, fact::FinishStatus},
    manager::{Ended, Executors, Manager, RunOptions, Session, StatedIntent, Verdict},
    model::{
        ArtifactId, ArtifactKind, CheckResult, CredentialBinding, EffectLevel, EffectsObserved, Injection,
        Moment, OutputExposure, Principal, ProposedArgs, ProposedBy, ProposedCall, ResourceRef, StopCode,
        StopReason, ToolBudget, ToolDescriptor, ToolError, ToolResult, testing::descriptor,
    },
    policy::{Actor, PolicyEngine, PolicyText, Vocabulary},
    port::{
        Adapter, ArtifactError, ArtifactStore, Clock, CredentialBroker, HookCall, Hooks, Kept, Leased,
        NoHooks, Ran, RunRequest, Settled, Uninterrupted,
    },
    redact::{Redactor, tests::printed},
    registry::Registry,
    resolve::{Environment, Selection},
    stage::{RunMode, Ticket},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, Ordering},
};

const SECRET: &str = "sk-7Hq2/mXw+9Zt4L&\"x";

/// A clock that tests move.
#[derive(Default)]
struct Moved(AtomicI64);

impl Clock for Moved {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(self.0.load(Ordering::Relaxed))
    }

    fn uuid(&self) -> uuid::Uuid {
        SystemClock.uuid()
    }
}

/// Keeps artifacts where tests can look.
#[derive(Default)]
struct Memory(Mutex<Vec<Vec<u8>>>);

impl ArtifactStore for Memory {
    fn keep(&self, id: &ArtifactId, bytes: &[u8]) -> Result<Kept, ArtifactError> {
        self.0.lock().unwrap().push(bytes.to_vec());
        Ok(Kept {
            uri: id.to_string(),
            content_hash: crate::model::Digest::zero(),
            bytes: bytes.len() as u64,
        })
    }

    fn read(&self, kept: &Kept) -> Result<Vec<u8>, ArtifactError> {
        Err(ArtifactError::Store { uri: kept.uri.clone(), reason: "not read here".to_owned() })
    }
}

type Tell = dyn Fn(&[Leased]) -> Ran + Send + Sync;

/// A tool that is lent what it asks for, and tells what the test wants.
struct Teller {
    broker: Arc<dyn CredentialBroker>,
    tell: Box<Tell>,
}

impl Adapter for Teller {
    fn word(&self) -> &'static str {
        "teller"
    }

    fn settle(&self, run: &RunRequest<'_>) -> Result<Settled, StopReason> {
        let sandbox = serde_json::from_value(json!({
            "sandboxId": "s", "mode": "read_only",
            "filesystem": { "cwd": "/w", "readRoots": [], "writeRoots": [], "blockedPaths": [], "tempDir": "", "persistOutputs": true },
            "network": { "egress": "none", "allowDomains": [], "denyPrivateNetworks": true },
            "environment": { "inheritedEnv": [], "injectedEnv": [], "secretEnvAllowed": true },
            "process": { "timeoutMs": 1, "maxMemoryMb": 1, "maxStdoutBytes": 1, "maxStderrBytes": 1 },
            "audit": { "recordCommand": false, "recordFileAccess": false, "recordNetworkAccess": false },
        }));
        Settled::new(sandbox.unwrap(), Default::default(), None, self.broker.references(run)?)
    }

    fn invoke(&self, ticket: Ticket<'_>) -> Ran {
        match self.broker.lease(&ticket.run_request()) {
            Ok(leased) => {
                let ran = (self.tell)(&leased);
                match ticket.interrupt().reason() {
                    Some(reason) => Ran { status: FinishStatus::Error, error: Some(error(&reason)), ..ran },
                    None => ran,
                }
            }
            Err(reason) => Ran { status: FinishStatus::Error, error: Some(error(&reason)), ..said("") },
        }
    }
}

fn error(reason: &StopReason) -> ToolError {
    let (code, message) = (reason.code.as_str().to_owned(), reason.message.clone());
    ToolError { code, message, retryable: false, safe_to_show_user: true }
}

fn said(output: &str) -> Ran {
    Ran {
        status: FinishStatus::Success,
        output: output.into(),
        kind: ArtifactKind::ToolOutput,
        structured: None,
        effects: EffectsObserved::default(),
        error: None,
        latency_ms: 1,
    }
}

fn tool() -> ToolDescriptor {
    let mut tool = descriptor("vault.tell");
    tool.credentials.required_secrets = vec!["TOKEN".to_owned()];
    tool.execution.adapter = "teller".to_owned();
    tool.effects.reads = vec!["file:**".into()];
    tool.effects.writes = vec!["file:**".into()];
    tool.effects.external_calls = true;
    tool.context_policy.expose_output_to_model = OutputExposure::Full;
    tool.context_policy.max_output_preview_tokens = 100_000;
    tool
}

fn binding(reference: &str) -> CredentialBinding {
    CredentialBinding {
        credential_binding_id: "cred_1".into(),
        principal: "user:dev".into(),
        name: "TOKEN".to_owned(),
        secret_ref: reference.to_owned(),
        tools: vec!["vault.*".parse().unwrap()],
        scopes: Vec::new(),
        audience: None,
        injection: None,
        expires_at: None,
    }
}

/// A home with bindings, and an environment that tests change.
struct Bench {
    _folder: tempfile::TempDir,
    book: Arc<GrantBook>,
    clock: Arc<Moved>,
    variable: Arc<Mutex<Option<String>>>,
    broker: Arc<Broker>,
    artifacts: Arc<Memory>,
}

fn bench(bindings: Vec<CredentialBinding>) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path()).unwrap();
    let clock = Arc::new(Moved::default());
    let book = Arc::new(GrantBook::open(&home, Arc::clone(&clock) as Arc<dyn Clock>).unwrap());
    bindings.into_iter().for_each(|binding| book.bind(binding).unwrap());
    let variable = Arc::new(Mutex::new(Some(SECRET.to_owned())));
    let read = Arc::clone(&variable);
    let sources =
        Sources::new(Arc::new(move |name| read.lock().unwrap().clone().filter(|_| name == "TOKEN")));
    let broker = Arc::new(Broker::new(Arc::clone(&book), Arc::clone(&clock) as Arc<dyn Clock>, sources));
    Bench { _folder: folder, book, clock, variable, broker, artifacts: Arc::default() }
}

/// What is left of a call: all that anybody sees of it.
struct Left {
    result: Result<ToolResult, StopReason>,
    events: Vec<Fact>,
    artifacts: Vec<Vec<u8>>,
}

impl Left {
    /// Everything, as one text.
    fn all(&self) -> String {
        let events = serde_json::to_string(&self.events).unwrap();
        let artifacts: String =
            self.artifacts.iter().map(|a| String::from_utf8_lossy(a).into_owned()).collect();
        format!("{:?}\n{events}\n{artifacts}", self.result)
    }

    fn error(&self) -> (String, String) {
        match &self.result {
            Err(reason) => (reason.code.as_str().to_owned(), reason.message.clone()),
            Ok(result) => {
                result.error.as_ref().map_or_else(Default::default, |e| (e.code.clone(), e.message.clone()))
            }
        }
    }
}

/// A no from each hook whose name begins with `no`; what they were asked, in order.
#[derive(Default)]
struct Recorded(Mutex<Vec<String>>);

impl Hooks for Recorded {
    fn ask(&self, name: &str, call: &HookCall<'_>) -> Result<(), String> {
        let seen = call.ran.map(|ran| String::from_utf8_lossy(&ran.output).into_owned());
        self.0.lock().unwrap().push(format!("{} {name} {}", call.moment.as_str(), seen.unwrap_or_default()));
        if name.starts_with("no") { Err(format!("{name} it is")) } else { Ok(()) }
    }
}

impl Bench {
    fn call(
        &self,
        tool: ToolDescriptor,
        args: Value,
        tell: impl Fn(&[Leased]) -> Ran + Send + Sync + 'static,
    ) -> Left {
        let broker = Arc::clone(&self.broker) as Arc<dyn CredentialBroker>;
        self.call_with(&broker, &Arc::new(Recorded::default()), tool, args, Box::new(tell))
    }

    fn call_with(
        &self,
        broker: &Arc<dyn CredentialBroker>,
        hooks: &Arc<Recorded>,
        tool: ToolDescriptor,
        args: Value,
        tell: Box<Tell>,
    ) -> Left {
        let mut registry = Registry::new();
        let id = tool.tool_id.clone();
        registry.register(tool).unwrap();
        let all = PolicyText::new("all.cedar", "@id(\"all\") permit (principal, action, resource);");
        let policy = PolicyEngine::load(&[all], &Vocabulary::default()).unwrap();
        let adapter: Arc<dyn Adapter> = Arc::new(Teller { broker: Arc::clone(broker), tell });
        let executors = Executors::new(vec![adapter], Arc::clone(&self.artifacts) as Arc<dyn ArtifactStore>)
            .with_credentials(Arc::clone(broker))
            .with_hooks(Arc::clone(hooks) as Arc<dyn Hooks>);
        let manager = Manager::new(registry, policy, Arc::clone(&self.clock) as Arc<dyn Clock>)
            .with_executors(executors);
        let session = Session {
            scope: Scope { session_id: "s".into(), run_id: "r".into(), call_id: None },
            actor: Arc::new(Actor::new(Principal { id: "user:dev".into(), scopes: Default::default() })),
            scene: Arc::default(),
            budget: ToolBudget { max_tools_visible: 20, max_tokens: None },
            selection: Selection::All,
            max_level: EffectLevel::DestructiveOrAdmin,
            environment: Arc::new(Environment::default()),
            memory: Default::default(),
            tenant: None,
        };
        broker.survey().ok();
        let mut log = Guarded::new(MemoryLog::new(&SystemClock), Arc::clone(broker));
        let open = StatedIntent { action_types: Vec::new(), target: None };
        let prompt = format!("tell me about {SECRET}");
        let turn = manager.open_turn(&session, &prompt, Some(&open), None, &mut log).unwrap();
        let proposed =
            ProposedCall { tool: id, args: ProposedArgs::from_value(args), proposed_by: ProposedBy::Model };
        let (_, verdict) = manager.decide(&session, &turn, proposed, &mut log).unwrap();
        let options = RunOptions { mode: RunMode::Real, interrupt: &Uninterrupted, attempt: 0 };
        let result = match verdict {
            Verdict::Allowed(authorized) => match manager.run(authorized, &options, &mut log).unwrap() {
                Ended::Ran(recorded) => Ok(recorded.result().clone()),
                Ended::Stopped(reason) => Err(reason),
            },
            Verdict::Stopped(reason) => Err(reason),
            Verdict::Asked(pending) => panic!("{pending:?}"),
        };
        let events = log.inner().events().iter().map(|event| event.fact.clone()).collect();
        Left { result, events, artifacts: std::mem::take(&mut *self.artifacts.0.lock().unwrap()) }
    }
}

/// A run that puts a text into one of its fields.
type Field = (&'static str, fn(&str) -> Ran);

const FIELDS: [Field; 9] = [
    ("output", said),
    ("a value", |text| Ran { structured: Some(json!({ "a": [{ "b": text }] })), ..said("") }),
    ("a name", |text| Ran { structured: Some(json!({ text: [1] })), ..said("") }),
    ("an error", |text| Ran { status: FinishStatus::Error, error: Some(failed("exit", text)), ..said("") }),
    ("an error's code", |text| Ran {
        status: FinishStatus::Error,
        error: Some(failed(text, "x")),
        ..said("")
    }),
    ("a file that is read", |text| touched(|e| e.reads.push(ResourceRef(format!("file:{text}"))))),
    ("a file that is written", |text| touched(|e| e.writes.push(ResourceRef(format!("file:{text}"))))),
    ("a file that is deleted", |text| touched(|e| e.deletes.push(ResourceRef(format!("file:{text}"))))),
    ("a host", |text| touched(|e| e.external_calls.push(text.to_owned()))),
];

fn failed(code: &str, message: &str) -> ToolError {
    ToolError {
        code: code.to_owned(),
        message: message.to_owned(),
        retryable: false,
        safe_to_show_user: true,
    }
}

fn touched(act: impl Fn(&mut EffectsObserved)) -> Ran {
    let mut ran = said("done");
    act(&mut ran.effects);
    ran
}

/// CR-03 to CR-07, and invariant 7: every form of a canary in every field, and nothing of it is left anywhere.
#[test]
fn no_form_of_a_secret_leaves_in_any_field() {
    let bench = bench(vec![binding("env:TOKEN")]);
    let secret = crate::model::Secret::new(SECRET.to_owned());
    let judge = Redactor::new([("CANARY", &secret)]).unwrap();
    for (form, text) in printed(SECRET) {
        for (field, tell) in FIELDS {
            let shown = text.clone();
            let left = bench.call(tool(), json!({}), move |leased| {
                assert_eq!(leased[0].secret.expose(), SECRET);
                tell(&shown)
            });
            let all = left.all();
            assert!(left.result.is_ok(), "{form} in {field}: {all}");
            assert!(all.contains("[redacted:TOKEN]"), "{form} in {field}: {all}");
            let value = serde_json::to_value(&left.events).unwrap();
            assert_eq!(judge.finds_in(&value), None, "{form} in {field}: {all}");
            assert!(
                !all.contains(&text) && judge.finds(all.as_bytes()).is_none(),
                "{form} in {field}: {all}"
            );
        }
    }
}

/// What runs is lent exactly what it asks for, under its own name, and the journal holds the reference alone.
#[test]
fn a_secret_is_lent_by_reference() {
    let other = CredentialBinding {
        name: "OTHER".to_owned(),
        credential_binding_id: "cred_2".into(),
        ..binding("env:TOKEN")
    };
    let bench = bench(vec![binding("env:TOKEN"), other]);
    let left = bench.call(tool(), json!({}), |leased| {
        let lent: Vec<_> =
            leased.iter().map(|l| (l.name.as_str(), l.reference.as_str(), l.injection.clone())).collect();
        assert_eq!(lent, [("TOKEN", "TOKEN/cred_1", Injection::Variable("TOKEN".to_owned()))]);
        // CR-05: nothing prints it.
        said(&format!("{leased:?}"))
    });
    let result = left.result.as_ref().unwrap();
    assert!(result.output_preview.as_ref().unwrap().contains("Secret(…)"), "{result:?}");
    let started = left.events.iter().find_map(|fact| match fact {
        Fact::ToolCallStarted(started) => Some(started.credentials.clone()),
        _ => None,
    });
    assert_eq!(started, Some(vec!["TOKEN/cred_1".to_owned()]));
}

/// CR-08, CR-09, CR-10, CR-12, CR-15: what is not exactly bound, over, weak or out of reach is a no before the run.
#[test]
fn what_is_not_to_be_had_stops_the_call() {
    let one = || binding("env:TOKEN");
    let now = Moved::default().now();
    let to_host = |host: &str| {
        let mut tool = tool();
        tool.credentials.token_audience = Some(host.to_owned());
        tool
    };
    let asking = |name: &str| {
        let mut tool = tool();
        tool.credentials.required_secrets.push(name.to_owned());
        tool
    };
    let rows: [(&str, Vec<CredentialBinding>, ToolDescriptor, &str); 9] = [
        ("CR-08 nothing is bound", vec![], tool(), "`TOKEN`, which is not bound to this tool for user:dev"),
        (
            "CR-08 one more than granted",
            vec![one()],
            asking("ADMIN_TOKEN"),
            "`ADMIN_TOKEN`, which is not bound",
        ),
        (
            "CR-08 somebody else's",
            vec![CredentialBinding { principal: "user:eve".into(), ..one() }],
            tool(),
            "not bound",
        ),
        (
            "CR-08 another tool's",
            vec![CredentialBinding { tools: vec!["mail.*".parse().unwrap()], ..one() }],
            tool(),
            "not bound",
        ),
        (
            "CR-09 another host's",
            vec![CredentialBinding { audience: Some("a.example".to_owned()), ..one() }],
            to_host("b.example"),
            "is for `a.example`, and the tool would send it to `b.example`",
        ),
        ("CR-10 over", vec![CredentialBinding { expires_at: Some(now), ..one() }], tool(), "expired at"),
        ("CR-12 not there", vec![binding("env:GONE")], tool(), "the variable `GONE` is not set"),
        ("CR-12 no such program", vec![binding("command:/no/such/vault")], tool(), "there is no program"),
        ("CR-12 no such place", vec![binding("file:/no/such/file")], tool(), "cannot be opened"),
    ];
    for (what, bindings, tool, part) in rows {
        let left = bench(bindings).call(tool, json!({}), |_| panic!("it has run"));
        let (code, message) = left.error();
        assert_eq!(code, "credential_unavailable", "{what}: {message}");
        assert!(message.contains(part) && message.contains("hint: "), "{what}: {message}");
        assert!(!left.events.iter().any(|fact| matches!(fact, Fact::ToolCallStarted(_))), "{what}");
    }
}

/// CR-10, CR-12, CR-15: what changes between the decision and the lease, or while the call runs.
#[test]
fn nothing_is_kept_from_an_earlier_run() {
    // Read anew for each run: a rotated secret is the new one, and the old one is redacted all the same.
    let bench1 = bench(vec![binding("env:TOKEN")]);
    assert!(bench1.call(tool(), json!({}), |_| said("")).result.is_ok());
    *bench1.variable.lock().unwrap() = Some("new-9Zk4Q7pW2x".to_owned());
    let left =
        bench1.call(tool(), json!({}), |leased| said(&format!("{} {SECRET}", leased[0].secret.expose())));
    assert_eq!(left.result.unwrap().output_preview.unwrap(), "[redacted:TOKEN] [redacted:TOKEN]");
    // Gone: no cached copy.
    *bench1.variable.lock().unwrap() = None;
    assert_eq!(bench1.call(tool(), json!({}), |_| panic!("it has run")).error().0, "credential_unavailable");
    // CR-15: rotated to a word; told when it is leased, for `references` reads no secret.
    *bench1.variable.lock().unwrap() = Some("test".to_owned());
    let (code, message) = bench1.call(tool(), json!({}), |_| panic!("it has run")).error();
    assert!(code == "credential_unavailable" && message.contains("fewer than 10 bytes"), "{message}");

    // Unbound, bound anew, or over while the call runs: it has failed, and what came out is redacted.
    type Act = fn(&GrantBook, &Moved);
    let acts: [(&str, Act, &str); 3] = [
        (
            "unbound",
            |book, _| book.unbind("cred_1".into(), "user:dev".into(), "lost".to_owned()).unwrap(),
            "not bound",
        ),
        (
            "bound anew",
            |book, _| {
                book.bind(CredentialBinding {
                    credential_binding_id: "cred_3".into(),
                    ..binding("env:TOKEN")
                })
                .unwrap();
            },
            "bound anew while it ran",
        ),
        ("over", |_, clock| clock.0.store(3600, Ordering::Relaxed), "expired at"),
    ];
    for (what, act, part) in acts {
        let until = Moved::default().now() + TimeDelta::hours(1);
        let bench = bench(vec![CredentialBinding { expires_at: Some(until), ..binding("env:TOKEN") }]);
        let (book, clock) = (Arc::clone(&bench.book), Arc::clone(&bench.clock));
        let left = bench.call(tool(), json!({}), move |_| {
            act(&book, &clock);
            said(SECRET)
        });
        let (code, message) = left.error();
        assert!(code == "credential_unavailable" && message.contains(part), "{what}: {message}");
        assert!(!left.all().contains(SECRET), "{what}");
    }
}

/// CR-11, CR-14, LG-12: a model that knows a secret gets nowhere with it, and a made-up reference is only text.
#[test]
fn arguments_hold_no_secret_and_a_reference_is_worth_nothing() {
    let bench = bench(vec![binding("env:TOKEN")]);
    for (form, text) in printed(SECRET) {
        for args in [
            json!({ "headers": { "Authorization": format!("Bearer {text}") } }),
            json!({ &text: 1 }),
            json!([&text]),
        ] {
            let left = bench.call(tool(), args, |_| panic!("it has run"));
            let (code, message) = left.error();
            assert!(
                code == "invalid_arguments" && message.contains("credential `TOKEN`"),
                "{form}: {message}"
            );
            assert!(!left.all().contains(&text), "{form}: {}", left.all());
        }
    }
    let mut no_secret = tool();
    no_secret.credentials.required_secrets.clear();
    for forged in ["[redacted:TOKEN]", "TOKEN/cred_1", "cred_1", "env:TOKEN", "$TOKEN"] {
        let left = bench.call(no_secret.clone(), json!({ "x": forged }), |leased| {
            said(&format!("{} lent", leased.len()))
        });
        assert_eq!(left.result.unwrap().output_preview.unwrap(), "0 lent", "{forged}");
    }
}

/// A tool that is lent nothing may still come upon what is bound, and its result is freed of it too.
#[test]
fn what_is_bound_is_redacted_whoever_says_it() {
    let bench = bench(vec![binding("env:TOKEN")]);
    let mut no_secret = tool();
    no_secret.credentials.required_secrets.clear();
    let left = bench.call(no_secret, json!({}), |_| said(SECRET));
    assert_eq!(left.result.as_ref().unwrap().output_preview.as_deref(), Some("[redacted:TOKEN]"));
    // The prompt held it as well: the guard of the journal has it out of every event.
    assert!(!left.all().contains(SECRET));
    assert!(left.events.iter().any(|fact| matches!(fact, Fact::UserPromptSubmitted(said) if said.prompt == "tell me about [redacted:TOKEN]")));
}

/// A broker whose redaction fails when it matters.
struct Failing(Mutex<u32>);

impl CredentialBroker for Failing {
    fn references(&self, _: &RunRequest<'_>) -> Result<Vec<String>, StopReason> {
        Ok(Vec::new())
    }

    fn lease(&self, _: &RunRequest<'_>) -> Result<Vec<Leased>, StopReason> {
        Ok(Vec::new())
    }

    fn survey(&self) -> Result<Arc<Redactor>, StopReason> {
        let mut left = self.0.lock().unwrap();
        *left = left
            .checked_sub(1)
            .ok_or(StopReason::new(StopCode::CredentialUnavailable, "the journal is gone"))?;
        Ok(Arc::default())
    }

    fn redactor(&self) -> Arc<Redactor> {
        Arc::default()
    }
}

/// CR-12: redaction that fails is a no: before the run nothing runs, and after it nothing leaves.
#[test]
fn what_cannot_be_looked_through_does_not_leave() {
    let bench = bench(vec![]);
    // Opening, validating, and starting take one look each.
    for (looks, ran) in [(0, false), (2, false), (3, true)] {
        let broker: Arc<dyn CredentialBroker> = Arc::new(Failing(Mutex::new(looks)));
        let tell =
            Box::new(|_: &[Leased]| Ran { structured: Some(json!({ "k": "words" })), ..said("words") });
        let left = bench.call_with(&broker, &Arc::default(), tool(), json!({}), tell);
        let (code, message) = left.error();
        assert!(
            code == "credential_unavailable" && message.contains("the journal is gone"),
            "{looks}: {message}"
        );
        assert_eq!(left.events.iter().any(|fact| matches!(fact, Fact::ToolCallStarted(_))), ran, "{looks}");
        assert!(!left.all().contains("words"), "{looks}: {}", left.all());
    }
}

/// CR-13: no core, and nobody of the same user looks into a process that holds a secret.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_holds_a_secret_is_closed() {
    let bench = bench(vec![binding("env:TOKEN")]);
    bench.broker.survey().unwrap();
    let core = rustix::process::getrlimit(rustix::process::Resource::Core);
    assert_eq!((core.current, core.maximum), (Some(0), Some(0)));
    assert_eq!(rustix::process::dumpable_behavior().unwrap(), rustix::process::DumpableBehavior::NotDumpable);
}

fn with_hooks(hooks: Value) -> ToolDescriptor {
    let mut tool = tool();
    tool.hooks = serde_json::from_value(hooks).unwrap();
    tool
}

/// The hooks of a contract, in their order; each answer is in the journal.
#[test]
fn hooks_are_asked_at_their_moments() {
    let all = json!({ "preCall": ["a", "b"], "verifier": ["v"], "postCall": ["p"], "onError": ["e"] });
    let rows = [
        (
            "all agree",
            all,
            "",
            vec!["preCall a ", "preCall b ", "verifier v [redacted:TOKEN]", "postCall p [redacted:TOKEN]"],
        ),
        (
            "a no before",
            json!({ "preCall": ["a", "no", "c"], "verifier": ["v"], "onError": ["e"] }),
            "hook_denied",
            vec!["preCall a ", "preCall no "],
        ),
        (
            "a no of a verifier",
            json!({ "verifier": ["no", "v"], "postCall": ["p"], "onError": ["e"] }),
            "verification_failed",
            vec![
                "verifier no [redacted:TOKEN]",
                "verifier v [redacted:TOKEN]",
                "postCall p [redacted:TOKEN]",
                "onError e [redacted:TOKEN]",
            ],
        ),
        (
            "a no behind is recorded",
            json!({ "postCall": ["no"], "onError": ["e"] }),
            "",
            vec!["postCall no [redacted:TOKEN]"],
        ),
    ];
    for (what, hooks, code, asked) in rows {
        let bench = bench(vec![binding("env:TOKEN")]);
        let recorded = Arc::new(Recorded::default());
        let broker = Arc::clone(&bench.broker) as Arc<dyn CredentialBroker>;
        let left =
            bench.call_with(&broker, &recorded, with_hooks(hooks), json!({}), Box::new(|_| said(SECRET)));
        assert_eq!(*recorded.0.lock().unwrap(), asked, "{what}");
        assert_eq!(left.error().0, code, "{what}: {:?}", left.result);
        let told = left.events.iter().filter(|fact| matches!(fact, Fact::HookAnswered(_))).count();
        assert_eq!(told, asked.iter().filter(|a| !a.starts_with("verifier")).count(), "{what}");
        let noes =
            left.events.iter().filter(|f| matches!(f, Fact::HookAnswered(a) if a.said == CheckResult::Fail));
        assert_eq!(
            noes.count(),
            asked.iter().filter(|a| a.contains(" no ") && !a.starts_with("verifier")).count(),
            "{what}"
        );
    }
}

/// Without anybody who answers to its name, a hook says no.
#[test]
fn a_hook_that_nobody_has_says_no() {
    let tool = descriptor("t");
    let call = HookCall {
        moment: Moment::Verifier,
        call: &"tc_1".into(),
        tool: &tool,
        args: &json!({}),
        principal: &"user:dev".into(),
        workspace: None,
        ran: None,
        verification: None,
    };
    assert!(NoHooks.ask("diff-is-small", &call).unwrap_err().contains("is installed here"));
}
