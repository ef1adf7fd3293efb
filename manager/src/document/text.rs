//! From bytes to text.

use super::{DocumentError, Field, Place, place::Cursor};

/// The text of a file: UTF-8, without a byte-order mark.
pub(super) fn decode<'b>(start: &Place, bytes: &'b [u8]) -> Result<&'b str, DocumentError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(start, bytes, error.valid_up_to()))?;
    if text.trim().is_empty() {
        return Err(DocumentError::new(start.clone(), &Field::root(), "the file is empty"));
    }
    Ok(text)
}

fn not_utf8(start: &Place, bytes: &[u8], valid: usize) -> DocumentError {
    let readable = std::str::from_utf8(bytes.get(..valid).unwrap_or_default()).unwrap_or_default();
    let place = Cursor::new(start, readable).at(valid);
    let byte = bytes.get(valid).copied().unwrap_or_default();
    DocumentError::new(place, &Field::root(), format!("byte 0x{byte:02X} is not valid UTF-8 here"))
        .with_hint("save the file as UTF-8")
}
