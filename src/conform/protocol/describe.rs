//! The protocol as a document: what `--describe-driver` prints.

use super::{METHOD_NOT_FOUND, METHODS, VERSION};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// The whole protocol as one JSON document: rules, methods, examples, schemas.
pub fn describe() -> Value {
    let mut generator = SchemaGenerator::default();
    let methods: Vec<Value> = METHODS
        .iter()
        .map(|method| {
            let [params, answer] = (method.schemas)(&mut generator);
            json!({
                "name": method.name,
                "about": method.about,
                "params": params,
                "result": answer,
                "example": { "request": request(method.name, method.params), "response": response(method.answer) },
            })
        })
        .collect();
    let definitions: Map<String, Value> = generator.take_definitions(true);
    json!({
        "protocolVersion": VERSION,
        "transport": "JSON-RPC 2.0 over standard input and output, one message a line, one request at a time; standard error is yours",
        "rules": [
            "each scenario starts the driver anew: nothing has to be undone",
            "a manager that does not do something answers with `status: refused` and a code; an error of JSON-RPC means that the driver itself failed, and then nothing is decided",
            format!("a method that is missing in `capabilities`, or answered with the error {METHOD_NOT_FOUND}, is one whose invariants cannot be shown"),
            "what happened is judged by the journal alone: write down what you did, in the order in which you did it",
        ],
        "methods": methods,
        "$defs": definitions,
    })
}

fn request(name: &str, params: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": name, "params": parsed(params) })
}

fn response(answer: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "result": parsed(answer) })
}

fn parsed(example: &str) -> Value {
    serde_json::from_str(example).expect("INVARIANT: the examples of the table are JSON, as its tests hold")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_of_the_document_leads_somewhere() {
        let document = describe();
        let text = document.to_string();
        let mut found = 0;
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer}");
            found += 1;
        }
        assert!(found > 40, "{found}");
    }
}
