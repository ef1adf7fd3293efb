//! Arguments as policy sees them: JSON → Cedar values, by the [shape](super::shape) of the tool.
//!
//! What cannot be represented exactly is an error, and an error is a denial: were it left out, a policy that
//! forbids some value would not see it.

use super::{
    shape::{Record, Shape},
    uses::Wanted,
};
use cedar_policy::RestrictedExpression as Expr;
use serde_json::{Map, Number, Value};

/// Bytes of text and number of values that policy looks at in one call.
const MAX_WEIGHT: usize = 64 << 10;
/// What one value weighs beside its text.
const VALUE_WEIGHT: usize = 16;
/// What Cedar's `decimal` holds before the point.
const MAX_DECIMAL: f64 = 922_337_203_685_477.0;
/// The largest integer that a JSON number written as a fraction holds exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The arguments that policies speak of, as a record.
///
/// # Errors
/// A sentence that says which argument policy cannot be asked about, and why.
pub(super) fn to_cedar(record: &Record, args: &Value, wanted: &Wanted) -> Result<Expr, String> {
    let Some(args) = args.as_object() else { return Err(": the arguments are no object".to_owned()) };
    Converter { left: MAX_WEIGHT }.fields(record, wanted, args)
}

struct Converter {
    left: usize,
}

impl Converter {
    fn fields(
        &mut self,
        record: &Record,
        wanted: &Wanted,
        from: &Map<String, Value>,
    ) -> Result<Expr, String> {
        let given = |name: &str| from.get(name).filter(|value| !value.is_null());
        for (name, why) in &record.unseen {
            if wanted.of(name).is_some() && given(name).is_some() {
                return Err(prefix(name, &format!(": policy cannot see it: {}", why.reason())));
            }
        }
        let mut fields = Vec::new();
        for (name, property) in &record.properties {
            if let (Some(wanted), Some(value)) = (wanted.of(name), given(name)) {
                let value = self.value(&property.shape, wanted, value).map_err(|why| prefix(name, &why))?;
                fields.push((name.clone(), value));
            }
        }
        Expr::new_record(fields).map_err(|e| format!(": {e}"))
    }

    fn value(&mut self, shape: &Shape, wanted: &Wanted, value: &Value) -> Result<Expr, String> {
        let weight = VALUE_WEIGHT + value.as_str().map_or(0, str::len);
        self.left = self
            .left
            .checked_sub(weight)
            .ok_or_else(|| format!(": what policies look at is larger than {} KiB", MAX_WEIGHT >> 10))?;
        match (shape, value) {
            (Shape::Text, Value::String(text)) => Ok(Expr::new_string(text.clone())),
            (Shape::Truth, Value::Bool(value)) => Ok(Expr::new_bool(*value)),
            (Shape::Whole, Value::Number(number)) => whole(number).map(Expr::new_long),
            (Shape::Number, Value::Number(number)) => decimal(number).map(Expr::new_decimal),
            (Shape::Set(item), Value::Array(values)) => {
                let items: Result<Vec<Expr>, String> =
                    values.iter().map(|v| self.value(item, wanted, v)).collect();
                items.map(Expr::new_set)
            }
            (Shape::Record(record), Value::Object(map)) => self.fields(record, wanted, map),
            _ => Err(": it is not of the type that the policies were checked with".to_owned()),
        }
    }
}

/// `.a.b: why` from `b` and `: why`.
fn prefix(name: &str, why: &str) -> String {
    format!(".{name}{why}")
}

fn whole(number: &Number) -> Result<i64, String> {
    let exact = |f: f64| (f.fract() == 0.0 && f.abs() <= MAX_EXACT).then_some(f as i64);
    number
        .as_i64()
        .or_else(|| if number.is_f64() { number.as_f64().and_then(exact) } else { None })
        .ok_or_else(|| format!(": `{number}` is beyond what policy can compare"))
}

