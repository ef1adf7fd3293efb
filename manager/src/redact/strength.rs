//! Whether a secret is one: what is short, or looks like a word, would be taken out of every text that holds it.

use std::collections::HashMap;
use std::hash::Hash;

/// A shorter text is no secret.
const SHORTEST: usize = 10;
/// A text of one kind of character alone must have so many.
const SHORTEST_OF_ONE_KIND: usize = 16;
/// Bits that a secret must hold at least, by the frequencies of its characters and of its steps.
const FEWEST_BITS: f64 = 30.0;

/// Why a text is no secret. It never says what the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Weakness {
    /// It is short.
    #[error("it has fewer than {SHORTEST} bytes")]
    Short,
    /// It could be a word or a number.
    #[error("it is made of one kind of character, and has fewer than {SHORTEST_OF_ONE_KIND}")]
    OneKind,
    /// It repeats itself.
    #[error("it repeats itself, or goes up in steps")]
    Regular,
}

/// Whether a text can be taken out of others without maiming them.
///
/// # Errors
/// [`Weakness`] if it cannot.
pub fn check_strength(secret: &str) -> Result<(), Weakness> {
    if secret.len() < SHORTEST {
        return Err(Weakness::Short);
    }
    let kinds: [fn(char) -> bool; 3] =
        [|c| c.is_lowercase(), |c| c.is_uppercase(), |c| c.is_numeric() || c.is_ascii_punctuation()];
    if secret.chars().count() < SHORTEST_OF_ONE_KIND && kinds.iter().any(|kind| secret.chars().all(kind)) {
        return Err(Weakness::OneKind);
    }
    let bytes = secret.as_bytes();
    let steps: Vec<u8> = bytes.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
    if bits(bytes).min(bits(&steps)) < FEWEST_BITS { Err(Weakness::Regular) } else { Ok(()) }
}

/// Shannon's entropy of the items, times their number.
fn bits<T: Eq + Hash>(items: &[T]) -> f64 {
    let mut counts: HashMap<&T, f64> = HashMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1.0;
    }
    let all = items.len() as f64;
    // The order of addition must not depend on a hash.
    let mut counts: Vec<f64> = counts.into_values().collect();
    counts.sort_by(f64::total_cmp);
    counts.iter().map(|n| n * (all / n).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_maim_texts_is_no_secret() {
        // CR-15.
        let rows = [
            ("", Err(Weakness::Short)),
            ("test", Err(Weakness::Short)),
            ("Hunter2!!", Err(Weakness::Short)),
            ("characteristic", Err(Weakness::OneKind)),
            ("2024-01-01-12", Err(Weakness::OneKind)),
            ("1234567890", Err(Weakness::OneKind)),
            ("PASSWORDPASS", Err(Weakness::OneKind)),
            ("aaaaaaaaaaaaaaaaaaaaaaaa", Err(Weakness::Regular)),
            ("abababababababababababab", Err(Weakness::Regular)),
            ("abcdefghijklmnopqrstuvwx", Err(Weakness::Regular)),
            ("Password12", Err(Weakness::Regular)),
            ("changeme1", Err(Weakness::Short)),
            ("tr0ub4dor&3", Ok(())),
            ("abpq kzvm wyrx hltd", Ok(())),
            ("abpqkzvmwyrxhltd", Ok(())),
            ("correct horse battery staple", Ok(())),
            ("sk-7Hq2mXw9Zt4L", Ok(())),
            ("0f8fad5bd9cb469fa165", Ok(())),
            ("9071450386612947", Ok(())),
            ("pässwörter-für-alle", Ok(())),
        ];
        for (secret, expected) in rows {
            assert_eq!(check_strength(secret), expected, "{secret} {}", bits(secret.as_bytes()));
        }
    }
}
