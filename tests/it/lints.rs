//! The lints over what 155 real servers serve, held against a list of known findings.
//!
//! Where the list is exact, the findings must be the same tools, less the differences that are named here with
//! their reason. Where it goes by word lists, agreement is measured and held above a floor.

use proofhouse_manager::{
    adapters::sources::McpCapture,
    lint::{Finding, lint_registry, lint_tool},
    model::{ToolDescriptor, TrustLevel},
    port::{Discovered, ToolSourcePort as _},
};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// `server.tool`.
type Tools = BTreeSet<String>;

/// The findings of one lint that one rule of the list speaks of.
struct Rule {
    rule: &'static str,
    lint: &'static str,
    /// Words that the message must have, where a lint covers several rules.
    says: &'static str,
}

const fn rule(rule: &'static str, lint: &'static str) -> Rule {
    Rule { rule, lint, says: "" }
}

/// Rules that a program can decide, so both must say the same.
const EXACT: [Rule; 31] = [
    rule("annotations-without-read-or-destructive-hint", "effect-hints-missing"),
    rule("array-without-items", "array-without-items"),
    rule("default-null-not-allowed-by-type", "default-null-not-allowed"),
    rule("default-violates-schema", "default-violates-schema"),
    rule("description-empty", "description-missing"),
    rule("description-outer-whitespace", "description-outer-whitespace"),
    rule("description-over-1024", "description-too-long"),
    rule("description-very-short", "description-too-short"),
    rule("duplicate-description-in-server", "duplicate-description"),
    rule("duplicate-name", "name-collision"),
    rule("enum-", "enum-unusable"),
    rule("format-not-in-json-schema", "format-unknown"),
    rule("inputSchema-fails-metaschema", "input-schema-unusable"),
    rule("inputSchema-type-not-object", "input-schema-type-missing"),
    rule("name-starts-with-underscore", "name-starts-with-underscore"),
    rule("outputSchema-vacuous", "output-schema-vacuous"),
    rule("over-25-parameters", "too-many-parameters"),
    rule("param-name-outside-[a-zA-Z0-9_.-]{1,64}", "parameter-name-unusable"),
    Rule { says: "look-around", ..rule("pattern-uses-lookaround", "pattern-not-linear") },
    Rule { says: "back-reference", ..rule("pattern-uses-backreference", "pattern-not-linear") },
    rule("property-without-type", "property-without-type"),
    rule("readOnlyHint-and-destructiveHint-both-true", "hints-contradict"),
    rule("ref-dangling", "ref-dangling"),
    rule("ref-not-local", "ref-not-local"),
    rule("ref-recursive", "ref-recursive"),
    rule("required-names-unknown-property", "required-names-unknown-property"),
    rule("required-with-default", "required-with-default"),
    rule("title-and-annotations-title-differ", "titles-differ"),
    rule("title-equals-name", "title-equals-name"),
    rule("unknown-annotation", "unknown-annotation"),
    rule("unknown-tool-field", "unknown-tool-field"),
];

/// Where the lint finds more than the list (`+`) or less (`-`): rule, tools, and why that is right.
///
/// A name that ends in `.*` stands for every tool of a server.
const DIFFERENCES: [(&str, char, &[&str], &str); 3] = [
    ("enum-", '+', &["netlify.netlify-coding-rules"], "the list of allowed values is empty, so no value is"),
    (
        "required-names-unknown-property",
        '+',
        &["cloudflare-local.worker_put"],
        "the items of `migrations` require a `tag` that they do not describe; the list looks at the root alone",
    ),
    (
        "title-equals-name",
        '+',
        &[
            "mongodb.*",
            "ms365.download-bytes",
            "ms365.download-bytes-to-file",
            "ms365.get-download-url",
            "ms365.list-accounts",
            "ms365.parse-teams-url",
        ],
        "the title stands in the annotations, which people see as well",
    ),
];

