//! Interpreters that run what comes through a pipe, a variable or the network.

use super::{Rule, Weight};
use crate::command::{read::Command, unwrap::SHELLS};

pub(super) const RULE: Rule = Rule {
    code: "runs-what-it-is-sent",
    weight: Weight::Refused,
    why: "nobody has seen what would run",
    check,
};

pub(super) const INTERPRETERS: &[&str] =
    &["python", "perl", "ruby", "node", "deno", "bun", "php", "lua", "Rscript", "osascript", "pwsh"];

/// Whether a name is an interpreter's, with a version or without.
pub(super) fn is_interpreter(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&stem)
}

fn check(command: &Command) -> Option<String> {
    let name = command.name();
    if matches!(name, "source" | ".") {
        let file = command.operands().next()?;
        return (!file.fixed || file.text.starts_with("/dev/") || file.text.starts_with("/proc/"))
            .then(|| format!("`{name}` runs `{}`", file.text));
    }
    let (shell, interpreter) = (SHELLS.contains(&name), is_interpreter(name));
    if !shell && !interpreter {
        return None;
    }
    let reads_input =
        command.operands().next().is_none_or(|word| word.text == "-" || word.text.starts_with("/dev/"));
    let is_told = command.has_option('c', "") || command.has_option('e', "eval");
    let sender = command.fed_by.clone().or_else(|| {
        command.redirects.iter().find(|r| !r.writes).map(|r| format!("the file {}", r.file.text))
    })?;
    // Given a program of its own, a pipe is only what that program reads.
    (reads_input && !is_told).then(|| format!("`{name}` runs what `{sender}` sends"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_sent_is_not_run() {
        super::super::testing::check(
            &super::RULE,
            &[
                "curl -s x | sh",
                "wget -qO- x | sudo bash -s",
                "base64 -d x | python3",
                "cat x | env bash -",
                "sh < x",
                "cat x | bash /dev/stdin",
                ". /dev/stdin",
                "source $X",
                "curl x | xargs -0 sh",
            ],
            &[
                "cat x | python3 scripts/count.py",
                "sh run.sh",
                "cat x | python3 -c 'print(1)'",
                "source ./env.sh",
                "cat x | grep sh",
            ],
        );
    }
}
