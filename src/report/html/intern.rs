//! Texts that are written once and referred to by number.

use std::collections::HashMap;

/// A growing list of texts without repeats.
#[derive(Debug, Default)]
pub(super) struct Texts {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Texts {
    /// The number of `text`; a new text takes the next one.
    pub(super) fn number(&mut self, text: &str) -> usize {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.list.len();
        self.list.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// The number of a text that may be missing.
    pub(super) fn maybe(&mut self, text: Option<&str>) -> Option<usize> {
        text.map(|text| self.number(text))
    }

    /// The texts, in the order in which they came.
    pub(super) fn list(&self) -> &[String] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_has_the_same_number() {
        let mut texts = Texts::default();
        assert_eq!(["b", "a", "b", "c", "a"].map(|text| texts.number(text)), [0, 1, 0, 2, 1]);
        assert_eq!(texts.list(), ["b", "a", "c"]);
    }
}
