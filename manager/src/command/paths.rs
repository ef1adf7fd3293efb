//! Words that name places: roots of everything, homes, devices.

/// A path with doubled slashes, dots and slashes at its end left out, as far as that needs no file system.
pub(super) fn plain(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && !last.starts_with(['~', '$'])) => {
                parts.pop();
            }
            // There is nothing above the root.
            ".." if absolute && parts.is_empty() => {}
            part => parts.push(part),
        }
    }
    match (absolute, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => parts.join("/"),
    }
}

/// Folders of the system: nothing beneath them is one's own.
const SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/opt", "/proc", "/root", "/run", "/sbin", "/srv",
    "/sys", "/usr", "/var", "/home", "/Users", "/System", "/Library",
];

/// Whether a word names everything: the root, a folder of the system, a home, the workspace as a whole, what is
/// above it, or all that is in one of them.
pub(super) fn is_everything(word: &str) -> bool {
    let path = plain(word);
    let whole = path.strip_suffix("/*").unwrap_or(&path);
    let whole = if whole.is_empty() { "/" } else { whole };
    let is_home = |path: &str| matches!(path, "~" | "$HOME" | "$PWD" | "$OLDPWD") || path.starts_with("~");
    whole == "/"
        || SYSTEM.contains(&whole)
        || (is_home(whole) && !whole.contains('/'))
        || matches!(path.as_str(), "." | "*" | ".*" | ".git" | "..")
        || path.starts_with("../")
        || whole.strip_prefix("/home/").is_some_and(|user| !user.contains('/'))
}

/// Whether a word lies in a folder of the system.
pub(super) fn is_system(word: &str) -> bool {
    let path = plain(word);
    let temporary =
        path.starts_with("/dev/null") || path.starts_with("/dev/std") || path.starts_with("/dev/fd/");
    !temporary
        && SYSTEM
            .iter()
            .any(|folder| path.strip_prefix(folder).is_some_and(|r| r.is_empty() || r.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_everything_are_known() {
        for word in [
            "/", "//", "/.", "/*", "/usr/..", "/etc", "/etc/", "/home/me", "~", "~/", "~root", "$HOME",
            "$HOME/*", ".", "./", "*", "./*", "..", "../x", "a/../..", ".git",
        ] {
            assert!(is_everything(word), "{word}");
        }
        for word in
            ["build", "./build", "/tmp/x", "~/x", "$HOME/x", "a/b", "*.o", "build/*", "/home/me/x", ".github"]
        {
            assert!(!is_everything(word), "{word}");
        }
        for (word, expected) in [
            ("/etc/passwd", true),
            ("/dev/sda", true),
            ("/dev/null", false),
            ("etc/x", false),
            ("/tmp/x", false),
            ("/etcetera", false),
        ] {
            assert_eq!(is_system(word), expected, "{word}");
        }
    }
}
