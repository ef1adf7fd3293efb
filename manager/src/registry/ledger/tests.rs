//! A good story of one tool, and what is left of it when an event is dropped, repeated, moved or retargeted.

use super::*;
use crate::{
    event::{
        Fresh, Scope,
        fact::{
            EvalCompleted, HealthStatus, LintFinding, ReviewStatus, ToolDeprecated, ToolDiscovered,
            ToolEnabled, ToolGranted, ToolHealthChecked, ToolLinted, ToolParsed, ToolSecurityReviewed,
            ToolVerified,
        },
    },
    model::{
        EnablementScope, EvalScores, GrantArguments, GrantBinding, LintCode, LintStage, PermissionGrant,
        PrincipalId, RegistrationState as S, SessionId, Severity, ToolEval, TrustLevel, testing::descriptor,
    },
    registry::RegisteredTool,
};
use proptest::prelude::*;

/// Facts with the identity that they keep wherever they are moved to.
type Story = Vec<(EventId, Fact)>;

fn tool(id: &str, version: &str, trust: TrustLevel) -> RegisteredTool {
    let mut descriptor = descriptor(id);
    descriptor.version = version.into();
    descriptor.provenance.trust_level = trust;
    RegisteredTool::new(descriptor).unwrap()
}

fn definition(tool: &RegisteredTool) -> Digest {
    Digest::of_bytes(crate::model::Domain::Definition, tool.digest().as_str().as_bytes())
}

/// Everything that makes a tool callable, in order; event ids start with `tag`.
fn story(tool: &RegisteredTool, tag: &str) -> Story {
    let (id, version, digest) = (tool.id().clone(), tool.version().clone(), tool.digest().clone());
    let source_type = tool.descriptor().source.kind;
    let source = "tools/".to_owned();
    let mut facts: Vec<Fact> = vec![
        ToolDiscovered { tool_id: id.clone(), source, source_type, definition_digest: definition(tool) }
            .into(),
        ToolParsed { tool_id: id.clone(), definition_digest: definition(tool) }.into(),
        ToolNormalized::of(tool, definition(tool)).into(),
    ];
    for stage in [
        LintStage::Schema,
        LintStage::Permission,
        LintStage::Sandbox,
        LintStage::Security,
        LintStage::Description,
    ] {
        facts.push(linted(tool, stage, &[]));
    }
    facts.push(reviewed(tool, ReviewStatus::Accepted, "user:ann"));
    facts.push(
        ToolHealthChecked {
            tool_id: id.clone(),
            tool_version: version.clone(),
            descriptor_digest: digest.clone(),
            status: HealthStatus::Passed,
            reason: "it answers".into(),
            by: None,
        }
        .into(),
    );
    facts.push(evaluated(tool, true, (2, 3)));
    let ids: Vec<EventId> = (0..facts.len()).map(|n| format!("{tag}{n}").into()).collect();
    facts.push(
        ToolVerified {
            tool_id: id.clone(),
            tool_version: version.clone(),
            descriptor_digest: digest.clone(),
            evidence: ids[2..].to_vec(),
        }
        .into(),
    );
    facts.push(enabled(tool, EnablementScope::Everyone, &format!("{tag}11")));
    facts.push(
        ToolGranted {
            tool_id: id,
            tool_version: version,
            descriptor_digest: digest,
            grant_id: "gr_1".into(),
            principal: "user:dev".into(),
        }
        .into(),
    );
    facts.into_iter().enumerate().map(|(n, fact)| (format!("{tag}{n}").into(), fact)).collect()
}

fn linted(tool: &RegisteredTool, stage: LintStage, errors: &[&'static str]) -> Fact {
    let finding = |code: &&'static str| LintFinding {
        code: LintCode::new(code),
        severity: Severity::Error,
        pointer: String::new(),
        message: String::new(),
    };
    ToolLinted {
        tool_id: tool.id().clone(),
        tool_version: tool.version().clone(),
        descriptor_digest: tool.digest().clone(),
        stage,
        passed: errors.is_empty(),
        findings: errors.iter().map(finding).collect(),
        by: None,
    }
    .into()
}

