//! A definition that is no longer the one that was enabled.

use super::{Admission, AdmissionError, Found, manager};
use crate::{
    event::fact::{BlockCause, ToolBlocked},
    model::{Digest, SourceType, ToolDescriptor, ToolVersion},
    registry::{
        diff::{Change, diff, summary},
        ledger::Track,
    },
};
use serde::Serialize;

/// A contract that was stopped, and what has changed since.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// The version that was stopped.
    pub stopped: ToolVersion,
    /// Its contract.
    pub digest: Digest,
    /// What is different in what the source holds now.
    pub changes: Vec<Change>,
}

impl Admission<'_> {
    /// Refuses a tool whose id belongs to a tool of another source: nothing is shadowed.
    pub(super) fn hold_against_owner(&self, found: &Found) -> Result<(), AdmissionError> {
        let tool = &found.descriptor.tool_id;
        let Some(owner) = self.ledger.get(tool).and_then(|r| r.enabled().or(r.latest())) else {
            return Ok(());
        };
        let own = self.ports.store.get(owner.digest())?;
        if origin(&own) == origin(&found.descriptor) {
            return Ok(());
        }
        Err(AdmissionError::Taken {
            tool: tool.clone(),
            owner: own.source.source_id,
            source_id: found.descriptor.source.source_id.clone(),
        })
    }

    /// Stops every enabled contract that is not what the source holds now.
    pub(super) fn quarantine(&mut self, found: &Found) -> Result<Vec<Drift>, AdmissionError> {
        let (tool, digest) = (&found.descriptor.tool_id, found.descriptor.digest());
        let stopped: Vec<(ToolVersion, Digest)> = self
            .ledger
            .get(tool)
            .into_iter()
            .flat_map(|record| record.tracks())
            .filter(|track| track.is_enabled() && has_drifted(track, found, &digest))
            .map(|track| (track.version().clone(), track.digest().clone()))
            .collect();
        let mut drifts = Vec::new();
        for (version, old) in stopped {
            let changes = diff(&self.ports.store.get(&old)?, &found.descriptor);
            let fact = ToolBlocked {
                tool_id: tool.clone(),
                tool_version: Some(version.clone()),
                cause: BlockCause::Drift,
                by: manager(),
                reason: format!("its definition has changed: {}", summary(&changes)),
                definition_digest: Some(found.definition.clone()),
            };
            self.append(&fact.into())?;
            drifts.push(Drift { stopped: version, digest: old, changes });
        }
        Ok(drifts)
    }
}

/// Whether what the source holds now is another tool than the enabled one, rather than its next release.
///
/// A release is a contract that somebody wrote under a new version; the earlier one still describes what runs
/// under it. What a server, a skill or an agent serves has one definition at a time, whatever it calls it.
fn has_drifted(enabled: &Track, found: &Found, digest: &Digest) -> bool {
    if enabled.digest() == digest || mutant!(DriftIgnored) {
        return false;
    }
    let written = match found.descriptor.source.kind {
        SourceType::Builtin | SourceType::Cli | SourceType::Http => true,
        SourceType::Mcp | SourceType::Skill | SourceType::Subagent => false,
    };
    let stated = !found.descriptor.provenance.inferred.iter().any(|pointer| pointer == "/version");
    let release = written && stated && *enabled.version() != found.descriptor.version;
    !release
}

/// What makes a source the same one.
fn origin(tool: &ToolDescriptor) -> (SourceType, &str, Option<&str>) {
    let source = &tool.source;
    (source.kind, &source.source_id, source.server_id.as_deref())
}
