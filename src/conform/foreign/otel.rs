//! OpenTelemetry: `execute_tool` spans of the semantic conventions for generative AI, as OTLP JSON.
//!
//! One export document after the other, as the file exporter writes them, or one document alone. A span says
//! that a tool ran, when, and whether it failed; where the attributes are recorded, also with which arguments
//! and what came out. It says nothing of registration, validation, policy, approval, sandbox, artifacts or
//! views. See <https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span> and, for
//! the encoding, <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>.

use super::Importer;
use chrono::{DateTime, SecondsFormat};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::io::BufRead;

pub(super) struct Otel;

impl Importer for Otel {
    fn name(&self) -> &'static str {
        "otel"
    }

    fn about(&self) -> &'static str {
        "OpenTelemetry `execute_tool` spans as OTLP JSON"
    }

    fn shows(&self) -> &'static [u8] {
        // One result a call, and secrets that were planted: found is proof, not found is none.
        &[2, 7]
    }

    fn recognizes(&self, head: &[u8]) -> bool {
        let head = String::from_utf8_lossy(&head[..head.len().min(64)]);
        let start: String = head.chars().filter(|c| !c.is_whitespace()).collect();
        start.starts_with("{\"resourceSpans\":")
    }

    fn events(&self, log: &mut dyn BufRead) -> Result<Vec<Map<String, Value>>, String> {
        let mut events: Vec<(u64, Map<String, Value>)> = Vec::new();
        for export in serde_json::Deserializer::from_reader(log).into_iter::<Export>() {
            let export = export.map_err(|e| e.to_string())?;
            let scopes = export.resource_spans.into_iter().flat_map(|r| r.scope_spans);
            scopes.flat_map(|s| s.spans).filter(Span::executes_a_tool).for_each(|s| s.events(&mut events));
        }
        // Spans are exported when they end, in any order.
        events.sort_by_key(|(at, _)| *at);
        Ok(events.into_iter().map(|(_, event)| event).collect())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    #[serde(default)]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Deserialize)]
struct ScopeSpans {
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Span {
    #[serde(default)]
    trace_id: String,
    #[serde(default)]
    span_id: String,
    #[serde(default)]
    start_time_unix_nano: Value,
    #[serde(default)]
    end_time_unix_nano: Value,
    #[serde(default)]
    attributes: Vec<Attribute>,
    #[serde(default)]
    status: Option<Status>,
}

#[derive(Deserialize)]
struct Attribute {
    key: String,
    #[serde(default)]
    value: Value,
}

#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    code: Value,
}

impl Span {
    fn executes_a_tool(&self) -> bool {
        self.text("gen_ai.operation.name").as_deref() == Some("execute_tool")
    }

    fn attribute(&self, key: &str) -> Option<&Value> {
        self.attributes.iter().find(|a| a.key == key).map(|a| &a.value)
    }

    /// An attribute as text; of one that is no text, its JSON.
    fn text(&self, key: &str) -> Option<String> {
        let value = self.attribute(key)?;
        let text = value.get("stringValue").and_then(Value::as_str).map(ToOwned::to_owned);
        Some(text.unwrap_or_else(|| value.to_string()))
    }

    fn failed(&self) -> bool {
        let code = self.status.as_ref().map(|s| &s.code);
        code.is_some_and(|c| *c == json!(2) || *c == json!("STATUS_CODE_ERROR"))
            || self.attribute("error.type").is_some()
    }

    fn events(&self, out: &mut Vec<(u64, Map<String, Value>)>) {
        // Without an id of its own, a call is its span.
        let call = self.text("gen_ai.tool.call.id").unwrap_or_else(|| self.span_id.clone());
        let event = |kind: &str, at: u64, fields: Value| {
            let mut event = Map::new();
            event.insert("type".to_owned(), kind.into());
            event.insert("eventId".to_owned(), format!("{}/{}", self.span_id, kind).into());
            event.insert("ts".to_owned(), stamp(at).into());
            event.insert("toolCallId".to_owned(), call.as_str().into());
            event.insert("runId".to_owned(), self.trace_id.as_str().into());
            event.extend(fields.as_object().cloned().unwrap_or_default());
            (at, event)
        };
        let tool = self.text("gen_ai.tool.name");
        let started = json!({ "toolId": tool, "args": self.text("gen_ai.tool.call.arguments") });
        out.push(event("ToolCallStarted", nanos(&self.start_time_unix_nano), started));
        // A span that was never ended has no result.
        let end = nanos(&self.end_time_unix_nano);
        if end > 0 {
            let result = self.text("gen_ai.tool.call.result");
            let status = if self.failed() { "error" } else { "success" };
            let bytes = result.as_ref().map(String::len);
            let finished = json!({ "status": status, "result": result, "outputBytes": bytes });
            out.push(event("ToolCallFinished", end, finished));
        }
    }
}

/// 64-bit numbers are texts in OTLP JSON; some writers leave them numbers.
fn nanos(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).or(value.as_u64()).unwrap_or_default()
}

