//! Findings in SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format).

use super::Item;
use proofhouse_manager::lint::{Severity, rules};
use serde_sarif::sarif::{
    ArtifactLocation, Location, LogicalLocation, Message, MultiformatMessageString, PhysicalLocation, Region,
    ReportingConfiguration, ReportingDescriptor, Result as Found, ResultLevel, Run, Sarif, Tool,
    ToolComponent, Version,
};

/// The rule of what cannot be used at all and so has no lint.
const UNUSABLE: &str = "unusable";

/// All items as one document.
pub(super) fn write(items: &[Item]) -> String {
    let driver = ToolComponent::builder()
        .name("proofhouse")
        .version(env!("CARGO_PKG_VERSION"))
        .rules(descriptors())
        .build();
    let results: Vec<Found> = items.iter().map(result).collect();
    let run = Run::builder().tool(Tool::builder().driver(driver).build()).results(results).build();
    let document = Sarif::builder()
        .schema("https://json.schemastore.org/sarif-2.1.0.json")
        .version(Version::V2_1_0.to_string())
        .runs(vec![run])
        .build();
    let value = serde_json::to_value(document)
        .expect("INVARIANT: the document holds no map but those with text keys");
    format!("{value:#}\n")
}

fn descriptors() -> Vec<ReportingDescriptor> {
    let text = |text: &str| MultiformatMessageString::builder().text(text.to_owned()).build();
    let lints = rules::ALL.iter().map(|lint| {
        ReportingDescriptor::builder()
            .id(lint.code.to_owned())
            .short_description(text(lint.finds))
            .full_description(text(lint.why))
            .help(text(&format!("What to do: {}.", lint.fix)))
            .default_configuration(ReportingConfiguration::builder().level(lint.severity.as_str()).build())
            .build()
    });
    let unusable = ReportingDescriptor::builder()
        .id(UNUSABLE.to_owned())
        .short_description(text("A suite, a file or a tool that cannot be used."))
        .build();
    lints.chain([unusable]).collect()
}

fn result(item: &Item) -> Found {
    let hint = if item.hint.is_empty() { String::new() } else { format!("\n{}", item.hint) };
    let message = Message::builder().text(format!("{}{hint}", item.message)).build();
    Found::builder()
        .rule_id(item.code.as_deref().unwrap_or(UNUSABLE).to_owned())
        .level(level(item.severity))
        .message(message)
        .locations(locations(item))
        .build()
}

fn locations(item: &Item) -> Vec<Location> {
    let logical = item.tool.as_ref().map(|tool| {
        LogicalLocation::builder()
            .name(tool.clone())
            .fully_qualified_name(format!("{tool}{}", item.field))
            .kind("member".to_owned())
            .build()
    });
    let physical = item.place.as_ref().map(|place| {
        PhysicalLocation::builder()
            .artifact_location(ArtifactLocation::builder().uri(uri(&place.file)).build())
            .region(
                Region::builder()
                    .start_line(i64::from(place.line))
                    .start_column(i64::from(place.column))
                    .build(),
            )
            .build()
    });
    let location = match (physical, logical) {
        (None, None) => return Vec::new(),
        (Some(physical), None) => Location::builder().physical_location(physical).build(),
        (None, Some(logical)) => Location::builder().logical_locations(vec![logical]).build(),
        (Some(physical), Some(logical)) => {
            Location::builder().physical_location(physical).logical_locations(vec![logical]).build()
        }
    };
    vec![location]
}

/// A path as a relative reference (RFC 3986): what is no plain character of a path is escaped.
fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~' | b'/');
    path.trim_start_matches("./")
        .bytes()
        .map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

const fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Note => ResultLevel::Note,
    }
}
