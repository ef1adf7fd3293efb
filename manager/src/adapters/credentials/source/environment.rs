//! A variable of the environment in which the manager was started.

use super::{Source, Sources};

/// The source.
pub(super) struct EnvironmentVariable;

impl Source for EnvironmentVariable {
    fn word(&self) -> &'static str {
        "env"
    }

    fn form(&self) -> &'static str {
        "env:NAME"
    }

    fn check(&self, place: &str) -> Result<(), String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if place.is_empty() || !place.chars().all(is_name) || place.starts_with(|c: char| c.is_ascii_digit())
        {
            return Err(format!(
                "`{place}` is no name of a variable\nhint: write it without `$`, as `env:TOKEN`"
            ));
        }
        Ok(())
    }

    fn ready(&self, place: &str, world: &Sources) -> Result<(), String> {
        self.read(place, world).map(drop)
    }

    fn read(&self, place: &str, world: &Sources) -> Result<Vec<u8>, String> {
        let value = (world.environment)(place);
        value.map(String::into_bytes).ok_or_else(|| {
            format!("the variable `{place}` is not set\nhint: set it where `proofhouse` is started")
        })
    }
}
