//! One line of a journal, as the judge sees it.

use serde_json::{Map, Value};

/// One event: where it stands, and its fields as they came.
#[derive(Debug, Clone)]
pub struct Event {
    /// The file that it stands in.
    pub file: u32,
    /// Its line there, counted from 1.
    pub line: u64,
    fields: Map<String, Value>,
}

impl Event {
    /// An event from the fields of its line.
    pub fn new(file: u32, line: u64, fields: Map<String, Value>) -> Self {
        Self { file, line, fields }
    }

    /// A text field; empty where it is missing or no text.
    pub fn text(&self, name: &str) -> &str {
        self.fields.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number that counts something.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.fields.get(name).and_then(Value::as_u64)
    }

    /// Whether a switch is on; missing is off.
    pub fn is(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Any field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// The items of a list; none where it is missing or no list.
    pub fn list(&self, name: &str) -> &[Value] {
        self.fields.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Its type, such as `ToolCallStarted`.
    pub fn kind(&self) -> &str {
        self.text("type")
    }

    /// The call that it belongs to; empty where it belongs to none.
    pub fn call(&self) -> &str {
        self.text("toolCallId")
    }

    /// Everything in it.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }
}

/// The texts in a list, in its order.
pub(super) fn texts(list: &[Value]) -> Vec<&str> {
    list.iter().filter_map(Value::as_str).collect()
}
