//! What goes on when the call is over.

use super::{Rule, Weight};
use crate::command::read::Command;

pub(super) const RULE: Rule = Rule {
    code: "stays-behind",
    weight: Weight::Refused,
    why: "nothing of a call lives longer than the call",
    check,
};

const PROGRAMS: &[&str] = &[
    "nohup",
    "setsid",
    "disown",
    "daemonize",
    "crontab",
    "at",
    "batch",
    "systemd-run",
    "systemctl",
    "launchctl",
    "screen",
    "tmux",
    "service",
    "start-stop-daemon",
];

fn check(command: &Command) -> Option<String> {
    let name = command.name();
    if PROGRAMS.contains(&name) {
        return Some(format!("`{name}` starts what stays"));
    }
    (command.in_background && !name.is_empty()).then(|| format!("`{name}` runs in the background"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_stays() {
        super::super::testing::check(
            &super::RULE,
            &["nohup x", "x &", "a; (b &)", "crontab -r", "sh -c 'x &'", "echo y | at now"],
            &["x", "a && b", "cat at.txt"],
        );
    }
}
