//! The set of registered tools.

use super::{RegisteredTool, SchemaFault};
use crate::model::{ToolDescriptor, ToolId};
use std::{collections::HashMap, sync::Arc};

/// Tools by id, in the order in which they were registered.
#[derive(Debug, Default, Clone)]
pub struct Registry {
    tools: Vec<Arc<RegisteredTool>>,
    by_id: HashMap<ToolId, usize>,
}

/// Why a descriptor was not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistrationError {
    /// Its input schema cannot be used.
    #[error("tool `{tool}` is not registered: {fault}")]
    Schema {
        /// The tool.
        tool: ToolId,
        /// What is wrong.
        fault: SchemaFault,
    },
    /// Another tool has its id.
    #[error("tool `{tool}` is not registered: another tool has this id already")]
    Duplicate {
        /// The tool.
        tool: ToolId,
    },
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// [`RegistrationError`] if its schema cannot be used or its id is taken; nothing changes then.
    pub fn register(&mut self, descriptor: ToolDescriptor) -> Result<Arc<RegisteredTool>, RegistrationError> {
        let id = descriptor.tool_id.clone();
        let tool =
            RegisteredTool::new(descriptor).map_err(|fault| RegistrationError::Schema { tool: id, fault })?;
        self.admit(tool)
    }

    /// Adds a tool that was prepared before, so that many can be prepared at a time.
    ///
    /// # Errors
    /// [`RegistrationError::Duplicate`] if its id is taken; nothing changes then.
    pub fn admit(&mut self, tool: RegisteredTool) -> Result<Arc<RegisteredTool>, RegistrationError> {
        let id = tool.id().clone();
        if self.by_id.contains_key(&id) {
            return Err(RegistrationError::Duplicate { tool: id });
        }
        let tool = Arc::new(tool);
        self.by_id.insert(id, self.tools.len());
        self.tools.push(Arc::clone(&tool));
        Ok(tool)
    }

    /// The tool of that id.
    pub fn get(&self, id: &str) -> Option<&Arc<RegisteredTool>> {
        self.by_id.get(id).map(|index| &self.tools[*index])
    }

    /// Every tool, in the order of registration.
    pub fn tools(&self) -> &[Arc<RegisteredTool>] {
        &self.tools
    }
}
