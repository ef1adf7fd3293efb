//! What is wrong with a request template, whatever it is called with.

use super::{
    PathPiece, RequestPart, RequestTemplate,
    header::{is_header_name, is_reserved_header},
};
use crate::model::{Egress, Host, HostPattern, ToolDescriptor};
use serde_json::Value;
use std::collections::BTreeSet;

/// Something that is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestFault {
    /// What kind of fault.
    pub kind: RequestFaultKind,
    /// Where in the template, as a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

/// Kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFaultKind {
    /// It cannot be sent as it is.
    Unusable,
    /// An argument that the schema has does nothing.
    Unused,
}

const SCALAR: &[&str] = &["string", "integer", "number", "boolean"];
const LISTED: &[&str] = &["string", "integer", "number", "boolean", "array"];

/// Collects faults of one tool's template.
struct Faults<'a> {
    tool: &'a ToolDescriptor,
    found: Vec<RequestFault>,
}

impl Faults<'_> {
    fn unusable(&mut self, pointer: &str, message: impl Into<String>) {
        let (kind, pointer, message) = (RequestFaultKind::Unusable, pointer.to_owned(), message.into());
        self.found.push(RequestFault { kind, pointer, message });
    }

    /// Whether an argument is there, and of one of these types.
    fn argument(&mut self, pointer: &str, name: &str, kinds: &[&str]) {
        match self.tool.schemas.input_schema.property(name) {
            None => self.unusable(pointer, format!("the input schema has no argument `{name}`")),
            Some(schema) if !is_of(schema, kinds) => {
                self.unusable(
                    pointer,
                    format!("the argument `{name}` may be something that cannot stand there"),
                );
            }
            Some(_) => {}
        }
    }
}

/// Whether a schema allows these types only; one that says nothing allows everything.
fn is_of(schema: &Value, kinds: &[&str]) -> bool {
    let of = |kind: &Value| kind.as_str().is_some_and(|kind| kind == "null" || kinds.contains(&kind));
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().all(of),
        Some(kind) => of(kind),
        None => {
            let scalar = |value: &Value| !value.is_object() && !value.is_array();
            schema.get("enum").and_then(Value::as_array).is_some_and(|values| values.iter().all(scalar))
                || schema.get("const").is_some_and(scalar)
        }
    }
}

impl RequestTemplate {
    /// Everything that is wrong with it as the request of this tool.
    pub fn faults(&self, tool: &ToolDescriptor) -> Vec<RequestFault> {
        let mut faults = Faults { tool, found: Vec::new() };
        self.check_host(&mut faults);
        self.check_path(&mut faults);
        self.check_parts(&mut faults);
        self.check_rest(&mut faults);
        let used: BTreeSet<&str> = self.uses().into_iter().map(|(_, name)| name).collect();
        for (name, _) in
            tool.schemas.input_schema.properties().filter(|(name, _)| !used.contains(name.as_str()))
        {
            let (kind, pointer) = (RequestFaultKind::Unused, String::new());
            let message = format!("nothing is made of the argument `{name}`");
            faults.found.push(RequestFault { kind, pointer, message });
        }
        faults.found
    }

    fn check_host(&self, faults: &mut Faults<'_>) {
        let (host, port) = match self.host() {
            Ok(reached) => reached,
            Err(why) => return faults.unusable("/baseUrl", why),
        };
        if let Some(why) = not_allowed(faults.tool, &host, port) {
            faults.unusable("/baseUrl", why);
        }
        let audience = faults.tool.credentials.token_audience.clone();
        if let Some(audience) = audience.filter(|_| !faults.tool.credentials.required_secrets.is_empty())
            && !is_audience(&audience, &host, port)
        {
            faults.unusable(
                "/baseUrl",
                format!("the tool's credential is for `{audience}`, and the request for `{host}`"),
            );
        }
    }

    fn check_path(&self, faults: &mut Faults<'_>) {
        let segments = match self.segments() {
            Ok(segments) => segments,
            Err(why) => return faults.unusable("/path", why),
        };
        for piece in segments.into_iter().flatten() {
            let PathPiece::Value(name) = piece else { continue };
            faults.argument("/path", name, SCALAR);
            if !faults.tool.schemas.input_schema.required().any(|required| required == name) {
                faults.unusable(
                    "/path",
                    format!("a path needs the argument `{name}`, and the schema does not require it"),
                );
            }
        }
    }

    fn check_parts(&self, faults: &mut Faults<'_>) {
        for (pointer, _, part) in self.parts() {
            let kinds = match pointer.split('/').nth(1) {
                Some("query") => Some(LISTED),
                Some("headers") => Some(SCALAR),
                _ => None,
            };
            match (part, kinds) {
                (RequestPart::Value(name), Some(kinds)) => faults.argument(&pointer, name, kinds),
                (RequestPart::Value(name), None) => {
                    if faults.tool.schemas.input_schema.property(name).is_none() {
                        faults.unusable(&pointer, format!("the input schema has no argument `{name}`"));
                    }
                }
                (RequestPart::Literal(value), Some(_)) if value.is_object() || value.is_array() => {
                    faults.unusable(&pointer, "what stands there is one text, number, or yes or no");
                }
                (RequestPart::Literal(_), _) => {}
            }
        }
    }

