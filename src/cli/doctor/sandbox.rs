//! What the kernel holds programs to, property by property, by trying.

use super::{Finding, Place, State};
use proofhouse_manager::adapters::sandbox::{Held, Property};

pub(super) const AREA: &str = "sandbox";

pub(super) fn look(place: &Place) -> Vec<Finding> {
    let properties = match place.sandbox.properties() {
        Ok(properties) => properties,
        Err(why) => return vec![Finding::new(AREA, "all of it", State::Missing, why)],
    };
    let finding = |(name, held, because): &Property| {
        let state = match held {
            Held::Probed => State::Probed,
            Held::Attested => State::Attested,
            Held::Missing => State::Missing,
        };
        Finding::new(AREA, name.as_str(), state, because.as_str())
    };
    properties.iter().map(finding).collect()
}