fn reviewed(tool: &RegisteredTool, status: ReviewStatus, reviewer: &str) -> Fact {
    ToolSecurityReviewed {
        tool_id: tool.id().clone(),
        tool_version: tool.version().clone(),
        descriptor_digest: tool.digest().clone(),
        status,
        reviewer: reviewer.into(),
        reason: "read it".into(),
    }
    .into()
}

fn evaluated(tool: &RegisteredTool, passed: bool, (golden, negative): (u64, u64)) -> Fact {
    EvalCompleted {
        eval: ToolEval {
            tool_id: tool.id().clone(),
            tool_version: tool.version().clone(),
            descriptor_digest: tool.digest().clone(),
            suite: "suite".into(),
            suite_digest: Digest::zero(),
            golden,
            negative,
            scores: EvalScores::default(),
        },
        passed,
        thresholds: vec!["recall 1.00 >= 0.40".into()],
        model: "lexical".into(),
        by: None,
    }
    .into()
}

fn enabled(tool: &RegisteredTool, scope: EnablementScope, verified: &str) -> Fact {
    ToolEnabled {
        tool_id: tool.id().clone(),
        tool_version: tool.version().clone(),
        descriptor_digest: tool.digest().clone(),
        scope,
        by: "user:ann".into(),
        evidence: vec![verified.into()],
    }
    .into()
}

fn blocked(tool: &RegisteredTool, version: Option<&str>, cause: BlockCause) -> Fact {
    ToolBlocked {
        tool_id: tool.id().clone(),
        tool_version: version.map(Into::into),
        cause,
        by: "user:ann".into(),
        reason: "smells".into(),
        definition_digest: None,
    }
    .into()
}

fn fold(story: &[(EventId, Fact)]) -> Ledger {
    let mut ledger = Ledger::default();
    for (event, fact) in story {
        ledger.take(event, DateTime::UNIX_EPOCH, fact);
    }
    ledger
}

fn ask(ledger: &Ledger, tool: &RegisteredTool) -> Result<Callable, NotCallable> {
    ask_as(ledger, tool, "user:dev", "ses_1", 0)
}

fn ask_as(
    ledger: &Ledger,
    tool: &RegisteredTool,
    principal: &str,
    session: &str,
    now: i64,
) -> Result<Callable, NotCallable> {
    let (principal, session): (PrincipalId, SessionId) = (principal.into(), session.into());
    let now = DateTime::from_timestamp(now, 0).unwrap();
    let asker = Asker { principal: &principal, session: &session, now };
    ledger.callable(tool.id(), tool.version(), tool.digest(), asker)
}

/// A tool that needs every step: third-party, so a review, and a grant.
fn strict() -> RegisteredTool {
    tool("srv.read", "1.0.0", TrustLevel::ThirdParty)
}

#[test]
fn the_whole_story_makes_a_tool_callable_and_names_its_evidence() {
    let tool = strict();
    let story = story(&tool, "ev_");
    let callable = ask(&fold(&story), &tool).unwrap();
    let expected: Vec<EventId> = story[..13].iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(callable.evidence, expected);
    assert_eq!(callable.permit.unwrap().grant, "gr_1".into());
}

#[test]
fn every_step_that_is_missing_is_named() {
    let tool = strict();
    let whole = story(&tool, "ev_");
    for (place, step) in Step::ALL.into_iter().enumerate() {
        let mut without = whole.clone();
        without.remove(place);
        let no = ask(&fold(&without), &tool).unwrap_err();
        assert_eq!(no.missing, step, "{no}");
        assert!(!no.reason.is_empty());
        assert!(no.to_string().contains("\nhint: proofhouse tools "), "{no}");
    }
}

#[test]
fn a_repeated_step_stands_in_for_no_other() {
    let tool = strict();
    let whole = story(&tool, "ev_");
    for (place, step) in Step::ALL.into_iter().enumerate().skip(1) {
        let mut repeated = whole.clone();
        repeated[place] = repeated[place - 1].clone();
        let no = ask(&fold(&repeated), &tool).unwrap_err();
        assert_eq!(no.missing, step, "{no}");
        // Beside the others a repetition changes nothing.
        let mut twice = whole.clone();
        twice.insert(place, whole[place - 1].clone());
        assert!(ask(&fold(&twice), &tool).is_ok(), "{step} twice");
    }
}

