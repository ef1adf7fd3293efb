//! A log on the operating table: its events, how to find the right one, and the operators.

use serde_json::{Map, Value};

type Event = Map<String, Value>;

/// The events of a log, to be changed.
#[derive(Debug, Clone)]
pub(super) struct Draft<'a> {
    pub(super) events: Vec<Event>,
    /// A planted secret, where there is one.
    pub(super) canary: Option<&'a str>,
}

/// A call that has started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    id: String,
    pub(super) tool: String,
}

const BYTES_PER_TOKEN: u64 = 4;
const LOCAL: [&str; 6] = ["cli", "shell", "skill", "skill-script", "mcp-stdio", "container"];

fn text<'e>(event: &'e Event, name: &str) -> &'e str {
    event.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is_local(start: &Event) -> bool {
    LOCAL.contains(&text(start, "adapter")) || !text(start, "executable").is_empty()
}

/// Finding: the first event of its kind that will do.
impl Draft<'_> {
    fn find(&self, is: impl Fn(&Event) -> bool) -> Option<usize> {
        self.events.iter().position(is)
    }

    /// The first call whose start is such a one.
    fn call(&self, is: impl Fn(&Self, &Event) -> bool) -> Option<Call> {
        let starts =
            |e: &&Event| text(e, "type") == "ToolCallStarted" && e.get("dryRun") != Some(&true.into());
        let start = self.events.iter().filter(starts).find(|e| is(self, e))?;
        Some(Call { id: text(start, "toolCallId").to_owned(), tool: text(start, "toolId").to_owned() })
    }

    fn destroys(&self, start: &Event) -> bool {
        let tool = text(start, "toolId");
        self.of_tool(tool, "ToolNormalized")
            .is_some_and(|at| self.events[at].get("destructive") == Some(&true.into()))
    }

    /// A call that needs nobody's word and starts no program.
    pub(super) fn plain(&self) -> Option<Call> {
        self.call(|d, e| {
            text(e, "approvalId").is_empty() && text(e, "level") < "L4" && !is_local(e) && !d.destroys(e)
        })
    }

    /// A call that somebody has approved, of a tool that does not destroy.
    pub(super) fn approved(&self) -> Option<Call> {
        self.call(|d, e| !text(e, "approvalId").is_empty() && !d.destroys(e))
    }

    /// A call that destroys, and that somebody has approved.
    pub(super) fn destructive(&self) -> Option<Call> {
        self.call(|d, e| !text(e, "approvalId").is_empty() && d.destroys(e))
    }

    /// A call that runs a program here.
    pub(super) fn local(&self) -> Option<Call> {
        self.call(|_, e| is_local(e))
    }

    /// A call whose kept output is more than its context budget holds, or is not.
    pub(super) fn kept(&self, large: bool) -> Option<Call> {
        self.call(|d, e| {
            let call = Call { id: text(e, "toolCallId").to_owned(), tool: String::new() };
            let count = |kind, field| d.of(&call, kind).and_then(|at| d.value(at, field).as_u64());
            let (budget, bytes) =
                (count("ContextProjected", "maxTokens"), count("ToolCallFinished", "outputBytes"));
            let above = budget.zip(bytes).map(|(tokens, bytes)| bytes > tokens * BYTES_PER_TOKEN);
            above == Some(large) && d.of(&call, "ArtifactPersisted").is_some()
        })
    }

    /// A call of a skill's script.
    pub(super) fn script(&self) -> Option<Call> {
        self.call(|d, e| d.is_from(text(e, "toolId"), "skill") && !text(e, "executable").is_empty())
    }

    /// A call of anything that is no skill's.
    pub(super) fn no_script(&self) -> Option<Call> {
        self.call(|d, e| !d.is_from(text(e, "toolId"), "skill"))
    }

    pub(super) fn is_from(&self, tool: &str, source: &str) -> bool {
        self.of_tool(tool, "ToolNormalized").is_some_and(|at| text(&self.events[at], "sourceType") == source)
    }

    /// An event of a call.
    pub(super) fn of(&self, call: &Call, kind: &str) -> Option<usize> {
        self.find(|e| text(e, "type") == kind && text(e, "toolCallId") == call.id)
    }

    /// An event about a tool.
    pub(super) fn of_tool(&self, tool: &str, kind: &str) -> Option<usize> {
        self.find(|e| text(e, "type") == kind && text(e, "toolId") == tool)
    }

    /// An event with this in that field.
    pub(super) fn with(&self, kind: &str, field: &str, value: &str) -> Option<usize> {
        self.find(|e| text(e, "type") == kind && text(e, field) == value)
    }

    /// Any event of that kind.
    pub(super) fn any(&self, kind: &str) -> Option<usize> {
        self.find(|e| text(e, "type") == kind)
    }

    /// The view that shows something, and the first tool in it that will do.
    pub(super) fn shown(&self, is: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
        self.events.iter().enumerate().filter(|(_, e)| text(e, "type") == "ToolViewCompiled").find_map(
            |(at, e)| {
                let tools = e.get("tools")?.as_array()?;
                let id =
                    |tool: &Value| tool.get("toolId").and_then(Value::as_str).unwrap_or_default().to_owned();
                Some((at, tools.iter().position(|tool| is(&id(tool)))?))
            },
        )
    }

    /// A view that leaves something out.
    pub(super) fn leaves_out(&self) -> Option<usize> {
        self.find(|e| {
            let dropped = e.get("dropped").and_then(Value::as_array);
            text(e, "type") == "ToolViewCompiled" && dropped.is_some_and(|d| !d.is_empty())
        })
    }

    /// What stands in a field.
    pub(super) fn value(&self, at: usize, field: &str) -> Value {
        self.events[at].get(field).cloned().unwrap_or_default()
    }
}

