//! What one turn is resolved under.

use super::{Environment, ResolveIndex, bm25::Population, exposure::Exposures};
use crate::{
    model::{EffectLevel, ToolBudget, ToolIntent},
    policy::{Actor, PolicyAnswer, PolicyEngine, Scene},
};
use std::sync::Arc;

/// How much of what is allowed a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// The best, as many as the budget allows.
    #[default]
    Ranked,
    /// All of it; an error where the budget does not allow that. Nothing is hidden by action type then.
    All,
}

/// Everything but the intent that decides what a turn may see.
#[derive(Debug, Clone, Copy)]
pub struct TurnState<'a> {
    /// The known tools.
    pub index: &'a ResolveIndex,
    /// Who acts.
    pub actor: &'a Actor,
    /// What is allowed.
    pub policy: &'a PolicyEngine,
    /// In which surroundings.
    pub scene: &'a Scene,
    /// How much may be shown.
    pub budget: &'a ToolBudget,
    /// What this session is offered: the population. A tool outside it is no candidate and is not listed as
    /// dropped. `None`: every known tool.
    pub scope: Option<&'a Population>,
    /// No tool above this level is shown.
    pub max_level: EffectLevel,
    /// How much of what is allowed is shown.
    pub selection: Selection,
    /// What can be used here.
    pub environment: &'a Environment,
}

impl<'a> TurnState<'a> {
    pub(super) fn population(&self) -> &'a Population {
        self.scope.unwrap_or(self.index.everything())
    }
}

/// A turn as the filters see it: the state, and what follows from the intent.
pub(super) struct Turn<'a> {
    pub(super) state: &'a TurnState<'a>,
    /// Wanted action types as bits; 0 leaves them open.
    pub(super) wanted: u32,
    pub(super) exposures: Arc<Exposures>,
    pub(super) confirmation: bool,
}

impl<'a> Turn<'a> {
    pub(super) fn new(intent: &ToolIntent, state: &'a TurnState<'a>) -> Self {
        let confirmation = intent.constraints.require_confirmation;
        let wanted = match state.selection {
            Selection::Ranked => super::index::action_bits(&intent.action_types),
            Selection::All => 0,
        };
        let exposures =
            state.index.exposure.of(state.actor.principal(), state.policy, state.scene, confirmation);
        Self { state, wanted, exposures, confirmation }
    }
    /// What policy says about showing a tool.
    pub(super) fn answer(&self, at: u32) -> &PolicyAnswer {
        let TurnState { index, actor, policy, scene, .. } = *self.state;
        self.exposures.answer(at, index.tool(at), (policy, actor, scene, self.confirmation))
    }
}
