//! The source expression that lets exactly one inline script run.

use sha2::{Digest, Sha256};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `sha256-…` of a script, as a content security policy names it.
pub(super) fn script_source(script: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(script.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().enumerate().fold(0u32, |word, (at, byte)| word | u32::from(*byte) << (16 - 8 * at));
        for place in 0..4 {
            let filled = place <= chunk.len();
            let sextet = (word >> (18 - 6 * place)) & 0x3f;
            text.push(if filled { char::from(ALPHABET[sextet as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648, section 10.
    #[test]
    fn base64_as_the_standard_has_it() {
        let rows = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ];
        for (bytes, text) in rows {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
