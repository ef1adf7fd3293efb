//! Rights and owners of much at once, and programs that run as somebody else.

use super::{Rule, Weight};
use crate::command::{
    paths::{is_everything, is_system},
    read::Command,
};

pub(super) const RULE: Rule =
    Rule { code: "changes-rights", weight: Weight::Refused, why: "rights are not a tool's to give", check };

fn check(command: &Command) -> Option<String> {
    let name = command.name();
    if !["chmod", "chown", "chgrp", "setfacl", "chattr"].contains(&name) {
        return (name == "setcap").then(|| "`setcap` gives a program rights".to_owned());
    }
    let recursive = command.has_option('R', "recursive");
    let place = command.operands().skip(1).map(|w| w.text.as_str());
    if let Some(place) = place.into_iter().find(|to| is_system(to) || (recursive && is_everything(to))) {
        return Some(format!("`{name}` changes the rights of `{place}`"));
    }
    let mode = command.operands().next().filter(|_| name == "chmod")?.text.as_str();
    let as_owner = mode.contains("+s")
        || mode.contains("=s")
        || (mode.len() > 3 && !mode.starts_with('0') && mode.bytes().all(|b| b.is_ascii_digit()));
    as_owner.then(|| format!("the mode `{mode}` lets a program run as its owner"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn rights_are_not_given() {
        super::super::testing::check(
            &super::RULE,
            &[
                "chmod -R 777 /",
                "chmod 777 /etc/passwd",
                "chown -R me ~",
                "chmod u+s x",
                "chmod 4755 x",
                "setcap cap_net_raw+ep x",
            ],
            &["chmod +x run.sh", "chmod 644 a", "chmod 0644 a", "chmod -R u+w build"],
        );
    }
}