/// The number with one to four digits after the point.
fn decimal(number: &Number) -> Result<String, String> {
    let beyond = || format!(": `{number}` is beyond what policy can compare: four digits after the point");
    if !number.is_f64() {
        return match number.as_i64() {
            Some(whole) if (whole as f64).abs() < MAX_DECIMAL => Ok(format!("{whole}.0")),
            _ => Err(beyond()),
        };
    }
    let value = number.as_f64().filter(|f| f.abs() < MAX_DECIMAL).ok_or_else(beyond)?;
    let text = value.to_string();
    match text.split_once('.') {
        None => Ok(format!("{text}.0")),
        Some((_, digits)) if digits.len() <= 4 => Ok(text),
        Some(_) => Err(beyond()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cedar_policy::Context;
    use serde_json::json;

    fn record() -> Record {
        Record::of_schema(&json!({ "type": "object", "properties": {
            "text": { "type": "string" }, "count": { "type": "integer" }, "amount": { "type": "number" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "to": { "type": "object", "properties": { "host": { "type": ["string", "null"] }, "any": {} } },
        }}))
    }

    fn convert(args: &Value) -> Result<String, String> {
        let mut wanted = Wanted::default();
        wanted.want([]);
        let value = to_cedar(&record(), args, &wanted)?;
        let context = Context::from_pairs([("args".to_owned(), value)]).map_err(|e| e.to_string())?;
        Ok(context.get("args").unwrap().to_string())
    }

    #[test]
    fn what_is_exact_is_seen_and_the_rest_is_an_error() {
        for (args, expected) in [
            (json!({}), Ok("{}")),
            (json!({ "unknown": 1 }), Ok("{}")),
            (json!({ "text": "a\"\u{202e}" }), Ok(r#"{"text": "a\"\u{202e}"}"#)),
            (json!({ "count": 3 }), Ok(r#"{"count": 3}"#)),
            (json!({ "count": 3.0 }), Ok(r#"{"count": 3}"#)),
            (json!({ "count": 18446744073709551615u64 }), Err(".count: `18446744073709551615` is beyond")),
            (json!({ "count": 1e300 }), Err(".count: `1e+300` is beyond")),
            (json!({ "amount": 0.1 }), Ok(r#"{"amount": decimal("0.1")}"#)),
            (json!({ "amount": -2 }), Ok(r#"{"amount": decimal("-2.0")}"#)),
            (json!({ "amount": 100.00001 }), Err(".amount: `100.00001` is beyond")),
            (json!({ "amount": 1e-7 }), Err(".amount: `1e-7` is beyond")),
            (json!({ "amount": 1e15 }), Err(".amount: `1000000000000000.0` is beyond")),
            (json!({ "tags": ["b", "a", "b"] }), Ok(r#"{"tags": ["a", "b"]}"#)),
            (json!({ "to": { "host": null } }), Ok(r#"{"to": {}}"#)),
            (json!({ "to": { "any": 5 } }), Err(".to.any: policy cannot see it")),
            (json!({ "to": { "host": 5 } }), Err(".to.host: it is not of the type")),
            (
                json!({ "text": "x".repeat(70_000) }),
                Err(".text: what policies look at is larger than 64 KiB"),
            ),
            (json!({ "tags": vec!["x"; 5_000] }), Err(".tags: what policies look at is larger than 64 KiB")),
        ] {
            let shown: String = args.to_string().chars().take(60).collect();
            match (convert(&args), expected) {
                (Ok(got), Ok(expected)) => assert_eq!(got, expected, "{shown}"),
                (Err(got), Err(part)) => assert!(got.contains(part), "{shown}: {got}"),
                (got, expected) => panic!("{shown}: {got:?}, expected {expected:?}"),
            }
        }
    }

    #[test]
    fn what_no_policy_speaks_of_is_not_converted() {
        let mut wanted = Wanted::default();
        wanted.want(["count"]);
        wanted.want(["to", "host"]);
        let huge = json!({ "count": 1, "text": "x".repeat(100_000), "amount": 0.00001, "to": { "any": 1 } });
        assert!(to_cedar(&record(), &huge, &wanted).is_ok());
    }
}
