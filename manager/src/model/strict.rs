//! JSON that means one thing: text in which a key stands twice, or an integer would be rounded, is refused.
//!
//! A parser that keeps the last of two keys, and another that keeps the first, would show one call to an
//! approver and run another.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads a JSON text.
///
/// # Errors
/// What is wrong, for people: no JSON, a key that stands twice in one object, an integer beyond 64 bits, or a
/// number beyond all bounds.
pub fn parse_strict(text: &str) -> Result<Value, String> {
    if let Some(integer) = rounded_integer(text) {
        return Err(format!("the integer `{integer}` would be rounded"));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut deserializer).map_err(|e| e.to_string())?;
    deserializer.end().map_err(|e| e.to_string())?;
    Ok(value)
}

/// The first integer, outside of strings, that no 64-bit integer holds: it would silently become a float.
fn rounded_integer(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let (mut at, mut in_string) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'-' | b'0'..=b'9' if !in_string => {
                let of_number = |b: &u8| matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let end = bytes[at..].iter().position(|b| !of_number(b)).map_or(bytes.len(), |n| at + n);
                let number = &text[at..end];
                let digits = number.strip_prefix('-').unwrap_or(number);
                let integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                if integer && number.parse::<u64>().is_err() && number.parse::<i64>().is_err() {
                    return Some(number);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number beyond all bounds"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(Strict)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(Strict)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` stands twice in one object")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CanonicalError, Domain, ProposedArgs, digest_value};
    use proptest::prelude::*;

    #[test]
    fn a_text_means_one_thing_or_is_refused() {
        // AP-04: first or last wins; AP-05: one number rule.
        let rows = [
            (r#"{"a":1}"#, Ok(r#"{"a":1}"#)),
            (r#"{"a":1,"a":2}"#, Err("the key `a` stands twice in one object")),
            (r#"{"a":1,"\u0061":2}"#, Err("the key `a` stands twice in one object")),
            (r#"[{"b":{"a":null,"a":null}}]"#, Err("the key `a` stands twice in one object")),
            (r#"{"a":18446744073709551615}"#, Ok(r#"{"a":18446744073709551615}"#)),
            (r#"{"a":18446744073709551616}"#, Err("the integer `18446744073709551616` would be rounded")),
            (r#"{"a":[-9223372036854775809]}"#, Err("the integer `-9223372036854775809` would be rounded")),
            (
                r#"{"a":"18446744073709551616","b\"":"-9223372036854775809"}"#,
                Ok(r#"{"a":"18446744073709551616","b\"":"-9223372036854775809"}"#),
            ),
            (r#"{"a":1e400}"#, Err("number out of range")),
            (r#"{"a":1e20}"#, Ok(r#"{"a":1e+20}"#)),
            (r#"{"a":NaN}"#, Err("expected value")),
            (r#"{"a":Infinity}"#, Err("expected value")),
            (r#"{"a":01}"#, Err("invalid number")),
            (r#"{"a":1} {"b":2}"#, Err("trailing characters")),
            ("", Err("EOF")),
        ];
        for (text, expected) in rows {
            match (parse_strict(text), expected) {
                (Ok(value), Ok(expected)) => assert_eq!(value.to_string(), expected, "{text}"),
                (Err(error), Err(part)) => assert!(error.contains(part), "{text}: {error}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }

    fn digest(text: &str) -> Result<crate::model::Digest, CanonicalError> {
        digest_value(Domain::Plain, &parse_strict(text).unwrap())
    }

    #[test]
    fn numbers_are_equal_as_doubles_are_and_text_is_equal_as_bytes_are() {
        let same = [
            (r#"{"a":1}"#, r#"{"a":1.0}"#),
            (r#"{"a":1}"#, r#"{"a":1e0}"#),
            (r#"{"a":0}"#, r#"{"a":-0}"#),
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
            (r#"{"a":"A"}"#, r#"{"a":"\u0041"}"#),
        ];
        for (a, b) in same {
            assert_eq!(digest(a).unwrap(), digest(b).unwrap(), "{a} {b}");
        }
        let different = [
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            (r#"{"a":null}"#, r#"{}"#),
            // AP-06: composed and decomposed, look-alike, without width, turned, tagged.
            ("{\"a\":\"\u{e9}\"}", "{\"a\":\"e\u{301}\"}"),
            ("{\"a\":\"a\"}", "{\"a\":\"\u{430}\"}"),
            (r#"{"a":"ab"}"#, r#"{"a":"a\u200bb"}"#),
            (r#"{"a":"ab"}"#, r#"{"a":"a\u202eb"}"#),
            ("{\"a\":\"a\"}", "{\"a\":\"a\u{e0041}\"}"),
            ("{\"\u{e9}\":1}", "{\"e\u{301}\":1}"),
        ];
        for (a, b) in different {
            assert_ne!(digest(a).unwrap(), digest(b).unwrap(), "{a} {b}");
        }
        // Beyond 2^53 two integers are one double.
        assert!(matches!(digest(r#"{"a":9007199254740993}"#), Err(CanonicalError::IntegerTooLarge { .. })));
    }

    #[test]
    fn arguments_of_a_model_are_read_strictly() {
        let doubled = ProposedArgs::from_text(r#"{"path":"a","path":"b"}"#);
        assert!(
            matches!(doubled, ProposedArgs::Malformed { error, .. } if error.contains("`path` stands twice"))
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-4_i64..4).prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            prop_oneof![Just(0.5), Just(-0.0), Just(1e21), any::<f64>()]
                .prop_filter("JSON has no such number", |n| n.is_finite())
                .prop_map(Value::from),
            "[ab\u{e9}\u{301}\u{200b}\"\\\\]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec(("[ab\u{e9}]{0,2}", inner), 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Equality by the documented rule: numbers as doubles, texts as bytes, members in any order.
    fn same(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
            }
            _ => a == b,
        }
    }

    proptest! {
        // AP-03, AP-05, AP-06: equal digests exactly where the arguments are the same.
        #[test]
        fn a_digest_stands_for_one_argument_set(a in any_json(), b in any_json()) {
            let digests = (digest_value(Domain::Plain, &a), digest_value(Domain::Plain, &b));
            if let (Ok(of_a), Ok(of_b)) = digests {
                prop_assert_eq!(of_a == of_b, same(&a, &b), "{} {}", a, b);
            }
        }

        #[test]
        fn what_is_written_is_read_back(value in any_json()) {
            let read = parse_strict(&value.to_string()).unwrap();
            prop_assert!(same(&read, &value), "{} {}", read, value);
        }
    }
}
