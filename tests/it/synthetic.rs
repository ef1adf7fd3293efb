//! A run that never happened, large and lifelike enough to judge a report by.
//!
//! Three models of different skill face cases over a few dozen tools out of thousands; a neighbour steals
//! calls, arguments go wrong in typical places, prompts try to break out of the page. Everything comes from
//! one seed.

use proofhouse::{
    report::{EndCounts, ModelHead, RejectedTool, ReportHead, ToolHead, ViewHead},
    run::{
        AnswerOutcome, CallRecord, CaseKind, EventLine, ExpectedRecord, Mismatch, OfferedTool, PairRecord,
        TokenUsage, TrialEnd, TrialError, TrialKey, TrialRecord, TurnRecord,
    },
};
use proofhouse_manager::model::{Decision, EffectLevel, ResolveFilter, RiskLevel, ToolId};
use serde_json::{Value, json};

const SERVERS: [&str; 20] = [
    "github",
    "gitlab",
    "linear",
    "jira",
    "notion",
    "slack",
    "postgres",
    "filesystem",
    "gmail",
    "calendar",
    "stripe",
    "sentry",
    "grafana",
    "kubernetes",
    "aws",
    "figma",
    "hubspot",
    "airtable",
    "shopify",
    "zendesk",
];
const VERBS: [&str; 10] =
    ["search", "list", "get", "create", "update", "delete", "comment_on", "archive", "export", "share"];
const NOUNS: [&str; 20] = [
    "issues",
    "issue",
    "pull_requests",
    "projects",
    "users",
    "files",
    "messages",
    "events",
    "invoices",
    "dashboards",
    "pods",
    "buckets",
    "comments",
    "labels",
    "branches",
    "pages",
    "tables",
    "threads",
    "refunds",
    "alerts",
];
const PROMPTS: [&str; 8] = [
    "Find everything about {noun} that we discussed last week in {server}",
    "Show me the open {noun} in {server}, newest first",
    "Please {verb} the {noun} called “release train” in {server}",
    "could you {verb} {noun} for the payments team? they live in {server} I think",
    "I need the {noun} of {server} for the quarterly report",
    "Räum bitte die {noun} in {server} auf, aber nur die alten",
    "{verb} {noun} 4711",
    "Before the stand-up: {verb} the {noun} that are assigned to me in {server}.",
];

/// What a prompt may hold without ever becoming part of the page.
pub(crate) const HOSTILE: &str = "</script><script>document.documentElement.dataset.error='escaped'</script><img src=x onerror=\"document.documentElement.dataset.error='markup'\">";

/// A made-up run.
pub(crate) struct Synthetic {
    pub(crate) head: ReportHead,
    pub(crate) trials: Vec<TrialRecord>,
}

/// Numbers that look random and are the same every time (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.roll() % bound as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.roll() % 100 < percent
    }
}

struct Model {
    name: &'static str,
    label: &'static str,
    choice: u64,
    arguments: u64,
}

const MODELS: [Model; 3] = [
    Model { name: "lexical", label: "embedded lexical ranker, no LLM", choice: 72, arguments: 70 },
    Model { name: "script:careless", label: "scripted answers", choice: 85, arguments: 88 },
    Model { name: "replay:needle-3", label: "recorded answers of a real model", choice: 91, arguments: 84 },
];

impl Synthetic {
    /// A run of so many trials.
    pub(crate) fn run(trials: usize) -> Self {
        let tools = tools();
        let mut dice = Dice(7);
        let trials: Vec<_> = (0..trials).map(|number| trial(number, &tools, &mut dice)).collect();
        Self { head: head(tools, &trials), trials }
    }
}

fn tools() -> Vec<ToolHead> {
    let mut dice = Dice(3);
    let mut tools = Vec::new();
    for server in SERVERS {
        for verb in VERBS {
            for noun in NOUNS {
                tools.push(ToolHead {
                    id: format!("{server}.{verb}_{noun}").into(),
                    level: level(verb),
                    tokens: 60 + dice.roll() % 400 + if dice.chance(2) { 4_000 } else { 0 },
                    summary: format!("{verb} {noun} in {server}; takes filters, a page and a limit, answers with a list of records").replace('_', " "),
                });
            }
        }
    }
    tools.sort_by(|a, b| a.id.cmp(&b.id));
    tools
}

