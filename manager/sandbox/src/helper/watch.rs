//! How much memory the tree holds, and how much room its disks have.

use rustix::fd::OwnedFd;
use std::fs;

/// Bytes of memory that all other processes hold: what is theirs alone, and their part of what they share.
///
/// First a cheap upper bound, and only when that is over `limit`, the exact figure, which costs more.
pub(crate) fn memory(limit: u64) -> u64 {
    let bound = processes().map(|pid| resident(&pid)).fold(0, u64::saturating_add);
    if bound <= limit {
        bound
    } else {
        processes().map(|pid| proportional(&pid)).fold(0, u64::saturating_add)
    }
}

fn processes() -> impl Iterator<Item = String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name != "1" && name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What a process has resident, with pages of files.
fn resident(pid: &str) -> u64 {
    let pages = fs::read_to_string(format!("/proc/{pid}/statm"))
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0).saturating_mul(rustix::param::page_size() as u64)
}

/// What a process has alone, and its part of what it shares, without pages of files. Where that may not be seen,
/// everything counts as its own.
fn proportional(pid: &str) -> u64 {
    let fields = |file: &str, names: &[&str]| {
        let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok().filter(|text| !text.is_empty())?;
        Some(sum(&text, names))
    };
    fields("smaps_rollup", &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"])
        .or_else(|| fields("status", &["RssAnon:", "RssShmem:", "VmSwap:"]))
        .unwrap_or(0)
}

fn sum(text: &str, names: &[&str]) -> u64 {
    let kilobytes = text.lines().filter_map(|line| {
        let rest = names.iter().find_map(|name| line.strip_prefix(name))?;
        rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    });
    kilobytes.fold(0, u64::saturating_add).saturating_mul(1024)
}

/// Whether a disk has less room than must stay: bytes, or files.
pub(crate) fn is_full(disk: &OwnedFd, keep: u64) -> bool {
    /// Files that must stay possible on a disk that counts them.
    const KEEP_FILES: u64 = 1024;
    rustix::fs::fstatvfs(disk).is_ok_and(|disk| {
        let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        bytes < keep || (keep > 0 && disk.f_files > 0 && disk.f_favail < KEEP_FILES)
    })
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn the_named_fields_are_summed_in_bytes() {
        let text = "Rss:  900 kB\nPss_Anon:   12 kB\nPss_File: 40 kB\nPss_Shmem:  4 kB\nSwapPss: 1 kB\n";
        assert_eq!(sum(text, &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"]), 17 * 1024);
        assert_eq!(sum("", &["Pss_Anon:"]), 0);
    }
}
