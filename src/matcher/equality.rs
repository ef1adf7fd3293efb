//! JSON equality: numbers by value, text by the agreed folds, everything else by kind.

use super::Folds;
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// Whether two values are equal; objects without regard to order, lists with.
///
/// `expected` has its text folded already, if there is anything to fold.
pub(super) fn equal(expected: &Value, actual: &Value, folds: Folds) -> bool {
    match (expected, actual) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => compare(a, b) == Some(Ordering::Equal),
        (Value::String(a), Value::String(b)) => folds.fold(b) == a.as_str(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b, folds))
        }
        (Value::Object(a), Value::Object(b)) => equal_objects(a, b, folds),
        _ => false,
    }
}

fn equal_objects(a: &Map<String, Value>, b: &Map<String, Value>, folds: Folds) -> bool {
    a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b, folds)))
}

/// The order of two numbers by their exact value: `9007199254740993` is not `9007199254740992.0`.
pub(super) fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (Some(a), None) => compare_mixed(a, b.as_f64()?),
        (None, Some(b)) => compare_mixed(b, a.as_f64()?).map(Ordering::reverse),
        (None, None) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// An integer against a float. The cast saturates far beyond what 64 bits hold, so the order stays right.
fn compare_mixed(integer: i128, float: f64) -> Option<Ordering> {
    let whole = integer.cmp(&(float.trunc() as i128));
    match whole {
        Ordering::Equal => 0.0.partial_cmp(&float.fract()),
        decided => Some(decided),
    }
}

/// The same value with every text in it folded.
pub(super) fn folded(value: &Value, folds: Folds) -> Value {
    match value {
        Value::String(text) => Value::String(folds.fold(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(|item| folded(item, folds)).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), folded(value, folds))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_compared_by_value_and_without_rounding() {
        for (a, b, same) in [
            (json!(1), json!(1.0), true),
            (json!(-0.0), json!(0), true),
            (json!(5), json!(5.5), false),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0), false),
            (json!(9_007_199_254_740_992_u64), json!(9_007_199_254_740_992.0), true),
            (json!(u64::MAX), json!(u64::MAX), true),
            (json!(u64::MAX), json!(18_446_744_073_709_551_616.0), false),
            (json!(i64::MIN), json!(-9_223_372_036_854_775_808.0), true),
            (json!(1), json!(true), false),
            (json!(1), json!("1"), false),
            (json!(null), json!(false), false),
            (json!({"a": 1, "b": [1, 2]}), json!({"b": [1.0, 2], "a": 1}), true),
            (json!([1, 2]), json!([2, 1]), false),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            (json!("é"), json!("e\u{301}"), false),
        ] {
            assert_eq!(equal(&a, &b, Folds::NONE), same, "{a} {b}");
            assert_eq!(equal(&b, &a, Folds::NONE), same, "{b} {a}");
        }
    }

    #[test]
    fn order_is_exact_at_the_edges() {
        let order = |a: Value, b: Value| compare(a.as_number().unwrap(), b.as_number().unwrap()).unwrap();
        assert_eq!(order(json!(3), json!(3.5)), Ordering::Less);
        assert_eq!(order(json!(-3), json!(-3.5)), Ordering::Greater);
        assert_eq!(order(json!(1e300), json!(u64::MAX)), Ordering::Greater);
        assert_eq!(order(json!(-1e300), json!(i64::MIN)), Ordering::Less);
    }
}