fn stamp(nanos: u64) -> String {
    let nanos = i64::try_from(nanos).unwrap_or(i64::MAX);
    DateTime::from_timestamp_nanos(nanos).to_rfc3339_opts(SecondsFormat::Micros, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::{Chain, Options, Report, Standing, Verdict, judge_files};

    fn span(call: &str, from: u64, to: u64, result: &str) -> Value {
        let attribute = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
        let attributes = vec![
            attribute("gen_ai.operation.name", "execute_tool"),
            attribute("gen_ai.tool.name", "get_weather"),
            attribute("gen_ai.tool.call.id", call),
            attribute("gen_ai.tool.call.result", result),
        ];
        json!({
            "traceId": "5b8efff798038103d269b633813fc60c", "spanId": format!("eee19b7ec3c1b1{from:02}"),
            "name": "execute_tool get_weather", "kind": 1, "attributes": attributes, "status": {},
            "startTimeUnixNano": from.to_string(), "endTimeUnixNano": to.to_string(),
        })
    }

    fn judged(spans: &[Value], pretty: bool) -> Report {
        let chat = json!({ "spanId": "00", "attributes": [{ "key": "gen_ai.operation.name", "value": { "stringValue": "chat" } }] });
        let spans: Vec<&Value> = [&chat].into_iter().chain(spans).collect();
        let export = json!({ "resourceSpans": [{ "resource": {}, "scopeSpans": [{ "spans": spans }] }] });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("traces.json");
        let text =
            if pretty { serde_json::to_string_pretty(&export) } else { serde_json::to_string(&export) };
        std::fs::write(&path, text.unwrap() + "\n").unwrap();
        let options = Options { canaries: vec!["canary-7f3a9c".to_owned()], ..Options::default() };
        judge_files(&[path], &options).unwrap()
    }

    #[test]
    fn what_spans_cannot_show_is_not_exercised() {
        for pretty in [false, true] {
            let report = judged(&[span("b", 30, 40, "rain"), span("a", 10, 20, "sun")], pretty);
            assert_eq!(report.events, 4);
            assert_eq!(report.evidence[0].chain, Chain::Absent);
            assert_eq!(report.verdict(), Verdict::Undecided);
            let held: Vec<u8> = report.standing(Standing::Holds).map(|r| r.invariant).collect();
            assert_eq!(held, [2]);
            assert_eq!(report.standing(Standing::NotExercised).count(), 15);
        }
    }

    #[test]
    fn what_spans_show_is_found() {
        let rows = [
            ("one call, twice at once", vec![span("a", 10, 30, "x"), span("a", 20, 40, "x")], "R2.3"),
            ("a planted secret", vec![span("a", 10, 20, "key=canary-7f3a9c")], "R7.1"),
        ];
        for (what, spans, requirement) in rows {
            let report = judged(&spans, false);
            let found: Vec<&str> =
                report.rulings.iter().flat_map(|r| &r.findings).map(|f| f.requirement).collect();
            assert!(found.contains(&requirement), "{what}: {found:?}");
        }
    }

    #[test]
    fn a_span_without_an_end_is_a_call_without_a_result() {
        let report = judged(&[span("a", 10, 0, "")], false);
        assert_eq!((report.events, report.verdict()), (1, Verdict::Undecided));
    }
}
