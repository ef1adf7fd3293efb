//! Which sandbox modes a contract may demand here.

use super::{Finding, Place, State};
use proofhouse_manager::model::SandboxMode;

const AREA: &str = "mode";

/// The modes, by the specification's words.
const MODES: &[(SandboxMode, &str)] = &[
    (SandboxMode::ReadOnly, "read_only"),
    (SandboxMode::WorkspaceWrite, "workspace_write"),
    (SandboxMode::NetworkRestricted, "network_restricted"),
    (SandboxMode::Container, "container"),
    (SandboxMode::Vm, "vm"),
];

pub(super) fn look(place: &Place) -> Vec<Finding> {
    let of = |(mode, word): &(SandboxMode, &str)| match place.sandbox.refusal(*mode) {
        None => Finding::new(AREA, *word, State::Probed, "every property of the sandbox holds"),
        Some(why) => Finding::new(AREA, *word, State::Missing, why),
    };
    let mut found: Vec<Finding> = MODES.iter().map(of).collect();
    let request = "requests are made by the manager itself, to addresses that it has judged";
    found.push(Finding::new(AREA, "remote_api", State::Attested, request));
    found
}