#[test]
fn a_step_that_comes_early_counts_for_nothing() {
    let tool = strict();
    let whole = story(&tool, "ev_");
    for (place, step) in Step::ALL.into_iter().enumerate().skip(1) {
        let mut swapped = whole.clone();
        swapped.swap(place - 1, place);
        let ledger = fold(&swapped);
        let no = ask(&ledger, &tool).unwrap_err();
        assert_eq!(no.missing, step, "{no}");
        // Before there is a contract, there is nothing to remember an early event by.
        if step > Step::SchemaLint {
            let early = format!("it came before the {}", Step::ALL[place - 1]);
            // What a person or a grant must do is said instead.
            let other = [Step::Review, Step::Granted].contains(&step);
            assert!(no.reason.contains(&early) || other, "{no}");
        }
    }
}

#[test]
fn a_step_of_another_contract_counts_for_nothing() {
    let (tool, other) = (strict(), self::tool("srv.read", "2.0.0", TrustLevel::ThirdParty));
    let (own, foreign) = (story(&tool, "ev_"), story(&other, "ev_"));
    for (place, step) in Step::ALL.into_iter().enumerate() {
        let mut mixed = own.clone();
        mixed[place] = foreign[place].clone();
        let no = ask(&fold(&mixed), &tool).unwrap_err();
        assert_eq!(no.missing, step, "{no}");
    }
}

#[test]
fn every_no_takes_back_its_step_and_says_why() {
    let tool = strict();
    let whole = story(&tool, "ev_");
    let health = |status, reason: &str| -> Fact {
        ToolHealthChecked {
            tool_id: tool.id().clone(),
            tool_version: tool.version().clone(),
            descriptor_digest: tool.digest().clone(),
            status,
            reason: reason.into(),
            by: None,
        }
        .into()
    };
    let rows: Vec<(Fact, Step, S, &str)> = vec![
        (linted(&tool, LintStage::Schema, &["a"]), Step::SchemaLint, S::InvalidSchema, "a"),
        (linted(&tool, LintStage::Permission, &["b"]), Step::PermissionLint, S::PermissionLintFailed, "b"),
        (linted(&tool, LintStage::Sandbox, &["c"]), Step::SandboxLint, S::SandboxLintFailed, "c"),
        (linted(&tool, LintStage::Security, &["d"]), Step::Review, S::SecurityReviewRequired, "must judge"),
        (
            reviewed(&tool, ReviewStatus::Rejected, "user:bob"),
            Step::Review,
            S::SecurityReviewRequired,
            "rejected by user:bob: read it",
        ),
        (
            health(HealthStatus::Failed, "no such program"),
            Step::Health,
            S::HealthCheckFailed,
            "no such program",
        ),
        (evaluated(&tool, false, (2, 3)), Step::Eval, S::EvalFailed, "recall"),
        (blocked(&tool, Some("1.0.0"), BlockCause::Person), Step::Review, S::Blocked, "smells"),
        (blocked(&tool, None, BlockCause::Drift), Step::Review, S::Blocked, "quarantined"),
    ];
    for (no, step, state, word) in rows {
        let mut story = whole.clone();
        story.push(("ev_no".into(), no));
        let answer = ask(&fold(&story), &tool).unwrap_err();
        assert_eq!((answer.missing, answer.state), (step, state), "{answer}");
        assert!(answer.reason.contains(word), "{answer}");
    }
}

