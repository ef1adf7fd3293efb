//! Becoming somebody else, or leaving one's place.

use super::{Rule, Weight};
use crate::command::read::Command;

pub(super) const RULE: Rule = Rule {
    code: "raises-privileges",
    weight: Weight::Refused,
    why: "a tool acts as its caller and in its sandbox, or not at all",
    check,
};

const PROGRAMS: &[&str] = &[
    "sudo", "su", "doas", "pkexec", "run0", "runuser", "setpriv", "nsenter", "unshare", "chroot", "mount",
    "umount", "insmod", "modprobe", "rmmod", "docker", "podman", "nerdctl", "kubectl", "visudo", "usermod",
    "useradd", "userdel", "passwd", "chpasswd", "iptables", "nft", "sysctl",
];

fn check(command: &Command) -> Option<String> {
    let name = command.name();
    PROGRAMS.contains(&name).then(|| format!("`{name}` acts with other rights"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn nobody_becomes_another() {
        super::super::testing::check(
            &super::RULE,
            &["sudo ls", "env sudo -n true", "su -c 'ls'", "docker run x", "/usr/bin/doas ls", "mount x y"],
            &["ls", "echo sudo", "cat mount.txt"],
        );
    }
}
