//! Where something stands in a file.

use std::{fmt, sync::Arc};

/// A place in a file: `file:line:column`, counted from 1, columns in characters.
///
/// Cheap to clone: the file's name is shared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as the user named it.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl Place {
    /// The first character of a file.
    pub fn start(file: Arc<str>) -> Self {
        Self { file, line: 1, column: 1 }
    }

    /// Another place in the same file.
    pub fn moved(&self, line: u32, column: u32) -> Self {
        Self { file: Arc::clone(&self.file), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Turns rising byte offsets into places in one pass over the text.
///
/// Looking each offset up from the start of its line would be quadratic in a file that is one long line.
pub(super) struct Cursor<'t> {
    text: &'t str,
    offset: usize,
    place: Place,
}

impl<'t> Cursor<'t> {
    /// Stands at the first character of `text`, which is at `start`.
    pub(super) fn new(start: &Place, text: &'t str) -> Self {
        Self { text, offset: 0, place: start.clone() }
    }

    /// The place of a byte offset that is not before the last one asked for.
    pub(super) fn at(&mut self, offset: usize) -> Place {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        for character in passed.chars() {
            if character == '\n' {
                self.place.line += 1;
                self.place.column = 1;
            } else {
                self.place.column += 1;
            }
        }
        self.offset = self.offset.max(offset);
        self.place.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_counts_lines_and_characters() {
        let text = "é: 1\r\nzwei";
        let mut cursor = Cursor::new(&Place::start("f".into()), text);
        let shown: Vec<String> = [0, 2, 7, 9].map(|o| cursor.at(o).to_string()).into();
        assert_eq!(shown, ["f:1:1", "f:1:2", "f:2:1", "f:2:3"]);
    }
}
