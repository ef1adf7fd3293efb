//! Which field: the path into a document, as people read it and as JSON pointers write it.

use std::{borrow::Cow, fmt};

/// A path into a document; shown dotted, such as `risk.level` or `[3].expect[0].tool`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Field(Vec<Segment>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Key(String),
    Index(usize),
}

impl Field {
    /// The document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// The path that a JSON pointer names; a segment of digits is taken for an index.
    pub fn of_pointer(pointer: &str) -> Self {
        let segments = split_pointer(pointer).map(|segment| match index(&segment) {
            Some(index) => Segment::Index(index),
            None => Segment::Key(segment.into_owned()),
        });
        Self(segments.collect())
    }

    /// The path to a member of what is here.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.0.push(Segment::Key(key.into()));
        self
    }

    /// The path to an item of what is here.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push(Segment::Index(index));
        self
    }

    /// The path as a JSON pointer.
    pub fn to_pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.0 {
            pointer.push('/');
            match segment {
                Segment::Key(key) => pointer.push_str(&escape_segment(key)),
                Segment::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) if position == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// The segments of a JSON pointer (RFC 6901), unescaped.
pub fn split_pointer(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(|segment| {
        if segment.contains('~') {
            Cow::Owned(segment.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(segment)
        }
    })
}

/// A key as a segment of a JSON pointer.
pub fn escape_segment(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(key)
    }
}

/// The array index that a segment writes: digits without a leading zero.
pub(super) fn index(segment: &str) -> Option<usize> {
    let canonical = segment == "0" || !segment.starts_with('0');
    let digits = !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_digit());
    (canonical && digits).then(|| segment.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_reads_as_a_dotted_path_and_back() {
        for (pointer, dotted) in [
            ("", ""),
            ("/risk/level", "risk.level"),
            ("/3/expect/0/tool", "[3].expect[0].tool"),
            ("/args/a~1b/~0", "args.a/b.~"),
            ("/01", "01"),
        ] {
            let field = Field::of_pointer(pointer);
            assert_eq!(field.to_string(), dotted);
            assert_eq!(field.to_pointer(), pointer);
        }
    }
}
