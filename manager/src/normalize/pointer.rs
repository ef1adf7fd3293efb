//! From a place in a descriptor to where its definition said so.

/// Fields of a descriptor, and where each format of definition keeps them.
const FIELDS: [(&str, &[&str]); 8] = [
    ("/schemas/inputSchema", &["/inputSchema", "/input_schema", "/function/parameters", "/parameters"]),
    ("/schemas/outputSchema", &["/outputSchema"]),
    ("/description/summary", &["/description", "/function/description"]),
    ("/displayName", &["/title", "/annotations/title", "/name", "/function/name"]),
    ("/canonicalName", &["/name", "/function/name"]),
    ("/toolId", &["/name", "/function/name"]),
    ("/effects", &["/annotations"]),
    ("/risk", &["/annotations"]),
];

/// JSON pointers into a definition that can be meant by one into its descriptor, the likeliest first; none for a
/// field that definitions do not state.
pub fn definition_pointers(descriptor: &str) -> Vec<String> {
    let found = FIELDS.iter().find_map(|(field, places)| {
        let rest = descriptor.strip_prefix(field)?;
        (rest.is_empty() || rest.starts_with('/')).then_some((rest, *places))
    });
    let Some((rest, places)) = found else { return Vec::new() };
    places
        .iter()
        .map(|place| if *place == "/annotations" { (*place).to_owned() } else { format!("{place}{rest}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_in_every_format() {
        assert_eq!(
            definition_pointers("/schemas/inputSchema/properties/a"),
            [
                "/inputSchema/properties/a",
                "/input_schema/properties/a",
                "/function/parameters/properties/a",
                "/parameters/properties/a"
            ]
        );
        assert_eq!(definition_pointers("/effects/writes"), ["/annotations"]);
        assert_eq!(definition_pointers("/sandbox/mode"), [""; 0]);
    }
}
