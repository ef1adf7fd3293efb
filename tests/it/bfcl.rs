//! The recorded answers of real models: our verdicts beside those of the checker that recorded them.

use proofhouse::{
    import::bfcl::{Parity, parity},
    matcher::bfcl::Rules,
};
use std::path::Path;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/bfcl");

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn compare(rules: Rules) -> Option<Parity> {
    let folder = Path::new(FOLDER);
    if !folder.is_dir() {
        eprintln!("SKIPPED: no recorded answers in `{FOLDER}`");
        return None;
    }
    Some(parity(folder, rules).unwrap())
}

#[test]
fn every_verdict_and_published_accuracy_of_2024_is_equal() {
    let Some(found) = compare(Rules::V2024) else { return };
    assert!(found.holds(), "{found}");
    // Seven categories, their pooled simple ones and their summary, of 18 models.
    assert_eq!((found.rows, found.disagreements, found.published), (25_020, 0, 18 * 9));
}

#[test]
fn every_verdict_of_version_4_is_equal() {
    let Some(found) = compare(Rules::V4) else { return };
    assert!(found.holds(), "{found}");
    assert_eq!((found.rows, found.disagreements, found.published), (25_020, 0, 18 * 7));
}