#[test]
fn a_pass_that_proves_nothing_does_not_count() {
    let tool = strict();
    let passed_with_errors = match linted(&tool, LintStage::Sandbox, &["c"]) {
        Fact::ToolLinted(fact) => ToolLinted { passed: true, ..fact }.into(),
        _ => unreachable!(),
    };
    let rows: Vec<(usize, Fact, &str)> = vec![
        (5, passed_with_errors, "the lints fail: c"),
        (8, reviewed(&tool, ReviewStatus::NotRequired, "service:manager"), "a person must review it"),
        (8, reviewed(&tool, ReviewStatus::Accepted, "service:ci"), "a person must review it"),
        (8, reviewed(&tool, ReviewStatus::Accepted, "user:"), "a person must review it"),
        (10, evaluated(&tool, true, (0, 3)), "golden and negative"),
        (10, evaluated(&tool, true, (3, 0)), "golden and negative"),
        (12, enabled(&tool, EnablementScope::Everyone, "ev_3"), "does not rest on the verification"),
        (12, enabled(&tool, EnablementScope::Evaluation, "ev_11"), "not enabled for user:dev"),
    ];
    for (place, fact, word) in rows {
        let mut story = story(&tool, "ev_");
        story[place].1 = fact;
        let no = ask(&fold(&story), &tool).unwrap_err();
        assert!(no.reason.contains(word), "{no}");
        assert_eq!(no.missing, Step::ALL[place]);
    }
    let mut story = story(&tool, "ev_");
    let Fact::ToolVerified(verified) = &mut story[11].1 else { unreachable!() };
    verified.evidence.remove(3);
    let no = ask(&fold(&story), &tool).unwrap_err();
    assert!(no.reason.contains("does not rest on the sandbox lints"), "{no}");
}

#[test]
fn only_a_persons_review_opens_the_way_again_and_everything_after_it_is_walked_anew() {
    let tool = self::tool("file.read", "1.0.0", TrustLevel::FirstParty);
    let whole = story(&tool, "ev_");
    let mut again = whole.clone();
    again.push(("ev_block".into(), blocked(&tool, None, BlockCause::Person)));
    // The same yes as before, and the machine's word: neither lifts a block.
    again.extend(whole[9..].to_vec());
    again.push(("ev_mr".into(), reviewed(&tool, ReviewStatus::NotRequired, "service:manager")));
    let no = ask(&fold(&again), &tool).unwrap_err();
    assert_eq!((no.missing, no.state), (Step::Review, S::Blocked), "{no}");

    again.push(("ev_8".into(), reviewed(&tool, ReviewStatus::Accepted, "user:ann")));
    assert_eq!(ask(&fold(&again), &tool).unwrap_err().missing, Step::Health);
    again.extend(whole[9..].to_vec());
    assert!(ask(&fold(&again), &tool).is_ok());
}

#[test]
fn a_new_version_of_a_blocked_tool_is_blocked_and_of_a_drifted_one_wants_a_review() {
    let (old, new) = (
        self::tool("file.read", "1.0.0", TrustLevel::FirstParty),
        self::tool("file.read", "1.1.0", TrustLevel::FirstParty),
    );
    for (version, cause, state) in [
        (None, BlockCause::Person, S::Blocked),
        (Some("1.0.0"), BlockCause::Drift, S::SecurityReviewRequired),
    ] {
        let mut story = story(&old, "ev_");
        story.push(("ev_block".into(), blocked(&old, version, cause)));
        let mut next = self::story(&new, "ew_");
        next[8].1 = reviewed(&new, ReviewStatus::NotRequired, "service:manager");
        story.extend(next);
        let no = ask(&fold(&story), &new).unwrap_err();
        assert_eq!((no.missing, no.state), (Step::Review, state), "{no}");
    }
}

#[test]
fn another_contract_under_the_same_version_stops_the_first() {
    let first = self::tool("file.read", "1.0.0", TrustLevel::FirstParty);
    let mut changed = descriptor("file.read");
    changed.description.summary = "Reads, and sends what it read.".into();
    let second = RegisteredTool::new(changed).unwrap();
    let mut story = story(&first, "ev_");
    let mut next = self::story(&second, "ew_");
    next[8].1 = reviewed(&second, ReviewStatus::NotRequired, "service:manager");
    story.extend(next[..3].to_vec());
    let ledger = fold(&story);
    let no = ask(&ledger, &first).unwrap_err();
    assert_eq!(no.state, S::Blocked);
    assert!(no.reason.contains("another contract"), "{no}");
    // It took the place of an enabled one, so the machine's word is not enough.
    story.extend(next[3..].to_vec());
    let no = ask(&fold(&story), &second).unwrap_err();
    assert_eq!((no.missing, no.state), (Step::Review, S::SecurityReviewRequired), "{no}");
}

