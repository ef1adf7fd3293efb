//! Ending what is not one's own: processes, services, the machine.

use super::{Rule, Weight};
use crate::command::read::Command;

pub(super) const RULE: Rule = Rule {
    code: "stops-others",
    weight: Weight::Refused,
    why: "what else runs here is not the tool's to end",
    check,
};

const PROGRAMS: &[&str] =
    &["shutdown", "reboot", "halt", "poweroff", "init", "telinit", "killall", "pkill", "killall5", "kexec"];

fn check(command: &Command) -> Option<String> {
    let name = command.name();
    if PROGRAMS.contains(&name) {
        return Some(format!("`{name}` ends what others run"));
    }
    let everyone = |word: &&str| matches!(*word, "-1" | "1" | "0" | "-0");
    // A signal stands first and may look like everyone's number.
    let numbers: Vec<&str> = command.args().iter().map(|w| w.text.as_str()).collect();
    let targets = match numbers.first() {
        Some(first) if first.starts_with('-') => numbers.get(1..).unwrap_or_default(),
        _ => &numbers,
    };
    (name == "kill" && targets.iter().any(everyone)).then(|| "`kill` ends every process".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn others_are_not_ended() {
        super::super::testing::check(
            &super::RULE,
            &["shutdown now", "kill -9 -1", "kill -TERM 1", "pkill x", "env reboot"],
            &["kill 1234", "kill -9 1234", "kill -1 1234", "echo reboot"],
        );
    }
}
