//! Names on the wire: reversible, collision-free, and the same in every view.
//!
//! A name is a function of the tool's id alone, so adding a tool to a view never renames another one (what
//! a model saw, and so what was recorded, stays what it was):
//!
//! - A *plain* id is written readably, each `.` as `__` where dots are not allowed. Plain are ids of allowed
//!   characters that fit, in which this can be read back: without `__`, without `_` beside a dot.
//! - Any other id is cut to fit and marked with `_x` and ten digits of its digest. An id that ends like such
//!   a mark is not plain, so a marked name never meets a readable one.
//!
//! Two marked names can only be equal if ten digits of SHA-256 are, which somebody would have to arrange. A
//! view that holds both then gives both the long mark of forty digits, and only them.

use crate::model::{Digest, Domain, ToolId};
use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

/// What a provider allows in the name of a tool, beside letters, digits, `_` and `-`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameLimits {
    max: usize,
    dots: bool,
    digits: usize,
}

const SHORT_MARK: usize = 10;
const LONG_MARK: usize = 40;

impl NameLimits {
    /// Names of at most `max` characters (and no fewer than 64), with or without dots.
    pub(super) const fn new(max: usize, dots: bool) -> Self {
        Self { max, dots, digits: SHORT_MARK }
    }

    /// The name of a tool whose short mark nobody has forged.
    pub fn wire(&self, tool: &ToolId) -> String {
        match self.plain(tool) {
            Some(name) => name.into_owned(),
            None => self.marked(tool, self.digits),
        }
    }

    /// Whether a provider accepts the name.
    pub fn allows(&self, name: &str) -> bool {
        (1..=self.max).contains(&name.len()) && name.bytes().all(|b| self.allows_byte(b))
    }

    fn allows_byte(&self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || (self.dots && byte == b'.')
    }

    fn plain<'a>(&self, id: &'a str) -> Option<Cow<'a, str>> {
        let name = if self.dots {
            Cow::Borrowed(id)
        } else if ["__", "_.", "._"].iter().any(|ambiguous| id.contains(ambiguous)) {
            return None;
        } else {
            Cow::Owned(id.replace('.', "__"))
        };
        (self.allows(&name) && !self.has_mark(&name)).then_some(name)
    }

    fn marked(&self, id: &str, digits: usize) -> String {
        let digest = Digest::of_bytes(Domain::Plain, id.as_bytes());
        let dot = if self.dots { "." } else { "__" };
        let readable = id.replace('.', dot);
        let allowed = |c: char| u8::try_from(c).is_ok_and(|byte| self.allows_byte(byte));
        let kept = readable.chars().map(|c| if allowed(c) { c } else { '_' });
        let mut name: String = kept.take(self.max - digits - 2).collect();
        name.push_str("_x");
        name.extend(digest.as_str().chars().take(digits));
        name
    }

    /// Whether a name ends like a mark, short or long.
    fn has_mark(&self, name: &str) -> bool {
        [self.digits, LONG_MARK].into_iter().any(|digits| {
            let split = name.len().checked_sub(digits).and_then(|at| name.split_at_checked(at));
            split.is_some_and(|(head, tail)| {
                head.ends_with("_x") && tail.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            })
        })
    }
}

/// The names of a view's tools under one provider, both ways.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WireNames {
    by_tool: BTreeMap<ToolId, Arc<str>>,
    by_name: BTreeMap<Arc<str>, ToolId>,
}

impl WireNames {
    /// Names every tool; an id that stands twice counts once.
    pub(super) fn new(limits: NameLimits, tools: &[ToolId]) -> Self {
        let mut claims: BTreeMap<String, Vec<&ToolId>> = BTreeMap::new();
        for tool in tools {
            let claim = claims.entry(limits.wire(tool)).or_default();
            if !claim.contains(&tool) {
                claim.push(tool);
            }
        }
        let mut names = Self::default();
        for (name, tools) in claims {
            match tools.as_slice() {
                [tool] => names.insert(tool, &name),
                several => several.iter().for_each(|t| names.insert(t, &limits.marked(t, LONG_MARK))),
            }
        }
        names
    }

    fn insert(&mut self, tool: &ToolId, name: &str) {
        let name: Arc<str> = name.into();
        self.by_tool.insert(tool.clone(), Arc::clone(&name));
        self.by_name.insert(name, tool.clone());
    }