#[test]
fn enablement_and_grants_reach_as_far_as_they_say() {
    let tool = self::tool("file.read", "1.0.0", TrustLevel::FirstParty);
    let everyone = &story(&tool, "ev_")[..13];
    // What ships and only reads needs no grant.
    assert!(ask_as(&fold(everyone), &tool, "user:eve", "ses_9", 0).is_ok());
    let strict = strict();
    let whole = story(&strict, "ev_");
    let no = ask_as(&fold(&whole), &strict, "user:eve", "ses_1", 0).unwrap_err();
    assert_eq!((no.missing, no.state), (Step::Granted, S::Enabled));

    let scope = EnablementScope::Session { session_id: "ses_1".into() };
    let mut session = whole.clone();
    session[12].1 = enabled(&strict, scope, "ev_11");
    assert!(ask_as(&fold(&session), &strict, "user:dev", "ses_1", 0).is_ok());
    assert_eq!(ask_as(&fold(&session), &strict, "user:dev", "ses_2", 0).unwrap_err().missing, Step::Enabled);

    let grant = |binding| -> Fact {
        crate::event::fact::GrantIssued {
            grant: Box::new(PermissionGrant {
                grant_id: "gr_2".into(),
                principal: "user:eve".into(),
                tool_id: strict.id().clone(),
                tool_version: strict.version().clone(),
                descriptor_digest: strict.digest().clone(),
                scopes: Vec::new(),
                arguments: GrantArguments::Any,
                binding,
                tenant: None,
                terms: None,
                derived_from: None,
                approval_id: None,
                granted_by: "user:ann".into(),
                granted_at: DateTime::UNIX_EPOCH,
                expires_at: DateTime::from_timestamp(100, 0).unwrap(),
            }),
        }
        .into()
    };
    let call = GrantBinding::Call { tool_call_id: "tc_1".into(), contract_digest: Digest::zero() };
    let rows = [
        ("standing", GrantBinding::Standing, "ses_9", 99, true),
        ("expired", GrantBinding::Standing, "ses_9", 100, false),
        ("its session", GrantBinding::Session { session_id: "ses_1".into() }, "ses_1", 0, true),
        ("another session", GrantBinding::Session { session_id: "ses_1".into() }, "ses_2", 0, false),
        ("one call's", call, "ses_1", 0, false),
    ];
    for (what, binding, session, now, expected) in rows {
        let mut story = whole.clone();
        story.push(("ev_g".into(), grant(binding)));
        assert_eq!(ask_as(&fold(&story), &strict, "user:eve", session, now).is_ok(), expected, "{what}");
        let by = "user:ann".into();
        let revoked = crate::event::fact::GrantRevoked { grant_id: "gr_2".into(), by, reason: "left".into() };
        story.push(("ev_r".into(), revoked.into()));
        assert!(ask_as(&fold(&story), &strict, "user:eve", session, now).is_err(), "{what}, revoked");
    }
}

#[test]
fn a_deprecated_tool_works_and_says_so() {
    let tool = strict();
    let mut story = story(&tool, "ev_");
    let deprecated = ToolDeprecated {
        tool_id: tool.id().clone(),
        tool_version: tool.version().clone(),
        by: "user:ann".into(),
        reason: "too wide".into(),
        replacement: Some("file.read".into()),
    };
    story.push(("ev_d".into(), deprecated.into()));
    let ledger = fold(&story);
    assert_eq!(ask(&ledger, &tool).unwrap().deprecated.unwrap(), "too wide; use `file.read`");
    assert_eq!(ledger.get(tool.id()).unwrap().latest().unwrap().state(), S::Deprecated);
}

/// The journal of a story, as its file would hold it.
fn journal(story: &[(EventId, Fact)]) -> Vec<u8> {
    let (mut chain, mut bytes) = (Chain::default(), Vec::new());
    for (event, fact) in story {
        let scope = Scope { session_id: "s".into(), run_id: "registry".into(), call_id: None };
        let (event_id, ts) = (event.clone(), DateTime::UNIX_EPOCH);
        let fresh = Fresh { event_id, ts, scope, parent: None, fact: fact.clone() };
        chain.seal(&fresh, &mut bytes).unwrap();
    }
    bytes
}

