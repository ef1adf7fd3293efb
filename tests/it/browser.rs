//! The HTML report in a real browser: what a reader sees, from a file, without network.
//!
//! Without Chromium on the path these tests say so and prove nothing; `PROOFHOUSE_REQUIRE_CHROMIUM=1` makes
//! that a failure.

use crate::synthetic::{HOSTILE, Synthetic, events};
use proofhouse::{
    conform,
    metric::{MetricFold, Worst, judge},
    report::{RunView, for_path},
    stats::Resampling,
    suite::Thresholds,
};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// Longer than any page takes; a browser that hangs is ended, not waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// A report in a folder of its own, and the browser that reads it.
struct Page {
    folder: TempDir,
    chromium: PathBuf,
    run: Synthetic,
    worst: Worst,
    worst_model: String,
}

impl Page {
    /// The report of so many trials; `None` where there is no browser.
    fn of(trials: usize) -> Option<Self> {
        let chromium = chromium()?;
        let run = Synthetic::run(trials);
        let folder = tempfile::tempdir().unwrap();
        let mut fold = MetricFold::new(Resampling::default());
        run.trials.iter().for_each(|trial| fold.add(trial));
        let metrics = fold.finish();
        let thresholds = Thresholds { precision: Some(0.8), ..Thresholds::default() };
        let path = folder.path().join("report.html");
        let mut out = BufWriter::new(File::create(&path).unwrap());
        let view = RunView {
            head: &run.head,
            metrics: &metrics,
            judgements: &judge(&metrics, &thresholds),
            trials: &mut run.trials.iter().cloned(),
            events: &mut events,
        };
        for_path(&path).unwrap().write(view, &mut out).unwrap();
        out.flush().unwrap();
        let low = |worst: &Worst| worst.f1.interval.map_or(0.0, |(low, _)| low);
        let worst =
            metrics.models.iter().filter_map(|model| Some((model.worst.clone()?, model.model.clone())));
        let (worst, worst_model) = worst.min_by(|a, b| low(&a.0).total_cmp(&low(&b.0))).unwrap();
        Some(Self { folder, chromium, run, worst, worst_model })
    }

    /// The page as it is after its script has run, opened at `hash`.
    fn dom(&self, hash: &str) -> String {
        let page = format!("file://{}{hash}", self.folder.path().join("report.html").display());
        let dom = dump(&self.chromium, self.folder.path(), &page);
        assert!(dom.contains("data-ready=\"yes\""), "the page's script did not finish at `{hash}`");
        assert!(
            !dom.contains("data-error="),
            "the page's script failed at `{hash}`: {:.500}",
            between(&dom, "data-error=\"", "\"")
        );
        dom
    }
}

/// A page as the browser has made it.
fn dump(chromium: &Path, folder: &Path, page: &str) -> String {
    let dump = folder.join("dom.html");
    let mut browser = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(page)
        .stdout(File::create(&dump).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut waited = Duration::ZERO;
    while browser.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(50));
        waited += Duration::from_millis(50);
        if waited > PATIENCE {
            browser.kill().unwrap();
        }
    }
    std::fs::read_to_string(dump).unwrap()
}

/// The page of a conformance report: a violation is open, and no text of a journal is markup.
#[test]
fn a_conformance_report_opens_without_a_script() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("log.jsonl");
    std::fs::write(&journal, "{\"type\":\"ToolCallFinished\",\"toolCallId\":\"<img src=x id=hurt>\"}\n")
        .unwrap();
    let report = conform::judge_files(&[journal], &conform::Options::default()).unwrap();
    let path = folder.path().join("conform.html");
    std::fs::write(&path, conform::format::for_path(&path).unwrap().tell(&report).unwrap()).unwrap();
    let dom = dump(&chromium, folder.path(), &format!("file://{}", path.display()));
    for part in ["It does not conform", "id=\"invariant-16\"", "&lt;img src=x id=hurt&gt;", "R2.1", "absent"]
    {
        assert!(dom.contains(part), "no {part} in {dom:.3000}");
    }
    assert!(!dom.contains("<img"));
    assert_eq!(dom.matches("open=\"\"").count(), 1, "the violated invariant is open, and it alone");
}

/// The browser, if there is one.
#[expect(clippy::print_stderr, reason = "a test that proves nothing must say so")]
#[expect(clippy::disallowed_methods, reason = "whether a browser is there is a fact of the machine")]
fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| Path::is_file(path));
    if found.is_none() {
        assert!(std::env::var_os("PROOFHOUSE_REQUIRE_CHROMIUM").is_none(), "no Chromium on the path");
        eprintln!("SKIPPED: no Chromium on the path, so nothing about the report in a browser was tested");
    }
    found
}

/// What stands between two marks, the first time.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let rest = text.split_once(start).map_or("", |(_, rest)| rest);
    rest.split_once(end).map_or(rest, |(inside, _)| inside)
}

/// The text of an element, without its markup.
fn text_of(dom: &str, id: &str) -> String {
    let mut text = String::new();
    let mut inside_tag = false;
    for c in between(dom, &format!("id=\"{id}\""), "</section>").chars().skip_while(|c| *c != '>').skip(1) {
        match c {
            '<' => inside_tag = true,
            '>' => inside_tag = false,
            c if !inside_tag => text.push(c),
            _ => {}
        }
    }
    text
}

#[test]
fn ten_thousand_trials_open_on_the_worst_tool() {
    let Some(page) = Page::of(10_000) else { return };
    let dom = page.dom("");
    let summary = text_of(&dom, "summary");
    assert!(summary.contains("trials failed"), "{summary}");
    let case = page.worst.case.as_ref().unwrap();
    for part in [&*page.worst.tool, &case.case, &page.worst_model] {
        assert!(summary.contains(part), "`{part}` is not in the summary: {summary}");
    }
    assert!(
        !between(&dom, "id=\"worst-story\">", "<").is_empty(),
        "what went wrong in the worst case is not told"
    );
    assert!(text_of(&dom, "tools").contains("of 4,0"), "every known tool is within reach");
    // Of 10,000 trials, a screenful is in the page.
    assert!(dom.matches("class=\"trial-row\"").count() < 100);
}

