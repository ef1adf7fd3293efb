//! JSON values, one a line; empty lines are none.

use super::Said;
use crate::model::parse_strict;
use serde_json::{Value, json};

pub(super) fn parse(said: &Said<'_>) -> Result<Value, String> {
    let lines = said.stdout.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let items = lines.map(|(at, line)| {
        parse_strict(line).map_err(|error| format!("line {} of its output is no JSON: {error}", at + 1))
    });
    Ok(json!({ "items": items.collect::<Result<Vec<Value>, _>>()? }))
}

#[cfg(test)]
mod tests {
    use super::{super::stdout, *};

    #[test]
    fn each_line_is_a_value() {
        assert_eq!(stdout(parse, 0, "{\"a\":1}\n\n2\n"), Ok(json!({ "items": [{ "a": 1 }, 2] })));
        assert_eq!(stdout(parse, 0, ""), Ok(json!({ "items": [] })));
        assert!(stdout(parse, 0, "1\nx\n").unwrap_err().contains("line 2"));
    }
}