#[test]
fn a_journal_that_was_edited_by_hand_proves_nothing() {
    let tool = strict();
    let whole = story(&tool, "ev_");
    let text = String::from_utf8(journal(&whole)).unwrap();
    assert!(ask(&Ledger::read(text.as_bytes()).unwrap(), &tool).is_ok());

    let lines: Vec<&str> = text.lines().collect();
    let rejoin = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let edited = lines[5].replace("\"passed\":true", "\"passed\":false");
    let dropped: Vec<&str> =
        lines.iter().copied().enumerate().filter(|(n, _)| *n != 8).map(|(_, l)| l).collect();
    // Somebody adds the last step himself, with a hash that he has not.
    let forged = format!("{{\"type\":\"ToolGranted\",\"seq\":{},\"hash\":\"0\"}}", lines.len() + 1);
    let rows = [
        ("edited", text.replace(lines[5], &edited), 6),
        ("dropped", rejoin(&dropped), 9),
        ("forged", format!("{text}{forged}\n"), 15),
        ("nonsense", format!("{text}callable: true\n"), 15),
    ];
    for (what, journal, line) in rows {
        let error = Ledger::read(journal.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(&format!("line {line}")) && error.contains("hint"), "{what}: {error}");
    }
    // What a crash left of a line is no event.
    let torn = format!("{}{{\"hash\":\"ab", rejoin(&lines[..13]));
    assert_eq!(ask(&Ledger::read(torn.as_bytes()).unwrap(), &tool).unwrap_err().missing, Step::Granted);
    // A well-formed tail that skips steps is a chain, and still no proof.
    let skipped: Story = [0, 1, 2, 11, 12, 13].map(|n| whole[n].clone()).to_vec();
    let no = ask(&Ledger::read(&journal(&skipped)).unwrap(), &tool).unwrap_err();
    assert_eq!(no.missing, Step::SchemaLint);
}

/// A tool with its whole story, and that of its next version.
static TWO_CONTRACTS: std::sync::LazyLock<(RegisteredTool, Story, Story)> = std::sync::LazyLock::new(|| {
    let (tool, other) = (strict(), self::tool("srv.read", "2.0.0", TrustLevel::ThirdParty));
    let (own, foreign) = (story(&tool, "ev_"), story(&other, "ew_"));
    (tool, own, foreign)
});

/// 10,000 tools are folded in time that grows as their events do.
#[test]
#[ignore = "prints figures; run it by name in a release build"]
#[expect(clippy::print_stderr, reason = "the figures are what the test is for")]
fn ten_thousand_tools() {
    for tools in [1_000_u32, 10_000] {
        let stories: Vec<Story> = (0..tools)
            .map(|n| {
                story(&tool(&format!("srv.tool{n}"), "1.0.0", TrustLevel::ThirdParty), &format!("ev_{n}_"))
            })
            .collect();
        let events: Story = stories.into_iter().flatten().collect();
        let bytes = journal(&events);
        let (start, count) = (std::time::Instant::now(), events.len());
        let ledger = fold(&events);
        let folded = start.elapsed();
        let start = std::time::Instant::now();
        let read = Ledger::read(&bytes).unwrap();
        let whole = start.elapsed();
        assert_eq!((ledger.tools().count(), read.tools().count()), (tools as usize, tools as usize));
        eprintln!(
            "{tools} tools, {count} events, {} MB: fold {folded:?}, verify and fold {whole:?}",
            bytes.len() >> 20
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// However events are repeated, moved and mixed with those of another contract: without each required
    /// step nothing is callable.
    #[test]
    fn no_sequence_that_lacks_a_step_makes_a_tool_callable(
        missing in 0_usize..14,
        order in proptest::collection::vec((0_usize..28, any::<bool>()), 0..60),
    ) {
        let (tool, own, foreign) = &*TWO_CONTRACTS;
        let mut events: Story = Vec::new();
        for (n, in_order) in order {
            // Long stretches in order, so that sequences come near to being callable.
            let run = if in_order { n..14 } else { n..n + 1 };
            for place in run {
                let event = if place < 14 { own[place].clone() } else { foreign[place - 14].clone() };
                if place != missing {
                    events.push(event);
                }
            }
        }
        prop_assert!(ask(&fold(&events), tool).is_err());
    }
}
