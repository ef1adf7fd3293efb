//! Who may approve in a home: those whom its owner has listed, or else the owner alone.

use super::own_principal;
use crate::{
    adapters::home::Home,
    model::{ApprovalContract, PrincipalId},
    port::ApproverRights,
};
use serde::Deserialize;
use std::{io::ErrorKind, path::PathBuf};

/// Reads `approvals/approvers.json` of a home each time that somebody's right is asked about, so that a right
/// which was taken away while a question waited is gone.
#[derive(Debug, Clone)]
pub struct ListedApprovers {
    file: PathBuf,
    owner: PrincipalId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Listed {
    may_approve: Vec<PrincipalId>,
}

impl ListedApprovers {
    /// The approvers of a home, which belongs to the user of this process.
    pub fn of(home: &Home) -> Self {
        Self { file: home.approvals().join("approvers.json"), owner: own_principal() }
    }
}

impl ApproverRights for ListedApprovers {
    fn may_approve(&self, by: &PrincipalId, _: &ApprovalContract) -> Result<(), String> {
        let file = self.file.display();
        let listed = match std::fs::read_to_string(&self.file) {
            Ok(text) => {
                let listed: Listed = serde_json::from_str(&text).map_err(|e| {
                    format!("`{file}` cannot be read: {e}\nhint: write {{\"mayApprove\": [\"user:NAME\"]}}")
                })?;
                listed.may_approve
            }
            Err(error) if error.kind() == ErrorKind::NotFound => vec![self.owner.clone()],
            Err(error) => return Err(format!("`{file}` cannot be read: {error}")),
        };
        if listed.contains(by) {
            return Ok(());
        }
        let who: Vec<&str> = listed.iter().map(PrincipalId::as_str).collect();
        Err(format!(
            "approvers here are {}\nhint: the owner of the home can list more in `{file}`",
            who.join(", ")
        ))
    }
}
