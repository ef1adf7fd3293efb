//! What would run later, with somebody else's rights: hooks, profiles, search paths.

use super::{Rule, Weight};
use crate::command::{
    paths::{is_system, plain},
    read::Command,
};

pub(super) const RULE: Rule = Rule {
    code: "plants-code",
    weight: Weight::Refused,
    why: "it would run later, outside of any sandbox",
    check,
};

/// Names of files and folders from which programs take code, in lower case.
const PLACES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".inputrc",
    ".vimrc",
    ".gitconfig",
    ".gitmodules",
    "hooks",
    ".husky",
    "authorized_keys",
    "crontab",
    "cron.d",
    "cron.daily",
    "systemd",
    "autostart",
    "sudoers.d",
    ".mcp.json",
    ".vscode",
    ".claude",
    ".cursor",
];

/// Variables from which programs take code.
const VARIABLES: &[&str] = &[
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "PATH",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "NODE_OPTIONS",
    "PERL5OPT",
    "RUBYOPT",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "IFS",
];

/// Programs that write their operands.
const WRITERS: &[&str] =
    &["cp", "mv", "tee", "install", "ln", "dd", "rsync", "touch", "sed", "truncate", "patch"];

fn check(command: &Command) -> Option<String> {
    let assigned = command.args().iter().filter_map(|w| w.text.split_once('=')).map(|(name, _)| name);
    let exports = matches!(command.name(), "export" | "env" | "declare" | "typeset");
    let named = command.variables.iter().map(|(name, _)| name.as_str());
    let mut variables = named.chain(assigned.filter(|_| exports));
    if let Some(name) = variables.find(|name| VARIABLES.contains(name)) {
        return Some(format!("it sets `{name}`, from which programs take code"));
    }
    let redirected = command.redirects.iter().filter(|r| r.writes).map(|r| r.file.text.as_str());
    let operands = command.operands().map(|w| w.text.as_str()).filter(|_| WRITERS.contains(&command.name()));
    if let Some(place) = redirected.chain(operands).find(|word| is_code(word)) {
        return Some(format!("it writes `{place}`"));
    }
    let words: Vec<&str> = command.args().iter().map(|w| w.text.as_str()).collect();
    let config = command.name() == "git" && words.contains(&"config");
    let key = words.iter().find(|w| {
        ["core.hookspath", "core.sshcommand", "core.pager", "core.editor", "credential.helper"]
            .contains(&w.to_ascii_lowercase().as_str())
            || w.starts_with("alias.")
    });
    key.filter(|_| config).map(|key| format!("`git config` sets `{key}`, which runs programs"))
}

fn is_code(word: &str) -> bool {
    let word = word.strip_prefix("of=").unwrap_or(word);
    let path = plain(&word.to_ascii_lowercase());
    is_system(&path) || path.split('/').any(|part| PLACES.contains(&part)) || path.ends_with(".git/config")
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_is_planted() {
        super::super::testing::check(
            &super::RULE,
            &[
                "echo x >> ~/.bashrc",
                "cp x .git/hooks/pre-commit",
                "tee -a $HOME/.ssh/authorized_keys",
                "LD_PRELOAD=./x.so ls",
                "env PATH=. make",
                "export PATH=$PATH",
                "git config core.hooksPath x",
                "git config --global alias.x '!y'",
                "ln -s x /usr/bin/y",
                "echo x > .Git/config",
                "sed -i s/a/b/ .vscode/tasks.json",
            ],
            &[
                "echo x > notes.md",
                "cp a b",
                "cat ~/.bashrc",
                "git config user.name x",
                "X=1 make",
                "ls hooks",
            ],
        );
    }
}