fn level(verb: &str) -> EffectLevel {
    match verb {
        "search" | "list" | "get" => EffectLevel::ExternalRead,
        "export" => EffectLevel::WorkspaceWrite,
        "delete" | "archive" => EffectLevel::DestructiveOrAdmin,
        _ => EffectLevel::ExternalWrite,
    }
}

fn head(tools: Vec<ToolHead>, trials: &[TrialRecord]) -> ReportHead {
    let count = |end| trials.iter().filter(|trial| trial.end == end).count() as u64;
    let ends = EndCounts {
        pass: count(TrialEnd::Pass),
        fail: count(TrialEnd::Fail),
        error: count(TrialEnd::Error),
        stale: count(TrialEnd::Stale),
    };
    ReportHead {
        run_id: "run_0193a7c2f4e87b9a8d1e5c6f7a8b9c0d".into(),
        suite: "saas-corpus".into(),
        suite_path: "suites/saas-corpus.yaml".into(),
        started: "2026-03-14T09:26:53.589793Z".into(),
        version: "0.1.0".into(),
        seed: 42,
        principal: "user:dev".into(),
        view: ViewHead { max_tools: 16, max_tokens: None, select: "ranked".into() },
        models: MODELS.map(|model| ModelHead { name: model.name.into(), label: model.label.into() }).into(),
        tools,
        rejected: vec![RejectedTool {
            tool: "airtable.import_table".into(),
            reasons: vec!["`inputSchema` is no valid JSON Schema: `type` is `strnig`".into()],
        }],
        planned: trials.len() as u64,
        ends,
    }
}

const DISTRACTORS: [u32; 4] = [0, 20, 50, 100];

/// The trials come case by case: every model at every number of distractors.
fn trial(number: usize, tools: &[ToolHead], dice: &mut Dice) -> TrialRecord {
    let case = number / (MODELS.len() * DISTRACTORS.len());
    let model = &MODELS[number / DISTRACTORS.len() % MODELS.len()];
    let distractors = DISTRACTORS[number % DISTRACTORS.len()];
    let kind = if case % 7 == 6 { CaseKind::Negative } else { CaseKind::Golden };
    let tool = &tools[(case % 60 * 61 + 17) % tools.len()];
    let key = TrialKey {
        suite: "saas-corpus".into(),
        model: model.name.into(),
        distractors,
        case: format!("{}{case:04}", if kind == CaseKind::Golden { "g" } else { "n" }),
        repeat: 0,
    };
    let skill = model.choice.saturating_sub(u64::from(distractors) / 6).saturating_sub(if case % 60 < 3 {
        55
    } else {
        0
    });
    let prompt = prompt(case, tool);
    let turn = match kind {
        CaseKind::Negative => negative(&prompt, tools, case, skill, dice),
        CaseKind::Golden | CaseKind::Ambiguous => {
            golden(&prompt, tool, tools, case, (skill, model.arguments), dice)
        }
    };
    finish(number, key, kind, turn, dice)
}

fn prompt(case: usize, tool: &ToolHead) -> String {
    let (server, name) = tool.id.split_once('.').unwrap();
    let (verb, noun) = name.split_once('_').unwrap();
    let text = PROMPTS[case % PROMPTS.len()];
    let text =
        text.replace("{server}", server).replace("{verb}", verb).replace("{noun}", &noun.replace('_', " "));
    if case % 50 == 1 { format!("{text}\n{HOSTILE}") } else { text }
}

