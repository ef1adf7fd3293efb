//! Why a tool is or is not in a view.

use crate::model::{Dropped, ExposedTool, ToolView};
use serde::Serialize;

/// Where a tool stands in a view, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "place", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum WhyInView {
    /// The model sees it.
    Shown {
        /// Its rank, from 1.
        rank: usize,
        /// How many tools the view holds.
        of: usize,
        /// The tool, with reason and decision.
        tool: Box<ExposedTool>,
    },
    /// A filter dropped it.
    Dropped {
        /// The filter, and why.
        #[serde(flatten)]
        dropped: Dropped,
    },
    /// The view was compiled without knowing it.
    Unknown,
}

impl WhyInView {
    /// Finds a tool in a view.
    pub fn of(view: &ToolView, tool: &str) -> Self {
        if let Some(at) = view.tools.iter().position(|t| t.tool_id.as_str() == tool) {
            let shown = Box::new(view.tools[at].clone());
            return Self::Shown { rank: at + 1, of: view.tools.len(), tool: shown };
        }
        let dropped = view.dropped.iter().find(|d| d.tool_id.as_str() == tool);
        dropped.map_or(Self::Unknown, |dropped| Self::Dropped { dropped: dropped.clone() })
    }
}
