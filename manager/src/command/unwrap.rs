//! Programs that start other programs: which words of theirs are commands.

use super::read::{Command, Unclear, Word};

/// What a command starts in its turn.
#[derive(Debug, Default)]
pub(super) struct Within {
    /// Programs with their words.
    pub(super) commands: Vec<Vec<Word>>,
    /// Command lines for a shell.
    pub(super) texts: Vec<String>,
}

/// A program whose operands are another program and its words.
struct Wrapper {
    names: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// How many operands stand before the program.
    before: usize,
    /// Options after which no program is started: they only ask.
    asking: &'static [&'static str],
}

const fn wrapper(names: &'static [&'static str], valued: &'static [&'static str], before: usize) -> Wrapper {
    Wrapper { names, valued, before, asking: &[] }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(&["env"], &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper(&["nice"], &["-n", "--adjustment"], 0),
    wrapper(&["ionice"], &["-c", "-n", "-p", "--class", "--classdata"], 0),
    wrapper(
        &["nohup", "setsid", "exec", "builtin", "time", "busybox", "toybox", "unbuffer", "ltrace"],
        &["-a"],
        0,
    ),
    Wrapper { names: &["command"], valued: &[], before: 0, asking: &["-v", "-V"] },
    wrapper(&["stdbuf"], &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    wrapper(&["timeout"], &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper(&["strace"], &["-e", "-o", "-p", "-s", "-E", "-u"], 0),
    wrapper(
        &["sudo"],
        &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group"],
        0,
    ),
    wrapper(&["doas"], &["-u", "-C"], 0),
    wrapper(
        &["chroot", "flock", "taskset", "chrt", "setarch"],
        &["-w", "-E", "-c", "--userspec", "--groups"],
        1,
    ),
    wrapper(&["unshare", "nsenter"], &["-t", "--target", "-S", "-G", "-R", "-w"], 0),
    wrapper(
        &["xargs"],
        &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-s",
            "-d",
            "-E",
            "-a",
            "--replace",
            "--max-args",
            "--max-procs",
            "--arg-file",
            "--delimiter",
        ],
        0,
    ),
    wrapper(&["watch"], &["-n", "--interval"], 0),
    wrapper(&["parallel"], &["-j", "--jobs", "-a", "--arg-file"], 0),
];

/// Shells: with `-c` the first operand is a command line.
pub(super) const SHELLS: &[&str] =
    &["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "rbash", "yash"];

/// What a command starts in its turn.
///
/// # Errors
/// [`Unclear`] if that is only known when it runs.
pub(super) fn unwrap(command: &Command) -> Result<Within, Unclear> {
    let name = command.name();
    let mut within = Within::default();
    match name {
        "find" => within.commands = executed_by_find(command.args()),
        "eval" => within.texts.push(joined(command.args())?),
        "su" | "script" => within.texts.extend(text_after(command.args(), "-c", "--command")?),
        _ if SHELLS.contains(&name) => within.texts.extend(text_of_shell(command.args())?),
        _ => {
            if let Some(wrapper) = WRAPPERS.iter().find(|w| w.names.contains(&name)) {
                within.commands.extend(wrapper.started(command.args())?);
            }
        }
    }
    Ok(within)
}

impl Wrapper {
    fn started(&self, args: &[Word]) -> Result<Option<Vec<Word>>, Unclear> {
        let mut left = self.before;
        let mut at = 0;
        while let Some(word) = args.get(at) {
            let text = word.text.as_str();
            if self.asking.contains(&text) {
                return Ok(None);
            }
            // `env -S` splits a text into words by rules of its own.
            if text.starts_with("-S") || text.starts_with("--split-string") {
                return Err(Unclear::new("`-S` makes a command of a text"));
            }
            if text == "--" {
                at += 1 + left;
                break;
            } else if text.len() > 1 && text.starts_with('-') {
                at += if self.valued.contains(&text) { 2 } else { 1 };
            } else if is_assignment(text) {
                at += 1;
            } else if left > 0 {
                left -= 1;
                at += 1;
            } else {
                break;
            }
        }
        Ok(args.get(at..).filter(|words| !words.is_empty()).map(<[Word]>::to_vec))
    }
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// The commands behind `-exec` and its kin, up to `;` or `+`.
fn executed_by_find(args: &[Word]) -> Vec<Vec<Word>> {
    let starts = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let mut found = Vec::new();
    let mut rest = args;
    while let Some(at) = rest.iter().position(starts) {
        rest = &rest[at + 1..];
        let end = rest.iter().position(|w| matches!(w.text.as_str(), ";" | "+")).unwrap_or(rest.len());
        found.push(rest[..end].to_vec());
        rest = &rest[end..];
    }
    found.retain(|words| !words.is_empty());
    found
}

/// The command line that a shell is given, if it is given one.
fn text_of_shell(args: &[Word]) -> Result<Option<String>, Unclear> {
    let mut commanded = false;
    let mut args = args.iter();
    for word in args.by_ref() {
        let text = word.text.as_str();
        match text.strip_prefix('-').or(text.strip_prefix('+')) {
            Some(letters) if !letters.is_empty() && !letters.starts_with('-') => {
                commanded |= letters.contains('c');
                if letters.ends_with(['o', 'O']) {
                    return Err(Unclear::new("a shell's `-o` changes how it reads"));
                }
            }
            Some(_) => {}
            None if commanded => return known(word).map(|text| Some(text.to_owned())),
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// The text behind an option.
fn text_after(args: &[Word], short: &str, long: &str) -> Result<Option<String>, Unclear> {
    let at = args.iter().position(|word| word.text == short || word.text == long);
    at.and_then(|at| args.get(at + 1)).map(|word| known(word).map(str::to_owned)).transpose()
}

fn joined(args: &[Word]) -> Result<String, Unclear> {
    let words: Vec<&str> = args.iter().map(known).collect::<Result<_, _>>()?;
    Ok(words.join(" "))
}

fn known(word: &Word) -> Result<&str, Unclear> {
    if word.fixed {
        return Ok(&word.text);
    }
    Err(Unclear::new(format!("the command line `{}` is only known when it runs", word.text)))
}
