//! From a case as it is written to a case that can be run: matchers compiled, contradictions found.

use super::{
    Case, ExpectedCall, IntentSpec, Selector, Turn,
    format::{CallFile, CaseFile, ForbidFile, MatchFile, TurnFile},
    selector::tool_glob,
};
use crate::{
    matcher::{
        ArgsMode, ArgsPattern, Normalize, PatternError,
        bfcl::{Asks, Profile},
    },
    run::CaseKind,
};
use globset::{GlobSet, GlobSetBuilder};
use proofhouse_manager::document::{Diagnostics, DocumentError, Field, Node};
use std::sync::Arc;

/// What the suite says for cases that do not say otherwise.
#[derive(Debug, Clone, Default)]
pub(super) struct Defaults {
    pub(super) args_mode: ArgsMode,
    pub(super) normalize: Normalize,
    pub(super) matching: MatchFile,
}

/// The case that a node writes; what is wrong with it is added to `errors`.
pub(super) fn case(node: Node, field: &Field, defaults: &Defaults, errors: &mut Diagnostics) -> Option<Case> {
    let file: CaseFile = node.decode_into(field, errors)?;
    let before = errors.len();
    let normalize =
        file.normalize.as_ref().map_or_else(|| defaults.normalize.clone(), |n| n.over(&defaults.normalize));
    let args_mode = file.args_mode.unwrap_or(defaults.args_mode);
    let mut builder = Builder { node: &node, field, args_mode, normalize, profile: None, errors };
    builder.profile = builder.profile(&file, &defaults.matching);
    builder.check(&file);
    let offer = builder.offer(&file);
    let turns = builder.turns(&file);
    (errors.len() == before).then(|| Case {
        id: file.id,
        kind: file.kind,
        tags: file.tags,
        why: file.why,
        held_out: file.held_out,
        offer,
        intent: file.intent.map(|i| IntentSpec { action_types: i.action_types, target: i.target }),
        approval: file.approval,
        max_level: file.max_level.map(|level| level.0),
        turns,
        place: node.place.clone(),
        source: Arc::new(node),
        field: field.clone(),
    })
}

struct Builder<'a> {
    node: &'a Node,
    field: &'a Field,
    args_mode: ArgsMode,
    normalize: Normalize,
    /// The rules of the leaderboard, where they hold.
    profile: Option<Profile>,
    errors: &'a mut Diagnostics,
}

