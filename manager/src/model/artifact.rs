//! §9: complete output, stored once and referred to.

use super::{ArtifactId, Digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kinds of artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum ArtifactKind {
    ToolOutput,
    File,
    Diff,
    Screenshot,
    Log,
    Dataset,
}

/// A stored output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ToolArtifact {
    pub artifact_id: ArtifactId,
    pub kind: ArtifactKind,
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}
