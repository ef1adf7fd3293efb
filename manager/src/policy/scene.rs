//! Surroundings, prepared for many questions.

use crate::model::{BudgetLeft, Surroundings};
use cedar_policy::{Context, RestrictedExpression as Expr};
use std::sync::{Arc, OnceLock};

/// The surroundings of a session between two calls, prepared for many questions.
#[derive(Debug)]
pub struct Scene {
    surroundings: Arc<Surroundings>,
    place: Place,
    /// By action, approval and demanded confirmation, made when they are needed.
    contexts: [OnceLock<Context>; 8],
}

/// What of the surroundings decides what may be shown: it stays the same for a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    environment: Arc<str>,
    workspace: Option<Arc<str>>,
}

/// Which context a question needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facet {
    pub(super) call: bool,
    pub(super) approved: bool,
    pub(super) confirmation: bool,
}

impl Scene {
    /// Prepares surroundings.
    pub fn new(surroundings: Surroundings) -> Self {
        let place = Place {
            environment: surroundings.environment.as_str().into(),
            workspace: surroundings.workspace.as_deref().map(Into::into),
        };
        Self { surroundings: surroundings.into(), place, contexts: Default::default() }
    }

    /// The surroundings.
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// The surroundings as an event says them: not at all where they are the default ones.
    pub(crate) fn recorded(&self) -> Option<Arc<Surroundings>> {
        (*self.surroundings != Surroundings::default()).then(|| Arc::clone(&self.surroundings))
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// The context without intent and arguments.
    pub(super) fn context(&self, facet: Facet) -> &Context {
        let Facet { call, approved, confirmation } = facet;
        let at = usize::from(call) * 4 + usize::from(approved) * 2 + usize::from(confirmation);
        self.contexts[at].get_or_init(|| {
            Context::from_pairs(self.pairs(facet))
                .expect("INVARIANT: distinct keys with literals, and decimals of four digits")
        })
    }

    fn pairs(&self, facet: Facet) -> Vec<(String, Expr)> {
        let Surroundings { environment, workspace, budget, labels } = &*self.surroundings;
        let mut pairs = vec![
            ("approved", Expr::new_bool(facet.approved)),
            ("confirmationRequested", Expr::new_bool(facet.confirmation)),
            ("environment", Expr::new_string(environment.clone())),
        ];
        pairs.extend(workspace.as_ref().map(|w| ("workspace", Expr::new_string(w.clone()))));
        if facet.call {
            pairs.push(("budget", of_budget(budget)));
            pairs.push(("labels", Expr::new_set(labels.iter().cloned().map(Expr::new_string))));
        }
        pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self::new(Surroundings::default())
    }
}

fn of_budget(budget: &BudgetLeft) -> Expr {
    let calls = budget.calls.map(|c| ("calls".to_owned(), Expr::new_long(c.try_into().unwrap_or(i64::MAX))));
    let cost = budget.cost_usd.map(|c| ("costUsd".to_owned(), Expr::new_decimal(dollars(c))));
    Expr::new_record(calls.into_iter().chain(cost)).expect("INVARIANT: two distinct keys")
}

/// Money that is left, rounded down to what Cedar's `decimal` holds; what is no amount is nothing.
fn dollars(amount: f64) -> String {
    const MOST: f64 = 900_000_000_000_000.0;
    // NaN is nothing, too: as an integer it is zero.
    let ten_thousandths = (amount.clamp(0.0, MOST) * 10_000.0).floor() as i64;
    format!("{}.{:04}", ten_thousandths / 10_000, ten_thousandths % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_rounded_down_and_never_made_up() {
        for (amount, expected) in [
            (1.5, "1.5000"),
            (0.00019, "0.0001"),
            (-1.0, "0.0000"),
            (f64::NAN, "0.0000"),
            (f64::INFINITY, "900000000000000.0000"),
        ] {
            assert_eq!(dollars(amount), expected);
        }
    }

    #[test]
    fn a_scene_is_told_as_it_is() {
        let scene = Scene::new(Surroundings {
            environment: "development".to_owned(),
            workspace: None,
            budget: BudgetLeft { calls: Some(u64::MAX), cost_usd: Some(2.0) },
            labels: ["read-private".to_owned()].into(),
        });
        let context = scene.context(Facet { call: true, approved: true, confirmation: false });
        let shown = |key: &str| context.get(key).map(|v| v.to_string());
        assert_eq!(shown("approved").as_deref(), Some("true"));
        assert_eq!(shown("environment").as_deref(), Some("\"development\""));
        assert_eq!(shown("workspace"), None);
        assert_eq!(shown("labels").as_deref(), Some("[\"read-private\"]"));
        let budget = r#"{"calls": 9223372036854775807, "costUsd": decimal("2.0000")}"#;
        assert_eq!(shown("budget").as_deref(), Some(budget));
        let exposed = scene.context(Facet { call: false, approved: true, confirmation: false });
        assert_eq!(exposed.get("labels"), None);
    }
}
