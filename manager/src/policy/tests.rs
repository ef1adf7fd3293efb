//! What the engine answers, and what it refuses to load.

use super::*;
use crate::model::{
    BudgetLeft, Decision, Principal, Surroundings, Target, TargetKind, ToolDescriptor, ToolIntent,
};
use serde_json::{Value, json};

/// A first-party tool; `changes` are JSON pointers with what stands there instead.
fn tool(id: &str, changes: &[(&str, Value)]) -> ToolDescriptor {
    let mut tool = serde_json::to_value(crate::model::testing::descriptor(id)).unwrap();
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        tool.pointer_mut(parent).unwrap()[key] = value.clone();
    }
    serde_json::from_value(tool).unwrap()
}

fn schema(properties: &Value) -> (&'static str, Value) {
    ("/schemas/inputSchema", json!({ "type": "object", "properties": properties }))
}

/// The tools that the policies of these tests speak of.
fn tools() -> Vec<ToolDescriptor> {
    let path = json!({ "path": { "type": "string" } });
    vec![
        tool("file.read", &[schema(&path)]),
        tool("file.write", &[schema(&path), ("/permissions/requiredScopes", json!(["workspace:write"]))]),
        tool(
            "pay",
            &[schema(&json!({ "amount": { "type": "number" }, "note": { "type": ["string", "integer"] } }))],
        ),
        tool("plain", &[schema(&json!({ "note": { "type": "string" } }))]),
    ]
}

fn load(text: &str) -> Result<PolicyEngine, PolicyLoadError> {
    let tools = tools();
    PolicyEngine::load(&[PolicyText::new("own.cedar", text)], &Vocabulary::new(&tools))
}

struct Setup {
    scopes: Vec<&'static str>,
    args: Value,
    surroundings: Surroundings,
    confirmation: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self { scopes: vec![], args: json!({}), surroundings: Surroundings::default(), confirmation: false }
    }
}

fn decide(engine: &PolicyEngine, tool: &ToolDescriptor, setup: &Setup) -> PolicyAnswer {
    let scopes = setup.scopes.iter().map(|s| (*s).to_owned()).collect();
    let mut intent: ToolIntent = serde_json::from_value(json!({
        "intentId": "int_1", "sessionId": "ses_1", "runId": "run_1", "userGoal": "", "currentTask": "",
        "actionTypes": ["read"], "rationaleSummary": "", "confidence": 1.0, "createdAt": "2026-01-01T00:00:00Z",
    }))
    .unwrap();
    intent.target = Some(Target { kind: TargetKind::File, reference: "a.txt".to_owned() });
    intent.constraints.require_confirmation = setup.confirmation;
    let answer = engine.decide(&Question {
        actor: &Actor::new(Principal { id: "user:dev".into(), scopes }),
        tool: &PolicySubject::new(tool),
        scene: &Scene::new(setup.surroundings.clone()),
        asks: Asks::Call { intent: &intent, args: &setup.args },
    });
    assert!(!answer.reasons.is_empty());
    assert_eq!(answer.policy_set, *engine.digest());
    answer
}

fn told(answer: &PolicyAnswer) -> (Decision, Vec<&str>) {
    (answer.decision, answer.policy_ids.iter().map(|id| id.as_str()).collect())
}