/// Rules by word lists: how much of what the list finds the lint must find, and how much of what it finds must be
/// in the list, at least. The list is no truth; the documentation of the lints says who is right where they differ.
const HEURISTIC: [(Rule, f64, f64); 17] = [
    (rule("catch-all", "catch-all-tool|mixed-read-and-write"), 0.9, 0.9),
    (rule("description-emoji", "description-emoji"), 0.95, 0.95),
    (rule("description-hides-from-user", "hides-from-user"), 0.0, 1.0),
    (rule("description-names-tool-not-offered", "unknown-neighbour"), 0.3, 0.1),
    (rule("description-openapi-or-curl-leftover", "description-leftover"), 0.9, 0.9),
    (rule("description-restates-name", "description-restates-name"), 1.0, 0.0),
    (rule("description-says-deprecated", "description-says-deprecated"), 0.9, 0.9),
    (rule("description-shouting", "description-shouts"), 0.95, 0.8),
    (rule("description-steers-model", "steers-model"), 0.4, 0.7),
    (rule("description-tags", "description-markup"), 0.1, 0.9),
    (rule("destructive-verb-destructiveHint-false", "destructive-hint-denied"), 1.0, 1.0),
    (rule("destructive-verb-no-destructiveHint", "destructive-hint-missing"), 0.95, 0.95),
    (rule("parameter-asks-about-model-or-prompt", "prompt-parameter"), 0.5, 0.9),
    (rule("readOnlyHint-true-", "read-only-hint-on-writer"), 0.55, 0.7),
    (rule("secret-like-parameter", "secret-parameter"), 0.55, 0.55),
    (rule("single-wrapper-object", "single-wrapper-object"), 0.85, 0.9),
    (rule("tool-over-20kB", "tool-too-large"), 0.8, 0.95),
];

struct Corpus {
    listed: BTreeMap<String, Tools>,
    findings: Vec<(String, Finding)>,
    tools: Vec<ToolDescriptor>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/mcp")
}

/// What 155 servers serve, linted once; nothing where it does not lie beside the repository.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
static CORPUS: LazyLock<Option<Corpus>> = LazyLock::new(|| {
    if !folder().is_dir() {
        eprintln!("SKIPPED: no shared/data/mcp beside the repository");
        return None;
    }
    let mut listed: BTreeMap<String, Tools> = BTreeMap::new();
    for row in csv::Reader::from_path(folder().join("lint-findings.csv")).unwrap().records() {
        let row = row.unwrap();
        listed.entry(row[2].to_owned()).or_default().insert(format!("{}.{}", &row[0], &row[1]));
    }
    let mut paths: Vec<_> =
        std::fs::read_dir(folder().join("servers")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let linted: Vec<(ToolDescriptor, Vec<Finding>)> =
        paths.into_par_iter().flat_map_iter(lint_server).collect();
    let mut findings: Vec<Finding> = Vec::new();
    let mut tools = Vec::new();
    for (tool, found) in linted {
        tools.push(tool);
        findings.extend(found);
    }
    findings.extend(lint_registry(&tools.iter().collect::<Vec<_>>()));
    let findings = findings.into_iter().map(|f| (f.tool.to_string(), f)).collect();
    Some(Corpus { listed, findings, tools })
});

fn lint_server(path: PathBuf) -> Vec<(ToolDescriptor, Vec<Finding>)> {
    let found = McpCapture { path, trust: TrustLevel::Untrusted }.discover().unwrap();
    assert!(found.rejected.is_empty(), "{:?}", found.rejected);
    let lint = |tool: Discovered| {
        let findings = lint_tool(&tool.descriptor, tool.served.as_ref());
        (tool.descriptor, findings)
    };
    found.tools.into_iter().map(lint).collect()
}

impl Corpus {
    /// What the list finds; a rule that ends in `-` stands for all that begin so.
    fn listed(&self, rule: &str) -> Tools {
        let named = |known: &str| known == rule || (rule.ends_with('-') && known.starts_with(rule));
        self.listed.iter().filter(|(known, _)| named(known)).flat_map(|(_, tools)| tools.clone()).collect()
    }

    fn found(&self, rule: &Rule) -> Tools {
        let of = |finding: &Finding| {
            rule.lint.split('|').any(|code| code == finding.code.as_str())
                && finding.message.contains(rule.says)
        };
        self.findings.iter().filter(|(_, finding)| of(finding)).map(|(tool, _)| tool.clone()).collect()
    }
}

fn is_named(tool: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.strip_suffix('*').map_or(tool == *name, |server| tool.starts_with(server)))
}

