//! From believed hints and action types to effects, risk and level.

use super::hints::{Answer, Believed};
use crate::model::{ActionType, EffectLevel, Effects, ResourcePattern, Risk, RiskLevel};

/// What follows, and the fields of it that nobody stated.
pub(super) struct Inferred {
    pub(super) effects: Effects,
    pub(super) risk: Risk,
    pub(super) level: EffectLevel,
    pub(super) pointers: Vec<&'static str>,
}

pub(super) fn infer(believed: &Believed, actions: &[ActionType], source: &str) -> Inferred {
    let Believed { read_only, destructive, idempotent, open_world } = *believed;
    let scheme = if open_world.value { "api" } else { "state" };
    let touched = || vec![ResourcePattern(format!("{scheme}:{source}/**"))];
    let when = |condition: bool| if condition { touched() } else { Vec::new() };
    let effects = Effects {
        reads: touched(),
        writes: when(!read_only.value),
        deletes: when(destructive.value),
        external_calls: open_world.value,
        sends_user_data: open_world.value,
        mutates_state: !read_only.value,
        idempotent: idempotent.value,
        reversible: read_only.value,
        dry_run_supported: false,
    };
    let floor = actions.iter().map(|action| action.floor()).max().unwrap_or(EffectLevel::PureRead);
    let level = reach(believed).max(floor);
    let said_aloud = (destructive.stated && destructive.value) || floor == EffectLevel::DestructiveOrAdmin;
    let risk = Risk {
        level: risk_level(level, said_aloud),
        destructive: destructive.value,
        open_world: open_world.value,
        financial_cost: None,
        privacy_risk: None,
    };
    Inferred { effects, risk, level, pointers: assumed(believed) }
}

fn reach(believed: &Believed) -> EffectLevel {
    let Believed { read_only, destructive, open_world, .. } = *believed;
    match (read_only.value, destructive.value, open_world.value) {
        (_, true, _) => EffectLevel::DestructiveOrAdmin,
        (true, false, true) => EffectLevel::ExternalRead,
        (true, false, false) => EffectLevel::PureRead,
        (false, false, true) => EffectLevel::ExternalWrite,
        (false, false, false) => EffectLevel::WorkspaceWrite,
    }
}

fn risk_level(level: EffectLevel, said_aloud: bool) -> RiskLevel {
    match level {
        EffectLevel::PureRead | EffectLevel::LocalCompute => RiskLevel::Low,
        EffectLevel::WorkspaceWrite | EffectLevel::ExternalRead => RiskLevel::Medium,
        EffectLevel::ExternalWrite => RiskLevel::High,
        EffectLevel::DestructiveOrAdmin if said_aloud => RiskLevel::Critical,
        EffectLevel::DestructiveOrAdmin => RiskLevel::High,
    }
}

/// Which resources are touched is never stated; the rest is where a hint that counts states it.
fn assumed(believed: &Believed) -> Vec<&'static str> {
    let mut pointers = vec![
        "/effects/reads",
        "/effects/writes",
        "/effects/deletes",
        "/effects/sendsUserData",
        "/effects/reversible",
        "/effects/dryRunSupported",
        "/risk/level",
    ];
    let mut unless = |answer: Answer, fields: &[&'static str]| {
        if !answer.stated {
            pointers.extend_from_slice(fields);
        }
    };
    unless(believed.read_only, &["/effects/mutatesState"]);
    unless(believed.destructive, &["/risk/destructive"]);
    unless(believed.idempotent, &["/effects/idempotent"]);
    unless(believed.open_world, &["/risk/openWorld", "/effects/externalCalls"]);
    pointers
}
