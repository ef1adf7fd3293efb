//! Cases from a table: `id,kind,prompt,tool,args,forbid,approval,tags`.
//!
//! `tool`, `forbid` and `tags` take several values, separated by `;`. `args` is a JSON object; with several tools a
//! JSON list of objects, one for each. In an `ambiguous` case the tools are alternatives. `forbid` takes what
//! `forbid` takes as text: tool ids, globs and levels such as `>=L4`.

use csv::{ReaderBuilder, StringRecord, Trim};
use proofhouse_manager::document::{
    Content, Diagnostics, DocumentError, Field, Format, Member, Node, Place, did_you_mean, parse,
};

const COLUMNS: [&str; 8] = ["id", "kind", "prompt", "tool", "args", "forbid", "approval", "tags"];
const REQUIRED: [&str; 3] = ["id", "kind", "prompt"];

/// The rows of a table, each as the case that it writes.
pub(super) fn parse_table(start: &Place, bytes: &[u8]) -> Result<Vec<Node>, Diagnostics> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = ReaderBuilder::new().trim(Trim::Headers).from_reader(bytes);
    let header = reader.headers().map_err(|error| unreadable(start, &error))?.clone();
    check_header(start, &header)?;
    let (mut cases, mut errors) = (Vec::new(), Diagnostics::new());
    for record in reader.records() {
        let row = record.map_err(|error| unreadable(start, &error)).and_then(|record| {
            let line = record.position().map_or(1, csv::Position::line);
            Row {
                header: &header,
                record: &record,
                place: start.moved(u32::try_from(line).unwrap_or(u32::MAX), 1),
            }
            .case()
        });
        cases.extend(errors.take(row));
    }
    errors.into_result(cases)
}

fn unreadable(start: &Place, error: &csv::Error) -> DocumentError {
    let line = error.position().map_or(1, csv::Position::line);
    let place = start.moved(u32::try_from(line).unwrap_or(u32::MAX), 1);
    let message = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("this row has {len} cells, and the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "this row is not valid UTF-8".to_owned(),
        _ => error.to_string(),
    };
    DocumentError::new(place, &Field::root(), message)
        .with_hint("put cells with commas or line breaks in double quotes")
}

fn check_header(start: &Place, header: &StringRecord) -> Result<(), Diagnostics> {
    let mut errors = Diagnostics::new();
    let mut seen = Vec::new();
    for name in header {
        let field = Field::root().key(name);
        if !COLUMNS.contains(&name) {
            let error = DocumentError::new(start.clone(), &field, format!("unknown column `{name}`"));
            let hint = format!("the columns are {}", COLUMNS.join(","));
            errors.push(match did_you_mean(name, COLUMNS) {
                Some(meant) => error.with_suggestion(Some(meant)),
                None => error.with_hint(hint),
            });
        } else if seen.contains(&name) {
            errors.push(DocumentError::new(
                start.clone(),
                &field,
                format!("the column `{name}` stands twice"),
            ));
        }
        seen.push(name);
    }
    for name in REQUIRED.into_iter().filter(|name| !seen.contains(name)) {
        let error = DocumentError::new(
            start.clone(),
            &Field::root().key(name),
            format!("the column `{name}` is missing"),
        );
        errors.push(error.with_hint(format!("the columns are {}", COLUMNS.join(","))));
    }
    errors.into_result(())
}

struct Row<'r> {
    header: &'r StringRecord,
    record: &'r StringRecord,
    place: Place,
}

impl Row<'_> {
    fn case(&self) -> Result<Node, DocumentError> {
        let mut members = Vec::new();
        for name in REQUIRED {
            members.push(self.member(name, self.text(self.cell(name).unwrap_or_default())));
        }
        let calls = self.calls()?;
        if self.cell("kind") == Some("ambiguous") {
            let alternatives = calls.into_iter().map(|call| self.list(vec![call])).collect();
            members.push(self.member("anyOf", self.list(alternatives)));
        } else if !calls.is_empty() {
            members.push(self.member("expect", self.list(calls)));
        }
        if let Some(approval) = self.cell("approval") {
            members.push(self.member("approval", self.text(approval)));
        }
        for name in ["forbid", "tags"] {
            let parts: Vec<Node> = self.parts(name).map(|part| self.text(part)).collect();
            if !parts.is_empty() {
                members.push(self.member(name, self.list(parts)));
            }
        }
        Ok(self.node(Content::Object(members)))
    }

    /// The cell of that column, unless it is empty.
    fn cell(&self, name: &str) -> Option<&str> {
        let column = self.header.iter().position(|column| column == name)?;
        self.record.get(column).filter(|cell| !cell.trim().is_empty())
    }

    fn parts(&self, name: &str) -> impl Iterator<Item = &str> {
        self.cell(name).unwrap_or_default().split(';').map(str::trim).filter(|part| !part.is_empty())
    }

    fn calls(&self) -> Result<Vec<Node>, DocumentError> {
        let tools: Vec<&str> = self.parts("tool").collect();
        let mut args = self.args(tools.len())?.into_iter();
        let calls = tools.into_iter().map(|tool| {
            let mut members = vec![self.member("tool", self.text(tool))];
            members.extend(args.next().map(|args| self.member("args", args)));
            self.node(Content::Object(members))
        });
        Ok(calls.collect())
    }

    /// The arguments of each tool; none where the cell is empty.
    fn args(&self, tools: usize) -> Result<Vec<Node>, DocumentError> {
        let Some(cell) = self.cell("args") else { return Ok(Vec::new()) };
        let wrong =
            |message: String| DocumentError::new(self.place.clone(), &Field::root().key("args"), message);
        let node = parse(self.place.file.clone(), cell.as_bytes(), Format::Json)
            .map_err(|error| wrong(format!("the cell is no JSON: {}", error.message)))?;
        let node = self.here(node);
        let expected = |message: String| {
            wrong(message)
                .with_hint("write a JSON object, or with several tools a list of objects, one for each")
        };
        match (node.content, tools) {
            (_, 0) => Err(expected("there are arguments, and no tool".to_owned())),
            (Content::Array(items), _) if items.len() == tools => Ok(items),
            (Content::Array(items), _) => {
                Err(expected(format!("{tools} tools and {} sets of arguments", items.len())))
            }
            (content, 1) => Ok(vec![self.node(content)]),
            (_, _) => Err(expected(format!("{tools} tools and one set of arguments"))),
        }
    }

    /// The same value, standing where the row stands.
    fn here(&self, node: Node) -> Node {
        let content = match node.content {
            Content::Array(items) => Content::Array(items.into_iter().map(|item| self.here(item)).collect()),
            Content::Object(members) => Content::Object(
                members.into_iter().map(|m| self.member(&m.key, self.here(m.value))).collect(),
            ),
            scalar => scalar,
        };
        self.node(content)
    }

    fn node(&self, content: Content) -> Node {
        Node { place: self.place.clone(), content }
    }

    fn text(&self, text: &str) -> Node {
        self.node(Content::String(text.to_owned()))
    }

    fn list(&self, items: Vec<Node>) -> Node {
        self.node(Content::Array(items))
    }

    fn member(&self, key: &str, value: Node) -> Member {
        Member { key: key.to_owned(), place: self.place.clone(), value }
    }
}
