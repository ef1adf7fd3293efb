//! A whole `args:` block, compiled.

use super::{
    ArgsMode, Folds, Normalize, Pattern, PatternError, Report, SchemaView, Scope, Witness,
    bfcl::{self, Wanted},
    words,
};
use crate::run::Mismatch;
use proofhouse_manager::document::escape_segment;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What the arguments of a call must look like.
///
/// Cheap to clone. The tool's schema is handed in when it is asked, since one pattern may stand for several
/// tools; all that it adds is that an argument which equals its default is never unexpected.
#[derive(Debug, Clone)]
pub struct ArgsPattern(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    written: Value,
    mode: ArgsMode,
    normalize: Normalize,
    rule: Rule,
}

/// By what arguments are judged.
#[derive(Debug)]
enum Rule {
    /// They are not looked at.
    Anything,
    /// Our own pattern language.
    Pattern(Pattern),
    /// Allowed values, by the rules of another scorer.
    Bfcl(bfcl::Profile),
}

impl ArgsPattern {
    /// The pattern of a call whose arguments are not looked at.
    pub fn anything() -> Self {
        Self(Arc::new(Inner {
            written: Value::Null,
            mode: ArgsMode::Ignore,
            normalize: Normalize::default(),
            rule: Rule::Anything,
        }))
    }

    /// The pattern of arguments that are judged by the leaderboard's rules: a list of allowed values for each.
    ///
    /// # Errors
    /// A block of another shape.
    pub fn bfcl(written: &Value, profile: bfcl::Profile) -> Result<Self, PatternError> {
        let normalize = Normalize::default();
        let scope = Scope::root(ArgsMode::Exact, &normalize);
        let is_truth = |allowed: &Map<String, Value>| allowed.values().all(Value::is_array);
        if !written.as_object().is_some_and(is_truth) {
            let error = scope.error("by this profile each argument has a list of allowed values");
            return Err(error.with_hint("write `args: { name: [value, …] }`"));
        }
        let (written, rule) = (written.clone(), Rule::Bfcl(profile));
        Ok(Self(Arc::new(Inner { written, mode: ArgsMode::Exact, normalize, rule })))
    }

    /// Compiles an `args:` block.
    ///
    /// # Errors
    /// The first matcher that is unknown or has a wrong operand, with its place in the block.
    pub fn compile(written: &Value, mode: ArgsMode, normalize: &Normalize) -> Result<Self, PatternError> {
        let scope = Scope::root(mode, normalize);
        if !written.is_object() {
            return Err(scope
                .error(format!("arguments are an object, and this is `{written}`"))
                .with_hint("write `args: { name: value }`"));
        }
        let pattern = Pattern::compile(written, &scope)?;
        Ok(Self(Arc::new(Inner {
            written: written.clone(),
            mode,
            normalize: normalize.clone(),
            rule: Rule::Pattern(pattern),
        })))
    }

    /// The block as it was written; null if there was none.
    pub fn written(&self) -> &Value {
        &self.0.written
    }

    /// How strictly arguments are compared.
    pub fn mode(&self) -> ArgsMode {
        self.0.mode
    }

    /// What is disregarded when text is compared in the argument that a JSON pointer names.
    pub fn folds(&self, pointer: &str) -> Folds {
        self.0.normalize.at(pointer)
    }

    /// The profile that the block is read by, where it is not our own pattern language.
    pub fn profile(&self) -> Option<&bfcl::Profile> {
        match &self.0.rule {
            Rule::Bfcl(profile) => Some(profile),
            Rule::Anything | Rule::Pattern(_) => None,
        }
    }

    /// Whether the arguments match.
    pub fn accepts(&self, args: &Map<String, Value>, schema: Option<&Value>) -> bool {
        match self.looked_at() {
            Rule::Anything => true,
            Rule::Pattern(pattern) => pattern.matches_members(args, SchemaView::new(schema)),
            Rule::Bfcl(profile) => self.bfcl_mismatch(profile, args, schema).is_none(),
        }
    }

    /// Where the arguments differ from what is expected; empty if they match.
    pub fn matches(&self, args: &Map<String, Value>, schema: Option<&Value>) -> Vec<Mismatch> {
        match self.looked_at() {
            Rule::Pattern(pattern) if !self.accepts(args, schema) => {
                let mut report = Report::default();
                pattern.explain_members(args, SchemaView::new(schema), &mut report);
                report.into_mismatches()
            }
            Rule::Anything | Rule::Pattern(_) => Vec::new(),
            Rule::Bfcl(profile) => self.bfcl_mismatch(profile, args, schema).into_iter().collect(),
        }
    }

    /// Arguments that satisfy the pattern, if some can be found; valid by the schema where that is in reach.
    pub fn witness(&self, schema: Option<&Value>) -> Option<Map<String, Value>> {
        let view = SchemaView::new(schema);
        let witness = match &self.0.rule {
            Rule::Pattern(pattern) => pattern.witness(view)?,
            Rule::Bfcl(_) => Witness::Value(Value::Object(bfcl::witness(&self.0.written)?)),
            Rule::Anything => Witness::Value(
                view.value().and_then(|_| super::sample::sample(view)).unwrap_or(Value::Object(Map::new())),
            ),
        };
        match witness {
            Witness::Value(Value::Object(args)) if self.accepts(&args, schema) => Some(args),
            _ => None,
        }
    }

    fn looked_at(&self) -> &Rule {
        if self.0.mode == ArgsMode::Ignore { &Rule::Anything } else { &self.0.rule }
    }

    /// The first thing that the leaderboard's rules hold against the arguments.
    fn bfcl_mismatch(
        &self,
        profile: &bfcl::Profile,
        args: &Map<String, Value>,
        schema: Option<&Value>,
    ) -> Option<Mismatch> {
        let allowed = &self.0.written;
        // Pairing has compared the names already.
        let wanted = Wanted { tool: "call", allowed, schema };
        let fault = match profile.fault(wanted, &Value::Object(args.clone())) {
            Ok(fault) => fault?,
            Err(error) => {
                let (path, actual) = (String::new(), "an expectation that nothing meets".to_owned());
                return Some(Mismatch { path, expected: error.to_string(), actual });
            }
        };
        let name = fault.parameter.as_deref().unwrap_or_default();
        let path =
            fault.parameter.as_deref().map_or_else(String::new, |name| format!("/{}", escape_segment(name)));
        let allowed = allowed.get(name).map_or_else(|| "no such argument".to_owned(), words::value);
        let expected = format!("{allowed} ({})", fault.error.as_str());
        Some(Mismatch { path, expected, actual: words::actual(args.get(name)) })
    }
}
