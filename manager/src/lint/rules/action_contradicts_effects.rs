//! Action types that the effects do not bear out.

use super::mutation_contradicts_effects::lasting;
use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{ActionType, EffectLevel},
};

pub(super) const LINT: Lint = Lint {
    code: "action-contradicts-effects",
    stage: LintStage::Permission,
    severity: Severity::Error,
    finds: "The action types say that the tool writes and the effects that it does not, or the other way round.",
    why: "An intent is matched by action types and judged by effects; where they disagree, a reading intent reaches a \
          writing tool.",
    fix: "make `intent.actionTypes` and `effects` say the same",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let (actions, effects) = (&subject.tool.intent.action_types, &subject.tool.effects);
    let stated = ["/intent/actionTypes", "/effects/writes"].iter().all(|field| subject.stated(field));
    if !stated || actions.is_empty() {
        return;
    }
    if let Some(writer) = actions.iter().find(|action| writes(**action))
        && effects.writes.is_empty()
        && effects.deletes.is_empty()
    {
        let message = format!("the action type is `{writer}`, and nothing is written");
        report.at(subject, "/effects/writes", message);
    }
    let only_reads = actions.iter().all(|action| action.floor() == EffectLevel::PureRead);
    if only_reads && (lasting(&effects.writes) || lasting(&effects.deletes)) {
        let message = format!("the action type is only `{}`, and the tool writes or deletes", actions[0]);
        report.at(subject, "/intent/actionTypes", message);
    }
}

/// Whether acting so leaves something changed. A confirmation of identity need not.
const fn writes(action: ActionType) -> bool {
    use ActionType as A;
    match action {
        A::Write | A::Patch | A::MemoryWrite | A::Deploy | A::ExternalSend | A::Purchase | A::Admin => true,
        A::Read | A::Search | A::Inspect | A::Compute | A::Transform | A::Generate | A::Execute => false,
        A::Auth | A::MemoryRead | A::SubagentDelegate => false,
        // That one has a lint of its own.
        A::Delete => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check, check_served};
    use serde_json::json;

    #[test]
    fn action_types_and_effects_agree() {
        check(&LINT, |_| {}, &[]);
        check(&LINT, |t| t.effects.writes = vec!["temp:**".into()], &[]);
        check(
            &LINT,
            |t| t.intent.action_types = vec![ActionType::Write],
            &["/effects/writes: the action type is `write`, and nothing is written"],
        );
        check(
            &LINT,
            |t| t.effects.writes = vec!["file:**".into()],
            &["/intent/actionTypes: the action type is only `read`, and the tool writes or deletes"],
        );
        check_served(&LINT, json!({ "name": "get_thing", "inputSchema": {} }), &[]);
    }
}
