//! `$contains`: a text with a part, or a list with an item.

use super::{Matcher, MatcherKind, Witness, pattern_schema};
use crate::matcher::{Folds, Pattern, PatternError, SchemaView, Scope};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct Contains;

impl MatcherKind for Contains {
    fn name(&self) -> &'static str {
        "$contains"
    }

    fn docs(&self) -> &'static str {
        "A text that contains this text, or a list with an item that matches this pattern."
    }

    fn operand(&self) -> Value {
        pattern_schema()
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        let folds = scope.folds();
        if operand.as_str().is_some_and(str::is_empty) {
            return Err(scope
                .error("the text is empty, and every text contains it")
                .with_hint("use `$any: true`"));
        }
        let part = operand.as_str().map(|text| folds.fold(text).into_owned());
        let item = Pattern::compile(operand, scope)?;
        Ok(Arc::new(Containing { part, folds, item }))
    }
}

#[derive(Debug)]
struct Containing {
    part: Option<String>,
    folds: Folds,
    item: Pattern,
}

impl Matcher for Containing {
    fn matches(&self, value: Option<&Value>, schema: SchemaView<'_>) -> bool {
        match (value, &self.part) {
            (Some(Value::String(text)), Some(part)) => self.folds.fold(text).contains(part.as_str()),
            (Some(Value::Array(items)), _) => {
                items.iter().enumerate().any(|(i, item)| self.item.matches(Some(item), schema.item(i)))
            }
            _ => false,
        }
    }

    fn expected(&self) -> String {
        match self.part {
            Some(_) => format!("containing {}", self.item.expected()),
            None => format!("a list containing {}", self.item.expected()),
        }
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        let item = self.item.witness(schema.item(0))?.into_value()?;
        let wants_list = schema.value().is_some_and(|s| s.get("type") == Some(&json!("array")));
        let text = self.part.is_some() && !wants_list;
        Some(Witness::Value(if text { item } else { json!([item]) }))
    }
}
