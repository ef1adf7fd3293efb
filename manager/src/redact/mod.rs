//! Secrets out of everything that leaves a run: found in the forms in which tools print them, and replaced by
//! their name.
//!
//! A [`Redactor`] is made of secrets. It reads a text as it stands, and again with its escapes undone (`%41`,
//! `&#65;`, `\u0041`); each time without what an eye does not see as a break: line ends, blanks, colours of a
//! terminal, characters without width. In what is left it looks for each secret as it is, reversed,
//! in hexadecimal and in base64 of either alphabet, whatever stands around it. [`Redacting`] does the same to a
//! text that comes in parts: nothing is let go that could still become a part of a secret.
//!
//! What it cannot find stands in [`KNOWN_GAPS`]. Redaction is the second line: the first is that a tool gets no
//! secret that its contract does not name.
//!
//! It knows no tools, no files and no journal.

mod forms;
mod reading;
mod redactor;
mod stream;
mod strength;
mod value;

pub use redactor::{RedactError, Redactor};
pub use stream::Redacting;
pub use strength::{Weakness, check_strength};

/// Forms in which a secret is not found. Tests hold each of them against the code, so that the list is true.
pub const KNOWN_GAPS: &[&str] = &[
    "compressed (gzip) and then base64",
    "escaped twice (`%2541` for `%41`)",
    "escaped, right behind the beginning of another escape (`\\fee%2F…` for the secret `fee/…`)",
    "base64 of base64, or of another form of it",
    "base64 of its UTF-16 form",
    "in the other letter case, or in hexadecimal of mixed case",
    "a part of it that is shorter than the whole",
    "its parts in different fields of a structure, or with words between them",
    "each letter in another alphabet or cipher (rot13)",
];

#[cfg(test)]
pub(crate) mod tests;