#[test]
fn the_defaults_of_section_12() {
    use Decision::{Allow, Ask, Deny};
    let plain = json!({ "approvalPolicy": "never", "requiredScopes": [] });
    let scoped = json!({ "approvalPolicy": "never", "requiredScopes": ["x:y"] });
    let always = json!({ "approvalPolicy": "always", "requiredScopes": [] });
    let request = json!({ "approvalPolicy": "on_request", "requiredScopes": [] });
    let blocked =
        json!({ "approvalPolicy": "never", "requiredScopes": [], "blockedPrincipals": ["user:dev"] });
    let others =
        json!({ "approvalPolicy": "never", "requiredScopes": [], "allowedPrincipals": ["user:ops"] });
    let engine = PolicyEngine::standard().unwrap();
    let rows = [
        ("read", &plain, vec![], false, Allow, vec!["L0-pure-read"]),
        ("compute", &plain, vec![], false, Allow, vec!["L1-local-compute"]),
        ("write", &plain, vec![], false, Deny, vec![]),
        ("write", &scoped, vec![], false, Deny, vec!["scopes"]),
        ("write", &scoped, vec!["x:y"], false, Allow, vec!["L2-workspace-write"]),
        ("external_send", &scoped, vec!["x:y"], false, Ask, vec!["confirm-external-write"]),
        ("external_send", &scoped, vec![], false, Deny, vec!["scopes"]),
        ("delete", &scoped, vec!["x:y"], false, Ask, vec!["confirm-destructive"]),
        ("read", &always, vec![], false, Ask, vec!["approval-always"]),
        ("read", &request, vec![], false, Allow, vec!["L0-pure-read"]),
        ("read", &request, vec![], true, Ask, vec!["approval-on-request"]),
        ("read", &blocked, vec![], false, Deny, vec!["principal-blocked"]),
        ("read", &others, vec![], false, Deny, vec!["principal-not-listed"]),
    ];
    for (action, permissions, scopes, confirmation, decision, ids) in rows {
        let tool =
            tool("t", &[("/intent/actionTypes", json!([action])), ("/permissions", permissions.clone())]);
        let setup = Setup { scopes: scopes.clone(), confirmation, ..Setup::default() };
        assert_eq!(
            told(&decide(&engine, &tool, &setup)),
            (decision, ids),
            "{action} {permissions} {scopes:?} {confirmation}"
        );
    }
}

#[test]
fn what_matters_is_confirmed_and_what_is_private_does_not_leave() {
    use Decision::{Allow, Ask};
    let engine = PolicyEngine::standard().unwrap();
    let scoped = ("/permissions/requiredScopes", json!(["x:y"]));
    let outside = ("/effects/externalCalls", json!(true));
    let private = ("/risk/privacyRisk", json!("high"));
    let rows = [
        (vec![("/effects/mutatesState", json!(true))], vec![], Allow, "L2-workspace-write"),
        (
            vec![("/effects/mutatesState", json!(true)), ("/effects/reversible", json!(false))],
            vec![],
            Ask,
            "confirm-irreversible-write",
        ),
        (vec![outside.clone()], vec![], Allow, "L3-external-read"),
        (vec![outside.clone(), private.clone()], vec![], Ask, "confirm-unredacted-private-read"),
        (
            vec![outside.clone(), private, ("/contextPolicy/redactionPolicy", json!("secrets"))],
            vec![],
            Allow,
            "L3-external-read",
        ),
        (vec![outside.clone()], vec![READ_PRIVATE], Allow, "L3-external-read"),
        (vec![outside.clone()], vec![READ_UNTRUSTED], Allow, "L3-external-read"),
        (vec![outside], vec![READ_PRIVATE, READ_UNTRUSTED], Ask, "flow-private-untrusted-egress"),
        (vec![], vec![READ_PRIVATE, READ_UNTRUSTED], Allow, "L0-pure-read"),
    ];
    for (mut changes, labels, decision, id) in rows {
        changes.push(scoped.clone());
        let labels = labels.into_iter().map(ToOwned::to_owned).collect();
        let surroundings = Surroundings { labels, ..Surroundings::default() };
        let setup = Setup { scopes: vec!["x:y"], surroundings, ..Setup::default() };
        let answer = decide(&engine, &tool("t", &changes), &setup);
        assert_eq!(told(&answer), (decision, vec![id]), "{changes:?} {:?}", setup.surroundings.labels);
    }
}

/// Everything is permitted, but for what a row forbids.
const ALL: &str = r#"@id("all") permit (principal, action, resource);"#;

