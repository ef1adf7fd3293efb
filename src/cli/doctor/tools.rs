//! Whether the enabled tools could run here.

use super::{Finding, Place, State};
use crate::cli::tools::presence;
use proofhouse_manager::{
    adapters::registrations::Registrations,
    event::fact::HealthStatus,
    port::{DescriptorStore as _, HealthCheck as _},
};

const AREA: &str = "tool";

pub(super) fn look(place: &Place) -> Vec<Finding> {
    let registrations = Registrations::of(place.home.clone());
    // What is wrong with the registry is told of the home.
    let Ok(ledger) = registrations.ledger() else { return Vec::new() };
    let health = presence(&registrations);
    let mut found = Vec::new();
    for (id, record) in ledger.tools() {
        let Some(track) = record.enabled() else { continue };
        found.push(match registrations.get(track.digest()) {
            Err(error) => Finding::new(AREA, id.as_str(), State::Broken, error.to_string()),
            Ok(tool) => {
                let checked = health.check(&tool);
                let state = match checked.status {
                    HealthStatus::Passed => State::Probed,
                    HealthStatus::Skipped => State::Unknown,
                    HealthStatus::Failed => State::Missing,
                };
                Finding::new(AREA, id.as_str(), state, checked.reason)
            }
        });
    }
    if found.is_empty() {
        let because = "none is enabled\nhint: `proofhouse tools register standard` registers those that ship";
        found.push(Finding::new(AREA, "tools", State::Missing, because));
    }
    found
}
