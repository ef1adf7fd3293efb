//! Folding what may not stand at a schema's root into its properties.
//!
//! OpenAI and Anthropic refuse a request when one of its tools says `oneOf`, `anyOf` or `allOf` at the root.
//! The model is then shown one object with the properties of every branch; which of them belong together is
//! lost, and that is said. Arguments are still judged by the tool's own schema.

use super::{
    downgrade::DowngradeCode,
    schema::{Draft, place},
};
use serde_json::{Map, Value, json};

/// References at the root are followed at most so often.
const MAX_HOPS: usize = 8;

type Object = Map<String, Value>;

impl Draft<'_, '_> {
    /// Takes `$ref` and the refused keywords from the root.
    pub(super) fn fold_root(mut self, refused: &[&str]) -> Self {
        self.inline_root();
        for keyword in refused {
            let Some(value) = self.schema.shift_remove(*keyword) else { continue };
            let branches = match (*keyword, &value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => self.branches(branches),
                _ => Vec::new(),
            };
            let folded = if branches.is_empty() {
                "is not sent".to_owned()
            } else {
                self.merge(&branches, *keyword == "allOf");
                format!("is folded into the properties of its {} branches", branches.len())
            };
            let message = format!("`{keyword}` may not stand at {} and {folded}", place(""));
            self.downgrades.push(DowngradeCode::RootFolded, message);
        }
        self
    }

    fn inline_root(&mut self) {
        for _ in 0..MAX_HOPS {
            let Some(Value::String(target)) = self.schema.get("$ref") else { return };
            let found = self.resolve(target);
            self.schema.shift_remove("$ref");
            for (keyword, value) in found.unwrap_or_default() {
                self.schema.entry(keyword).or_insert(value);
            }
            self.downgrades
                .push(DowngradeCode::RootFolded, "`$ref` at the root is replaced by what it names");
        }
    }

    fn resolve(&self, target: &str) -> Option<Object> {
        let mut at = target.strip_prefix("#/")?.split('/');
        let first = at.next()?;
        let found = at.try_fold(self.schema.get(first)?, |value, segment| {
            value.get(segment.replace("~1", "/").replace("~0", "~"))
        });
        found?.as_object().cloned()
    }

    fn branches(&self, branches: &[Value]) -> Vec<Object> {
        let resolved = branches.iter().filter_map(Value::as_object).map(|branch| {
            let target = branch.get("$ref").and_then(Value::as_str);
            target.and_then(|target| self.resolve(target)).unwrap_or_else(|| branch.clone())
        });
        resolved.collect()
    }

    fn merge(&mut self, branches: &[Object], all_hold: bool) {
        // INVARIANT: a closed object refuses what only a branch names, so nothing of it may be offered.
        if self.schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            self.merge_properties(branches, if all_hold { "allOf" } else { "anyOf" });
        }
        self.merge_required(branches, all_hold);
    }

    fn merge_properties(&mut self, branches: &[Object], join: &str) {
        let mut variants: Map<String, Value> = Map::new();
        for (name, schema) in branches.iter().flat_map(|branch| members(branch, "properties")) {
            let seen = variants.entry(name.clone()).or_insert_with(|| json!([]));
            if let Value::Array(seen) = seen
                && !seen.contains(schema)
            {
                seen.push(schema.clone());
            }
        }
        let own = self.schema.entry("properties").or_insert_with(|| json!({}));
        let Value::Object(own) = own else { return };
        for (name, mut schemas) in variants {
            let only = schemas.as_array_mut().filter(|all| all.len() == 1).and_then(Vec::pop);
            own.entry(name).or_insert_with(|| only.unwrap_or_else(|| json!({ join: schemas })));
        }
    }

    /// Required stays what every call must have: of all branches that hold together, or common to all.
    fn merge_required(&mut self, branches: &[Object], all_hold: bool) {
        let required = |branch: &Object| -> Vec<Value> {
            branch.get("required").and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let sets: Vec<Vec<Value>> = branches.iter().map(required).collect();
        let mut merged = self.schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for name in sets.iter().flatten() {
            let holds = all_hold || sets.iter().all(|set| set.contains(name));
            if holds && !merged.contains(name) {
                merged.push(name.clone());
            }
        }
        if !merged.is_empty() {
            self.schema.insert("required".to_owned(), Value::Array(merged));
        }
    }
}

fn members<'o>(object: &'o Object, keyword: &str) -> impl Iterator<Item = (&'o String, &'o Value)> {
    object.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::super::downgrade::Downgrades;
    use super::*;
    use crate::model::ToolId;

    fn check(schema: &Value, expected: &Value) {
        let tool = ToolId::from("t");
        let mut downgrades = Downgrades::of(&tool);
        let folded = Draft::of(schema, &mut downgrades).fold_root(&["oneOf", "anyOf", "allOf"]).schema;
        assert_eq!(&Value::Object(folded), expected);
        assert!(!downgrades.into_list().is_empty(), "nothing was said");
    }

    #[test]
    fn branches_become_properties() {
        // At least one of: nothing of it can be said in properties.
        check(
            &json!({ "properties": { "a": {}, "b": {} }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            &json!({ "properties": { "a": {}, "b": {} } }),
        );
        // A tagged union: the tag's values are joined, what every branch requires stays required.
        check(
            &json!({ "oneOf": [
                { "properties": { "kind": { "const": "x" }, "x": {} }, "required": ["kind", "x"] },
                { "properties": { "kind": { "const": "y" } }, "required": ["kind"] },
            ] }),
            &json!({
                "properties": { "kind": { "anyOf": [{ "const": "x" }, { "const": "y" }] }, "x": {} },
                "required": ["kind"],
            }),
        );
        // All hold together, one of them by reference.
        check(
            &json!({ "$defs": { "p": { "properties": { "p": {} }, "required": ["p"] } },
                     "allOf": [{ "$ref": "#/$defs/p" }, { "properties": { "q": {} } }] }),
            &json!({ "$defs": { "p": { "properties": { "p": {} }, "required": ["p"] } },
                     "properties": { "p": {}, "q": {} }, "required": ["p"] }),
        );
        // A closed object offers nothing new.
        check(
            &json!({ "additionalProperties": false, "properties": {}, "anyOf": [{ "properties": { "a": {} } }] }),
            &json!({ "additionalProperties": false, "properties": {} }),
        );
    }

    #[test]
    fn a_reference_at_the_root_is_replaced_and_a_loop_ends() {
        check(
            &json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "object" } } }),
            &json!({ "$defs": { "a": { "type": "object" } }, "type": "object" }),
        );
        let looped = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/a" } } });
        let tool = ToolId::from("t");
        let mut downgrades = Downgrades::of(&tool);
        Draft::of(&looped, &mut downgrades).fold_root(&[]);
        assert_eq!(downgrades.into_list().len(), MAX_HOPS);
    }
}
