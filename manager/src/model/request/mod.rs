//! §14: the request of an HTTP tool: a typed template for one operation of one host.
//!
//! The template is a part of the contract, and so of its digest: it is reviewed and pinned like everything else. Where a
//! request goes is written in it; arguments only fill places that it names. What is wrong with a template as such is in
//! [`fault`]; how a call's arguments become a request is the adapter's work.

mod fault;
mod header;

pub use fault::{RequestFault, RequestFaultKind};
pub use header::is_reserved_header;

use super::Host;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, fmt};
use url::Url;

/// One operation of one host, and what is made of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestTemplate {
    /// The method.
    pub method: RequestMethod,
    /// The host, and what stands before every path on it: `https://api.example.com/v1`. No argument changes it.
    pub base_url: String,
    /// The path behind it, as plain text: `/repos/{owner}/issues`. `{owner}` is the value of that argument, which
    /// never reaches beyond its own segment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Parameters of the query. A list is one parameter for each element.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, RequestPart>,
    /// Headers, beside those that the adapter sets itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, RequestPart>,
    /// Members of the JSON object that is its body; no body where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<BTreeMap<String, RequestPart>>,
    /// The header that carries the call's id, by which the host knows a request that it has seen before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_header: Option<String>,
    /// The statuses that mean that it did what it should; every `2xx` where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_statuses: Vec<u16>,
    /// What the answer is.
    #[serde(default)]
    pub response: ResponseFormat,
}

/// A value in a request. One whose argument is absent or null is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum RequestPart {
    /// This value, as it stands here.
    Literal(Value),
    /// The value of this argument.
    Value(String),
}

impl RequestPart {
    /// The argument that it speaks of.
    pub fn argument(&self) -> Option<&str> {
        match self {
            Self::Literal(_) => None,
            Self::Value(name) => Some(name),
        }
    }

    /// What it stands for in a call with these arguments.
    pub fn of<'a>(&'a self, args: &'a Value) -> Option<&'a Value> {
        let value = match self {
            Self::Literal(value) => Some(value),
            Self::Value(name) => args.get(name),
        };
        value.filter(|value| !value.is_null())
    }
}

/// What a request asks its host to do (RFC 9110, 9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the words of RFC 9110")]
pub enum RequestMethod {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl RequestMethod {
    /// The method as it is sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether a body has no meaning in it (RFC 9110, 9.3.1).
    pub const fn has_no_body(self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Delete)
    }
}

impl fmt::Display for RequestMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an answer is; each has its parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ResponseFormat {
    /// One JSON value, which is the result; `{status}` where there is no body.
    #[default]
    Json,
    /// Text: `{status, contentType, text}`.
    Text,
    /// Anything: `{status, contentType, bytes}`, and the bytes themselves as the artifact.
    Bytes,
}

/// A piece of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPiece<'a> {
    /// Text.
    Literal(&'a str),
    /// The value of this argument.
    Value(&'a str),
}

impl RequestTemplate {
    /// The base, in its canonical form: one spelling of its host.
    ///
    /// # Errors
    /// Why it is none: another scheme than HTTP, plain HTTP to another machine, a user, a query, a step upwards.
    pub fn base(&self) -> Result<Url, String> {
        let text = &self.base_url;
        let mut url = Url::parse(text).map_err(|e| format!("`{text}` is no address: {e}"))?;
        let host = Host::parse(url.host_str().unwrap_or_default()).map_err(|e| e.to_string())?;
        match url.scheme() {
            "https" => {}
            "http" if host.is_loopback() => {}
            "http" => {
                return Err(
                    "plain HTTP is for this machine alone; everybody on the way would read along".to_owned()
                );
            }
            other => return Err(format!("`{other}` is not HTTP")),
        }
        // In the text: a URL that is parsed has lost its steps upwards, and what an argument might have been.
        if text.contains(['{', '}', '\\', '%', '?', '#']) || text.contains("/..") || text.contains("/./") {
            return Err("a base is a host and a plain path, with nothing to be filled in".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a user or a password has no place in a contract".to_owned());
        }
        url.set_host(Some(&host.to_string())).map_err(|e| e.to_string())?;
        Ok(url)
    }

    /// The host and the port of the base.
    ///
    /// # Errors
    /// As for [`base`](Self::base).
    pub fn host(&self) -> Result<(Host, u16), String> {
        let base = self.base()?;
        let host = Host::parse(base.host_str().unwrap_or_default()).map_err(|e| e.to_string())?;
        Ok((host, base.port_or_known_default().unwrap_or_default()))
    }

    /// The path, segment by segment, each in its pieces.
    ///
    /// # Errors
    /// Why it is no path: it does not begin with a slash, steps upwards, or has a brace without its other.
    pub fn segments(&self) -> Result<Vec<Vec<PathPiece<'_>>>, String> {
        if self.path.is_empty() {
            return Ok(Vec::new());
        }
        let path = self.path.strip_prefix('/').ok_or("a path begins with `/`")?;
        path.split('/').map(pieces).collect()
    }

    /// Every argument that it uses, with where it does, as a JSON pointer.
    pub fn uses(&self) -> Vec<(String, &str)> {
        let placed =
            self.segments().unwrap_or_default().into_iter().flatten().filter_map(|piece| match piece {
                PathPiece::Literal(_) => None,
                PathPiece::Value(name) => Some(("/path".to_owned(), name)),
            });
        placed.chain(self.parts().filter_map(|(at, _, part)| Some((at, part.argument()?)))).collect()
    }

    /// Every part of query, headers and body: where it stands, its name, and what it is.
    pub(super) fn parts(&self) -> impl Iterator<Item = (String, &str, &RequestPart)> {
        let body = self.body.iter().flatten();
        let fields = [("query", self.query.iter()), ("headers", self.headers.iter())];
        let named =
            fields.into_iter().flat_map(|(field, parts)| parts.map(move |(name, part)| (field, name, part)));
        named
            .chain(body.map(|(name, part)| ("body", name, part)))
            .map(|(field, name, part)| (format!("/{field}/{}", pointer(name)), name.as_str(), part))
    }
}

impl fmt::Display for RequestTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.method, self.base_url.trim_end_matches('/'), self.path)
    }
}

/// A name as a step of a JSON pointer (RFC 6901, 3).
fn pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn pieces(segment: &str) -> Result<Vec<PathPiece<'_>>, String> {
    if matches!(segment, "." | "..") {
        return Err("a path has no steps upwards".to_owned());
    }
    if segment.contains(|c: char| matches!(c, '?' | '#' | '%' | '\\') || c.is_control()) {
        return Err(format!("`{segment}` holds a character that is not plain text of a path"));
    }
    let (mut pieces, mut rest) = (Vec::new(), segment);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) =
            after.split_once('}').ok_or_else(|| format!("`{segment}` has a brace too many"))?;
        if name.is_empty() || name.contains('{') || before.contains('}') {
            return Err(format!("`{segment}` has a brace too many"));
        }
        if !before.is_empty() {
            pieces.push(PathPiece::Literal(before));
        }
        pieces.push(PathPiece::Value(name));
        rest = behind;
    }
    if rest.contains('}') {
        return Err(format!("`{segment}` has a brace too many"));
    }
    if !rest.is_empty() {
        pieces.push(PathPiece::Literal(rest));
    }
    Ok(pieces)
}
