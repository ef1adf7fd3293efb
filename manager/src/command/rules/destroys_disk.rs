//! Writing to disks and file systems as a whole.

use super::{Rule, Weight};
use crate::command::read::Command;

pub(super) const RULE: Rule =
    Rule { code: "destroys-disk", weight: Weight::Refused, why: "what is on the disk would be gone", check };

const PROGRAMS: &[&str] = &[
    "mkfs",
    "mkswap",
    "fdisk",
    "sfdisk",
    "cfdisk",
    "gdisk",
    "sgdisk",
    "parted",
    "wipefs",
    "blkdiscard",
    "hdparm",
    "cryptsetup",
    "lvremove",
    "vgremove",
    "pvremove",
    "mdadm",
    "zpool",
    "badblocks",
];

fn check(command: &Command) -> Option<String> {
    let name = command.name();
    if PROGRAMS.contains(&name) || name.starts_with("mkfs.") {
        return Some(format!("`{name}` changes a disk"));
    }
    let target = match name {
        "dd" => command.args().iter().find_map(|w| w.text.strip_prefix("of=")).filter(|to| is_device(to)),
        "shred" | "tee" | "cp" => command.operands().map(|w| w.text.as_str()).find(|to| is_device(to)),
        _ => None,
    };
    let written = command.redirects.iter().filter(|r| r.writes).map(|r| r.file.text.as_str());
    let target = target.or_else(|| written.into_iter().find(|to| is_device(to)))?;
    Some(format!("it writes to the device `{target}`"))
}

fn is_device(path: &str) -> bool {
    let harmless =
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/stdin"];
    let path = crate::command::paths::plain(path);
    path.starts_with("/dev/") && !path.starts_with("/dev/fd/") && !harmless.contains(&path.as_str())
}

#[cfg(test)]
mod tests {
    #[test]
    fn disks_are_not_written() {
        super::super::testing::check(
            &super::RULE,
            &[
                "mkfs.ext4 /dev/sda1",
                "dd if=x of=/dev/sda",
                "cat x > /dev/sda",
                "tee //dev/sda",
                "wipefs -a /dev/sda",
                "shred /dev/nvme0n1",
            ],
            &["dd if=/dev/zero of=x bs=1M count=1", "ls > /dev/null", "ls 2>/dev/null", "cp a b"],
        );
    }
}
