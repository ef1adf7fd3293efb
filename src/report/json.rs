//! One JSON document: head, metrics, verdicts, and every trial that did not pass.

use super::{Failure, ReportError, ReportFormat, ReportHead, RunView};
use crate::{
    metric::{Judgement, Metrics},
    run::TrialRecord,
};
use serde::{Serialize, Serializer};
use std::{cell::RefCell, io::Write};

/// The version of the document. A reader of version 1 may meet new fields, never changed ones.
const FORMAT: &str = "proofhouse.report/1";

/// One JSON document.
pub(super) struct Json;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    format: &'static str,
    head: &'a ReportHead,
    judgements: &'a [Judgement],
    metrics: &'a Metrics,
    failures: Failures<'a>,
}

/// The failures, made while they are written: they are never in memory together.
struct Failures<'a>(RefCell<&'a mut dyn Iterator<Item = TrialRecord>>);

impl Serialize for Failures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut trials = self.0.borrow_mut();
        serializer.collect_seq((&mut **trials).filter_map(|trial| Failure::of(&trial)))
    }
}

impl ReportFormat for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn write(&self, run: RunView<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
        let document = Document {
            format: FORMAT,
            head: run.head,
            judgements: run.judgements,
            metrics: run.metrics,
            failures: Failures(RefCell::new(run.trials)),
        };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        out.write_all(b"\n")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SmallRun;
    use serde_json::Value;

    #[test]
    fn it_is_one_document_with_every_failure() {
        let document: Value = serde_json::from_str(&SmallRun::new().written(&Json)).unwrap();
        assert_eq!(document["format"], FORMAT);
        assert_eq!(document["head"]["runId"], "run_1");
        assert_eq!(document["metrics"]["models"].as_array().map(Vec::len), Some(2));
        let cases: Vec<_> =
            document["failures"].as_array().unwrap().iter().map(|failure| &failure["case"]).collect();
        assert_eq!(cases, ["limits", "deletes", "hangs"]);
        assert_eq!(document["failures"][0]["path"], "/limit");
    }
}