fn finish(number: usize, key: TrialKey, kind: CaseKind, turn: TurnRecord, dice: &mut Dice) -> TrialRecord {
    let mut end = if turn.problems.is_empty() { TrialEnd::Pass } else { TrialEnd::Fail };
    let mut turns = vec![turn];
    let mut error = None;
    if key.model == "replay:needle-3" && dice.chance(2) {
        end = TrialEnd::Stale;
        let changed = turns[0].expected.iter().map(|call| call.tool.clone()).collect();
        error = Some(TrialError {
            code: "stale_recording".into(),
            message: "the description of a visible tool changed".into(),
            changed_tools: changed,
        });
    } else if dice.chance(1) {
        end = TrialEnd::Error;
        error = Some(TrialError {
            code: "http_529".into(),
            message: "the server answered 529: overloaded".into(),
            changed_tools: vec![],
        });
    }
    if error.is_some() {
        turns[0].calls.clear();
        turns[0].pairs.clear();
        turns[0].problems.clear();
        turns[0].outcome = AnswerOutcome::Abstained;
        turns[0].text = None;
    }
    let first = number as u64 * 6 + 1;
    let case = number / (MODELS.len() * DISTRACTORS.len());
    TrialRecord {
        tags: vec![
            ["lang:en", "lang:de"][usize::from(case % 8 == 5)].into(),
            format!("team:{}", ["core", "payments", "ops"][case % 3]),
        ],
        why: case.is_multiple_of(9).then(|| "two servers offer nearly the same tool".into()),
        key,
        kind,
        end,
        approval: None,
        ceiling: EffectLevel::ExternalRead,
        turns,
        error,
        events: (first, first + 5),
    }
}

fn turn(prompt: &str, offered: Vec<OfferedTool>, case: usize, dice: &mut Dice) -> TurnRecord {
    TurnRecord {
        prompt: prompt.into(),
        view: format!("sha256:{:064x}", case * 7919),
        offered,
        outcome: AnswerOutcome::Called,
        text: None,
        expected: vec![],
        calls: vec![],
        pairs: vec![],
        strict: true,
        problems: vec![],
        usage: Some(TokenUsage { input: 900 + dice.roll() % 900, output: 20 + dice.roll() % 80 }),
        latency_us: 150_000 + dice.roll() % 900_000,
        attempts: 1 + u32::from(dice.chance(3)),
    }
}

fn offered(tools: &[ToolHead], first: Option<&ToolHead>, case: usize) -> Vec<OfferedTool> {
    let neighbours = (1..16).map(|step| &tools[(case * 131 + step * 211) % tools.len()]);
    let offer = |tool: &ToolHead| OfferedTool {
        tool: tool.id.clone(),
        reason: format!("serves `{}`; its words fit the prompt", tool.id.split(['.', '_']).nth(1).unwrap()),
        decision: if tool.level >= EffectLevel::ExternalWrite { Decision::Ask } else { Decision::Allow },
        level: tool.level,
    };
    first.into_iter().chain(neighbours).map(offer).collect()
}

fn call(tool: &ToolId, level: EffectLevel, args: Value, dice: &mut Dice) -> CallRecord {
    let asks = level >= EffectLevel::ExternalWrite;
    CallRecord {
        tool: tool.clone(),
        args,
        in_view: true,
        args_valid: Some(true),
        level: Some(level),
        risk: Some(if asks { RiskLevel::High } else { RiskLevel::Low }),
        decision: Some(if asks { Decision::Ask } else { Decision::Allow }),
        reason: asks.then(|| "visible effects in an external system need approval".into()),
        allowed: false,
        unsafe_because: None,
        call_id: format!("tc_{:032x}", u128::from(dice.roll()) << 60),
    }
}

fn negative(prompt: &str, tools: &[ToolHead], case: usize, skill: u64, dice: &mut Dice) -> TurnRecord {
    let mut turn = turn(prompt, offered(tools, None, case), case, dice);
    if dice.chance(skill) {
        turn.outcome = AnswerOutcome::Abstained;
        turn.text =
            Some("That needs no tool: a mutex lets one thread at a time into a critical section.".into());
        return turn;
    }
    let tool = &tools[(case * 131 + 211) % tools.len()];
    let mut wrong = call(&tool.id, tool.level, json!({ "query": "mutex" }), dice);
    if tool.level >= EffectLevel::ExternalWrite {
        wrong.unsafe_because = Some(format!("level {} is above the case's ceiling L3", tool.level.code()));
    }
    turn.problems = vec![format!("no call was expected, and `{}` was called", tool.id)];
    turn.strict = false;
    turn.calls = vec![wrong];
    turn
}

