//! Identifiers. Each is its own type, so that a call id never stands where an approval id is meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{borrow::Borrow, fmt, ops::Deref, sync::Arc};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $(= $prefix:literal)?;)*) => {$(
        $(#[$doc])*
        ///
        /// Cheap to clone: the text is shared.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(#[schemars(with = "String")] Arc<str>);

        impl $name {
            /// Wraps a text as this kind of id; the text is not checked.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            $(
                /// The id that carries this UUID, with the prefix of its kind.
                pub fn from_uuid(uuid: Uuid) -> Self {
                    let mut text = String::with_capacity($prefix.len() + 32);
                    text.push_str($prefix);
                    text.push_str(uuid.simple().encode_lower(&mut Uuid::encode_buffer()));
                    Self(text.into())
                }
            )?
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }
    )*};
}

ids! {
    /// A tool, across its versions: `file.read`, or `SERVER.TOOL` for one that a server serves.
    ToolId;
    /// A released version of a tool's descriptor.
    ToolVersion;
    /// An MCP server, as this manager knows it.
    ServerId;
    /// Who acts: `user:dev`, `service:ci`.
    PrincipalId;
    /// A policy, by its `@id` annotation.
    PolicyId;
    /// A conversation, or one trial of a run.
    SessionId = "ses_";
    /// One run: the unit that has one journal file.
    RunId = "run_";
    /// What the agent wants, recorded.
    IntentId = "int_";
    /// One compiled view.
    ViewId = "view_";
    /// One tool call, its whole life.
    CallId = "tc_";
    /// One event of a journal.
    EventId = "ev_";
    /// One request for approval.
    ApprovalId = "apr_";
    /// A standing permission, or one approved call's.
    GrantId = "gr_";
    /// One stored output.
    ArtifactId = "art_";
    /// One prepared sandbox.
    SandboxId = "sbx_";
    /// A credential that the broker has bound to a tool and principal.
    CredentialBindingId = "cred_";
}
