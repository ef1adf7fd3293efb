//! Finding secrets.

use super::{
    Redacting,
    forms::{SHORTEST, forms},
    reading::{LONGEST_UNIT, Letters, Reading, readings},
};
use crate::model::Secret;
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input};
use std::{collections::HashMap, ops::Range, sync::Arc};

/// Secrets that cannot be looked for: then nothing may leave.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("secrets cannot be looked for: {0}")]
pub struct RedactError(String);

/// Finds secrets and takes them out of texts.
///
/// ```
/// use proofhouse_manager::{model::Secret, redact::Redactor};
/// let token = Secret::new("sk-7Hq2mXw9Zt4L".to_owned());
/// let redactor = Redactor::new([("TOKEN", &token)])?;
/// assert_eq!(redactor.redact_text("Bearer sk-7Hq2mXw9Zt4L"), "Bearer [redacted:TOKEN]");
/// assert_eq!(redactor.redact_text("c2stN0hxMm1YdzlaVDRM".replace("VDRM", "dDRM").as_str()), "[redacted:TOKEN]");
/// # Ok::<(), proofhouse_manager::redact::RedactError>(())
/// ```
#[derive(Default)]
pub struct Redactor {
    names: Vec<Arc<str>>,
    forms: Vec<Form>,
    /// Finds a few bytes from the middle of each form: far fewer states than whole forms need, and unlike their
    /// beginnings, which keys of one service share, they are seldom the same.
    search: Option<AhoCorasick>,
    /// The forms of each of these middles.
    of_middle: Vec<Vec<usize>>,
    longest: usize,
}

struct Form {
    /// Which secret.
    of: usize,
    bytes: Vec<u8>,
    /// Where its middle begins.
    middle: usize,
}

/// A secret, where it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) at: Range<usize>,
    pub(super) of: usize,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").field("secrets", &self.names).finish_non_exhaustive()
    }
}

impl Redactor {
    /// Looks for these secrets; each is replaced by its name.
    ///
    /// # Errors
    /// [`RedactError`] if they are more than can be looked for.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a Secret)>) -> Result<Self, RedactError> {
        let mut redactor = Self::default();
        let mut middles: HashMap<Vec<u8>, usize> = HashMap::new();
        for (of, (name, secret)) in secrets.into_iter().enumerate() {
            redactor.names.push(name.into());
            for bytes in forms(secret.expose()) {
                let middle = (bytes.len() - SHORTEST) / 2;
                let next = middles.len();
                let at = *middles.entry(bytes[middle..middle + SHORTEST].to_vec()).or_insert(next);
                if at == redactor.of_middle.len() {
                    redactor.of_middle.push(Vec::new());
                }
                redactor.of_middle[at].push(redactor.forms.len());
                redactor.longest = redactor.longest.max(bytes.len());
                redactor.forms.push(Form { of, bytes, middle });
            }
        }
        let mut patterns: Vec<(Vec<u8>, usize)> = middles.into_iter().collect();
        patterns.sort_by_key(|(_, at)| *at);
        if !patterns.is_empty() {
            // It is made once for a set of secrets, and then reads every output: worth the most states.
            let search = AhoCorasick::builder()
                .kind(Some(AhoCorasickKind::DFA))
                .build(patterns.iter().map(|(middle, _)| middle))
                .map_err(|e| RedactError(e.to_string()))?;
            redactor.search = Some(search);
        }
        Ok(redactor)
    }

    /// Whether it looks for nothing.
    pub fn is_empty(&self) -> bool {
        self.search.is_none()
    }

    /// The name of a secret that a text holds.
    pub fn finds(&self, text: &[u8]) -> Option<&str> {
        self.hits(text, &mut Scratch::default()).first().map(|hit| &*self.names[hit.of])
    }

    /// A text without secrets.
    pub fn redact(&self, text: &[u8]) -> Vec<u8> {
        if self.is_empty() {
            return text.to_vec();
        }
        let mut out = Vec::with_capacity(text.len());
        let mut stream = self.stream();
        stream.push(text, &mut out);
        stream.finish(&mut out);
        out
    }

    /// A text without secrets.
    pub fn redact_text(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        // Forms begin and end with whole characters, so what is left is text.
        String::from_utf8_lossy(&self.redact(text.as_bytes())).into_owned()
    }

    /// Takes secrets out of a text that comes in parts.
    pub fn stream(&self) -> Redacting<'_> {
        Redacting::new(self)
    }

    /// What stands for a secret.
    pub(super) fn mark(&self, of: usize) -> String {
        format!("[redacted:{}]", self.names[of])
    }

    /// So many letters at the end of a text may be the beginning of a secret.
    pub(super) fn open_end(&self) -> usize {
        // An escape that is not complete yet is read as its parts.
        self.longest + LONGEST_UNIT
    }

    /// All secrets in a text, in order; those that overlap are one.
    pub(super) fn hits(&self, text: &[u8], scratch: &mut Scratch) -> Vec<Hit> {
        let mut hits = Vec::new();
        scratch.safe_end = text.len();
        for reading in readings(text) {
            let letters = &mut scratch.letters;
            letters.take(text, reading);
            hits.extend(located(text, reading, letters, self.matches(&letters.bytes)));
            let open = letters.bytes.len().saturating_sub(self.open_end());
            // Where a text has no letter, none is the beginning of a secret.
            if let Some(place) = letters.places(text, reading, &[open]).first() {
                scratch.safe_end = scratch.safe_end.min(place.start);
            }
        }
        hits.sort_by_key(|hit| (hit.at.start, hit.at.end));
        hits.dedup_by(|next, hit| {
            let one = next.at.start < hit.at.end;
            if one {
                hit.at.end = hit.at.end.max(next.at.end);
            }
            one
        });
        hits
    }

    /// All secrets in a reading, by the numbers of their letters.
    fn matches(&self, letters: &[u8]) -> Vec<Hit> {
        let Some(search) = &self.search else { return Vec::new() };
        let (mut found, mut from) = (Vec::new(), 0);
        // Middles may overlap, and all have one length: the next begins behind the beginning of this one.
        while let Some(middle) = search.find(Input::new(letters).range(from..)) {
            from = middle.start() + 1;
            for form in self.of_middle[middle.pattern().as_usize()].iter().map(|at| &self.forms[*at]) {
                let Some(start) = middle.start().checked_sub(form.middle) else { continue };
                if letters[start..].starts_with(&form.bytes) {
                    found.push(Hit { at: start..start + form.bytes.len(), of: form.of });
                }
            }
        }
        found
    }
}

/// Room that is used again, and what is known of the last text.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    letters: Letters,
    /// Where the text must be cut so that no secret that ends behind its end begins before.
    pub(super) safe_end: usize,
}

/// Finds the bytes that letters come from.
fn located(text: &[u8], reading: Reading, letters: &Letters, mut hits: Vec<Hit>) -> Vec<Hit> {
    let mut wanted: Vec<usize> = hits.iter().flat_map(|hit| [hit.at.start, hit.at.end - 1]).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let places = letters.places(text, reading, &wanted);
    let place = |number: usize| wanted.binary_search(&number).ok().and_then(|at| places.get(at));
    hits.retain_mut(|hit| {
        let (first, last) = (place(hit.at.start), place(hit.at.end - 1));
        let place = first.zip(last).map(|(first, last)| first.start..last.end);
        place.is_some_and(|place| {
            hit.at = place;
            true
        })
    });
    hits
}
