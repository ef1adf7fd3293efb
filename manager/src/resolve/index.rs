//! A registry, prepared for many turns.

use super::{
    bm25::{Document, Index, Population, Tuning},
    exposure::ExposureCache,
};
use crate::{
    model::{ActionType, ToolDescriptor, ToolId},
    registry::{RegisteredTool, Registry},
};
use std::sync::Arc;

/// The tools of a registry with everything that resolution needs and that no turn changes.
///
/// It belongs to the registry as it was: build it anew when a tool comes, goes or changes.
#[derive(Debug)]
pub struct ResolveIndex {
    tools: Vec<Arc<RegisteredTool>>,
    words: Index,
    traits: Vec<Traits>,
    everything: Population,
    pub(super) exposure: ExposureCache,
}

/// What the capability match asks of a tool, without a detour through its descriptor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Traits {
    /// One bit an action type; 0 if they were only inferred, or none is stated.
    stated_actions: u32,
}

impl Traits {
    fn of(tool: &ToolDescriptor) -> Self {
        let inferred = tool.provenance.inferred.iter().any(|p| p.starts_with("/intent/actionTypes"));
        Self { stated_actions: if inferred { 0 } else { action_bits(&tool.intent.action_types) } }
    }

    /// Whether somebody stated the tool's action types and none of the wanted ones is among them.
    pub(super) fn serves_none_of(self, wanted: u32) -> bool {
        self.stated_actions != 0 && self.stated_actions & wanted == 0
    }
}

/// A set of action types as bits.
pub(super) fn action_bits(actions: &[ActionType]) -> u32 {
    actions.iter().fold(0, |bits, action| bits | 1 << *action as u32)
}

impl ResolveIndex {
    /// Prepares a registry.
    pub fn new(registry: &Registry) -> Self {
        let tools = registry.tools().to_vec();
        let words = Index::new(tools.iter().map(|tool| document(tool)));
        Self {
            everything: Population::everything(&words),
            traits: tools.iter().map(|tool| Traits::of(tool.descriptor())).collect(),
            exposure: ExposureCache::new(tools.len()),
            words,
            tools,
        }
    }

    /// The tools that a session is offered; make it once and use it in every turn.
    pub fn population(&self, mut keep: impl FnMut(&ToolId) -> bool) -> Population {
        Population::of(&self.words, |at| keep(self.tools[at as usize].id()))
    }

    /// Every tool.
    pub fn everything(&self) -> &Population {
        &self.everything
    }

    /// The tools' words.
    pub fn words(&self) -> &Index {
        &self.words
    }

    /// The tool of that number.
    pub fn tool(&self, at: u32) -> &Arc<RegisteredTool> {
        &self.tools[at as usize]
    }

    pub(super) fn traits(&self, at: u32) -> Traits {
        self.traits[at as usize]
    }
}

/// A tool's words: its name, its summary and when to use it, and its parameters.
///
/// `doNotUseWhen` is left out. It names what *other* tools are for, so its words would pull prompts to the
/// very tool that sends them away. Examples and domains are left out because a model does not see them.
pub fn document(tool: &RegisteredTool) -> Document {
    let descriptor = tool.descriptor();
    let description = &descriptor.description;
    let texts = std::iter::once(&description.summary).chain(&description.use_when).map(String::as_str);
    Document::new(&descriptor.canonical_name, texts, tool.input_schema(), &Tuning::STANDARD)
}
