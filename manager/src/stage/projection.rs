//! What of a result the model may see: within the tool's token budget, and marked where it is not all.

use crate::model::{ArtifactId, OutputExposure, ToolDescriptor};
use crate::port::Ran;
use crate::text::{ceil, floor};

/// Bytes that are counted as one token, as everywhere in this crate.
const BYTES_PER_TOKEN: u64 = 4;

/// The words that reach the model, and whether they are less than the complete output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Projection {
    pub(super) text: String,
    pub(super) truncated: bool,
}

impl Projection {
    /// Estimated tokens of the words.
    pub(super) fn tokens(&self) -> u64 {
        (self.text.len() as u64).div_ceil(BYTES_PER_TOKEN)
    }
}

/// Projects a result. Never more than the budget, not even with `full`.
pub(super) fn project(tool: &ToolDescriptor, ran: &Ran, kept: Option<&ArtifactId>) -> Projection {
    let policy = &tool.context_policy;
    let budget = usize::try_from(policy.max_output_preview_tokens * BYTES_PER_TOKEN).unwrap_or(usize::MAX);
    let output = String::from_utf8_lossy(&ran.output);
    match (policy.expose_output_to_model, &ran.structured) {
        (OutputExposure::None, _) if !mutant!(HiddenShown) => {
            Projection { text: String::new(), truncated: !ran.output.is_empty() }
        }
        (OutputExposure::Structured, Some(structured)) => {
            let text = structured.to_string();
            // A cut structure is none: what does not fit is shown as text, with its mark.
            if text.len() <= budget {
                Projection { text, truncated: false }
            } else {
                cut(&text, budget, kept)
            }
        }
        (
            OutputExposure::Preview
            | OutputExposure::Full
            | OutputExposure::Structured
            | OutputExposure::None,
            _,
        ) => cut(&output, budget, kept),
    }
}

/// Head and tail within a number of bytes, with a mark that says how much is missing and where it is.
fn cut(text: &str, budget: usize, kept: Option<&ArtifactId>) -> Projection {
    if text.len() <= budget || mutant!(BudgetForgotten) {
        return Projection { text: text.to_owned(), truncated: false };
    }
    let place = kept.map_or(String::new(), |id| format!(", complete in {id}"));
    // The number of digits varies with what is cut; the length of the text bounds it.
    let mark = |missing: usize| format!("\n[… {missing} of {} bytes left out{place} …]\n", text.len());
    let room = budget.saturating_sub(mark(text.len()).len());
    let head = floor(text, room - room / 3);
    let tail = ceil(text, text.len() - (room / 3).min(text.len() - head));
    let text = match room {
        // Not even the mark has a place: a part of it would say nothing.
        0 => String::new(),
        _ => format!("{}{}{}", &text[..head], mark(tail - head), &text[tail..]),
    };
    Projection { text, truncated: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_below_at_and_one_above_the_budget() {
        let id = ArtifactId::new("art_1");
        for (length, truncated) in [(399, false), (400, false), (401, true)] {
            let text = "é".repeat(length / 2) + if length % 2 == 1 { "x" } else { "" };
            let got = cut(&text, 400, Some(&id));
            assert_eq!(got.truncated, truncated, "{length}");
            assert!(got.text.len() <= 400, "{length}: {}", got.text.len());
            assert_eq!(got.text.contains("complete in art_1"), truncated, "{length}");
        }
    }

    #[test]
    fn head_and_tail_are_kept_and_the_true_length_is_told() {
        let text = format!("BEGIN{}END", ".".repeat(10_000));
        let got = cut(&text, 200, None).text;
        assert!(
            got.starts_with("BEGIN") && got.ends_with("END") && got.contains("of 10008 bytes left out"),
            "{got}"
        );
        let missing: usize = got.split("[… ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert_eq!(got.matches('.').count() + missing + 8, 10_008, "{got}");
    }

    #[test]
    fn no_room_shows_nothing() {
        assert_eq!(cut("something longer", 3, None), Projection { text: String::new(), truncated: true });
    }
}