    fn check_rest(&self, faults: &mut Faults<'_>) {
        let own = self.headers.keys().map(|name| (format!("/headers/{}", super::pointer(name)), name));
        let key = self.idempotency_header.iter().map(|name| ("/idempotencyHeader".to_owned(), name));
        let mut seen = BTreeSet::new();
        for (pointer, name) in own.chain(key) {
            if !is_header_name(name) {
                faults.unusable(&pointer, format!("`{name}` is no name of a header"));
            } else if is_reserved_header(name) {
                faults.unusable(
                    &pointer,
                    format!("the header `{name}` is set by the adapter or the broker alone"),
                );
            } else if !seen.insert(name.to_ascii_lowercase()) {
                faults.unusable(&pointer, format!("the header `{name}` is there twice"));
            }
        }
        if self.body.is_some() && self.method.has_no_body() {
            faults.unusable("/body", format!("a body means nothing in a {}", self.method));
        }
        if let Some(status) = self.expected_statuses.iter().find(|status| !(200..600).contains(*status)) {
            faults.unusable("/expectedStatuses", format!("{status} is no status of an answer"));
        }
    }
}

/// Why the tool's own sandbox does not let the request out.
fn not_allowed(tool: &ToolDescriptor, host: &Host, port: u16) -> Option<String> {
    let Some(network) = &tool.sandbox.network else {
        return Some("the tool's sandbox reaches nothing: `sandbox.network` is missing".to_owned());
    };
    let any = |entries: &[String], matches: fn(&HostPattern, &Host, u16) -> bool| {
        entries
            .iter()
            .any(|entry| HostPattern::parse(entry).is_ok_and(|pattern| matches(&pattern, host, port)))
    };
    if any(&network.deny_domains, HostPattern::denies) {
        return Some(format!("`{host}:{port}` is among the tool's `denyDomains`"));
    }
    let allowed = any(&network.allow_domains, HostPattern::allows);
    match network.egress_policy {
        Egress::None => Some("the tool's sandbox reaches nothing: its `egressPolicy` is `none`".to_owned()),
        Egress::Open if !host.is_loopback() => None,
        Egress::Open | Egress::Allowlist if allowed => None,
        Egress::Open | Egress::Allowlist => {
            Some(format!("`{host}:{port}` is not among the tool's `allowDomains`"))
        }
    }
}

