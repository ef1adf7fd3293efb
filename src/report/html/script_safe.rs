//! JSON that is safe inside a `<script>` element.

use serde::Serialize;
use std::io::{self, Write};

/// Writes `value` as JSON in which no `<` is left, so that neither `</script` nor `<!--` can occur.
///
/// In JSON a `<` stands only inside strings, where `\u003c` says the same.
pub(super) fn write_json<T: Serialize + ?Sized>(out: &mut dyn Write, value: &T) -> io::Result<()> {
    let json = serde_json::to_vec(value)?;
    write_escaped(out, &json)
}

/// Writes finished JSON with every `<` as `\u003c`.
fn write_escaped(out: &mut dyn Write, json: &[u8]) -> io::Result<()> {
    let mut parts = json.split(|byte| *byte == b'<');
    out.write_all(parts.next().unwrap_or_default())?;
    for part in parts {
        out.write_all(br"\u003c")?;
        out.write_all(part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn keeps_the_value_and_leaves_no_angle_bracket() {
        for value in [json!("</script><!--"), json!({"<": ["<", "a<b", ">"]}), json!(""), json!(null)] {
            let mut out = Vec::new();
            write_json(&mut out, &value).unwrap();
            assert!(!out.contains(&b'<'));
            assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), value);
        }
    }
}
