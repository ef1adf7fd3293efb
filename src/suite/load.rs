//! A suite from its files: everything read, every mistake of every file told.

use super::{
    Case, Distractors, PrincipalSpec, Select, Suite, ToolSpec, ViewSpec,
    build::{self, Defaults},
    format::{OneOrMany, SuiteFile, ToolFile},
    glob, read,
};
use proofhouse_manager::{
    document::{Content, Diagnostics, DocumentError, Field, Node},
    model::{Digest, Domain, TrustLevel, digest_value},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What a view shows unless the suite says otherwise.
const DEFAULT_MAX_TOOLS: usize = 16;

impl Suite {
    /// Reads a suite with its cases; paths in it are relative to its folder.
    ///
    /// A suite without cases loads: whether that is an error is for whoever runs it.
    ///
    /// # Errors
    /// Every mistake of the suite's file and of its case files.
    pub fn load(path: &Path) -> Result<Self, Diagnostics> {
        let root = read::document(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut loader = Loader { root: &root, folder, errors: Diagnostics::new() };
        let file: Option<SuiteFile> = root.decode_into(&Field::root(), &mut loader.errors);
        let defaults = file.as_ref().map(defaults_of).unwrap_or_default();
        let cases = loader.cases(&defaults);
        let suite = file.and_then(|file| loader.suite(path, file, cases));
        match suite {
            Some(suite) => loader.errors.into_result(suite),
            None => Err(loader.errors),
        }
    }
}

fn defaults_of(file: &SuiteFile) -> Defaults {
    let normalize = file.normalize.as_ref().map(|normalize| normalize.over(&Default::default()));
    Defaults {
        args_mode: file.args_mode.unwrap_or_default(),
        normalize: normalize.unwrap_or_default(),
        matching: file.matching.clone().unwrap_or_default(),
    }
}

struct Loader<'a> {
    root: &'a Node,
    folder: PathBuf,
    errors: Diagnostics,
}

impl Loader<'_> {
    fn wrong(&mut self, pointer: &str, message: impl Into<String>, hint: &str) {
        let place = self.root.key_place(pointer).clone();
        self.errors.push(DocumentError::new(place, &Field::of_pointer(pointer), message).with_hint(hint));
    }

    fn suite(&mut self, path: &Path, file: SuiteFile, cases: Vec<Case>) -> Option<Suite> {
        self.check(&file);
        let tools = self.tools(&file.tools);
        let distractors = self.distractors(&file);
        let digest = self.digest(&cases)?;
        let view = file.view.as_ref();
        let select = view.and_then(|view| view.select).unwrap_or(Select::Ranked);
        let unbounded = if select == Select::All { usize::MAX } else { DEFAULT_MAX_TOOLS };
        let max_tools = view.and_then(|view| view.max_tools).and_then(|max| usize::try_from(max).ok());
        let principal = file.principal.map(|p| PrincipalSpec { id: p.id, scopes: p.scopes });
        Some(Suite {
            name: file.suite,
            path: path.to_owned(),
            tools,
            distractors,
            models: file.models.iter().map(|model| self.model(model)).collect(),
            principal: principal.unwrap_or(PrincipalSpec { id: "user:dev".to_owned(), scopes: None }),
            view: ViewSpec {
                max_tools: max_tools.unwrap_or(unbounded),
                max_tokens: view.and_then(|view| view.max_tokens),
                select,
            },
            trials: file.trials.unwrap_or(1),
            cases,
            thresholds: file.thresholds.unwrap_or_default(),
            digest,
        })
    }

    fn check(&mut self, file: &SuiteFile) {
        if file.suite.trim().is_empty() {
            self.wrong("/suite", "the name is empty", "name the suite");
        }
        if file.tools.is_empty() {
            self.wrong(
                "/tools",
                "there is no source of tools",
                "add `- descriptors: …`, `- mcp: …`, `- openai: …` or `- anthropic: …`",
            );
        }
        if file.trials == Some(0) {
            self.wrong("/trials", "0 trials ask nothing", "write 1 or more");
        }
        if file.view.as_ref().is_some_and(|view| view.max_tools == Some(0)) {
            self.wrong("/view/maxTools", "a view of 0 tools offers nothing", "write 1 or more");
        }
        let named = file.principal.as_ref().and_then(|principal| principal.id.split_once(':'));
        if file.principal.is_some() && named.is_none_or(|(kind, name)| kind.is_empty() || name.is_empty()) {
            self.wrong("/principal", "a principal is written `kind:name`", "write `user:dev`, for example");
        }
        if let Some(key) = file.normalize.as_ref().and_then(|normalize| normalize.not_a_pointer()) {
            self.wrong(
                "/normalize",
                format!("`{key}` is no JSON pointer"),
                &format!("write `/{key}` for the argument `{key}`"),
            );
        }
        for index in 0..file.models.len() {
            self.check_model(index, file.models.get(index).map_or("", String::as_str));
        }
        self.check_thresholds();
    }

    fn check_model(&mut self, index: usize, model: &str) {
        let (kind, rest) = model.split_once(':').unwrap_or((model, "whole"));
        if kind.trim().is_empty() || rest.trim().is_empty() {
            let hint = "write `lexical`, `script:FILE`, `replay:DIR`, `openai:MODEL`, `anthropic:MODEL` or `command:PROGRAM`";
            self.wrong(&format!("/models/{index}"), format!("`{model}` names no model"), hint);
        }
    }

    fn check_thresholds(&mut self) {
        let members = self.root.get("thresholds").map(Node::members).unwrap_or_default();
        for member in members {
            let number = member.value.to_value().as_f64();
            if number.is_some_and(|number| !(0.0..=1.0).contains(&number)) {
                let message = format!("`{}` is no rate", member.value.to_value());
                self.wrong(&format!("/thresholds/{}", member.key), message, "rates go from 0 to 1");
            }
        }
    }

    fn tools(&mut self, sources: &[ToolFile]) -> Vec<ToolSpec> {
        let sources = sources.iter().enumerate();
        sources.filter_map(|(index, source)| self.tool(&format!("/tools/{index}"), source)).collect()
    }

    fn tool(&mut self, pointer: &str, source: &ToolFile) -> Option<ToolSpec> {
        let trust = source.trust.unwrap_or(TrustLevel::ThirdParty);
        match (&source.descriptors, &source.mcp, &source.openai, &source.anthropic) {
            (Some(files), None, None, None) => {
                if source.trust.is_some() {
                    self.wrong(&format!("{pointer}/trust"), "descriptors state their own trust", "remove it");
                }
                Some(ToolSpec::Descriptors { files: self.files(&format!("{pointer}/descriptors"), files) })
            }
            (None, Some(server), None, None) => match (&server.capture, &server.command) {
                (Some(files), None) if server.args.is_empty() => {
                    let files = self.files(&format!("{pointer}/mcp/capture"), files);
                    Some(ToolSpec::McpCapture { files, trust })
                }
                (None, Some(command)) if !command.trim().is_empty() => {
                    Some(ToolSpec::McpCommand { command: command.clone(), args: server.args.clone(), trust })
                }
                _ => {
                    let hint = "write `{ capture: FILE }` for a saved list, or `{ command: PROGRAM, args: […] }` for a live server";
                    self.wrong(&format!("{pointer}/mcp"), "a server is either captured or started", hint);
                    None
                }
            },
            (None, None, Some(files), None) => {
                Some(ToolSpec::OpenAi { files: self.files(&format!("{pointer}/openai"), files), trust })
            }
            (None, None, None, Some(files)) => {
                Some(ToolSpec::Anthropic { files: self.files(&format!("{pointer}/anthropic"), files), trust })
            }
            _ => {
                let hint =
                    "give each source an item of its own: `descriptors`, `mcp`, `openai` or `anthropic`";
                self.wrong(pointer, "a source of tools is exactly one thing", hint);
                None
            }
        }
    }

    fn distractors(&mut self, file: &SuiteFile) -> Option<Distractors> {
        let written = file.distractors.as_ref()?;
        if written.count.0.is_empty() {
            self.wrong("/distractors/count", "there is no number", "write how many, such as `[0, 20]`");
        }
        let mut counts = written.count.0.clone();
        counts.sort_unstable();
        counts.dedup();
        Some(Distractors {
            files: self.files("/distractors/from", &written.from),
            counts,
            pick: written.pick.unwrap_or(super::Pick::Random),
        })
    }

    /// The files of a field that takes one glob or several; each only once.
    fn files(&mut self, pointer: &str, globs: &OneOrMany<String>) -> Vec<PathBuf> {
        let several = self.root.at(pointer).is_some_and(|node| node.items().is_some());
        let mut files: Vec<PathBuf> = Vec::new();
        for (index, text) in globs.0.iter().enumerate() {
            let pointer = if several { format!("{pointer}/{index}") } else { pointer.to_owned() };
            for file in self.expand(&pointer, text) {
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        files
    }

    fn expand(&mut self, pointer: &str, text: &str) -> Vec<PathBuf> {
        glob::expand(&self.folder, text).unwrap_or_else(|error| {
            let hint = format!("paths are relative to the suite's folder, `{}`", self.shown_folder());
            let place = self.root.nearest(pointer).place.clone();
            self.errors.push(
                DocumentError::new(place, &Field::of_pointer(pointer), error.to_string()).with_hint(hint),
            );
            Vec::new()
        })
    }

    fn shown_folder(&self) -> String {
        if self.folder.as_os_str().is_empty() { ".".to_owned() } else { self.folder.display().to_string() }
    }

    /// A model, with the path in it made relative to the working directory.
    fn model(&self, written: &str) -> String {
        match written.split_once(':') {
            Some((kind @ ("replay" | "script"), path)) if (kind, path) != ("script", "perfect") => {
                format!("{kind}:{}", glob::tidy(&self.folder.join(path)).display())
            }
            _ => written.to_owned(),
        }
    }

    fn cases(&mut self, defaults: &Defaults) -> Vec<Case> {
        let mut found = Vec::new();
        match self.root.get("cases").map(|node| (node, &node.content)) {
            None | Some((_, Content::Null)) => {}
            Some((_, Content::String(text))) => found.extend(self.case_files("/cases", text)),
            Some((_, Content::Array(items))) => {
                for (index, item) in items.iter().enumerate() {
                    let pointer = format!("/cases/{index}");
                    match &item.content {
                        Content::String(text) => found.extend(self.case_files(&pointer, text)),
                        _ => found.push((item.clone(), Field::of_pointer(&pointer))),
                    }
                }
            }
            Some((node, _)) => {
                let message =
                    format!("expected a path, a list of paths or a list of cases, found {}", node.kind());
                self.wrong("/cases", message, "write `cases: FILE`, or a list");
            }
        }
        let cases: Vec<Case> = found
            .into_iter()
            .filter_map(|(node, field)| build::case(node, &field, defaults, &mut self.errors))
            .collect();
        self.check_ids(&cases);
        cases
    }

    fn case_files(&mut self, pointer: &str, text: &str) -> Vec<(Node, Field)> {
        let mut found = Vec::new();
        for file in self.expand(pointer, text) {
            match read::cases(&file) {
                Ok(cases) => found.extend(cases),
                Err(errors) => self.errors.extend(errors),
            }
        }
        found
    }

    fn check_ids(&mut self, cases: &[Case]) {
        let mut seen: BTreeMap<&str, &Case> = BTreeMap::new();
        for case in cases {
            if let Some(first) = seen.get(case.id.as_str()) {
                let place = case.source.at("/id").map_or(&case.place, |id| &id.place).clone();
                let message = format!("the id `{}` is also that of the case at {}", case.id, first.place);
                let error = DocumentError::new(place, &case.field.clone().key("id"), message);
                self.errors.push(error.with_hint("give every case of a suite an id of its own"));
            } else {
                seen.insert(&case.id, case);
            }
        }
    }

    /// Over the suite as written and every case, wherever it came from.
    fn digest(&mut self, cases: &[Case]) -> Option<Digest> {
        let cases = cases.iter().map(|case| case.source.to_value()).collect();
        let whole = Value::Array(vec![self.root.to_value(), Value::Array(cases)]);
        // an integer that JCS would round has no canonical form; its exact digits are as good
        digest_value(Domain::Suite, &whole)
            .or_else(|_| serde_json::to_vec(&whole).map(|bytes| Digest::of_bytes(Domain::Suite, &bytes)))
            .ok()
    }
}
