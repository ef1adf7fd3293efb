//! Resources that a tool reads, writes, deletes or calls, named as `scheme:rest`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which resources a tool may touch: `scheme:glob`, such as `file:**/*.rs` or `api:github/issues`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ResourcePattern(pub String);

/// One resource: `scheme:name`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ResourceRef(pub String);

/// How far away a resource is; decides the level of touching it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Locality {
    /// Scratch space that nobody keeps: `temp:`.
    Scratch,
    /// The agent's own workspace and state: `file:`, `repo:`, `memory:`, `state:`, `process:`.
    Local,
    /// Anything else: other people's systems and data.
    External,
}

impl ResourcePattern {
    /// The part before the first `:`; a pattern without one is a workspace file.
    pub fn scheme(&self) -> &str {
        self.0.split_once(':').map_or("file", |(scheme, _)| scheme)
    }

    /// How far away the resource is. An unknown scheme counts as external: the worst case.
    pub fn locality(&self) -> Locality {
        match self.scheme() {
            "temp" => Locality::Scratch,
            "file" | "repo" | "memory" | "state" | "process" => Locality::Local,
            _ => Locality::External,
        }
    }
}

impl From<&str> for ResourcePattern {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for ResourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ResourcePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for ResourcePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ResourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_scheme_is_external() {
        let locality = |text: &str| ResourcePattern::from(text).locality();
        assert_eq!(locality("file:**"), Locality::Local);
        assert_eq!(locality("src/**"), Locality::Local);
        assert_eq!(locality("temp:*"), Locality::Scratch);
        assert_eq!(locality("db:customers"), Locality::External);
        assert_eq!(locality("warp:core"), Locality::External);
    }
}
