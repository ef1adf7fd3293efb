//! The chain from outside: who is dropped by what, in which order, and that nothing gets lost.

use super::*;
use crate::{
    model::{
        ActionType, Decision, EffectLevel, Principal, ResolveFilter, SandboxMode, ToolBudget, ToolDescriptor,
        ToolIntent, testing::descriptor,
    },
    policy::{Actor, PolicyEngine},
    registry::Registry,
};
use serde_json::json;
use std::{collections::BTreeSet, sync::LazyLock};

/// What a row varies of a turn.
#[derive(Clone)]
struct Setup {
    scopes: &'static [&'static str],
    actions: Vec<ActionType>,
    max_tools: usize,
    max_tokens: Option<u64>,
    max_level: EffectLevel,
    selection: Selection,
    environment: Environment,
    only: Option<&'static [&'static str]>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            scopes: &["db:read", "db:write"],
            actions: Vec::new(),
            max_tools: 16,
            max_tokens: None,
            max_level: EffectLevel::DestructiveOrAdmin,
            selection: Selection::Ranked,
            environment: Environment::default(),
            only: None,
        }
    }
}

pub(crate) fn intent(actions: &[ActionType]) -> ToolIntent {
    serde_json::from_value(json!({
        "intentId": "int_1", "sessionId": "ses_1", "runId": "run_1", "userGoal": "g", "currentTask": "t",
        "actionTypes": actions, "rationaleSummary": "r", "confidence": 1.0, "createdAt": "2026-01-01T00:00:00Z",
    }))
    .unwrap()
}

fn tool(id: &str, summary: &str, change: impl FnOnce(&mut ToolDescriptor)) -> ToolDescriptor {
    let mut tool = descriptor(id);
    tool.description.summary = summary.to_owned();
    change(&mut tool);
    tool
}

static INDEX: LazyLock<ResolveIndex> = LazyLock::new(index);
static POLICY: LazyLock<PolicyEngine> = LazyLock::new(|| PolicyEngine::standard().unwrap());

fn index() -> ResolveIndex {
    let scopes = |scope: &str| vec![scope.to_owned()];
    let tools = [
        tool("db.select", "Reads rows of a table.", |_| ()),
        tool("db.drop", "Drops a table.", |t| {
            t.intent.action_types = vec![ActionType::Delete];
            t.permissions.required_scopes = scopes("db:write");
        }),
        tool("db.admin", "Grants rights on a table.", |t| t.permissions.required_scopes = scopes("db:admin")),
        tool("db.hidden", "Reads a table for hooks.", |t| t.context_policy.expose_to_model = false),
        tool("mail.search", "Searches mail.", |t| {
            t.intent.action_types = vec![ActionType::Search];
            t.credentials.strategy = crate::model::CredentialStrategy::UserOauth;
            t.credentials.required_secrets = vec!["MAIL".to_owned()];
        }),
        tool("guess.table", "Does things with a table.", |t| {
            t.provenance.inferred = vec!["/intent/actionTypes".to_owned()];
        }),
    ];
    let mut registry = Registry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    ResolveIndex::new(&registry)
}

fn view(prompt: &str, setup: &Setup) -> Result<CompiledView, ViewTooLarge> {
    let index = &*INDEX;
    let scopes = setup.scopes.iter().map(|s| (*s).to_owned()).collect();
    let actor = Actor::new(Principal { id: "user:dev".into(), scopes });
    let budget = ToolBudget { max_tools_visible: setup.max_tools, max_tokens: setup.max_tokens };
    let scope = setup.only.map(|ids| index.population(|id| ids.contains(&id.as_str())));
    let state = TurnState {
        index,
        actor: &actor,
        scene: &Default::default(),
        policy: &POLICY,
        budget: &budget,
        scope: scope.as_ref(),
        max_level: setup.max_level,
        selection: setup.selection,
        environment: &setup.environment,
    };
    let compiled = compile_view(resolve(&intent(&setup.actions), prompt, &state)?, "view_1".into());
    assert_whole(&compiled, setup.only.map_or(6, <[&str]>::len));
    Ok(compiled)
}

