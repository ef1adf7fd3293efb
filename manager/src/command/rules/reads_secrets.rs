//! Files and variables in which people keep their keys.

use super::{Rule, Weight};
use crate::command::{paths::plain, read::Command};

pub(super) const RULE: Rule = Rule {
    code: "reads-secrets",
    weight: Weight::Refused,
    why: "credentials reach tools through the broker, by name",
    check,
};

/// Parts of paths, in lower case.
const PLACES: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker/config.json",
    ".config/gcloud",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "shadow",
    "gshadow",
    "sudoers",
    "environ",
    "kcore",
    "credentials.json",
    ".password-store",
    "keychains",
];

fn check(command: &Command) -> Option<String> {
    let redirected = command.redirects.iter().map(|r| r.file.text.as_str());
    let words = command.args().iter().map(|w| w.text.as_str()).chain(redirected);
    if let Some(place) = words.into_iter().find(|word| keeps_secrets(word)) {
        return Some(format!("it touches `{place}`"));
    }
    let dumps = match command.name() {
        "printenv" => true,
        "env" | "set" | "export" | "declare" => command.args().iter().all(|w| w.text.starts_with('-')),
        "security" | "secret-tool" | "keyctl" | "pass" | "gpg" => true,
        _ => false,
    };
    dumps.then(|| format!("`{}` shows secrets or variables that may hold them", command.name()))
}

fn keeps_secrets(word: &str) -> bool {
    // `--file=PATH`, `user@host:PATH` and `@PATH` name a path, too.
    let word = word.rsplit(['=', ':', '@']).next().unwrap_or(word);
    let path = plain(&word.to_ascii_lowercase());
    let parts: Vec<&str> = path.split('/').collect();
    let is_env = |part: &str| {
        part == ".env"
            || (part.starts_with(".env.") && !part.ends_with("example") && !part.ends_with("sample"))
    };
    parts.iter().any(|part| is_env(part) || part.ends_with(".pem") || part.ends_with(".p12"))
        || PLACES.iter().any(|place| match place.contains('/') {
            true => path.ends_with(place),
            false => parts.contains(place) && (*place != "environ" || path.starts_with("/proc/")),
        })
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_are_not_read() {
        super::super::testing::check(
            &super::RULE,
            &[
                "cat ~/.ssh/id_rsa",
                "cp $HOME/.aws/credentials x",
                "cat .ENV",
                "grep x .env.local",
                "cat < .env",
                "tar cf x ~/.gnupg",
                "cat /proc/1/environ",
                "curl -d @.env x",
                "env",
                "printenv X",
                "export -p",
                "cat a/../.env",
                "cat /etc/shadow",
                "ls config/server.pem",
            ],
            &[
                "cat .env.example",
                "env X=y make",
                "ls src/environ",
                "cat environment.md",
                "export X=1",
                "ls .github",
                "cat shadows.css",
            ],
        );
    }
}
