//! Structures: every text in them, names of fields too, and numbers that are a secret.

use super::Redactor;
use serde_json::{Map, Value};

impl Redactor {
    /// Takes secrets out of every text of a structure.
    pub fn redact_value(&self, value: &mut Value) {
        if self.is_empty() {
            return;
        }
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                let text = number.to_string();
                if self.finds(text.as_bytes()).is_some() {
                    *value = self.redact_text(&text).into();
                }
            }
            Value::String(text) => {
                if self.finds(text.as_bytes()).is_some() {
                    *text = self.redact_text(text);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(fields) => self.redact_fields(fields),
        }
    }

    fn redact_fields(&self, fields: &mut Map<String, Value>) {
        fields.values_mut().for_each(|field| self.redact_value(field));
        if fields.keys().all(|name| self.finds(name.as_bytes()).is_none()) {
            return;
        }
        for (name, field) in std::mem::take(fields) {
            let name = self.redact_text(&name);
            // Two names that held secrets are still two.
            let free = (2..).map(|n| format!("{name} {n}")).find(|other| !fields.contains_key(other));
            let name = if fields.contains_key(&name) { free.unwrap_or(name) } else { name };
            fields.insert(name, field);
        }
    }

    /// The name of a secret that a structure holds.
    pub fn finds_in(&self, value: &Value) -> Option<&str> {
        if self.is_empty() {
            return None;
        }
        match value {
            Value::Null | Value::Bool(_) => None,
            Value::Number(number) => self.finds(number.to_string().as_bytes()),
            Value::String(text) => self.finds(text.as_bytes()),
            Value::Array(items) => items.iter().find_map(|item| self.finds_in(item)),
            Value::Object(fields) => fields
                .iter()
                .find_map(|(name, field)| self.finds(name.as_bytes()).or_else(|| self.finds_in(field))),
        }
    }
}
