//! `$each`: a list of which every item matches.

use super::{Matcher, MatcherKind, Witness, pattern_schema};
use crate::matcher::{Pattern, PatternError, Report, SchemaView, Scope};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct Each;

impl MatcherKind for Each {
    fn name(&self) -> &'static str {
        "$each"
    }

    fn docs(&self) -> &'static str {
        "A list of which every item matches this pattern; an empty list does."
    }

    fn operand(&self) -> Value {
        pattern_schema()
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        Pattern::compile(operand, scope).map(|pattern| Arc::new(EveryItem(pattern)) as Arc<dyn Matcher>)
    }
}

#[derive(Debug)]
struct EveryItem(Pattern);

impl Matcher for EveryItem {
    fn matches(&self, value: Option<&Value>, schema: SchemaView<'_>) -> bool {
        let items = value.and_then(Value::as_array);
        items.is_some_and(|items| {
            items.iter().enumerate().all(|(i, item)| self.0.matches(Some(item), schema.item(i)))
        })
    }

    fn expected(&self) -> String {
        format!("a list, each item {}", self.0.expected())
    }

    fn explain(&self, value: Option<&Value>, schema: SchemaView<'_>, report: &mut Report) {
        let Some(items) = value.and_then(Value::as_array) else {
            return report.mismatch(self.expected(), value);
        };
        for (index, item) in items.iter().enumerate() {
            let schema = schema.item(index);
            if !self.0.matches(Some(item), schema) {
                report.within(&index.to_string(), |report| self.0.explain(Some(item), schema, report));
            }
        }
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        let item = self.0.witness(schema.item(0)).and_then(Witness::into_value);
        Some(Witness::Value(json!(item.into_iter().collect::<Vec<_>>())))
    }
}