    /// What the provider is told; nothing for a tool that was not named.
    pub fn wire(&self, tool: &ToolId) -> Option<&str> {
        self.by_tool.get(tool).map(|name| &**name)
    }

    /// Which tool a model means; nothing for a name that was not offered.
    pub fn canonical(&self, name: &str) -> Option<&ToolId> {
        self.by_name.get(name)
    }

    /// Tools and names, ordered by id.
    pub fn iter(&self) -> impl Iterator<Item = (&ToolId, &str)> {
        self.by_tool.iter().map(|(tool, name)| (tool, &**name))
    }

    /// How many tools are named.
    pub fn len(&self) -> usize {
        self.by_tool.len()
    }

    /// Whether no tool is named.
    pub fn is_empty(&self) -> bool {
        self.by_tool.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPENAI: NameLimits = NameLimits::new(64, false);
    const MCP: NameLimits = NameLimits::new(128, true);

    fn ids(texts: &[&str]) -> Vec<ToolId> {
        texts.iter().map(|t| ToolId::from(*t)).collect()
    }

    fn holds(limits: NameLimits, tools: &[ToolId]) {
        let names = WireNames::new(limits, tools);
        for tool in tools {
            let wire = names.wire(tool).unwrap();
            assert!(limits.allows(wire), "`{tool}` became `{wire}`");
            assert_eq!(names.canonical(wire), Some(tool), "`{wire}` is ambiguous");
        }
    }

    #[test]
    fn names_read_well_and_what_cannot_be_read_back_is_marked() {
        for (id, openai, mcp) in [
            ("file.read", "file__read", "file.read"),
            ("git-cyanheads.git_add", "git-cyanheads__git_add", "git-cyanheads.git_add"),
            ("file__read", "file__read_xb124a3b8ff", "file__read"),
            ("a._b", "a___b_xdd1c251ab4", "a._b"),
            ("größe", "gr__e_xd353a2671b", "gr__e_xd353a2671b"),
            ("", "_xe3b0c44298", "_xe3b0c44298"),
            ("a_x0123456789", "a_x0123456789_x3ad289cfc8", "a_x0123456789_x3ad289cfc8"),
        ] {
            let tool = ToolId::from(id);
            assert_eq!((OPENAI.wire(&tool), MCP.wire(&tool)), (openai.to_owned(), mcp.to_owned()));
        }
    }

    #[test]
    fn a_long_name_is_cut_to_the_limit() {
        let tool = ToolId::from("server.".to_owned() + &"x".repeat(200));
        assert_eq!(OPENAI.wire(&tool).len(), 64);
        assert_eq!(MCP.wire(&tool).len(), 128);
    }

    #[test]
    fn a_forged_mark_gets_the_long_one_and_leaves_the_others_alone() {
        // A mark of one digit is easily forged: the ids of one length share 16 names.
        let weak = NameLimits { digits: 1, ..OPENAI };
        let mut tools: Vec<ToolId> = (0..40).map(|i| ToolId::from(format!("é{i}é"))).collect();
        tools.extend(ids(&["a.b", "a__b"]));
        holds(weak, &tools);
        assert_eq!(WireNames::new(weak, &tools).wire(&"a.b".into()), Some("a__b"));
    }

    fn tricky() -> impl Strategy<Value = ToolId> {
        let part =
            prop_oneof!["[ab]", "[._]{1,3}", "_x[0-9a-f]{10}", "_x[0-9a-f]{40}", "[é -]", "[a-z.]{30,70}"];
        prop::collection::vec(part, 0..5).prop_map(|parts| ToolId::from(parts.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_set_of_ids_maps_to_distinct_allowed_names_and_back(
            tools in prop::collection::vec(tricky(), 0..40),
        ) {
            for limits in [OPENAI, MCP, NameLimits { digits: 1, ..OPENAI }] {
                holds(limits, &tools);
            }
        }

        #[test]
        fn a_name_does_not_depend_on_the_other_tools(
            tools in prop::collection::vec(tricky(), 1..40),
        ) {
            let names = WireNames::new(OPENAI, &tools);
            let alone = WireNames::new(OPENAI, &tools[..1]);
            prop_assert_eq!(names.wire(&tools[0]), alone.wire(&tools[0]));
        }
    }
}
