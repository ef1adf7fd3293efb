//! Prompts that ask for words and not for an action.
//!
//! Two forms are recognised, in English and by their commonest German, French and Spanish words: a question about
//! knowledge ("what is …", "explain …", "difference between …") that names no concrete thing, and an order not
//! to act ("don't run anything", "nur erklären"). Everything else is left to the evidence.

use proofhouse_manager::plan::literal::{Kind, Piece};

/// Starts of questions about knowledge. They only count where no literal follows that could be acted upon.
const QUESTIONS: [&str; 27] = [
    "what is a",
    "what is an",
    "what's a",
    "what's an",
    "whats a",
    "what does",
    "what are",
    "why",
    "explain",
    "how would",
    "how do",
    "how does",
    "how could",
    "what would",
    "what's the difference",
    "whats the difference",
    "should i",
    "is it better",
    "was ist ein",
    "was bedeutet",
    "warum",
    "wie funktioniert",
    "erklär",
    "qu'est-ce",
    "pourquoi",
    "qué es",
    "por qué",
];

/// Orders not to act, wherever they stand at the start of a clause.
const PROHIBITIONS: [&str; 20] = [
    "don't run",
    "don't do",
    "don't delete",
    "don't change",
    "don't touch",
    "do not run",
    "do not do",
    "do not delete",
    "do not change",
    "don't commit",
    "don't push",
    "don't execute",
    "do not execute",
    "hold off",
    "nicht ausführen",
    "sans rien",
    "sin ejecutar",
    "no ejecutes",
    "no borres",
    "wait until",
];

/// Why the prompt only asks for words; `None` if it may ask for an action.
pub(super) fn only_talks(pieces: &[Piece<'_>]) -> Option<&'static str> {
    let names_something = pieces.iter().any(|p| !matches!(p.kind, Kind::Word | Kind::Number));
    if !names_something && starts_with_any(pieces, &QUESTIONS) {
        return Some("a question about knowledge");
    }
    let mut clause = pieces;
    loop {
        if starts_with_any(clause, &PROHIBITIONS) {
            return Some("an order not to act");
        }
        let end = clause.iter().position(|p| p.ends_clause)?;
        clause = &clause[end + 1..];
    }
}

fn starts_with_any(pieces: &[Piece<'_>], phrases: &[&str]) -> bool {
    let said = || pieces.iter().filter(|p| p.kind == Kind::Word).map(|p| p.text);
    phrases.iter().any(|phrase| {
        let words = phrase.split(' ');
        said().zip(words.clone()).filter(|(said, word)| same(said, word)).count() == words.count()
    })
}

/// Equal but for case; a curly apostrophe is a straight one.
fn same(said: &str, word: &str) -> bool {
    let fold = |c: char| if c == '’' { '\'' } else { c };
    said.chars().map(fold).flat_map(char::to_lowercase).eq(word.chars())
}

#[cfg(test)]
mod tests {
    use super::only_talks;
    use proofhouse_manager::plan::literal::pieces;

    #[test]
    fn words_are_told_from_orders() {
        let rows = [
            ("What's a mutex?", true),
            ("What’s a mutex?", true),
            ("explain how a canary works", true),
            ("was ist ein Deadlock", true),
            ("don't run anything, just tell me", true),
            ("the table can go. hold off until friday", true),
            ("why does src/a.rs fail", false),
            ("what's in the cart", false),
            ("delete it", false),
            ("show what changed", false),
            ("", false),
        ];
        for (prompt, expected) in rows {
            assert_eq!(only_talks(&pieces(prompt)).is_some(), expected, "{prompt}");
        }
    }
}
