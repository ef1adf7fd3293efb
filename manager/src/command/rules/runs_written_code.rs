//! Code that stands in the command line itself: a program of its own, which no rule here reads.

use super::{Rule, Weight, runs_what_it_is_sent::is_interpreter};
use crate::command::read::Command;

pub(super) const RULE: Rule = Rule {
    code: "runs-written-code",
    weight: Weight::Told,
    why: "what the code does, only who reads it knows",
    check,
};

fn check(command: &Command) -> Option<String> {
    let name = command.name();
    let told = match name {
        "awk" | "gawk" | "mawk" => {
            command.operands().next().is_some_and(|w| w.text.contains("system(") || w.text.contains('|'))
        }
        "sed" | "gsed" => command.operands().any(|w| w.text.ends_with("/e") || w.text.starts_with("e ")),
        "vim" | "vi" | "ed" | "ex" | "emacs" | "gdb" => true,
        _ => {
            is_interpreter(name)
                && (command.has_option('c', "")
                    || command.has_option('e', "eval")
                    || command.has_option('r', ""))
        }
    };
    told.then(|| format!("`{name}` runs code that stands in the command line"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn written_code_is_told() {
        super::super::testing::check(
            &super::RULE,
            &[
                "python3 -c 'import os'",
                "perl -ne 'print'",
                "node -e 1",
                "node --eval=1",
                "awk 'BEGIN{system(\"x\")}'",
                "sed 's/x/y/e' f",
                "vim -c ':!x'",
            ],
            &["python3 x.py", "awk '{print $1}' f", "sed -i s/a/b/ f", "make -e x"],
        );
    }
}