#[test]
fn a_policy_sees_arguments_principal_intent_and_surroundings() {
    use Decision::{Allow, Ask, Deny};
    let dev = Surroundings {
        environment: "development".to_owned(),
        workspace: Some("/srv/shop".to_owned()),
        budget: BudgetLeft { calls: Some(3), cost_usd: Some(0.5) },
        labels: ["mine".to_owned()].into(),
    };
    let rows = [
        (
            r#"action == Action::"call:file.read""#,
            r#"context.args has path && context.args.path like "/etc/*""#,
            Deny,
        ),
        (
            r#"action == Action::"call:file.read""#,
            r#"context.args has path && context.args.path like "/usr/*""#,
            Allow,
        ),
        (
            r#"action in [Action::"call:file.read", Action::"call:file.write"]"#,
            r#"context.args has path"#,
            Deny,
        ),
        (r#"action == Action::"call:file.write""#, r#"context.args has path"#, Allow),
        ("action", r#"context has args && context.args has path && context.args.path like "/etc/*""#, Deny),
        (r#"action in Action::"call""#, r#"principal.kind == "user" && principal.id == "user:dev""#, Deny),
        (r#"action in Action::"call""#, r#"principal.scopes.contains("workspace:read")"#, Deny),
        (r#"action in Action::"call""#, r#"context.intent.actionTypes.contains("read")"#, Deny),
        (
            r#"action in Action::"call""#,
            r#"context.intent has target && context.intent.target.ref == "a.txt""#,
            Deny,
        ),
        (r#"action in Action::"call""#, r#"context.environment == "development""#, Deny),
        (r#"action in Action::"call""#, r#"context has workspace && context.workspace like "/srv/*""#, Deny),
        (r#"action in Action::"call""#, r#"context.labels.contains("mine")"#, Deny),
        (r#"action in Action::"call""#, r#"context.budget has calls && context.budget.calls < 4"#, Deny),
        (
            r#"action in Action::"call""#,
            r#"context.budget has costUsd && context.budget.costUsd.lessThan(decimal("0.5"))"#,
            Allow,
        ),
        (r#"action in Action::"call""#, r#"resource.level == 0 && !context.approved"#, Ask),
        (r#"action == Action::"expose""#, "true", Allow),
    ];
    let setup = Setup {
        args: json!({ "path": "/etc/passwd" }),
        surroundings: dev,
        scopes: vec!["workspace:read"],
        ..Setup::default()
    };
    for (action, condition, decision) in rows {
        let text =
            format!("{ALL}\n@id(\"f\") forbid (principal, {action}, resource) when {{ {condition} }};");
        let engine = load(&text).unwrap_or_else(|e| panic!("{action} {condition}: {e}"));
        let answer = decide(&engine, &tools()[0], &setup);
        assert_eq!((answer.decision, answer.failed), (decision, false), "{action} {condition}: {answer:?}");
    }
}

#[test]
fn what_an_approval_permits_is_asked_about() {
    let engine = load(
        r#"@id("yes") @reason("by hand") permit (principal, action, resource) when { context.approved };"#,
    );
    let answer = decide(&engine.unwrap(), &tools()[0], &Setup::default());
    assert_eq!(told(&answer), (Decision::Ask, vec!["yes"]));
    assert_eq!(answer.reason(), "by hand");
}

/// PO-02, PO-03, PO-04, PO-07: whatever cannot be decided is denied.
#[test]
fn what_cannot_be_decided_is_denied() {
    let pay = r#"@id("f") forbid (principal, action == Action::"call:pay", resource)
                 when { context.args has amount && context.args.amount.greaterThan(decimal("100.0")) };"#;
    let open = r#"@id("f") forbid (principal, action in Action::"call", resource)
                  when { context has args && context.args has path && context.args.path like "*secret*" };"#;
    let note = r#"@id("f") forbid (principal, action in Action::"call", resource)
                  when { context has args && context.args has note && context.args.note == "x" };"#;
    let overflow =
        r#"@id("f") forbid (principal, action, resource) when { resource.level + 9223372036854775807 > 0 };"#;
    let both = r#"@id("f") forbid (principal, action, resource) when { resource.level == 0 };"#;
    let level = [("/intent/actionTypes", json!(["write"]))];
    let newer = [("/version", json!("2.0.0"))];
    let huge = "x".repeat(100_000);
    for (name, policy, tool, args, failed, part) in [
        ("both match", both, tool("plain", &[]), json!({}), false, "f"),
        ("overflow", overflow, tool("plain", &level), json!({}), true, "could not be evaluated"),
        ("over", pay, tools().remove(2), json!({ "amount": 100.5 }), false, "f"),
        (
            "inexact",
            pay,
            tools().remove(2),
            json!({ "amount": 100.00001 }),
            true,
            "args.amount: `100.00001` is beyond",
        ),
        (
            "another version",
            pay,
            tool("pay", &newer),
            json!({ "amount": 1 }),
            true,
            "another version of `pay` than 2.0.0",
        ),
        ("registered later", open, tool("later", &[]), json!({}), true, "`later` was registered after"),
        ("too large", open, tools().remove(0), json!({ "path": huge }), true, "larger than 64 KiB"),
        ("hidden", note, tools().remove(2), json!({ "note": 1 }), true, "args.note: policy cannot see it"),
    ] {
        let engine = load(&format!("{ALL}\n{policy}")).unwrap_or_else(|e| panic!("{name}: {e}"));
        let answer = decide(&engine, &tool, &Setup { args, ..Setup::default() });
        assert_eq!((answer.decision, answer.failed), (Decision::Deny, failed), "{name}: {answer:?}");
        assert!(answer.reason().contains(part), "{name}: {}", answer.reason());
    }
    // What no policy speaks of hinders nobody.
    let engine = load(&format!("{ALL}\n{pay}")).unwrap();
    let args = json!({ "amount": 1, "note": 7, "x": "x".repeat(100_000) });
    let answer = decide(&engine, &tools()[2], &Setup { args, ..Setup::default() });
    assert_eq!(told(&answer), (Decision::Allow, vec!["all"]));
}

/// PO-01, PO-02, PO-05, PO-06, PO-07: a mistake is found when policies are loaded, with its place and a hint.
#[test]
fn mistakes_are_found_at_load() {
    let head = |action: &str, condition: &str| {
        format!("// one\n@id(\"a\")\nforbid (principal, {action}, resource)\nwhen {{ {condition} }};\n")
    };
    let read = r#"action == Action::"call:file.read""#;
    let deep = format!("{}true{}", "(".repeat(40), ")".repeat(40));
    let long = vec!["resource.level == 1"; 500].join(" || ");
    let rows = [
        (String::new(), "own.cedar:1:1: there is no policy in the file\nhint: a set without"),
        ("permit (principal, act".to_owned(), "own.cedar:1:23: "),
        ("// just a comment\n".to_owned(), "no policy in the file"),
        (
            head("action", "resource.levle == 0"),
            "own.cedar:4:8: `a`: attribute `levle` on entity type `Tool` not found\nhint: did you mean `level`?",
        ),
        (head("action", r#"resource.level == "0""#), "own.cedar:4:8: `a`: "),
        (head("action", "false"), "`a`: policy is impossible"),
        (head("action", "resource.level == 6"), "own.cedar:4:26: `a`: `resource.level` is never `6`"),
        (
            head("action", r#"resource.trust == "fist_party""#),
            "never `fist_party`, so this can never match\nhint: did you mean `first_party`?",
        ),
        (head("action", r#"["hgih"].contains(resource.risk)"#), "did you mean `high`?"),
        (
            head("action", r#"resource.requiredScopes.contains("workspace:wriet")"#),
            "did you mean `workspace:write`?",
        ),
        (head("action", r#"resource.actionTypes.containsAny(["raed"])"#), "did you mean `read`?"),
        (head("action", "context.args has path"), "`a`: attribute `args`"),
        (head("action", "context.labels.isEmpty()"), "`a`: attribute `labels`"),
        (
            head("action", "context.workspace == \"x\""),
            "`a`: unable to guarantee safety of access to optional attribute `workspace`",
        ),
        (
            head(r#"action == Action::"call""#, "true"),
            "own.cedar:3:30: `a`: no call has the action `call`: it is the group of all calls\nhint: write `action in Action::\"call\"`",
        ),
        (
            head(r#"action == Action::"call:file.raed""#, "true"),
            "own.cedar:3:39: `a`: no tool `file.raed` is registered\nhint: did you mean `file.read`?",
        ),
        (head(r#"action == Action::"call:*""#, "true"), "no tool `*` is registered"),
        (head(r#"action == Action::"cal:file.read""#, "true"), "`a`: unrecognized action"),
        (
            head("action", r#"resource == Tool::"teleport""#),
            "no tool `teleport` is registered\nhint: register the tool first",
        ),
        (
            head(read, r#"context.args has pth && context.args.pth == "x""#),
            "own.cedar:4:25: `a`: the tool `file.read` has no argument `pth`\nhint: did you mean `path`?",
        ),
        (head(read, "context.args has path && context.args.path == 3"), "`a`: "),
        (head(read, r#"context.args.path like "/etc/*""#), "optional attribute `args.path`"),
        (
            head(r#"action == Action::"call:pay""#, r#"context.args has note && context.args.note == "x""#),
            "policy cannot see the argument `note` of `pay`: its schema allows several types\nhint: ",
        ),
        (
            "permit (principal, action, resource);".to_owned(),
            "own.cedar:1:1: a policy has no `@id`\nhint: add",
        ),
        (format!("{ALL}\n{ALL}"), "`all`: two policies have this id"),
        (r#"@id("a") permit (principal == ?principal, action, resource);"#.to_owned(), "is a template"),
        (head("action", &deep), "brackets are nested deeper than 32"),
        (head("action", &long), "a policy is longer than 8 KiB"),
    ];
    let mut missed = String::new();
    for (text, part) in rows {
        let shown: String = text.chars().take(200).collect();
        let told = load(&text).err().map_or("it is loaded".to_owned(), |error| error.to_string());
        if !told.contains(part) {
            missed += &format!("{shown}\n→ {told}\nlacks: {part}\n\n");
        }
    }
    assert!(missed.is_empty(), "{missed}");
    assert_eq!(PolicyEngine::load(&[], &Vocabulary::default()).unwrap_err(), PolicyLoadError::Empty);
    let large = vec![PolicyText::new("a.cedar", ALL), PolicyText::new("b.cedar", "\n".repeat(300 << 10))];
    let error = PolicyEngine::load(&large, &Vocabulary::default()).unwrap_err().to_string();
    assert!(error.contains("b.cedar:1:1: the policies are larger than 256 KiB"), "{error}");
}

/// PO-07: the deepest and longest policies that are let in are checked and answered.
#[test]
fn what_is_within_the_bounds_exhausts_nothing() {
    for condition in [
        format!("{}resource.level == 1{}", "(".repeat(30), ")".repeat(30)),
        vec!["resource.level==1"; 400].join("||"),
        format!("resource.id like \"{}\"", "*a".repeat(2_000)),
        format!("[{}].contains(resource.sourceId)", vec!["\"a\""; 1_900].join(",")),
    ] {
        let text = format!("{ALL}\n@id(\"f\") forbid (principal, action, resource) when {{ {condition} }};");
        let engine = load(&text).unwrap_or_else(|e| panic!("{e}"));
        let answer = decide(&engine, &tools()[0], &Setup::default());
        assert!(answer.failed || answer.decision == Decision::Allow, "{answer:?}");
    }
}

#[test]
fn several_mistakes_are_told_at_once_and_with_their_files() {
    let tools = tools();
    let one = PolicyText::new(
        "one.cedar",
        "@id(\"a\") permit (principal, action, resource)\nwhen { resource.levle == 0 };",
    );
    let two = PolicyText::new(
        "two.cedar",
        "@id(\"a\") permit (principal, action, resource);\n\n@id(\"c\") permit (principal, action, resource)\nwhen { resource.risc == \"low\" };",
    );
    let error = PolicyEngine::load(&[one, two], &Vocabulary::new(&tools)).unwrap_err().to_string();
    for part in [
        "one.cedar:2:8: `a`: attribute `levle`",
        "two.cedar:1:1: `a`: two policies have this id; the other stands in `one.cedar`",
        "two.cedar:4:8: `c`: attribute `risc`",
    ] {
        assert!(error.contains(part), "{error}\nlacks: {part}");
    }
}

/// PO-01: what has no policies denies, and says why.
#[test]
fn a_closed_engine_denies_everything() {
    let engine = PolicyEngine::closed("`policies/own.cedar` cannot be read: permission denied");
    let answer = decide(&engine, &tools()[0], &Setup::default());
    assert_eq!((answer.decision, answer.failed), (Decision::Deny, true));
    assert!(answer.reason().contains("permission denied"), "{}", answer.reason());
    assert_ne!(engine.digest(), PolicyEngine::standard().unwrap().digest());
}

#[test]
fn a_set_about_all_arguments_is_bounded() {
    let many: Vec<ToolDescriptor> = (0..1_001).map(|n| tool(&format!("t{n}"), &[])).collect();
    let text = PolicyText::new(
        "own.cedar",
        "@id(\"a\") forbid (principal, action, resource)\nwhen { context has args && context.args has path };",
    );
    let error = PolicyEngine::load(&[text], &Vocabulary::new(&many)).unwrap_err().to_string();
    assert!(error.contains("own.cedar:2:8: `a`: it speaks of the arguments of all 1001 tools"), "{error}");
    assert!(PolicyEngine::load(&[PolicyEngine::standard_text()], &Vocabulary::new(&many)).is_ok());
}

#[test]
fn the_digest_is_of_the_policies_alone() {
    let tools = tools();
    let one = |file: &str, text: &str, vocabulary: &Vocabulary<'_>| {
        PolicyEngine::load(&[PolicyText::new(file, text)], vocabulary).unwrap().digest().clone()
    };
    let all = one("a.cedar", ALL, &Vocabulary::default());
    assert_eq!(all, one("b.cedar", ALL, &Vocabulary::new(&tools)));
    assert_ne!(all, one("a.cedar", &format!("{ALL}\n"), &Vocabulary::default()));
}

/// The fenced blocks of a language in the page about policies.
fn examples(language: &str) -> Vec<&'static str> {
    let page = include_str!("../../../docs/policies.md");
    let blocks = page.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

#[test]
fn the_examples_of_the_page_are_loaded_and_do_what_they_say() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("descriptors");
    let tools: Vec<ToolDescriptor> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let node = crate::document::parse("tool", &bytes, crate::document::Format::Yaml).unwrap();
            node.decode().unwrap()
        })
        .collect();
    let mut texts: Vec<PolicyText> = vec![PolicyEngine::standard_text()];
    texts.extend(
        examples("cedar").into_iter().enumerate().map(|(n, text)| PolicyText::new(format!("{n}"), text)),
    );
    assert_eq!(texts.len(), 6);
    let engine = PolicyEngine::load(&texts, &Vocabulary::new(&tools)).unwrap_or_else(|e| panic!("{e}"));
    let development = Surroundings { environment: "development".to_owned(), ..Surroundings::default() };
    let flow = Surroundings {
        labels: [READ_PRIVATE, READ_UNTRUSTED].map(ToOwned::to_owned).into(),
        ..development.clone()
    };
    let poor =
        Surroundings { budget: BudgetLeft { calls: None, cost_usd: Some(0.99) }, ..development.clone() };
    use Decision::{Allow, Ask, Deny};
    for (tool, args, surroundings, decision, id) in [
        ("file.write", json!({ "path": ".env", "content": "" }), &development, Deny, "no-dotfiles"),
        ("format.apply", json!({}), &development, Allow, "L2-workspace-write"),
        ("format.apply", json!({}), &Surroundings::default(), Ask, "confirm-production-writes"),
        (
            "cloud.purchase",
            json!({ "sku": "a", "quantity": 1, "maxPriceUsd": 50.01 }),
            &development,
            Deny,
            "small-purchases",
        ),
        (
            "cloud.purchase",
            json!({ "sku": "a", "quantity": 1, "maxPriceUsd": 1 }),
            &poor,
            Deny,
            "not-without-money",
        ),
        ("web.fetch", json!({ "url": "http://a.internal/x" }), &development, Deny, "no-internal-hosts"),
        ("web.fetch", json!({ "url": "http://example.org/" }), &development, Allow, "L3-external-read"),
        ("web.fetch", json!({ "url": "http://example.org/" }), &flow, Deny, "flow-deny"),
    ] {
        let descriptor = tools.iter().find(|t| *t.tool_id == *tool).unwrap();
        let scopes = descriptor.permissions.required_scopes.iter().map(|s| s.clone().leak() as &'static str);
        let setup =
            Setup { args, surroundings: surroundings.clone(), scopes: scopes.collect(), ..Setup::default() };
        assert_eq!(told(&decide(&engine, descriptor, &setup)), (decision, vec![id]), "{tool} {}", setup.args);
    }
    let limits = crate::usage::parse_limits("limits.yaml", examples("yaml")[0].as_bytes()).unwrap();
    assert_eq!(limits.len(), 3);
}
