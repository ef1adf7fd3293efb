//! One JSON value, which is the result. A key that stands twice is refused: which of the two is meant?

use super::Said;
use crate::model::parse_strict;
use serde_json::Value;

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    parse_strict(said.stdout).map_err(|error| format!("its output is no JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};
    use serde_json::json;

    #[test]
    fn the_value_is_the_result() {
        assert_eq!(stdout(parse, 0, " {\"a\": [1]}\n"), Ok(json!({ "a": [1] })));
        for wrong in ["", "{} {}", "warning\n{}", "{\"a\":1,\"a\":2}"] {
            assert!(stdout(parse, 0, wrong).is_err(), "{wrong}");
        }
    }
}
