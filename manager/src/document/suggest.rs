//! What a user may have meant by a name that nobody knows.

use strsim::{damerau_levenshtein, jaro_winkler};

/// The known name that is nearest to `name`, if one is near enough to be meant.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    known
        .into_iter()
        .filter_map(|candidate| Some((nearness(&wanted, &candidate.to_lowercase())?, candidate)))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

/// How near two names are, or nothing if a slip of the hand does not lead from one to the other.
///
/// Edits decide for names of some length, where one in three may be wrong; the first letters break ties.
fn nearness(wanted: &str, candidate: &str) -> Option<f64> {
    let length = wanted.chars().count().max(candidate.chars().count());
    let edits = damerau_levenshtein(wanted, candidate);
    let similar = jaro_winkler(wanted, candidate);
    (edits <= length.div_ceil(3) || similar > 0.9).then_some(similar - edits as f64 * 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognized_and_strangers_are_not() {
        let known = ["expect", "example", "forbid", "maxLevel", "npm.test", "$startsWith", "$contains"];
        for (name, meant) in [
            ("expct", Some("expect")),
            ("exmaple", Some("example")),
            ("maxlevel", Some("maxLevel")),
            ("$startWith", Some("$startsWith")),
            ("npm.tests", Some("npm.test")),
            ("$contain", Some("$contains")),
            ("colour", None),
            ("x", None),
        ] {
            assert_eq!(did_you_mean(name, known), meant, "{name}");
        }
    }
}
