//! What is dangerous about a command: one file a rule, and its line in [`ALL`].

mod changes_rights;
mod destroys_disk;
mod hands_out_data;
mod loses_work;
mod plants_code;
mod raises_privileges;
mod reads_secrets;
mod removes_everything;
mod runs_what_it_is_sent;
mod runs_written_code;
mod stays_behind;
mod stops_others;

use super::read::{Command, CommandLine};
use serde::Serialize;

/// What becomes of a command that a rule finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Whoever is asked is told.
    Told,
    /// It is not run, whoever approves.
    Refused,
}

/// A rule about commands.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its stable name.
    pub code: &'static str,
    /// What becomes of what it finds.
    pub weight: Weight,
    /// Why, in a sentence.
    pub why: &'static str,
    /// Finds it: what of the command is dangerous.
    check: fn(&Command) -> Option<String>,
}

/// Every rule.
pub const ALL: &[Rule] = &[
    changes_rights::RULE,
    destroys_disk::RULE,
    hands_out_data::RULE,
    loses_work::RULE,
    plants_code::RULE,
    raises_privileges::RULE,
    reads_secrets::RULE,
    removes_everything::RULE,
    runs_what_it_is_sent::RULE,
    runs_written_code::RULE,
    stays_behind::RULE,
    stops_others::RULE,
];

/// Something dangerous in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Danger {
    /// The rule's name.
    pub rule: &'static str,
    /// What becomes of it.
    pub weight: Weight,
    /// The command.
    pub command: String,
    /// What of it, and why.
    pub what: String,
}

/// All that is dangerous in a line, in the order of its commands.
pub fn judge(line: &CommandLine) -> Vec<Danger> {
    let of = |command: &Command| {
        let found = ALL.iter().filter_map(|rule| Some((rule, (rule.check)(command)?)));
        let danger = |(rule, what): (&Rule, String)| Danger {
            rule: rule.code,
            weight: rule.weight,
            command: command.to_string(),
            what: format!("{what}: {}", rule.why),
        };
        found.map(danger).collect::<Vec<_>>()
    };
    line.commands.iter().flat_map(of).collect()
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::command::read;

    /// Holds that a rule finds something in each of the first lines and nothing in the others.
    pub(in crate::command) fn check(rule: &Rule, found: &[&str], passed: &[&str]) {
        let finds = |text: &str| read(text).unwrap().commands.iter().any(|c| (rule.check)(c).is_some());
        for text in found {
            assert!(finds(text), "`{}` does not find `{text}`", rule.code);
        }
        for text in passed {
            assert!(!finds(text), "`{}` finds `{text}`", rule.code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::read;

    #[test]
    fn every_file_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/command/rules");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().replace('_', "-");
            assert!(
                stem == "mod" || ALL.iter().any(|rule| rule.code == stem),
                "`{stem}` is not in the table"
            );
        }
    }

    #[test]
    fn a_danger_says_where_and_why() {
        let line = read("make && env rm -rf /").unwrap();
        let dangers = judge(&line);
        assert_eq!(dangers.len(), 1, "{dangers:?}");
        assert_eq!((dangers[0].rule, dangers[0].command.as_str()), ("removes-everything", "rm -rf /"));
        assert_eq!(dangers[0].weight, Weight::Refused);
    }

    #[test]
    fn ordinary_work_is_not_dangerous() {
        // What people ask a shell for, most of the day.
        for text in [
            "make docs",
            "cargo build --release 2>&1 | tail -n 20",
            "grep -rn 'TODO' src | sort | uniq -c | sort -rn | head",
            "find . -name '*.rs' -newer Cargo.toml",
            "rm -rf target/tmp build",
            "mkdir -p out && cp -r docs out/",
            "git status --short && git diff --stat",
            "sed -i 's/a/b/' src/lib.rs",
            "tar czf out.tgz docs",
            "npm run build > build.log",
            "NODE_ENV=test npx vitest run",
            "ls -la; wc -l *.md",
            "chmod +x scripts/run.sh",
            "python3 scripts/gen.py --out x",
            "kill 1234",
        ] {
            assert_eq!(judge(&read(text).unwrap()), [], "{text}");
        }
    }
}
