//! Work in a repository that nothing brings back.

use super::{Rule, Weight};
use crate::command::read::Command;

pub(super) const RULE: Rule = Rule {
    code: "loses-work",
    weight: Weight::Refused,
    why: "work that is not recorded elsewhere would be lost",
    check,
};

fn check(command: &Command) -> Option<String> {
    if command.name() != "git" {
        return None;
    }
    let words: Vec<&str> = subcommand(command);
    let has = |option: &str| words.iter().any(|w| *w == option || w.split('=').next() == Some(option));
    let letters =
        |letter: char| words.iter().any(|w| w.starts_with('-') && !w.starts_with("--") && w.contains(letter));
    let lost = match *words.first()? {
        "push" => {
            has("--force")
                || has("--force-with-lease")
                || has("--mirror")
                || has("--delete")
                || letters('f')
                || letters('d')
                || words.iter().any(|w| w.starts_with('+') || w.starts_with(':'))
        }
        "reset" => has("--hard") || has("--merge"),
        "clean" => letters('f') || has("--force"),
        "checkout" | "restore" => has("--") || has(".") || letters('f') || has("--force"),
        "switch" => letters('f') || has("--force") || has("--discard-changes"),
        "branch" => letters('D') || (has("--delete") && has("--force")),
        "stash" => matches!(words.get(1), Some(&("drop" | "clear"))),
        "reflog" => matches!(words.get(1), Some(&("expire" | "delete"))),
        "gc" => words.iter().any(|w| w.starts_with("--prune")),
        "filter-branch" | "filter-repo" | "update-ref" | "prune" => true,
        _ => false,
    };
    lost.then(|| format!("`git {}` can lose work", words.join(" ")))
}

/// The words behind git's own options.
fn subcommand(command: &Command) -> Vec<&str> {
    let mut words = command.args().iter().map(|w| w.text.as_str()).peekable();
    while let Some(word) = words.next_if(|w| w.starts_with('-')) {
        if matches!(word, "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace") {
            words.next();
        }
    }
    words.collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn work_is_not_lost() {
        super::super::testing::check(
            &super::RULE,
            &[
                "git push -f",
                "git push origin +main",
                "git push --force-with-lease=x",
                "git -C x reset --hard",
                "git clean -fdx",
                "git checkout -- .",
                "git branch -D x",
                "git stash drop",
                "git -c a=b filter-branch x",
                "xargs git push --force",
            ],
            &[
                "git push",
                "git reset x",
                "git checkout main",
                "git branch x",
                "git stash",
                "git log --format=x",
                "git diff",
                "git clean -n",
            ],
        );
    }
}
