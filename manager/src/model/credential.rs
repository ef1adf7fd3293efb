//! Credentials that somebody has bound: references, and what each may be used for. Never the secret.

use super::{CredentialBindingId, PrincipalId, ToolId};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A credential that the broker has bound; a reference, never the secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CredentialBinding {
    /// Identity.
    pub credential_binding_id: CredentialBindingId,
    /// Whose it is.
    pub principal: PrincipalId,
    /// The name by which contracts require it, such as `GITHUB_TOKEN`.
    #[serde(default)]
    pub name: String,
    /// Where the secret is kept, as a reference such as `env:GITHUB_TOKEN`.
    pub secret_ref: String,
    /// The tools that it is for; none, if nobody says.
    #[serde(default)]
    pub tools: Vec<ToolPattern>,
    /// What it may be used for.
    pub scopes: Vec<String>,
    /// The only host it may be sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// How it is handed over; as the variable of its own name, if nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<Injection>,
    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

impl CredentialBinding {
    /// What journals and approvals call it: its name for people, its identity for everybody else.
    pub fn reference(&self) -> String {
        format!("{}/{}", self.name, self.credential_binding_id)
    }

    /// The binding that a reference is of.
    pub fn id_of(reference: &str) -> CredentialBindingId {
        reference.rsplit('/').next().unwrap_or(reference).into()
    }

    /// How it is handed over.
    pub fn injection(&self) -> Injection {
        self.injection.clone().unwrap_or_else(|| Injection::Variable(self.name.clone()))
    }
}

/// How a secret is handed to what needs it; never as an argument of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Injection {
    /// As a variable of the environment.
    Variable(String),
    /// As the content of a descriptor, whose number stands in this variable of the environment.
    Descriptor(String),
    /// As a header of a request.
    Header {
        /// Its name, such as `Authorization`.
        name: String,
        /// What stands before the secret, such as `Bearer `.
        prefix: String,
    },
}

/// Which tools: one by its id, all whose ids begin so (`github.*`), or all (`*`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ToolPattern(String);

impl ToolPattern {
    /// Whether it names a tool.
    pub fn covers(&self, tool: &ToolId) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => tool.as_str().starts_with(beginning),
            None => tool.as_str() == self.0,
        }
    }

    /// How narrow it is: a longer one is narrower, and an id the narrowest.
    pub fn narrowness(&self) -> usize {
        if self.0.ends_with('*') { self.0.len() } else { usize::MAX }
    }
}

impl FromStr for ToolPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let stem = text.strip_suffix('*').unwrap_or(text);
        let whole = stem.is_empty() || text == stem || stem.ends_with('.');
        if text.is_empty()
            || stem.contains(|c: char| c == '*' || c.is_whitespace() || c.is_control())
            || !whole
        {
            return Err(format!(
                "`{text}` names no tools\nhint: write an id such as `github.issue.create`, its beginning as `github.*`, or `*`"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_tools() {
        let rows = [
            ("github.issue.create", "github.issue.create", Some(true)),
            ("github.issue.create", "github.issue.create2", Some(false)),
            ("github.*", "github.issue.create", Some(true)),
            ("github.*", "githubx.issue", Some(false)),
            ("*", "anything", Some(true)),
            ("git*", "github.issue", None),
            ("*.create", "x.create", None),
            ("a b", "a b", None),
            ("", "", None),
        ];
        for (pattern, tool, expected) in rows {
            let covers = pattern.parse::<ToolPattern>().ok().map(|p| p.covers(&tool.into()));
            assert_eq!(covers, expected, "{pattern} {tool}");
        }
    }
}