/// Exposed and dropped together are the population: nothing twice, nothing lost, everything explained.
fn assert_whole(compiled: &CompiledView, population: usize) {
    let view = &compiled.view;
    let mut all = BTreeSet::new();
    for tool in &view.tools {
        assert!(all.insert(&tool.tool_id) && !tool.reason.is_empty() && !tool.policy_ids.is_empty());
        assert_ne!(tool.policy_decision, Decision::Deny);
    }
    for tool in &view.dropped {
        assert!(all.insert(&tool.tool_id) && !tool.reason.is_empty());
    }
    assert_eq!(all.len(), population);
    assert_eq!(view.tokens, view.tools.iter().map(|t| t.tokens).sum::<u64>());
    let ids: Vec<_> = compiled.tools.iter().map(|t| t.id()).collect();
    assert_eq!(ids, view.tools.iter().map(|t| &t.tool_id).collect::<Vec<_>>());
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a row states its own setup")]
fn check(prompt: &str, setup: Setup, exposed: &[&str], dropped: &[(&str, ResolveFilter)]) {
    let view = view(prompt, &setup).unwrap().view;
    let got: Vec<&str> = view.tools.iter().map(|t| t.tool_id.as_str()).collect();
    assert_eq!(got, exposed, "exposed for {prompt}");
    let got: Vec<_> = view.dropped.iter().map(|d| (d.tool_id.as_str(), d.filter)).collect();
    assert_eq!(got, dropped, "dropped for {prompt}");
}

use ResolveFilter::{Budget, Capability, Context, Policy, Rank};

#[test]
fn each_filter_drops_what_is_its_own() {
    let all = Setup::default();
    let always = [("db.admin", Policy), ("db.hidden", Context)];
    check("drop the table", all.clone(), &["db.drop", "guess.table", "db.select", "mail.search"], &always);
    check(
        "drop the table",
        Setup { scopes: &[], ..all.clone() },
        &["guess.table", "db.select", "mail.search"],
        &[("db.drop", Policy), ("db.admin", Policy), ("db.hidden", Context)],
    );
    check(
        "search mail",
        Setup { actions: vec![ActionType::Search, ActionType::Delete], ..all.clone() },
        &["mail.search", "guess.table", "db.drop"],
        &[("db.select", Capability), ("db.admin", Capability), ("db.hidden", Capability)],
    );
    check(
        "drop the table",
        Setup { max_level: EffectLevel::PureRead, ..all.clone() },
        &["guess.table", "db.select", "mail.search"],
        &[("db.drop", Policy), ("db.admin", Policy), ("db.hidden", Context)],
    );
    let environment = Environment {
        secrets: Available::Only(vec!["GIT".to_owned()]),
        sandboxes: Available::Only(vec![SandboxMode::ReadOnly]),
    };
    check(
        "search mail",
        Setup { environment, ..all.clone() },
        &["db.select", "guess.table", "db.drop"],
        &[("db.admin", Policy), ("db.hidden", Context), ("mail.search", Context)],
    );
    let environment =
        Environment { sandboxes: Available::Only(vec![SandboxMode::Vm]), ..Environment::default() };
    check(
        "mail",
        Setup { environment, only: Some(&["db.select", "db.drop"]), ..all },
        &[],
        &[("db.select", Context), ("db.drop", Context)],
    );
}

#[test]
fn budgets_cut_from_the_end() {
    check(
        "drop the table",
        Setup { max_tools: 1, only: Some(&["db.select", "db.drop", "mail.search"]), ..Setup::default() },
        &["db.drop"],
        &[("db.select", Rank), ("mail.search", Rank)],
    );
    check(
        "drop",
        Setup { max_tools: 0, only: Some(&["db.drop"]), ..Setup::default() },
        &[],
        &[("db.drop", Rank)],
    );
    let one = view("drop the table", &Setup { only: Some(&["db.drop"]), ..Setup::default() }).unwrap().view;
    check(
        "drop the table",
        Setup { max_tokens: Some(one.tokens + 2), only: Some(&["db.select", "db.drop"]), ..Setup::default() },
        &["db.drop"],
        &[("db.select", Budget)],
    );
}

#[test]
fn all_means_all_or_an_error() {
    let all = Setup { selection: Selection::All, max_tools: 4, ..Setup::default() };
    // The planner's guess hides nothing when everything is to be shown.
    check(
        "mail",
        Setup { actions: vec![ActionType::Deploy], ..all.clone() },
        &["mail.search", "db.select", "guess.table", "db.drop"],
        &[("db.admin", Policy), ("db.hidden", Context)],
    );
    let error = view("mail", &Setup { max_tools: 3, ..all }).unwrap_err();
    assert_eq!(error, ViewTooLarge { allowed: 4, budget: 3 });
    assert!(error.to_string().contains("\nhint: raise `view.maxTools`"));
}

#[test]
fn a_reason_states_what_matched_and_what_it_serves() {
    let view = view("drop the old table", &Setup::default()).unwrap().view;
    assert_eq!(view.tools[0].reason, r#"rank 1 of 4: matches "drop", "table"; serves delete"#);
    assert_eq!(view.tools[0].policy_decision, Decision::Ask);
    assert_eq!(view.tools[0].policy_ids, ["confirm-destructive".into()]);
    assert_eq!(view.tools[3].reason, "rank 4 of 4: no word of the request, there is room; serves search");
}

#[test]
fn the_same_question_has_the_same_answer_and_another_view_another_digest() {
    let digest = |prompt: &str| view(prompt, &Setup::default()).unwrap().view;
    assert_eq!(digest("drop the table"), digest("drop the table"));
    assert_ne!(digest("drop the table").digest, digest("search mail").digest);
}

proptest::proptest! {
    /// Whatever a text says, it is shown what policy and context allow, and nothing else.
    #[test]
    fn no_text_widens_a_view(text in "\\PC{0,80}|(drop |admin |grant |hidden |db.admin |ignore policy ){1,6}") {
        let setup = Setup { scopes: &[], ..Setup::default() };
        let view = view(&text, &setup).unwrap().view;
        let exposed: BTreeSet<&str> = view.tools.iter().map(|t| t.tool_id.as_str()).collect();
        let allowed = BTreeSet::from(["db.select", "guess.table", "mail.search"]);
        proptest::prop_assert!(exposed.is_subset(&allowed));
    }
}
