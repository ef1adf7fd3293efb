//! What can only be checked with the tools at hand: is the expected tool offered, can its expectation be met?

use super::{Case, ExpectedCall, Suite, Turn, literal, selector::tool_glob};
use proofhouse_manager::{
    document::{Diagnostics, DocumentError, Field, Node, did_you_mean},
    model::{JsonSchema, ToolId},
    registry::Arguments,
};
use serde_json::{Map, Value};

impl Suite {
    /// Holds every case against the suite's tools: all of them, and the input schema of each.
    ///
    /// What is wrong here would make a case fail, or pass, whatever a model answers.
    pub fn check_tools<'t>(
        &self,
        tools: &dyn Fn(&ToolId) -> Option<&'t Value>,
        all_tools: &[ToolId],
    ) -> Diagnostics {
        let mut errors = Diagnostics::new();
        for case in &self.cases {
            Checker { case, tools, all_tools, offered: offered(case, all_tools), errors: &mut errors }
                .check();
        }
        errors
    }
}

/// The suite's tools that a case is offered.
fn offered<'a>(case: &Case, all_tools: &'a [ToolId]) -> Vec<&'a ToolId> {
    let is_offered = |tool: &&ToolId| case.offer.as_ref().is_none_or(|offer| offer.is_match(tool.as_str()));
    all_tools.iter().filter(is_offered).collect()
}

struct Checker<'a, 't> {
    case: &'a Case,
    tools: &'a dyn Fn(&ToolId) -> Option<&'t Value>,
    all_tools: &'a [ToolId],
    offered: Vec<&'a ToolId>,
    errors: &'a mut Diagnostics,
}

impl Checker<'_, '_> {
    fn check(&mut self) {
        self.offer();
        self.lists("");
        let several = self.case.source.get("turns").is_some();
        for (index, turn) in self.case.turns.iter().enumerate() {
            let pointer = if several { format!("/turns/{index}") } else { String::new() };
            if several {
                self.lists(&pointer);
            }
            self.turn(&pointer, turn);
        }
    }

    fn wrong(&mut self, pointer: &str, message: String, hint: Option<String>) {
        let field = Field::of_pointer(&format!("{}{pointer}", self.case.field.to_pointer()));
        let mut error = DocumentError::new(self.case.source.key_place(pointer).clone(), &field, message);
        error.hint = hint;
        self.errors.push(error);
    }

    fn offer(&mut self) {
        let Some(node) = self.case.source.get("offer") else { return };
        let globs = match node.items() {
            Some(items) => items.iter().enumerate().map(|(i, item)| (format!("/offer/{i}"), item)).collect(),
            None => vec![("/offer".to_owned(), node)],
        };
        for (pointer, text) in globs.into_iter().filter_map(|(pointer, node)| Some((pointer, node.as_str()?)))
        {
            if !self.any_tool(text) {
                self.wrong(&pointer, format!("`{text}` matches no tool of the suite"), self.suggestion(text));
            }
        }
    }

    /// What is allowed or forbidden must exist, or a typo would allow or forbid nothing. It need not be offered:
    /// a list may serve cases that are offered different tools.
    fn lists(&mut self, pointer: &str) {
        let named = ["allow", "forbid"].map(|list| self.named(&format!("{pointer}/{list}")));
        for (pointer, text) in named.into_iter().flatten() {
            if !text.starts_with(['<', '>', '=']) && !self.any_tool(&text) {
                self.wrong(
                    &pointer,
                    format!("`{text}` matches no tool of the suite"),
                    self.suggestion(&text),
                );
            }
        }
    }

    /// The tools that the calls of a list name, and where.
    fn named(&self, pointer: &str) -> Vec<(String, String)> {
        let items = self.case.source.at(pointer).and_then(Node::items).unwrap_or_default().iter().enumerate();
        let named = items.filter_map(|(index, item)| match item.as_str() {
            Some(text) => Some((format!("{pointer}/{index}"), text.to_owned())),
            None => Some((format!("{pointer}/{index}/tool"), item.get("tool")?.as_str()?.to_owned())),
        });
        named.collect()
    }

    fn any_tool(&self, text: &str) -> bool {
        if !text.contains(['*', '?', '[', '{']) {
            return self.all_tools.iter().any(|tool| tool.as_str() == text);
        }
        tool_glob(text).is_ok_and(|glob| self.all_tools.iter().any(|tool| glob.is_match(tool.as_str())))
    }

    fn suggestion(&self, text: &str) -> Option<String> {
        let meant = did_you_mean(text, self.all_tools.iter().map(ToolId::as_str));
        meant.map(|meant| format!("did you mean `{meant}`?"))
    }

    fn not_offered(&mut self, pointer: &str, tool: &str) {
        let exists = self.any_tool(tool);
        let hint = if exists {
            Some("add it to `offer`, which leaves it out".to_owned())
        } else {
            self.suggestion(tool)
        };
        let message = if exists {
            format!("the tool `{tool}` is not offered to this case")
        } else {
            format!("the suite has no tool `{tool}`")
        };
        self.wrong(pointer, message, hint);
    }

    fn turn(&mut self, pointer: &str, turn: &Turn) {
        let single = self.case.source.at(&format!("{pointer}/expect")).is_some();
        let mut first = None;
        for (alternative, calls) in turn.expect.iter().enumerate() {
            for (index, call) in calls.iter().enumerate() {
                let at = if single {
                    format!("{pointer}/expect/{index}")
                } else {
                    format!("{pointer}/anyOf/{alternative}/{index}")
                };
                let schema = self.call(&at, call);
                first.get_or_insert((call, schema));
            }
        }
        if let (Some(example), Some((call, Some(schema)))) = (&turn.example, first) {
            self.example(&format!("{pointer}/example"), example, call, schema);
        }
    }

    /// Checks an expected call; gives the schema of its tool if that is offered.
    fn call<'s>(&mut self, pointer: &str, call: &ExpectedCall) -> Option<&'s Value>
    where
        Self: 's,
    {
        if !self.offered.contains(&&call.tool) {
            // The leaderboard has tasks that expect what they do not offer; no answer passes them.
            if call.args.profile().is_some() {
                return None;
            }
            let text = self.case.source.at(pointer).and_then(Node::as_str).is_some();
            let at = if text { pointer.to_owned() } else { format!("{pointer}/tool") };
            self.not_offered(&at, &call.tool);
            return None;
        }
        let schema = (self.tools)(&call.tool)?;
        for fault in literal::faults(&call.args, schema) {
            self.wrong(&format!("{pointer}/args{}", fault.pointer), fault.message, fault.hint);
        }
        Some(schema)
    }

    /// An example that its own case would not accept shows a case that no answer can satisfy.
    fn example(&mut self, pointer: &str, example: &Map<String, Value>, call: &ExpectedCall, schema: &Value) {
        for mismatch in call.args.matches(example, Some(schema)) {
            let message =
                format!("the example has {}, and {} is expected", mismatch.actual, mismatch.expected);
            let hint = format!("change the example, or what `{}` expects", call.tool);
            self.wrong(&format!("{pointer}{}", mismatch.path), message, Some(hint));
        }
        let Value::Object(schema) = schema else { return };
        let Ok(arguments) = Arguments::compile(&JsonSchema(schema.clone())) else { return };
        for fault in arguments.faults(&Value::Object(example.clone())) {
            let message = format!("the example is not valid for `{}`: {}", call.tool, fault.message);
            self.wrong(&format!("{pointer}{}", fault.path), message, None);
        }
    }
}
