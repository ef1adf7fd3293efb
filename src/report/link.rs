//! Addresses inside the page, the same as its scripts make them.

use crate::metric::WorstCase;
use std::fmt::Write as _;

/// `#case=…` of the case in which a model does worst with a tool: the page opens the first trial of it that
/// did not pass.
pub(super) fn to_case(model: &str, case: &WorstCase, tool: &str) -> String {
    let path = [&case.suite, model, &case.case, tool].map(encoded).join("/");
    format!("#case={}", encoded(&path))
}

/// `#tool=…` of a tool.
pub(super) fn to_tool(tool: &str) -> String {
    format!("#tool={}", encoded(tool))
}

/// Percent-encoded, as `encodeURIComponent` does it.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'_'
            | b'.'
            | b'!'
            | b'~'
            | b'*'
            | b'\''
            | b'('
            | b')' => {
                out.push(char::from(byte));
            }
            _ => write!(out, "%{byte:02X}").expect("INVARIANT: writing to a string does not fail"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_encoded_part_by_part_and_then_as_a_whole() {
        let case = WorstCase { suite: "s".into(), case: "ü &".into(), failed: 1, trials: 2 };
        assert_eq!(to_case("a/b", &case, "t"), "#case=s%2Fa%252Fb%2F%25C3%25BC%2520%2526%2Ft");
        assert_eq!(to_tool("file.read"), "#tool=file.read");
    }
}
