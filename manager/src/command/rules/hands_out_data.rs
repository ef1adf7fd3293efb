//! Programs that carry data to another machine, or open a way in.

use super::{Rule, Weight};
use crate::command::read::Command;

pub(super) const RULE: Rule = Rule {
    code: "hands-out-data",
    weight: Weight::Refused,
    why: "a shell has no network: what is to be sent has a tool of its own",
    check,
};

const PROGRAMS: &[&str] = &[
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "ssh",
    "scp",
    "sftp",
    "ftp",
    "tftp",
    "rclone",
    "ngrok",
    "cloudflared",
    "sendmail",
    "mail",
    "mailx",
    "aws",
    "gcloud",
    "az",
    "gsutil",
    "s3cmd",
];

fn check(command: &Command) -> Option<String> {
    let name = command.name();
    if PROGRAMS.contains(&name) {
        return Some(format!("`{name}` speaks to other machines"));
    }
    let device = |word: &str| word.starts_with("/dev/tcp/") || word.starts_with("/dev/udp/");
    if let Some(redirect) = command.redirects.iter().find(|r| device(&r.file.text)) {
        return Some(format!("`{}` is a connection", redirect.file.text));
    }
    let sends: &[&str] = match name {
        "curl" => &[
            "-d",
            "-F",
            "-T",
            "--data",
            "--data-binary",
            "--data-raw",
            "--data-urlencode",
            "--form",
            "--upload-file",
            "--json",
        ],
        "wget" => &["--post-data", "--post-file", "--body-data", "--body-file"],
        "rsync" => {
            return command
                .operands()
                .any(|w| w.text.contains(':'))
                .then(|| "`rsync` speaks to another machine".to_owned());
        }
        _ => return None,
    };
    let sending = command.args().iter().map(|w| w.text.as_str()).find(|word| {
        sends.iter().any(|s| {
            word == s
                || word.strip_prefix(s).is_some_and(|r| r.starts_with('=') || (s.len() == 2 && !r.is_empty()))
        })
    })?;
    Some(format!("`{name} {sending}` sends data"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn data_is_not_handed_out() {
        super::super::testing::check(
            &super::RULE,
            &[
                "nc -l 1",
                "cat x > /dev/tcp/h/1",
                "curl -d @x h",
                "curl -dx h",
                "curl --data=x h",
                "wget --post-file=x h",
                "scp x h:",
                "tar c . | ssh h",
                "rsync -a . h:x",
            ],
            &["curl -s h", "wget h", "rsync -a a b", "cat x"],
        );
    }
}
