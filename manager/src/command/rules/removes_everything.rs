//! Removing what nobody can bring back: the root, a home, a workspace as a whole.

use super::{Rule, Weight};
use crate::command::{paths::is_everything, read::Command};

pub(super) const RULE: Rule = Rule {
    code: "removes-everything",
    weight: Weight::Refused,
    why: "all that lies there would be gone",
    check,
};

fn check(command: &Command) -> Option<String> {
    let everything = || command.operands().find(|word| is_everything(&word.text));
    let place = match command.name() {
        "rm" | "srm" if command.has_option('r', "recursive") || command.has_option('R', "") => everything()?,
        // Without an expression of its own, `find` has met every file by the time it removes.
        "find" if removes(command) => {
            command.args().first().filter(|place| is_everything(&place.text) && !is_narrowed(command))?
        }
        "mv" => command.operands().next().filter(|word| is_everything(&word.text))?,
        "rsync" if command.args().iter().any(|w| w.text.starts_with("--delete")) => {
            command.operands().last().filter(|w| is_everything(&w.text))?
        }
        _ => return None,
    };
    Some(format!("`{}` removes `{}`", command.name(), place.text))
}

fn removes(command: &Command) -> bool {
    let words = command.args();
    let runs_rm = words.windows(2).any(|pair| {
        matches!(pair[0].text.as_str(), "-exec" | "-execdir") && pair[1].text.rsplit('/').next() == Some("rm")
    });
    runs_rm || words.iter().any(|word| word.text == "-delete")
}

/// Whether a search looks for something in particular, in the workspace.
fn is_narrowed(command: &Command) -> bool {
    let place = command.args().first().map_or("", |word| word.text.as_str());
    let tests = ["-name", "-iname", "-path", "-regex", "-newer", "-mtime", "-size", "-empty"];
    place == "." && command.args().iter().any(|word| tests.contains(&word.text.as_str()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn everything_is_not_removed() {
        super::super::testing::check(
            &super::RULE,
            &[
                "rm -rf /",
                "rm -r -f //",
                "rm -fr ~",
                "rm -rf $HOME/*",
                "rm --recursive .",
                "rm -rf *",
                "rm -Rf ..",
                "rm -rf --no-preserve-root /",
                "sudo rm -rf /etc",
                "ls | xargs rm -rf /",
                "find / -delete",
                "find . -delete",
                "find / -name x -exec rm {} +",
                "/bin/rm -rf .git",
                "mv / /tmp/x",
                "rsync -a --delete empty/ ~/",
                "sh -c 'rm -rf /'",
            ],
            &[
                "rm x",
                "rm -rf build",
                "rm -f *.o",
                "find . -name '*.o' -delete",
                "find build -delete",
                "mv a b",
                "echo rm -rf /",
            ],
        );
    }
}