#[test]
fn what_can_be_decided_is_decided_alike() {
    let Some(corpus) = &*CORPUS else { return };
    let mut wrong = Vec::new();
    for rule in &EXACT {
        let (listed, found) = (corpus.listed(rule.rule), corpus.found(rule));
        let allowed = |sign: char, tool: &str| {
            DIFFERENCES
                .iter()
                .any(|(of, with, names, _)| *of == rule.rule && *with == sign && is_named(tool, names))
        };
        let missing =
            listed.difference(&found).filter(|tool| !allowed('-', tool)).map(|tool| format!("-{tool}"));
        let extra =
            found.difference(&listed).filter(|tool| !allowed('+', tool)).map(|tool| format!("+{tool}"));
        wrong.extend(missing.chain(extra).map(|difference| format!("{}: {difference}", rule.rule)));
    }
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

#[test]
fn every_named_difference_is_one() {
    let Some(corpus) = &*CORPUS else { return };
    for (of, sign, names, why) in DIFFERENCES {
        let rule = EXACT.iter().find(|rule| rule.rule == of).unwrap();
        let (listed, found) = (corpus.listed(of), corpus.found(rule));
        let different: Tools = if sign == '+' { &found - &listed } else { &listed - &found };
        for name in names {
            assert!(
                different.iter().any(|tool| is_named(tool, &[name])),
                "{of} {sign}{name} ({why}) is no difference"
            );
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures of the documentation come from here")]
fn word_lists_are_met_and_bettered() {
    let Some(corpus) = &*CORPUS else { return };
    println!("| rule of the list | lint | listed | found | both | recall | precision |");
    for (rule, recall_floor, precision_floor) in &HEURISTIC {
        let (listed, found) = (corpus.listed(rule.rule), corpus.found(rule));
        let both = listed.intersection(&found).count() as f64;
        let share = |of: usize| if of == 0 { 1.0 } else { both / of as f64 };
        let (recall, precision) = (share(listed.len()), share(found.len()));
        println!(
            "| {} | {} | {} | {} | {both} | {recall:.2} | {precision:.2} |",
            rule.rule,
            rule.lint,
            listed.len(),
            found.len()
        );
        assert!(recall >= *recall_floor && precision >= *precision_floor, "{}", rule.rule);
    }
}

/// Groups of tools that people found confusable: how many of their members the lint finds, and for how many it
/// names another of the group.
#[test]
#[expect(clippy::print_stdout, reason = "the figures of the documentation come from here")]
fn confusable_neighbours_are_found() {
    let Some(corpus) = &*CORPUS else { return };
    let lines = std::fs::read_to_string(folder().join("confusable.jsonl")).unwrap();
    let known: Tools = corpus.tools.iter().map(|tool| tool.tool_id.to_string()).collect();
    let (mut members, mut found, mut matched, mut groups, mut touched) = (0, 0, 0, 0, 0);
    for line in lines.lines() {
        let group: serde_json::Value = serde_json::from_str(line).unwrap();
        let names = group["tools"].as_array().unwrap().iter().map(|tool| tool["tool"].as_str().unwrap());
        let tools: Vec<&str> = names.filter(|name| known.contains(*name)).collect();
        let mut any = false;
        for tool in &tools {
            members += 1;
            let mut told =
                corpus.findings.iter().filter(|(t, f)| t == tool && f.code.as_str() == "confusable-tools");
            if let Some((_, finding)) = told.next() {
                found += 1;
                let names_another = tools.iter().any(|other| finding.message.contains(&format!("`{other}`")));
                matched += usize::from(names_another);
                any |= names_another;
            }
        }
        groups += 1;
        touched += usize::from(any);
    }
    let all = corpus.findings.iter().filter(|(_, f)| f.code.as_str() == "confusable-tools").count();
    println!(
        "confusable: {found} of {members} members found, {matched} with another of their group; {touched} of {groups} groups; {all} of {} tools in all",
        corpus.tools.len()
    );
    assert!(touched * 10 >= groups * CONFUSABLE_GROUPS_FLOOR, "{touched} of {groups} groups");
}

/// In tenths.
const CONFUSABLE_GROUPS_FLOOR: usize = 6;
