//! What an answer means: the result that the contract promises, or a typed error with a part of what was said.

use super::{
    Fault,
    exchange::{Answer, is_expected},
};
use crate::model::{RequestTemplate, ResponseFormat, parse_strict};
use serde_json::{Value, json};

/// So much of an error's own words is told.
const MOST_WORDS: usize = 500;

/// The structured result of an answer; its body is the output.
///
/// # Errors
/// [`Fault`] for a status that is not expected, a body that is cut, compressed or not what it should be; with what had
/// come.
pub(super) fn read(template: &RequestTemplate, answer: Answer) -> Result<(Value, Vec<u8>), Fault> {
    if !is_expected(answer.status, &template.expected_statuses) {
        return Err(refusal(answer));
    }
    if let Some((came, announced)) = answer.cut {
        let announced = announced.map_or(String::new(), |all| format!(" of {all} announced"));
        let message = format!(
            "the answer is longer than the {} bytes that its contract allows: {came}{announced} had come",
            answer.body.len()
        );
        return Err(Fault::new("output_limit", message).with(answer.body));
    }
    if let Some(encoding) = &answer.encoding {
        // A few bytes can be a mountain once unpacked; plain text was asked for.
        let message = format!("the answer came compressed (`{encoding}`), which it was asked not to be");
        return Err(Fault::new("malformed_response", message).with(answer.body));
    }
    match structured(template.response, &answer) {
        Ok(value) => Ok((value, answer.body)),
        Err(why) => Err(Fault::new("malformed_response", why).with(answer.body)),
    }
}

fn structured(format: ResponseFormat, answer: &Answer) -> Result<Value, String> {
    let Answer { status, content_type, body, .. } = answer;
    let status = status.as_u16();
    match format {
        ResponseFormat::Json if body.is_empty() => Ok(json!({ "status": status })),
        ResponseFormat::Json => {
            let text = std::str::from_utf8(body).map_err(|e| format!("the answer is no text: {e}"))?;
            parse_strict(text).map_err(|e| format!("the answer is no JSON: {e}"))
        }
        ResponseFormat::Text => {
            let text = String::from_utf8_lossy(body);
            Ok(json!({ "status": status, "contentType": content_type, "text": text }))
        }
        ResponseFormat::Bytes => {
            Ok(json!({ "status": status, "contentType": content_type, "bytes": body.len() }))
        }
    }
}

/// The error that a status means.
fn refusal(answer: Answer) -> Fault {
    let Answer { status, body, .. } = answer;
    let code = match status.as_u16() {
        401 | 403 => "unauthorized",
        404 | 410 => "not_found",
        408 => "timeout",
        409 | 412 => "conflict",
        429 => "rate_limited",
        502..=504 => "unavailable",
        400..=499 => "rejected",
        500..=599 => "server_error",
        _ => "unexpected_status",
    };
    let text = String::from_utf8_lossy(&body);
    let said = parse_strict(&text).ok().and_then(|body| words(&body));
    let said = crate::text::line(said.as_deref().unwrap_or(&text).trim(), MOST_WORDS);
    let message = if said.is_empty() {
        format!("the answer is {status}")
    } else {
        format!("the answer is {status}: {said}")
    };
    Fault::new(code, message).with(body)
}

/// What an error body says, in any of the usual places.
fn words(body: &Value) -> Option<String> {
    let error = body.get("error").filter(|error| !error.is_null());
    let places = [
        error.and_then(|e| e.get("message")),
        error,
        body.get("message"),
        body.get("detail"),
        // RFC 9457
        body.get("title"),
    ];
    places.into_iter().flatten().find_map(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::StatusCode;

    fn answer(status: u16, body: &str) -> Answer {
        Answer {
            status: StatusCode::from_u16(status).unwrap(),
            content_type: Some("text/plain".to_owned()),
            encoding: None,
            body: body.as_bytes().to_vec(),
            cut: None,
        }
    }

    fn template(response: &str, expected: &[u16]) -> RequestTemplate {
        let template = json!({
            "method": "GET", "baseUrl": "https://a.example", "response": response, "expectedStatuses": expected,
        });
        serde_json::from_value(template).unwrap()
    }

    #[test]
    fn an_answer_is_what_its_contract_says() {
        for (response, status, body, expected) in [
            ("json", 200, r#"{"a":[1]}"#, json!({ "a": [1] })),
            ("json", 204, "", json!({ "status": 204 })),
            ("text", 201, "hä", json!({ "status": 201, "contentType": "text/plain", "text": "hä" })),
            ("bytes", 200, "abc", json!({ "status": 200, "contentType": "text/plain", "bytes": 3 })),
        ] {
            let (value, output) = read(&template(response, &[]), answer(status, body)).unwrap();
            assert_eq!((value, output.as_slice()), (expected, body.as_bytes()), "{response}");
        }
    }

    #[test]
    fn everything_else_is_an_error_with_its_evidence() {
        let zipped = Answer { encoding: Some("gzip".into()), ..answer(200, "xx") };
        let cut = Answer { cut: Some((70, Some(900))), ..answer(200, "xx") };
        for (expected, answer, code, words) in [
            (
                &[][..],
                answer(400, r#"{"error":{"message":"bad id"}}"#),
                "rejected",
                "400 Bad Request: bad id",
            ),
            (&[], answer(403, "no"), "unauthorized", "403 Forbidden: no"),
            (&[], answer(404, ""), "not_found", "the answer is 404 Not Found"),
            (&[], answer(409, r#"{"title":"taken"}"#), "conflict", "taken"),
            (&[], answer(429, ""), "rate_limited", "429"),
            (&[], answer(500, "<h1>\u{1b}[2J"), "server_error", r"<h1>\u{1b}[2J"),
            (&[], answer(503, ""), "unavailable", "503"),
            (&[201], answer(200, "x"), "unexpected_status", "200 OK: x"),
            (&[], answer(304, ""), "unexpected_status", "304"),
            (&[], answer(200, "{"), "malformed_response", "no JSON"),
            (&[], answer(200, r#"{"a":1,"a":2}"#), "malformed_response", "no JSON"),
            (&[], zipped, "malformed_response", "compressed (`gzip`)"),
            (
                &[],
                cut,
                "output_limit",
                "longer than the 2 bytes that its contract allows: 70 of 900 announced had come",
            ),
        ] {
            let body = answer.body.clone();
            let fault = read(&template("json", expected), answer).unwrap_err();
            assert_eq!((fault.code, fault.output), (code, body), "{}", fault.message);
            assert!(fault.message.contains(words), "{}", fault.message);
        }
        let long = read(&template("json", &[]), answer(400, &"x".repeat(9000))).unwrap_err();
        assert!(long.message.len() < 600 && long.output.len() == 9000);
    }
}