impl Builder<'_> {
    /// An error about what a pointer into the case names.
    fn wrong(&mut self, pointer: &str, message: impl Into<String>, hint: &str) {
        let field = Field::of_pointer(&format!("{}{pointer}", self.field.to_pointer()));
        let place = self.node.key_place(pointer).clone();
        self.errors.push(DocumentError::new(place, &field, message).with_hint(hint));
    }

    fn wrong_pattern(&mut self, pointer: &str, error: PatternError) {
        let pointer = format!("{pointer}{}", error.pointer);
        let field = Field::of_pointer(&format!("{}{pointer}", self.field.to_pointer()));
        let mut told = DocumentError::new(self.node.key_place(&pointer).clone(), &field, error.message);
        told.hint = error.hint;
        self.errors.push(told);
    }

    fn check(&mut self, file: &CaseFile) {
        if file.id.trim().is_empty() || file.id.chars().any(char::is_control) {
            self.wrong(
                "/id",
                "the id is empty or holds a control character",
                "use a short name such as `rerun-tests`",
            );
        }
        if let Some(key) = file.normalize.as_ref().and_then(|n| n.not_a_pointer()) {
            let message = format!("`{key}` is no JSON pointer");
            self.wrong("/normalize", message, &format!("write `/{key}` for the argument `{key}`"));
        }
        if file.turns.is_some() {
            self.check_beside_turns(file);
        } else if file.prompt.is_none() {
            self.wrong("", "neither `prompt` nor `turns` is given", "add what the user says as `prompt: …`");
        }
        self.check_kind(file);
    }

    fn profile(&mut self, file: &CaseFile, outer: &MatchFile) -> Option<Profile> {
        let matching = file.matching.as_ref().map_or_else(|| outer.clone(), |own| own.over(outer));
        match (matching.profile.unwrap_or_default().edition(), matching.category.as_deref()) {
            (None, None) => None,
            (None, Some(_)) => {
                let hint = "add `profile: bfcl-v4` or `bfcl-2024`, or remove the category";
                self.wrong("/match", "a category stands beside our own rules, which know none", hint);
                None
            }
            (Some(_), None) => {
                let hint = "write `match: { category: simple }`, or whatever the leaderboard calls this part";
                self.wrong("/match", "the profile needs the category of the case", hint);
                None
            }
            (Some(rules), Some(category)) => {
                let profile = Profile::new(rules, category);
                self.check_profile(file, &profile);
                Some(profile)
            }
        }
    }

    /// What a category asks for must be what the case expects, and nothing may stand in it that counts for nothing.
    fn check_profile(&mut self, file: &CaseFile, profile: &Profile) {
        let (kind, expects) = match profile.asks() {
            Asks::NoCall => (CaseKind::Negative, "expects no call"),
            Asks::AnyCall => (CaseKind::Ambiguous, "takes any call: list them under `anyOf`"),
            Asks::OneCall | Asks::Calls => (CaseKind::Golden, "expects calls"),
        };
        if file.kind != kind {
            self.wrong("/kind", "the kind is not that of the category", &format!("this category {expects}"));
        }
        let without_meaning = [
            ("calls", file.calls.is_some()),
            ("allow", !file.allow.is_empty()),
            ("argsMode", file.args_mode.is_some()),
            ("normalize", file.normalize.is_some()),
        ];
        for (name, _) in without_meaning.into_iter().filter(|(_, given)| *given) {
            let message = format!("`{name}` counts for nothing by the profile of this case");
            self.wrong(&format!("/{name}"), message, "remove it");
        }
    }

    fn check_beside_turns(&mut self, file: &CaseFile) {
        let of_a_turn = [
            ("prompt", file.prompt.is_some()),
            ("expect", file.expect.is_some()),
            ("anyOf", file.any_of.is_some()),
            ("calls", file.calls.is_some()),
            ("example", file.example.is_some()),
        ];
        for (name, _) in of_a_turn.into_iter().filter(|(_, given)| *given) {
            let message = format!("`{name}` stands beside `turns`");
            self.wrong(&format!("/{name}"), message, "move it into a turn");
        }
        if file.turns.as_ref().is_some_and(Vec::is_empty) {
            self.wrong("/turns", "there is no turn", "add a turn with a `prompt`");
        }
    }

    /// What the kind promises must be what the case expects.
    fn check_kind(&mut self, file: &CaseFile) {
        let turns = file.turns.as_deref().unwrap_or_default();
        let calls = has_call(file.expect.as_ref(), file.any_of.as_ref())
            || turns.iter().any(|turn| has_call(turn.expect.as_ref(), turn.any_of.as_ref()));
        let several = file.any_of.is_some() || turns.iter().any(|turn| turn.any_of.is_some());
        match file.kind {
            CaseKind::Golden if !calls => {
                self.wrong(
                    "/kind",
                    "a golden case expects a call, and this one names none",
                    "add `expect` or `anyOf`, or say `kind: negative`",
                );
            }
            CaseKind::Negative if calls => {
                self.wrong(
                    "/kind",
                    "a negative case expects no call, and this one names some",
                    "remove them, or say `kind: golden`",
                );
            }
            CaseKind::Ambiguous if !several => {
                self.wrong(
                    "/kind",
                    "an ambiguous case has several right answers, and this one has no `anyOf`",
                    "list the answers under `anyOf`; `[]` among them means asking back",
                );
            }
            CaseKind::Golden | CaseKind::Negative | CaseKind::Ambiguous => {}
        }
    }

    fn offer(&mut self, file: &CaseFile) -> Option<GlobSet> {
        let globs = &file.offer.as_ref()?.0;
        let mut set = GlobSetBuilder::new();
        for (index, text) in globs.iter().enumerate() {
            match tool_glob(text) {
                Ok(glob) => {
                    set.add(glob.glob().clone());
                }
                Err(reason) => {
                    let message = format!("`{text}` is no glob: {reason}");
                    self.wrong(
                        &format!("/offer/{index}"),
                        message,
                        "write a tool's id, or a glob such as `git.*`",
                    );
                }
            }
        }
        // The leaderboard has tasks without any function, which are to be declined.
        if globs.is_empty() && self.profile.is_none() {
            self.wrong(
                "/offer",
                "nothing is offered",
                "name tools, or leave `offer` out to offer all of them",
            );
        }
        set.build().ok()
    }

    fn turns(&mut self, file: &CaseFile) -> Vec<Turn> {
        let allow = self.allow("/allow", &file.allow);
        let forbid = self.forbid("/forbid", &file.forbid);
        let Some(turns) = &file.turns else {
            let alone = Written {
                prompt: file.prompt.as_deref().unwrap_or_default(),
                expect: file.expect.as_ref(),
                any_of: file.any_of.as_ref(),
                has_example: file.example.is_some(),
            };
            let expect = self.expect("", &alone);
            return vec![Turn {
                prompt: alone.prompt.to_owned(),
                expect,
                calls: file.calls.unwrap_or_default(),
                allow,
                forbid,
                tool_result: None,
                example: file.example.clone(),
                profile: self.profile.clone(),
            }];
        };
        let turns = turns.iter().enumerate();
        turns.map(|(index, turn)| self.turn(&format!("/turns/{index}"), turn, &allow, &forbid)).collect()
    }

    fn turn(&mut self, pointer: &str, file: &TurnFile, allow: &[ExpectedCall], forbid: &[Selector]) -> Turn {
        let written = Written {
            prompt: &file.prompt,
            expect: file.expect.as_ref(),
            any_of: file.any_of.as_ref(),
            has_example: file.example.is_some(),
        };
        Turn {
            prompt: file.prompt.clone(),
            expect: self.expect(pointer, &written),
            calls: file.calls.unwrap_or_default(),
            allow: [allow, &self.allow(&format!("{pointer}/allow"), &file.allow)].concat(),
            forbid: [forbid, &self.forbid(&format!("{pointer}/forbid"), &file.forbid)].concat(),
            tool_result: file.tool_result.clone(),
            example: file.example.clone(),
            profile: self.profile.clone(),
        }
    }

    /// The alternatives of one turn, of which one empty list stands for calling nothing.
    fn expect(&mut self, pointer: &str, turn: &Written<'_>) -> Vec<Vec<ExpectedCall>> {
        let given = self.node.at(&format!("{pointer}/prompt")).is_some();
        if given && turn.prompt.trim().is_empty() {
            self.wrong(&format!("{pointer}/prompt"), "the prompt is empty", "write what the user says");
        }
        if turn.has_example && !has_call(turn.expect, turn.any_of) {
            let hint = "an example is held against the first expected call: add one, or remove the example";
            self.wrong(&format!("{pointer}/example"), "there is an example, and no call is expected", hint);
        }
        match (turn.expect, turn.any_of) {
            (Some(_), Some(_)) => {
                let hint = "move the calls of `expect` into `anyOf` as one of its lists";
                self.wrong(&format!("{pointer}/anyOf"), "`anyOf` stands beside `expect`", hint);
                Vec::new()
            }
            (Some(calls), None) => vec![self.calls(&format!("{pointer}/expect"), calls)],
            (None, Some(alternatives)) => {
                if alternatives.is_empty() {
                    self.wrong(
                        &format!("{pointer}/anyOf"),
                        "there is no alternative",
                        "list the right answers",
                    );
                }
                let alternatives = alternatives.iter().enumerate();
                alternatives
                    .map(|(index, calls)| self.calls(&format!("{pointer}/anyOf/{index}"), calls))
                    .collect()
            }
            (None, None) => vec![Vec::new()],
        }
    }

    fn calls(&mut self, pointer: &str, calls: &[CallFile]) -> Vec<ExpectedCall> {
        let calls = calls.iter().enumerate();
        calls.filter_map(|(index, call)| self.call(&format!("{pointer}/{index}"), call)).collect()
    }

    fn call(&mut self, pointer: &str, file: &CallFile) -> Option<ExpectedCall> {
        if file.tool.is_empty() {
            self.wrong(&format!("{pointer}/tool"), "the tool's id is empty", "name the tool");
        }
        let Some(args) = &file.args else {
            return Some(ExpectedCall { tool: file.tool.as_str().into(), args: ArgsPattern::anything() });
        };
        let compiled = match &self.profile {
            Some(profile) => ArgsPattern::bfcl(args, profile.clone()),
            None => ArgsPattern::compile(args, file.args_mode.unwrap_or(self.args_mode), &self.normalize),
        };
        match compiled {
            Ok(args) => Some(ExpectedCall { tool: file.tool.as_str().into(), args }),
            Err(error) => {
                self.wrong_pattern(&format!("{pointer}/args"), error);
                None
            }
        }
    }

    fn allow(&mut self, pointer: &str, calls: &[CallFile]) -> Vec<ExpectedCall> {
        for (index, call) in calls.iter().enumerate() {
            if let Err(reason) = tool_glob(&call.tool) {
                let message = format!("`{}` is no glob: {reason}", call.tool);
                self.wrong(
                    &format!("{pointer}/{index}/tool"),
                    message,
                    "write a tool's id, or a glob such as `git.*`",
                );
            }
        }
        self.calls(pointer, calls)
    }

    fn forbid(&mut self, pointer: &str, forbidden: &[ForbidFile]) -> Vec<Selector> {
        let mut selectors = Vec::with_capacity(forbidden.len());
        for (index, file) in forbidden.iter().enumerate() {
            match Selector::compile(file, &self.normalize) {
                Ok(selector) => selectors.push(selector),
                Err(error) => self.wrong_pattern(&format!("{pointer}/{index}"), error),
            }
        }
        selectors
    }
}

/// What one turn writes, wherever it stands.
struct Written<'f> {
    prompt: &'f str,
    expect: Option<&'f Vec<CallFile>>,
    any_of: Option<&'f Vec<Vec<CallFile>>>,
    has_example: bool,
}

fn has_call(expect: Option<&Vec<CallFile>>, any_of: Option<&Vec<Vec<CallFile>>>) -> bool {
    expect.is_some_and(|calls| !calls.is_empty())
        || any_of.is_some_and(|alternatives| alternatives.iter().any(|calls| !calls.is_empty()))
}
