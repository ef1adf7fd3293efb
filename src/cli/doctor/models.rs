//! Which kinds of models could be asked. None is: that costs, and a key that is there may still be wrong.

use super::{Finding, Place, State};
use crate::{
    cli::environment,
    provider::{self, ProviderSettings},
};
use proofhouse_manager::{adapters::clock::SystemClock, port::Clock as _};

const AREA: &str = "model";

/// A model of each kind that needs nothing but a name, and what it is for.
const KINDS: &[(&str, &str)] = &[
    ("lexical", "built in, needs nothing"),
    ("openai:MODEL", "its key is set"),
    ("openai-responses:MODEL", "its key is set"),
    ("anthropic:MODEL", "its key is set"),
];

pub(super) fn look(_: &Place) -> Vec<Finding> {
    let settings = ProviderSettings::new(environment(), || SystemClock.now());
    let of = |(spec, because): &(&str, &str)| match provider::open(spec, &settings) {
        Ok(_) if *spec == "lexical" => Finding::new(AREA, *spec, State::Probed, *because),
        Ok(_) => Finding::new(AREA, *spec, State::Unknown, format!("{because}; it was not asked")),
        Err(error) => Finding::new(AREA, *spec, State::Missing, error.to_string()),
    };
    KINDS.iter().map(of).collect()
}
