//! From a call's arguments to its request. An argument fills the place that the template names for it, and cannot leave it.

use crate::model::{PathPiece, RequestMethod, RequestTemplate};
use reqwest::{
    Method,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::{Map, Value};
use url::Url;

/// Longer addresses are not served by most hosts.
const MOST_ADDRESS: usize = 8 << 10;

/// A request that is ready to be sent, less what only the broker has.
#[derive(Debug, Clone)]
pub(super) struct Rendered {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

/// Fills the template. It has no fault, and the arguments satisfy the tool's schema.
///
/// # Errors
/// Why an argument cannot stand where the template puts it.
pub(super) fn render(template: &RequestTemplate, args: &Value) -> Result<Rendered, String> {
    let mut url = template.base()?;
    place(template, args, &mut url)?;
    query(template, args, &mut url)?;
    if url.as_str().len() > MOST_ADDRESS {
        return Err(format!("its address would be longer than {MOST_ADDRESS} bytes"));
    }
    let mut headers = headers(template, args)?;
    let body = match &template.body {
        None => None,
        Some(parts) => {
            let member = |(name, part): (&String, &crate::model::RequestPart)| {
                Some((name.clone(), part.of(args)?.clone()))
            };
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Some(
                Value::Object(parts.iter().filter_map(member).collect::<Map<_, _>>())
                    .to_string()
                    .into_bytes(),
            )
        }
    };
    Ok(Rendered { method: method(template.method), url, headers, body })
}

fn method(method: RequestMethod) -> Method {
    match method {
        RequestMethod::Get => Method::GET,
        RequestMethod::Head => Method::HEAD,
        RequestMethod::Post => Method::POST,
        RequestMethod::Put => Method::PUT,
        RequestMethod::Patch => Method::PATCH,
        RequestMethod::Delete => Method::DELETE,
    }
}

fn place(template: &RequestTemplate, args: &Value, url: &mut Url) -> Result<(), String> {
    let mut segments = Vec::new();
    for pieces in template.segments()? {
        let mut segment = String::new();
        for piece in pieces {
            match piece {
                PathPiece::Literal(text) => segment.push_str(text),
                PathPiece::Value(name) => segment.push_str(&in_path(name, args)?),
            }
        }
        // `.` and `..` put together out of harmless pieces
        if matches!(segment.as_str(), "." | "..") {
            return Err("a part of its path would be a step upwards".to_owned());
        }
        segments.push(segment);
    }
    if !segments.is_empty() {
        let mut path = url.path_segments_mut().map_err(|()| "its address has no path".to_owned())?;
        // each is percent-encoded, slashes and percent signs among its characters too
        path.pop_if_empty().extend(&segments);
    }
    Ok(())
}

/// The value of an argument as a part of one segment.
fn in_path(name: &str, args: &Value) -> Result<String, String> {
    let text =
        args.get(name).and_then(text).ok_or_else(|| format!("its path needs the argument `{name}`"))?;
    // A slash that is encoded is decoded again by many a host before it looks for the path.
    if text.is_empty() || text.contains(|c: char| matches!(c, '/' | '\\') || c.is_control()) {
        return Err(format!(
            "the argument `{name}` cannot be a part of a path: it is empty, or holds a slash or a control character"
        ));
    }
    Ok(text)
}

/// One value as text; `None` for what has several.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn query(template: &RequestTemplate, args: &Value, url: &mut Url) -> Result<(), String> {
    let mut pairs = Vec::new();
    for (name, part) in &template.query {
        let values = match part.of(args) {
            None => continue,
            Some(Value::Array(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
        };
        for value in values {
            let text =
                text(value).ok_or_else(|| format!("the parameter `{name}` is not one text or number"))?;
            pairs.push((name, text));
        }
    }
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    Ok(())
}

fn headers(template: &RequestTemplate, args: &Value) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, part) in &template.headers {
        // INVARIANT: a template without faults names no reserved header; asked again, since this is where it would hurt
        if crate::model::is_reserved_header(name) {
            return Err(format!("the header `{name}` is set by the adapter or the broker alone"));
        }
        let Some(value) = part.of(args) else { continue };
        let text = text(value).ok_or_else(|| format!("the header `{name}` is not one text or number"))?;
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|e| format!("`{name}`: {e}"))?;
        let value = HeaderValue::from_str(&text)
            .map_err(|_| format!("the header `{name}` would hold a character that no header has"))?;
        headers.insert(header, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn template() -> RequestTemplate {
        serde_json::from_value(json!({
            "method": "POST", "baseUrl": "https://API.example./v1/", "path": "/a/{id}/b-{n}",
            "query": { "q": { "value": "q" }, "tag": { "value": "tags" }, "state": { "literal": "open" } },
            "headers": { "X-Lang": { "value": "lang" }, "X-Version": { "literal": 2 } },
            "body": { "title": { "value": "title" }, "draft": { "literal": true }, "n": { "value": "n" } },
        }))
        .unwrap()
    }

    fn args(id: &str) -> Value {
        json!({ "id": id, "n": 3, "q": "a&b=c#d", "tags": ["x", 1], "lang": "de", "title": { "t": [1] }, "more": null })
    }

    #[test]
    fn arguments_fill_the_places_that_are_named() {
        let made = render(&template(), &args("x y?#%2f")).unwrap();
        assert_eq!(
            made.url.as_str(),
            "https://api.example/v1/a/x%20y%3F%23%252f/b-3?q=a%26b%3Dc%23d&state=open&tag=x&tag=1"
        );
        assert_eq!(made.body.unwrap(), br#"{"draft":true,"n":3,"title":{"t":[1]}}"#);
        let header = |name: &str| made.headers.get(name).map(|v| v.to_str().unwrap().to_owned());
        assert_eq!(header("x-lang").as_deref(), Some("de"));
        assert_eq!(header("x-version").as_deref(), Some("2"));
        assert_eq!(header("content-type").as_deref(), Some("application/json"));
        let bare = render(&template(), &json!({ "id": "x", "n": 3 })).unwrap();
        assert_eq!(bare.url.as_str(), "https://api.example/v1/a/x/b-3?state=open");
        assert_eq!(bare.body.unwrap(), br#"{"draft":true,"n":3}"#);
    }

    #[test]
    fn an_argument_does_not_leave_its_place() {
        for id in ["..", ".", "", "a/b", "a\\b", "../..", "/etc", "a\nb", "a\0b"] {
            assert!(render(&template(), &args(id)).is_err(), "{id:?}");
        }
        let mut pieces = template();
        pieces.path = "/{id}{n}".to_owned();
        assert!(render(&pieces, &json!({ "id": ".", "n": "." })).is_err());
        for lang in ["a\r\nAuthorization: x", "a\nb", "ü\u{1}"] {
            let args = json!({ "id": "a", "n": 1, "lang": lang });
            assert!(render(&template(), &args).is_err(), "{lang:?}");
        }
        let mut steals = template();
        steals
            .headers
            .insert("authorization".to_owned(), crate::model::RequestPart::Value("lang".to_owned()));
        assert!(render(&steals, &args("a")).is_err());
        assert!(render(&template(), &json!({ "n": 1 })).is_err());
        assert!(render(&template(), &args(&"x".repeat(MOST_ADDRESS))).is_err());
    }

    proptest! {
        #[test]
        fn whatever_is_said_the_host_and_the_shape_of_the_path_stay(id in "\\PC{1,30}", q in "\\PC{0,30}") {
            if let Ok(made) = render(&template(), &json!({ "id": id, "n": 1, "q": q })) {
                prop_assert_eq!(made.url.host_str(), Some("api.example"));
                let segments: Vec<_> = made.url.path_segments().unwrap().collect();
                prop_assert_eq!(segments.len(), 4);
                prop_assert_eq!((segments[0], segments[1], segments[3]), ("v1", "a", "b-1"));
                prop_assert_eq!(made.url.fragment(), None);
                let pairs: Vec<_> = made.url.query_pairs().into_owned().collect();
                prop_assert_eq!(&pairs[0], &("q".to_owned(), q));
                prop_assert_eq!(pairs.len(), 2);
            }
        }
    }
}