/// The operators. Each answers `Some` so that they can end a mutation.
impl Draft<'_> {
    /// Drop: the event never was.
    pub(super) fn drop(&mut self, at: usize) -> Option<()> {
        self.events.remove(at);
        Some(())
    }

    /// Swap: two events in the places, and at the times, of each other.
    pub(super) fn swap(&mut self, one: usize, other: usize) -> Option<()> {
        let times = (self.value(one, "ts"), self.value(other, "ts"));
        self.events.swap(one, other);
        self.events[one].insert("ts".to_owned(), times.0);
        self.events[other].insert("ts".to_owned(), times.1);
        Some(())
    }

    /// Duplicate: an event, or the two ends of a run, once more behind the last.
    pub(super) fn duplicate(&mut self, from: usize, to: usize) -> Option<()> {
        let copies: Vec<Event> =
            [from, to][..if from == to { 1 } else { 2 }].iter().map(|at| self.events[*at].clone()).collect();
        let end = to + 1;
        self.events.splice(end..end, copies);
        Some(())
    }

    /// Edit, and retarget: another value in a field, by its JSON pointer; `null` takes the field away.
    pub(super) fn edit(&mut self, at: usize, pointer: &str, value: impl Into<Value>) -> Option<()> {
        let mut event = Value::Object(std::mem::take(&mut self.events[at]));
        let (parent, name) = pointer.rsplit_once('/')?;
        match (event.pointer_mut(parent)?, value.into()) {
            (Value::Object(fields), Value::Null) => drop(fields.remove(name)),
            (Value::Object(fields), value) => drop(fields.insert(name.to_owned(), value)),
            (Value::Array(items), value) => items.push(value),
            _ => return None,
        }
        self.events[at] = event.as_object().cloned()?;
        Some(())
    }

    /// Forge: an event that nobody has written, before another, of the same session and moment.
    pub(super) fn forge(&mut self, before: usize, fields: &Value) -> Option<()> {
        let beside = &self.events[before];
        let kept = ["ts", "sessionId", "runId", "toolCallId"];
        let mut event: Event =
            kept.iter().filter_map(|name| Some(((*name).to_owned(), beside.get(*name)?.clone()))).collect();
        event.insert("eventId".to_owned(), "ev_forged".into());
        event.extend(fields.as_object()?.clone());
        self.events.insert(before, event);
        Some(())
    }

    /// Truncate: of a call, everything behind an event is gone.
    pub(super) fn truncate(&mut self, call: &Call, after: usize) -> Option<()> {
        let mut at = 0;
        self.events.retain(|e| {
            at += 1;
            at - 1 <= after || text(e, "toolCallId") != call.id
        });
        Some(())
    }
}
