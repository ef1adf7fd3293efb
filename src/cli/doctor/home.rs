//! Whether what a home holds can be used: its registry, its policies, its limits.

use super::{Finding, Place, State};
use proofhouse_manager::{
    adapters::{
        policies::{PolicyFiles, load_limits},
        registrations::Registrations,
    },
    model::ToolDescriptor,
    policy::Vocabulary,
    port::DescriptorStore as _,
};
use std::fmt::Display;

const AREA: &str = "home";

pub(super) fn look(place: &Place) -> Vec<Finding> {
    let home = &place.home;
    let broken = |what: &str, why: &dyn Display| Finding::new(AREA, what, State::Broken, why.to_string());
    let good = |what: &str, because: String| Finding::new(AREA, what, State::Probed, because);
    let registrations = Registrations::of(home.clone());
    let mut tools: Vec<ToolDescriptor> = Vec::new();
    let registry = match registrations.ledger() {
        Ok(ledger) => {
            let tracks = ledger.tools().filter_map(|(_, record)| record.enabled());
            tools.extend(tracks.filter_map(|track| registrations.get(track.digest()).ok()));
            let because = format!("its chain holds; {} tools are enabled", tools.len());
            good("registry", because)
        }
        Err(error) => broken("registry", &error),
    };
    let policies = match PolicyFiles::Folder(home.policies()).load(&Vocabulary::new(tools.iter())) {
        Ok(engine) => good("policies", format!("the set {} decides", engine.digest().short())),
        Err(error) => broken("policies", &error),
    };
    let limits = match load_limits(&home.policies()) {
        Ok(limits) if limits.is_empty() => Finding::new(
            AREA,
            "limits",
            State::Attested,
            "nothing is limited\nhint: `limits.yaml` in the policies' folder bounds calls and costs",
        ),
        Ok(_) => good("limits", "they can be read".to_owned()),
        Err(error) => broken("limits", &error),
    };
    let folder = Finding::new(AREA, "folder", State::Probed, home.root().display().to_string());
    vec![folder, registry, policies, limits]
}
