//! A tool on its way through the lints, with what many of them ask computed once.

use super::subschema::{Subschema, subschemas};
use crate::{
    model::{ActionType, EffectLevel, ToolDescriptor},
    normalize::verbs,
};
use serde_json::{Map, Value};

/// Where the input schema stands in a descriptor.
pub(super) const INPUT: &str = "/schemas/inputSchema";

/// A tool that is looked at.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Its canonical descriptor.
    pub tool: &'a ToolDescriptor,
    served: Option<&'a Map<String, Value>>,
    schemas: Vec<Subschema<'a>>,
    verbs: Vec<ActionType>,
}

impl<'a> Subject<'a> {
    /// A tool and, if it came from a definition, what was served.
    pub fn new(tool: &'a ToolDescriptor, served: Option<&'a Map<String, Value>>) -> Self {
        let schemas = subschemas(&tool.schemas.input_schema.0, INPUT);
        Self { tool, served, schemas, verbs: verbs_of(own_name(tool)) }
    }

    /// The tool's name at its source, without that of the source.
    pub fn name(&self) -> &'a str {
        own_name(self.tool)
    }

    /// What the verbs of its name say that it does.
    pub fn verbs(&self) -> &[ActionType] {
        &self.verbs
    }

    /// How far the verbs of its name reach; nothing for a name without a known verb.
    pub fn verb_level(&self) -> Option<EffectLevel> {
        self.verbs.iter().map(|action| action.floor()).max()
    }

    /// Its summary, as somebody wrote it.
    pub fn summary(&self) -> &'a str {
        &self.tool.description.summary
    }

    /// Every text of the description that a model sees, with its pointer.
    pub fn texts(&self) -> impl Iterator<Item = (String, &'a str)> {
        let description = &self.tool.description;
        let list = |name: &'static str, texts: &'a [String]| {
            let place =
                move |(i, text): (usize, &'a String)| (format!("/description/{name}/{i}"), text.as_str());
            texts.iter().enumerate().map(place)
        };
        std::iter::once(("/description/summary".to_owned(), description.summary.as_str()))
            .chain(list("useWhen", &description.use_when))
            .chain(list("doNotUseWhen", &description.do_not_use_when))
    }

    /// The input schema and every schema in it, outermost first.
    pub fn schemas(&self) -> &[Subschema<'a>] {
        &self.schemas
    }

    /// The parameters: the properties at the root.
    pub fn parameters(&self) -> impl Iterator<Item = &Subschema<'a>> {
        let depth = INPUT.len() + "/properties/".len();
        self.schemas.iter().filter(move |s| {
            s.depth == 1 && s.property.is_some() && s.pointer.get(depth..).is_some_and(|p| !p.contains('/'))
        })
    }

    /// The properties, however deep they stand.
    pub fn properties(&self) -> impl Iterator<Item = (&'a str, &Subschema<'a>)> {
        self.schemas.iter().filter_map(|schema| Some((schema.property?, schema)))
    }

    /// What a local reference leads to.
    pub fn target(&self, reference: &str) -> Option<&'a Value> {
        let root = &self.tool.schemas.input_schema.0;
        let mut segments = crate::document::split_pointer(reference.strip_prefix('#')?);
        let first = root.get(&*segments.next()?)?;
        segments.try_fold(first, |value, segment| match value {
            Value::Object(map) => map.get(&*segment),
            Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Whether a person wrote the descriptor, rather than a normalizer.
    pub fn is_written(&self) -> bool {
        self.served.is_none() && self.tool.provenance.inferred.is_empty()
    }

    /// Whether somebody stated what stands at a pointer, rather than a normalizer inferring it.
    pub fn stated(&self, pointer: &str) -> bool {
        !self.tool.provenance.inferred.iter().any(|inferred| {
            let rest = pointer.strip_prefix(inferred.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// What was served.
    pub fn served(&self) -> Option<&'a Map<String, Value>> {
        self.served
    }

    /// MCP's annotations, if there are any.
    pub fn annotations(&self) -> Option<&'a Map<String, Value>> {
        self.served?.get("annotations")?.as_object().filter(|annotations| !annotations.is_empty())
    }

    /// What a hint of MCP claims.
    pub fn hint(&self, name: &str) -> Option<bool> {
        self.annotations()?.get(name)?.as_bool()
    }
}

fn own_name(tool: &ToolDescriptor) -> &str {
    let name = tool.canonical_name.as_str();
    let qualified = name.strip_prefix(tool.source.source_id.as_str()).and_then(|rest| rest.strip_prefix('.'));
    match qualified {
        Some(own) if tool.source.server_id.is_some() => own,
        // A written name leads with what it is about: of `deploy.status`, `status` says what it does.
        _ => name.rsplit_once('.').map_or(name, |(_, own)| own),
    }
}

/// The verbs of a name, less the words that only look like one: `posts` within a name, and the last of many words,
/// are what something is done to, as in `web_data_x_posts` and `get_app_store`.
fn verbs_of(name: &str) -> Vec<ActionType> {
    /// In a longer name, a verb does not stand last.
    const SHORT: usize = 3;
    let words = verbs::words(name);
    let last = words.len().saturating_sub(1);
    let is_noun = |at: usize, word: &str| {
        (at > 0 && word.ends_with('s') && !matches!(word, "process" | "access"))
            || (at == last && words.len() > SHORT)
    };
    let kept: Vec<&str> = words
        .iter()
        .enumerate()
        .filter(|(at, word)| !is_noun(*at, word))
        .map(|(_, word)| word.as_str())
        .collect();
    verbs::in_words(&kept.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::descriptor;

    #[test]
    fn the_own_name_says_what_a_tool_does() {
        for (id, own, verbs) in [
            ("deploy.status", "status", vec![]),
            ("file.delete", "delete", vec![ActionType::Delete]),
            ("plain", "plain", vec![]),
            ("web_data_x_posts", "web_data_x_posts", vec![]),
            ("web_data_app_store", "web_data_app_store", vec![]),
            ("queue_delete", "queue_delete", vec![ActionType::Delete]),
        ] {
            let tool = descriptor(id);
            let subject = Subject::new(&tool, None);
            assert_eq!((subject.name(), subject.verbs()), (own, verbs.as_slice()));
        }
        let mut tool = descriptor("srv.a.get_b");
        tool.source.source_id = "srv".into();
        tool.source.server_id = Some("srv".into());
        assert_eq!(Subject::new(&tool, None).name(), "a.get_b");
    }

    #[test]
    fn what_is_inferred_is_not_stated() {
        let mut tool = descriptor("a");
        tool.provenance.inferred = vec!["/effects/writes".into(), "/sandbox".into()];
        let subject = Subject::new(&tool, None);
        for (pointer, stated) in [
            ("/effects/writes", false),
            ("/effects/writesX", true),
            ("/sandbox/mode", false),
            ("/risk/level", true),
        ] {
            assert_eq!(subject.stated(pointer), stated, "{pointer}");
        }
        assert!(!subject.is_written());
    }
}
