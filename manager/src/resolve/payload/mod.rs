//! A view's tools in the form in which each provider wants them.
//!
//! One canonical tool, four forms. What a provider cannot be told is a [`Downgrade`], never silence, and the
//! manager judges arguments by the tool's own schema whatever a model was shown. A form depends on the tool
//! and its name alone, so it can be made once per tool version and kept.
//!
//! A form is one file and one line in `dialects!`. Nothing here knows views, models or requests.

mod downgrade;
mod keyword;
mod names;
mod root;
mod schema;
mod strict;

pub use downgrade::{Downgrade, DowngradeCode};
pub use names::{NameLimits, WireNames};

use crate::{
    model::{Digest, Domain, ToolId},
    registry::RegisteredTool,
};
use downgrade::Downgrades;
use serde_json::Value;

macro_rules! dialects {
    ($($(#[$doc:meta])* $name:ident = $file:ident,)*) => {
        $(mod $file;)*

        #[cfg(test)]
        const FILES: &[&str] = &[$(concat!(stringify!($file), ".rs"),)*];

        /// How a provider wants tools described.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Dialect {
            $($(#[$doc])* $name,)*
        }

        impl Dialect {
            /// Every dialect.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            const fn form(self) -> &'static Form {
                match self {
                    $(Self::$name => &$file::FORM,)*
                }
            }
        }
    };
}

dialects! {
    /// OpenAI chat completions, and every server that speaks like it.
    OpenAi = openai,
    /// OpenAI responses.
    OpenAiResponses = openai_responses,
    /// Anthropic messages.
    Anthropic = anthropic,
    /// The Model Context Protocol, for serving tools on.
    Mcp = mcp,
}

/// What a dialect's file says about it.
struct Form {
    word: &'static str,
    names: NameLimits,
    compile: fn(&RegisteredTool, &str) -> CompiledTool,
}

/// A tool in a provider's form.
#[derive(Debug, Clone, PartialEq)]
pub struct CompiledTool {
    /// The tool.
    pub tool: ToolId,
    /// Its name on the wire.
    pub name: String,
    /// What the provider is sent; its bytes are the same each time.
    pub payload: Value,
    /// What could not be said.
    pub downgrades: Vec<Downgrade>,
}

impl CompiledTool {
    fn new(tool: &RegisteredTool, name: &str, payload: Value, downgrades: Downgrades<'_>) -> Self {
        Self { tool: tool.id().clone(), name: name.to_owned(), payload, downgrades: downgrades.into_list() }
    }
}

impl Dialect {
    /// The dialect's word, such as `openai-responses`.
    pub const fn as_str(self) -> &'static str {
        self.form().word
    }

    /// What names may look like.
    pub const fn name_limits(self) -> NameLimits {
        self.form().names
    }

    /// The names of a view's tools.
    pub fn names(self, tools: &[ToolId]) -> WireNames {
        WireNames::new(self.name_limits(), tools)
    }

    /// A tool in this form, under the name that [`names`](Self::names) gave it.
    pub fn tool(self, tool: &RegisteredTool, name: &str) -> CompiledTool {
        (self.form().compile)(tool, name)
    }
}

/// The digest of what a model is shown of one tool.
///
/// Over the bytes as sent and not over canonical JSON: a model reads properties in their order, so another
/// order is another prompt.
pub fn payload_digest(tool: &CompiledTool) -> Digest {
    Digest::of_bytes(Domain::ToolPayload, tool.payload.to_string().as_bytes())
}

#[cfg(test)]
mod tests;
