//! The other end of the protocol: a driver of this process, offered on two streams.

use super::{Driver, DriverError};
use crate::conform::protocol::METHOD_NOT_FOUND;
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

const PARSE_ERROR: i64 = -32700;
const SERVER_ERROR: i64 = -32000;

/// Answers requests until the input ends.
///
/// # Errors
/// If a stream fails.
pub fn serve(driver: &mut dyn Driver, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let answer = respond(driver, &line?);
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn respond(driver: &mut dyn Driver, line: &str) -> Value {
    let request: Value = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(error) => return failure(&Value::Null, PARSE_ERROR, &error.to_string()),
    };
    let id = &request["id"];
    let method = request["method"].as_str().unwrap_or_default();
    match driver.call(method, request["params"].clone()) {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error @ DriverError::NoMethod { .. }) => failure(id, METHOD_NOT_FOUND, &error.to_string()),
        Err(DriverError::Failed { code, message, .. }) => failure(id, code, &message),
        Err(error) => failure(id, SERVER_ERROR, &error.to_string()),
    }
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Driver for Echo {
        fn call(&mut self, method: &str, params: Value) -> Result<Value, DriverError> {
            match method {
                "echo" => Ok(params),
                other => Err(DriverError::NoMethod { method: other.to_owned() }),
            }
        }
    }

    #[test]
    fn a_line_is_a_request_and_its_answer_a_line() {
        let input = concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}"#,
            "\nno json\n",
            r#"{"jsonrpc":"2.0","id":3,"method":"fly"}"#,
        );
        let mut output = Vec::new();
        serve(&mut Echo, input.as_bytes(), &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        let answers: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(answers[0], json!({ "jsonrpc": "2.0", "id": 1, "result": { "a": 1 } }));
        assert_eq!(answers[1]["error"]["code"], PARSE_ERROR);
        assert_eq!((&answers[2]["id"], &answers[2]["error"]["code"]), (&json!(3), &json!(METHOD_NOT_FOUND)));
    }
}
