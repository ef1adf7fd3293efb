//! What the kernel holds programs to, property by property, by trying.

use super::{Finding, State};
use proofhouse_manager::adapters::{
    home::Home,
    sandbox::{Held, Sandbox},
};

pub(super) const AREA: &str = "sandbox";

pub(super) fn look(home: &Home) -> Vec<Finding> {
    let properties = match Sandbox::new(home.sandboxes()).properties() {
        Ok(properties) => properties,
        Err(why) => return vec![Finding::new(AREA, "all of it", State::Missing, why)],
    };
    let finding = |(name, held, because): (String, Held, String)| {
        let state = match held {
            Held::Probed => State::Probed,
            Held::Attested => State::Attested,
            Held::Missing => State::Missing,
        };
        Finding::new(AREA, name, state, because)
    };
    properties.into_iter().map(finding).collect()
}