#[test]
fn the_page_asks_nobody_for_anything() {
    let Some(page) = Page::of(500) else { return };
    let dom = page.dom("");
    for reference in ["src=\"", "href=\""] {
        for address in dom.split(reference).skip(1).map(|rest| rest.split('"').next().unwrap()) {
            // Prompts that try it are text: their markup is escaped, so it never follows an unescaped quote.
            assert!(address.starts_with('#'), "`{reference}{address}` leads out of the page");
        }
    }
}

#[test]
fn the_link_of_the_worst_case_opens_a_trial_that_went_wrong() {
    let Some(page) = Page::of(2_000) else { return };
    let link = between(&page.dom(""), "id=\"worst\"", "</section>").to_owned();
    let hash = between(&link, "href=\"#case=", "\"");
    let dom = page.dom(&format!("#case={hash}"));
    let detail = between(&dom, "<article class=\"trial\"", "</article>");
    assert!(detail.contains(&format!("Trial {}", page.worst.case.as_ref().unwrap().case)));
    assert!(detail.contains("is-fail"));
}

#[test]
fn a_link_opens_a_trial_at_the_path_that_differs() {
    let Some(page) = Page::of(2_000) else { return };
    let mut differing = page
        .run
        .trials
        .iter()
        .filter(|trial| trial.turns[0].pairs.iter().any(|pair| !pair.mismatches.is_empty()));
    let trial = differing.next().unwrap();
    let path = &trial.turns[0].pairs[0].mismatches[0].path;
    let key = &trial.key;
    let hash = format!(
        "#trial={}%2F{}%2F{}%2F{}%2F{}",
        key.suite,
        key.model.replace(':', "%253A"),
        key.distractors,
        key.case,
        key.repeat
    );
    let dom = page.dom(&hash);
    let detail = between(&dom, "<article class=\"trial\"", "</article>");
    assert!(detail.contains(&format!("data-path=\"{path}\"")), "the differing line is not marked");
    assert!(detail.contains(&format!("<code class=\"path\">{path}</code>")), "the mismatch is not listed");
    for part in ["Offered 16 tools", "in the journal", "ToolPolicyChecked", &trial.turns[0].calls[0].call_id]
    {
        assert!(detail.contains(part), "`{part}` is not shown");
    }
}

#[test]
fn a_filter_in_the_address_finds_what_the_records_hold() {
    let Some(page) = Page::of(2_000) else { return };
    let count = |keep: &dyn Fn(&proofhouse::run::TrialRecord) -> bool| {
        page.run.trials.iter().filter(|trial| keep(trial)).count()
    };
    let tool = page.worst.tool.as_str();
    let about = |trial: &proofhouse::run::TrialRecord| {
        let turn = &trial.turns[0];
        turn.expected.iter().any(|call| &*call.tool == tool)
            || turn.calls.iter().any(|call| &*call.tool == tool)
    };
    use proofhouse::run::{CaseKind, TrialEnd};
    let rows = [
        (
            "end:fail model:lexical".to_owned(),
            count(&|t| t.end == TrialEnd::Fail && t.key.model == "lexical"),
        ),
        (
            "kind:negative called:none".to_owned(),
            count(&|t| t.kind == CaseKind::Negative && t.turns[0].calls.is_empty()),
        ),
        (format!("tool:{tool}"), count(&|t| about(t))),
        (
            "tag:lang:de distractors:20".to_owned(),
            count(&|t| t.tags.contains(&"lang:de".into()) && t.key.distractors == 20),
        ),
        (
            "\"for the quarterly report\"".to_owned(),
            count(&|t| t.turns[0].prompt.contains("for the quarterly report")),
        ),
        ("nothing-like-this".to_owned(), 0),
    ];
    for (query, found) in rows {
        let encoded = query.replace('%', "%25").replace(' ', "%20").replace('"', "%22").replace(':', "%3A");
        let dom = page.dom(&format!("#filter={encoded}"));
        assert!(
            dom.contains(&format!("data-found=\"{found}\"")),
            "`{query}` finds {}, not {found}",
            between(&dom, "data-found=\"", "\"")
        );
    }
}

#[test]
fn a_tool_opens_with_its_numbers_and_its_failures() {
    let Some(page) = Page::of(2_000) else { return };
    let dom = page.dom(&format!("#tool={}", page.worst.tool));
    let detail = between(&dom, "id=\"tool-detail\"", "</aside>");
    for part in ["Precision", "did not pass", "#trial="] {
        assert!(detail.contains(part), "`{part}` is not shown");
    }
    let unknown = page.dom("#tool=no.such_tool");
    assert!(unknown.contains("No tool `no.such_tool` in this run."));
}

#[test]
fn a_prompt_that_is_markup_stays_text() {
    let Some(page) = Page::of(500) else { return };
    let trial = page.run.trials.iter().find(|trial| trial.turns[0].prompt.contains(HOSTILE)).unwrap();
    let key = &trial.key;
    let dom = page.dom(&format!(
        "#trial={}%2F{}%2F{}%2F{}%2F0",
        key.suite,
        key.model.replace(':', "%253A"),
        key.distractors,
        key.case
    ));
    let detail = between(&dom, "<article class=\"trial\"", "</article>");
    assert!(detail.contains("&lt;img src=x"), "the prompt is not shown as it is");
    assert!(!dom.contains("<img"));
}