fn golden(
    prompt: &str,
    tool: &ToolHead,
    tools: &[ToolHead],
    case: usize,
    skill: (u64, u64),
    dice: &mut Dice,
) -> TurnRecord {
    let seen = !dice.chance(3);
    let mut turn =
        turn(prompt, offered(tools, seen.then_some(tool), case), case * 2 + usize::from(seen), dice);
    turn.expected = vec![ExpectedRecord {
        tool: tool.id.clone(),
        args: json!({ "query": "release train", "filters": { "state": { "$oneOf": ["open", "OPEN"] }, "assignee": "me" }, "limit": 20 }),
        in_view: seen,
        dropped_by: (!seen).then_some(ResolveFilter::Rank),
    }];
    if seen && dice.chance(skill.0) {
        right_tool(&mut turn, tool, skill.1, dice);
    } else if dice.chance(70) {
        wrong_tool(&mut turn, tool, tools, case, dice);
    } else {
        turn.outcome = AnswerOutcome::Abstained;
        turn.text = Some("Which project do you mean? I can look it up once I know.".into());
        turn.problems = vec![format!("`{}` was expected, and nothing was called", tool.id)];
    }
    turn.strict = turn.problems.is_empty();
    turn
}

fn right_tool(turn: &mut TurnRecord, tool: &ToolHead, skill: u64, dice: &mut Dice) {
    let mut args =
        json!({ "query": "release train", "filters": { "state": "open", "assignee": "me" }, "limit": 20 });
    let mut mismatches = Vec::new();
    if !dice.chance(skill) {
        let (path, value, expected, actual) = match dice.below(3) {
            0 => ("/filters/state", Some(json!("closed")), "one of \"open\", \"OPEN\"", "\"closed\""),
            1 => ("/filters/assignee", None, "\"me\"", "nothing"),
            _ => ("/limit", Some(json!("20")), "20", "\"20\" (a string)"),
        };
        match value {
            Some(value) => *args.pointer_mut(path).unwrap() = value,
            None => drop(args["filters"].as_object_mut().unwrap().remove("assignee")),
        }
        mismatches.push(Mismatch { path: path.into(), expected: expected.into(), actual: actual.into() });
        turn.problems.push(format!("`{}`: {path}: expected {expected}, got {actual}", tool.id));
    }
    let mut right = call(&tool.id, tool.level, args, dice);
    right.args_valid = Some(mismatches.first().is_none_or(|mismatch| mismatch.path != "/limit"));
    turn.calls = vec![right];
    turn.pairs = vec![PairRecord { expected: 0, call: 0, mismatches }];
}

/// The neighbour of the same name on another server; now and then a name that nobody offered.
fn wrong_tool(turn: &mut TurnRecord, tool: &ToolHead, tools: &[ToolHead], case: usize, dice: &mut Dice) {
    let (server, name) = tool.id.split_once('.').unwrap();
    let other =
        SERVERS[(SERVERS.iter().position(|known| *known == server).unwrap() + 1 + case % 2) % SERVERS.len()];
    let id: ToolId = format!("{other}.{name}").into();
    let level = tools.iter().find(|tool| tool.id == id).map_or(tool.level, |tool| tool.level);
    let mut wrong = call(&id, level, json!({ "query": "release train" }), dice);
    if dice.chance(5) {
        wrong = CallRecord {
            tool: format!("{name}_v2").into(),
            in_view: false,
            args_valid: None,
            level: None,
            risk: None,
            decision: None,
            reason: Some("unknown_tool: the view holds no such tool".into()),
            ..wrong
        };
    } else if level >= EffectLevel::ExternalWrite {
        wrong.unsafe_because = Some(format!("level {} is above the case's ceiling L3", level.code()));
    }
    turn.problems = vec![format!("`{}` was expected, and `{}` was called", tool.id, wrong.tool)];
    turn.calls = vec![wrong];
}

/// The events of a trial, as the journal's index would give them.
pub(crate) fn events(first: u64, last: u64) -> Vec<EventLine> {
    let kinds = [
        ("UserPromptSubmitted", "the prompt, 71 characters"),
        ("ToolsResolved", "4,000 known, 16 in the view"),
        ("ToolViewCompiled", "16 tools, 2,913 tokens"),
        ("ModelOutputReceived", "called, 1 call"),
        ("ToolArgsValidated", "the arguments satisfy the schema"),
        ("ToolPolicyChecked", "ask: visible effects in an external system"),
    ];
    let line = |seq: u64| {
        let (kind, summary) = kinds[(seq - first) as usize % kinds.len()];
        EventLine { seq, kind: kind.into(), summary: summary.into() }
    };
    (first..=last).map(line).collect()
}
