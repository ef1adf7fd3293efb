//! The page: one file that opens from a disk, without network, without anything beside it.
//!
//! Tera renders the shell and the front page, so that the summary is there before and without any script.
//! Tables and trials go behind it as JSON in inert `<script>` elements, written straight into the output
//! while the trials stream by: the page of a large run is never in memory. Details of trials lie in blocks
//! that the page parses when one of their trials is opened.
//!
//! What comes from a run enters the page in two ways only: through Tera with escaping on, or as JSON without
//! a `<` that the scripts put into text nodes. The page's content security policy allows the one script whose
//! digest it names, and no request to anywhere.

mod budget;
mod index;
mod intern;
mod measures;
mod policy;
mod rows;
mod script_safe;
mod views;

use super::{ReportError, ReportFormat, RunView, front::Front};
use budget::{Budget, LeftOut};
use index::Index;
use rows::Tables;
use script_safe::write_json;
use serde::Serialize;
use std::io::{self, Write};
use tera::{Context, Tera};

/// How many trials share a block of details.
const BLOCK: usize = 200;

const TEMPLATE: &str = include_str!("../../../reports/templates/report.html.tera");

const STYLE: &str = concat!(
    include_str!("../../../reports/assets/css/base.css"),
    include_str!("../../../reports/assets/css/summary.css"),
    include_str!("../../../reports/assets/css/tools.css"),
    include_str!("../../../reports/assets/css/trials.css"),
    include_str!("../../../reports/assets/css/media.css"),
);

const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("../../../reports/assets/js/dom.js"),
    include_str!("../../../reports/assets/js/data.js"),
    include_str!("../../../reports/assets/js/rate.js"),
    include_str!("../../../reports/assets/js/query.js"),
    include_str!("../../../reports/assets/js/json.js"),
    include_str!("../../../reports/assets/js/trial.js"),
    include_str!("../../../reports/assets/js/trials.js"),
    include_str!("../../../reports/assets/js/tools.js"),
    include_str!("../../../reports/assets/js/tool.js"),
    include_str!("../../../reports/assets/js/confusion.js"),
    include_str!("../../../reports/assets/js/curve.js"),
    include_str!("../../../reports/assets/js/weight.js"),
    include_str!("../../../reports/assets/js/groups.js"),
    include_str!("../../../reports/assets/js/main.js"),
);

/// One self-contained HTML page.
pub(super) struct Html;

impl ReportFormat for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["html", "htm"]
    }

    fn write(&self, mut run: RunView<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
        out.write_all(shell(&run)?.as_bytes())?;
        let mut tables = Tables::default();
        for tool in &run.head.tools {
            tables.tools.number(&tool.id);
        }
        let (index, left_out) = write_trials(&mut run, &mut tables, out)?;
        let catalogue: Vec<_> =
            run.head.tools.iter().map(|tool| (tool.level, tool.tokens, &tool.summary)).collect();
        write_island(out, "data-catalogue", &catalogue)?;
        write_island(out, "data-metrics", &measures::of(&run, &mut tables.tools))?;
        write_island(out, "data-index", &index.json())?;
        write_island(out, "data-views", tables.views.list())?;
        write_island(out, "data-tables", &TablesJson::new(&tables, left_out))?;
        write!(out, "<script>{SCRIPT}</script>\n</body>\n</html>\n")?;
        Ok(())
    }
}

/// The texts that everything else refers to by number.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TablesJson<'a> {
    tools: &'a [String],
    texts: &'a [String],
    block: usize,
    left_out: LeftOut,
}

impl<'a> TablesJson<'a> {
    fn new(tables: &'a Tables, left_out: LeftOut) -> Self {
        Self { tools: tables.tools.list(), texts: tables.texts.list(), block: BLOCK, left_out }
    }
}

/// Everything up to the data: head, style, front page.
fn shell(run: &RunView<'_>) -> Result<String, ReportError> {
    let mut tera = Tera::default();
    tera.autoescape_on([".tera"]);
    tera.add_raw_template("report.html.tera", TEMPLATE)?;
    let mut context = Context::new();
    context.insert("front", &Front::of(run));
    context.insert("style", STYLE);
    context.insert("script_digest", &policy::script_source(SCRIPT));
    Ok(tera.render("report.html.tera", &context)?)
}

/// Streams the trials into blocks of details; what the list needs of them is kept.
fn write_trials(
    run: &mut RunView<'_>,
    tables: &mut Tables,
    out: &mut dyn Write,
) -> Result<(Index, LeftOut), ReportError> {
    let mut index = Index::default();
    let mut budget = Budget::for_run(&run.head.ends);
    for trial in &mut *run.trials {
        if !budget.keeps(trial.end) {
            continue;
        }
        let events = match budget.keeps_events(trial.end) {
            true => (run.events)(trial.events.0, trial.events.1),
            false => Vec::new(),
        };
        start_row(out, index.len())?;
        write_json(out, &tables.detail(&trial, &events))?;
        index.push(&trial, tables);
    }
    if index.len() > 0 {
        out.write_all(b"]</script>\n")?;
    }
    Ok((index, budget.left_out()))
}

/// Opens a block before its first row, and parts rows by commas.
fn start_row(out: &mut dyn Write, number: usize) -> io::Result<()> {
    if !number.is_multiple_of(BLOCK) {
        return out.write_all(b",\n");
    }
    if number > 0 {
        out.write_all(b"]</script>\n")?;
    }
    write!(out, "<script type=\"application/json\" id=\"data-block-{}\">[", number / BLOCK)
}

fn write_island<T: Serialize + ?Sized>(out: &mut dyn Write, id: &str, value: &T) -> io::Result<()> {
    write!(out, "<script type=\"application/json\" id=\"{id}\">")?;
    write_json(out, value)?;
    out.write_all(b"</script>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SmallRun;

    #[test]
    fn the_same_run_is_the_same_page() {
        let run = SmallRun::new();
        assert_eq!(run.written(&Html), run.written(&Html));
    }

    #[test]
    fn nothing_of_the_run_becomes_markup() {
        let page = SmallRun::new().written(&Html);
        assert!(!page.contains("</script><b>"), "a text left its script element");
        let islands = page.matches("<script type=\"application/json\"").count();
        assert_eq!(page.matches("<script").count(), islands + 1, "one script runs, the others are data");
        assert_eq!(page.matches("</script>").count(), islands + 1);
    }

    #[test]
    fn nothing_is_loaded_from_anywhere() {
        let page = SmallRun::new().written(&Html);
        for address in ["https:", "src=", "@import", "url("] {
            assert!(!page.contains(address), "the page holds `{address}`");
        }
        // Namespaces are names, not addresses.
        let named = page.matches("http://www.w3.org/").count();
        assert_eq!(page.matches("http:").count(), named);
    }

    #[test]
    fn the_script_is_the_one_that_the_policy_names() {
        let page = SmallRun::new().written(&Html);
        let script = page.rsplit_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
        assert!(page.contains(&format!("script-src '{}'", policy::script_source(script))));
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn every_script_and_style_of_the_folder_is_in_the_page() {
        let page = SmallRun::new().written(&Html);
        for folder in ["js", "css"] {
            let folder = format!("{}/reports/assets/{folder}", env!("CARGO_MANIFEST_DIR"));
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                assert!(
                    page.contains(&std::fs::read_to_string(&path).unwrap()),
                    "{} is missing",
                    path.display()
                );
            }
        }
    }
}
