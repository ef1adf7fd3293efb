//! Whether a tool could be run here, found out without any effect.

use crate::{event::fact::HealthStatus, model::ToolDescriptor};

/// Tries a tool without effects. One whose effects cannot be held back is skipped and marked, never run.
pub trait HealthCheck {
    /// What the try came to.
    fn check(&self, tool: &ToolDescriptor) -> Health;
}

/// What a try came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The result.
    pub status: HealthStatus,
    /// What was tried, or why nothing was.
    pub reason: String,
}
