//! Which properties of a run the kernel stands for, and by what.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a sandbox is asked to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Property {
    /// Nothing outside the roots is read, nothing outside the write roots is changed.
    Filesystem,
    /// Nothing but what is granted is reached.
    Network,
    /// No process outside is seen, signalled or traced.
    Processes,
    /// The kernel's dangerous entries are closed.
    Syscalls,
    /// The environment and the open descriptors are the declared ones.
    Environment,
    /// Time, memory, processes, files and output are bounded.
    Resources,
    /// The whole tree ends with the run, and with its parent.
    Lifetime,
}

impl Property {
    /// Every property, in the order in which they are shown.
    pub const ALL: &[Self] = &[
        Self::Filesystem,
        Self::Network,
        Self::Processes,
        Self::Syscalls,
        Self::Environment,
        Self::Resources,
        Self::Lifetime,
    ];
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Filesystem => "filesystem",
            Self::Network => "network",
            Self::Processes => "processes",
            Self::Syscalls => "syscalls",
            Self::Environment => "environment",
            Self::Resources => "resources",
            Self::Lifetime => "lifetime",
        })
    }
}

/// How far a property holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "standing")]
pub enum Standing {
    /// It holds.
    Enforced {
        /// What holds it.
        by: String,
    },
    /// A weaker form of it holds.
    Degraded {
        /// What is missing.
        why: String,
    },
    /// It does not hold.
    Unavailable {
        /// What is missing.
        why: String,
    },
}

/// The standing of every property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Attestation(Vec<(Property, Standing)>);

impl Attestation {
    /// Asks `standing` for every property.
    pub(crate) fn from_fn(standing: impl FnMut(Property) -> Standing) -> Self {
        let mut standing = standing;
        Self(Property::ALL.iter().map(|&property| (property, standing(property))).collect())
    }

    /// Says how far one property holds; a property that nobody spoke of does not.
    pub fn of(&self, property: Property) -> Standing {
        let known = self.0.iter().find(|(of, _)| *of == property);
        known.map_or_else(
            || Standing::Unavailable { why: "nothing was said about it".to_owned() },
            |(_, standing)| standing.clone(),
        )
    }

    /// Goes through all properties.
    pub fn iter(&self) -> impl Iterator<Item = (Property, &Standing)> {
        self.0.iter().map(|(property, standing)| (*property, standing))
    }
}
