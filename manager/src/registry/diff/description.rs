//! Which words of what a model is told have changed.

use super::{
    Change, Direction, Group,
    sides::{Sides, change},
};
use similar::{ChangeTag, TextDiff};

pub(super) const GROUP: Group = Group {
    pointers: &["/description/summary", "/description/useWhen", "/description/doNotUseWhen"],
    compare,
};

fn compare(sides: &Sides<'_>, changes: &mut Vec<Change>) {
    let (before, after) = (&sides.before.description, &sides.after.description);
    let list = |entries: &[String]| entries.join("; ");
    for (pointer, before, after) in [
        ("/description/summary", before.summary.clone(), after.summary.clone()),
        ("/description/useWhen", list(&before.use_when), list(&after.use_when)),
        ("/description/doNotUseWhen", list(&before.do_not_use_when), list(&after.do_not_use_when)),
    ] {
        if before != after {
            changes.push(change(pointer, Direction::Neutral, words(&before, &after)));
        }
    }
}

/// The words that went and came, in their order: `Reads [-one-] {+any+} file`.
fn words(before: &str, after: &str) -> String {
    let diff = TextDiff::from_words(before, after);
    let mut text = String::new();
    let mut open = ChangeTag::Equal;
    for part in diff.iter_all_changes() {
        if part.tag() != open {
            text.push_str(closing(open));
            text.push_str(opening(part.tag()));
            open = part.tag();
        }
        text.push_str(part.value());
    }
    text.push_str(closing(open));
    text
}

const fn opening(tag: ChangeTag) -> &'static str {
    match tag {
        ChangeTag::Equal => "",
        ChangeTag::Delete => "[-",
        ChangeTag::Insert => "{+",
    }
}

const fn closing(tag: ChangeTag) -> &'static str {
    match tag {
        ChangeTag::Equal => "",
        ChangeTag::Delete => "-]",
        ChangeTag::Insert => "+}",
    }
}