/// Whether an audience, a host or an address, is that host.
fn is_audience(audience: &str, host: &Host, port: u16) -> bool {
    Host::of_audience(audience).is_some_and(|(own, own_port)| own == *host && own_port == port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{JsonSchema, testing::requesting};
    use serde_json::json;

    fn good() -> Value {
        json!({
            "method": "POST", "baseUrl": "https://api.example/v1", "path": "/a/{id}/b-{n}",
            "query": { "page": { "value": "page" }, "tag": { "value": "list" }, "state": { "literal": "open" } },
            "headers": { "Accept-Language": { "value": "id" }, "X-Version": { "literal": 2 } },
            "body": { "title": { "value": "object" }, "draft": { "literal": { "a": [] } } },
            "idempotencyHeader": "Idempotency-Key", "expectedStatuses": [200, 201],
        })
    }

    /// A tool with this request, and arguments of every type.
    fn tool(request: Value) -> ToolDescriptor {
        let mut tool = requesting("t", request);
        let schema = json!({ "type": "object", "required": ["id", "n", "object"], "properties": {
            "id": { "type": "string" }, "n": { "type": "integer" }, "page": { "type": ["integer", "null"] },
            "list": { "type": "array" }, "object": { "type": "object" },
        }});
        tool.schemas.input_schema = serde_json::from_value::<JsonSchema>(schema).unwrap();
        tool
    }

    fn told(tool: &ToolDescriptor) -> Vec<String> {
        let faults = tool.execution.request.as_ref().unwrap().faults(tool);
        faults.into_iter().map(|fault| format!("{}: {}", fault.pointer, fault.message)).collect()
    }

    fn with(field: &str, value: Value) -> ToolDescriptor {
        let mut request = good();
        request[field] = value;
        tool(request)
    }

    #[test]
    fn a_template_that_fits_its_tool_has_no_fault() {
        assert_eq!(told(&tool(good())), Vec::<String>::new());
    }

    #[test]
    fn each_fault_is_told_with_its_place() {
        let header = |name: &str| json!({ name: { "literal": "x" }, "L": { "value": "id" } });
        let rows = [
            ("baseUrl", json!("api.example"), "/baseUrl: `api.example` is no address"),
            ("baseUrl", json!("ftp://api.example"), "/baseUrl: `ftp` is not HTTP"),
            ("baseUrl", json!("http://api.example"), "/baseUrl: plain HTTP is for this machine"),
            ("baseUrl", json!("https://u:p@api.example"), "/baseUrl: a user or a password"),
            ("baseUrl", json!("https://api.example?q=1"), "/baseUrl: a base is a host and a plain path"),
            ("baseUrl", json!("https://api.example/a/../b"), "/baseUrl: a base is a host and a plain path"),
            ("baseUrl", json!("https://{id}.api.example"), "/baseUrl: "),
            ("baseUrl", json!("https://other.example"), "/baseUrl: `other.example:443` is not among"),
            ("baseUrl", json!("https://api.example:8443"), "/baseUrl: `api.example:8443` is not among"),
            ("baseUrl", json!("https://169.254.169.254"), "/baseUrl: `169.254.169.254:443` is not among"),
            ("path", json!("a"), "/path: a path begins with `/`"),
            ("path", json!("/a/../{id}"), "/path: a path has no steps upwards"),
            ("path", json!("/a?x={id}"), "/path: `a?x={id}` holds a character"),
            ("path", json!("/%2e%2e/{id}"), "/path: `%2e%2e` holds a character"),
            ("path", json!("/{id"), "/path: `{id` has a brace too many"),
            ("path", json!("/id}"), "/path: `id}` has a brace too many"),
            ("path", json!("/{other}"), "/path: the input schema has no argument `other`"),
            ("path", json!("/{list}"), "/path: the argument `list` may be something"),
            ("path", json!("/{page}"), "/path: a path needs the argument `page`"),
            (
                "query",
                json!({ "q": { "value": "object" } }),
                "/query/q: the argument `object` may be something",
            ),
            (
                "query",
                json!({ "a/b": { "value": "x" } }),
                "/query/a~1b: the input schema has no argument `x`",
            ),
            ("query", json!({ "q": { "literal": {} } }), "/query/q: what stands there is one text"),
            (
                "headers",
                json!({ "X": { "value": "list" } }),
                "/headers/X: the argument `list` may be something",
            ),
            (
                "headers",
                header("Authorization"),
                "/headers/Authorization: the header `Authorization` is set by",
            ),
            ("headers", header("cookie"), "/headers/cookie: the header `cookie` is set by"),
            ("headers", header("Host"), "/headers/Host: the header `Host` is set by"),
            ("headers", header("X Y"), "/headers/X Y: `X Y` is no name"),
            ("headers", header("l"), "/headers/l: the header `l` is there twice"),
            (
                "body",
                json!({ "a": { "value": "other" } }),
                "/body/a: the input schema has no argument `other`",
            ),
            ("method", json!("GET"), "/body: a body means nothing in a GET"),
            (
                "idempotencyHeader",
                json!("Authorization"),
                "/idempotencyHeader: the header `Authorization` is",
            ),
            ("expectedStatuses", json!([99]), "/expectedStatuses: 99 is no status"),
        ];
        for (field, value, expected) in rows {
            let told = told(&with(field, value));
            assert!(told.iter().any(|fault| fault.starts_with(expected)), "{expected}: {told:?}");
        }
    }

    #[test]
    fn the_tool_itself_must_let_it_out() {
        type Change = fn(&mut ToolDescriptor);
        let rows: [(Change, &str); 6] = [
            (|t| t.sandbox.network = None, "`sandbox.network` is missing"),
            (
                |t| t.sandbox.network.as_mut().unwrap().egress_policy = Egress::None,
                "its `egressPolicy` is `none`",
            ),
            (
                |t| {
                    t.sandbox.network.as_mut().unwrap().deny_domains =
                        vec!["*.example".into(), "api.example".into()];
                },
                "denyDomains",
            ),
            (
                |t| {
                    t.credentials.required_secrets = vec!["TOKEN".into()];
                    t.credentials.token_audience = Some("https://other.example".into());
                },
                "the tool's credential is for `https://other.example`",
            ),
            (
                |t| {
                    let network = t.sandbox.network.as_mut().unwrap();
                    (network.egress_policy, network.allow_domains) = (Egress::Open, vec![]);
                    t.execution.request.as_mut().unwrap().base_url = "http://localhost:80".into();
                },
                "`localhost:80` is not among",
            ),
            (
                |t| {
                    drop(
                        t.schemas.input_schema.0["properties"]
                            .as_object_mut()
                            .unwrap()
                            .insert("more".into(), json!({})),
                    );
                },
                "nothing is made of the argument `more`",
            ),
        ];
        for (change, words) in rows {
            let mut tool = tool(good());
            change(&mut tool);
            let told = told(&tool);
            assert!(told.len() == 1 && told[0].contains(words), "{words}: {told:?}");
        }
        let mut open = tool(good());
        open.sandbox.network.as_mut().unwrap().egress_policy = Egress::Open;
        open.sandbox.network.as_mut().unwrap().allow_domains.clear();
        open.credentials.required_secrets = vec!["TOKEN".into()];
        open.credentials.token_audience = Some("API.example.".into());
        assert_eq!(told(&open), Vec::<String>::new());
    }
}
