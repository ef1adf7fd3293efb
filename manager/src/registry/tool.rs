//! One registered tool version, with everything computed from it once.

use super::{Arguments, SchemaFault};
use crate::{
    event::fact::ToolNormalized,
    model::{Digest, EffectLevel, ToolDescriptor, ToolId, ToolVersion},
    policy::PolicySubject,
};
use serde_json::Value;

/// A tool version that can be resolved, shown and called.
#[derive(Debug)]
pub struct RegisteredTool {
    descriptor: ToolDescriptor,
    digest: Digest,
    level: EffectLevel,
    model_description: String,
    arguments: Arguments,
    subject: PolicySubject,
    tokens: u64,
}

impl RegisteredTool {
    /// Computes what follows from a descriptor.
    ///
    /// # Errors
    /// [`SchemaFault`] if its input schema cannot be used.
    pub fn new(descriptor: ToolDescriptor) -> Result<Self, SchemaFault> {
        let arguments = Arguments::compile(&descriptor.schemas.input_schema)?;
        let model_description = descriptor.description.for_model();
        Ok(Self {
            digest: descriptor.digest(),
            level: descriptor.level(),
            tokens: estimate_tokens(&[
                &descriptor.canonical_name,
                &model_description,
                &arguments.schema().to_string(),
            ]),
            model_description,
            arguments,
            subject: PolicySubject::new(&descriptor),
            descriptor,
        })
    }

    /// The contract.
    pub fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    /// The tool's id.
    pub fn id(&self) -> &ToolId {
        &self.descriptor.tool_id
    }

    /// The tool's version.
    pub fn version(&self) -> &ToolVersion {
        &self.descriptor.version
    }

    /// The contract's digest.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// How far it reaches.
    pub fn level(&self) -> EffectLevel {
        self.level
    }

    /// The description as a model sees it.
    pub fn model_description(&self) -> &str {
        &self.model_description
    }

    /// The input schema, compiled.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// The input schema as JSON.
    pub fn input_schema(&self) -> &Value {
        self.arguments.schema()
    }

    /// The tool as policy sees it.
    pub fn subject(&self) -> &PolicySubject {
        &self.subject
    }

    /// What it weighs in a prompt, in estimated tokens.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }
}

impl ToolNormalized {
    /// Says it of a tool whose schemas compile, with the trust that its descriptor claims.
    pub fn of(tool: &RegisteredTool, definition_digest: Digest) -> Self {
        let descriptor = tool.descriptor();
        Self {
            tool_id: tool.id().clone(),
            tool_version: tool.version().clone(),
            descriptor_digest: tool.digest().clone(),
            definition_digest,
            source_type: descriptor.source.kind,
            adapter: descriptor.execution.adapter.clone(),
            level: tool.level(),
            destructive: descriptor.risk.destructive,
            effects: descriptor.effects.clone(),
            inferred: descriptor.provenance.inferred.clone(),
            trust: descriptor.provenance.trust_level,
            by: None,
        }
    }
}

/// Four bytes of compact text a token: what common tokenizers make of English tool schemas, roughly, and
/// the same for every provider, so that a budget does not depend on one.
fn estimate_tokens(parts: &[&str]) -> u64 {
    parts.iter().map(|p| p.len() as u64).sum::<u64>().div_ceil(4)
}
