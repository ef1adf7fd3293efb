//! What a policy speaks of, read from its syntax tree.

use cedar_policy::{
    Policy,
    pst::{
        ActionConstraint, BinaryOp, Clause, EntityOrSlot, EntityUID, Expr, Literal, PstConstructionError,
        ResourceConstraint, Var,
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// Which arguments are needed to ask a policy: a tree of names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Wanted {
    whole: bool,
    parts: BTreeMap<String, Wanted>,
}

impl Wanted {
    /// What is wanted of a property; `None` if nothing speaks of it.
    pub(super) fn of(&self, name: &str) -> Option<&Self> {
        if self.whole { Some(self) } else { self.parts.get(name) }
    }

    /// Names of the arguments that are spoken of; `None` where the record is used as a whole.
    pub(super) fn names(&self) -> Option<impl Iterator<Item = &str>> {
        (!self.whole).then(|| self.parts.keys().map(String::as_str))
    }

    /// Wants all that is at a path.
    pub(super) fn want<'n>(&mut self, path: impl IntoIterator<Item = &'n str>) {
        let mut at = self;
        for name in path {
            at = at.parts.entry(name.to_owned()).or_default();
        }
        at.whole = true;
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.whole |= other.whole;
        for (name, part) in &other.parts {
            self.parts.entry(name.clone()).or_default().add(part);
        }
    }
}

/// What one policy speaks of.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Whether its answer can depend on an approval.
    pub(super) approved: bool,
    /// Whether it reads the intent.
    pub(super) intent: bool,
    /// The arguments it reads; `None` where it speaks of none at all.
    pub(super) args: Option<Wanted>,
    /// The actions that its scope names; `None` leaves them open.
    pub(super) scope: Option<BTreeSet<String>>,
    /// Every action that it names, in the scope or in a condition.
    pub(super) actions: BTreeSet<String>,
    /// Those that are compared otherwise than by `in`.
    pub(super) exact_actions: BTreeSet<String>,
    /// Every tool that it names.
    pub(super) tools: BTreeSet<String>,
    /// Attributes that it compares with a word or number: `("resource.trust", "first_party")`.
    pub(super) words: BTreeSet<(String, String)>,
}

impl Uses {
    pub(super) fn of(policy: &Policy) -> Result<Self, PstConstructionError> {
        let tree = policy.to_pst()?;
        let body = tree.body();
        let mut uses = Self::default();
        match &body.action {
            ActionConstraint::Any => {}
            ActionConstraint::Eq(action) => {
                uses.entity(action, Compared::Exactly);
                uses.scope = Some(uses.actions.clone());
            }
            ActionConstraint::In(actions) => {
                actions.iter().for_each(|a| uses.entity(a, Compared::ByGroup));
                uses.scope = Some(uses.actions.clone());
            }
        }
        match &body.resource {
            ResourceConstraint::Eq(EntityOrSlot::Entity(tool))
            | ResourceConstraint::In(EntityOrSlot::Entity(tool))
            | ResourceConstraint::IsIn(_, EntityOrSlot::Entity(tool)) => {
                uses.entity(tool, Compared::Exactly);
            }
            _ => {}
        }
        for clause in body.clauses() {
            let (Clause::When(condition) | Clause::Unless(condition)) = clause;
            uses.expression(condition);
        }
        Ok(uses)
    }

    fn entity(&mut self, entity: &EntityUID, compared: Compared) {
        let id = entity.eid.to_string();
        match entity.ty.to_string().as_str() {
            "Action" => {
                if compared == Compared::Exactly {
                    self.exact_actions.insert(id.clone());
                }
                self.actions.insert(id);
            }
            "Tool" => {
                self.tools.insert(id);
            }
            _ => {}
        }
    }

    fn expression(&mut self, expr: &Expr) {
        if let Some(path) = path(expr) {
            return self.reads(&path);
        }
        match expr {
            Expr::HasAttr { expr, attrs } => match path(expr) {
                Some(mut path) => {
                    path.extend(attrs.iter().map(|a| a.as_str()));
                    self.tests(&path);
                }
                None => self.expression(expr),
            },
            Expr::BinaryOp { op: BinaryOp::In, left, right } => {
                self.expression(left);
                self.group(right);
            }
            Expr::BinaryOp { op, left, right } => {
                self.compare(*op, left, right);
                self.expression(left);
                self.expression(right);
            }
            Expr::Literal(Literal::EntityUID(entity)) => self.entity(entity, Compared::Exactly),
            other => children(other).for_each(|child| self.expression(child)),
        }
    }

    /// The right side of `in`.
    fn group(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal(Literal::EntityUID(entity)) => self.entity(entity, Compared::ByGroup),
            Expr::Set(items) => items.iter().for_each(|item| self.group(item)),
            other => self.expression(other),
        }
    }

    fn reads(&mut self, path: &[&str]) {
        match path {
            ["context"] => {
                (self.approved, self.intent) = (true, true);
                self.args.get_or_insert_default().want([]);
            }
            ["context", "args"] => self.args.get_or_insert_default().want([]),
            _ => self.tests(path),
        }
    }

    /// `has` needs no more than what it names.
    fn tests(&mut self, path: &[&str]) {
        match path {
            ["context", "approved", ..] => self.approved = true,
            ["context", "intent", ..] => self.intent = true,
            ["context", "args", below @ ..] => {
                let wanted = self.args.get_or_insert_default();
                if !below.is_empty() {
                    wanted.want(below.iter().copied());
                }
            }
            _ => {}
        }
    }

    fn compare(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let told = match op {
            BinaryOp::Eq
            | BinaryOp::NotEq
            | BinaryOp::Contains
            | BinaryOp::ContainsAll
            | BinaryOp::ContainsAny => [(left, right), (right, left)],
            _ => return,
        };
        for (attribute, literal) in told {
            if let Some(path) = path(attribute) {
                let path = path.join(".");
                self.words.extend(literals(literal).into_iter().map(|word| (path.clone(), word)));
            }
        }
    }
}

/// How an entity is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    Exactly,
    ByGroup,
}

/// `context.args.path` as its parts, where an expression is a chain of attributes.
fn path(expr: &Expr) -> Option<Vec<&str>> {
    match expr {
        Expr::Var(Var::Principal) => Some(vec!["principal"]),
        Expr::Var(Var::Action) => Some(vec!["action"]),
        Expr::Var(Var::Resource) => Some(vec!["resource"]),
        Expr::Var(Var::Context) => Some(vec!["context"]),
        Expr::GetAttr { expr, attr } => {
            let mut path = path(expr)?;
            path.push(attr);
            Some(path)
        }
        _ => None,
    }
}

/// The words and numbers of a literal, or of a set of literals.
fn literals(expr: &Expr) -> Vec<String> {
    match expr {
        Expr::Literal(Literal::String(text)) => vec![text.to_string()],
        Expr::Literal(Literal::Long(number)) => vec![number.to_string()],
        Expr::Set(items) => items.iter().flat_map(|item| literals(item)).collect(),
        _ => Vec::new(),
    }
}

/// The parts of every expression that has no case of its own above.
fn children(expr: &Expr) -> Box<dyn Iterator<Item = &Expr> + '_> {
    match expr {
        Expr::UnaryOp { expr, .. } | Expr::GetAttr { expr, .. } | Expr::Like { expr, .. } => {
            Box::new(std::iter::once(&**expr))
        }
        Expr::Is { expr, in_expr, .. } => {
            Box::new(std::iter::once(&**expr).chain(in_expr.iter().map(|e| &**e)))
        }
        Expr::IfThenElse { cond, then_expr, else_expr } => {
            Box::new([&**cond, &**then_expr, &**else_expr].into_iter())
        }
        Expr::Set(items) => Box::new(items.iter().map(|e| &**e)),
        Expr::Record(fields) => Box::new(fields.values().map(|e| &**e)),
        _ => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(condition: &str) -> Uses {
        let text = format!("permit (principal, action, resource) when {{ {condition} }};");
        Uses::of(&Policy::parse(None, text).unwrap()).unwrap()
    }

    fn told(wanted: &Wanted) -> String {
        let part = |(name, part): (&String, &Wanted)| match part.whole {
            true => name.clone(),
            false => format!("{name}{{{}}}", told(part)),
        };
        match wanted.whole {
            true => "*".to_owned(),
            false => wanted.parts.iter().map(part).collect::<Vec<_>>().join(","),
        }
    }

    #[test]
    fn what_a_policy_reads_is_found_wherever_it_stands() {
        for (condition, approved, intent, args) in [
            ("resource.level == 1", false, false, None),
            ("!(if true then context.approved else false)", true, false, None),
            ("context has approved", true, false, None),
            ("context.intent.actionTypes.contains(\"read\")", false, true, None),
            ("context has args", false, false, Some("")),
            ("context has args.to.host && context.args.to.host like \"*\"", false, false, Some("to{host}")),
            ("[context.args.a, context.args[\"b c\"]].contains(\"x\")", false, false, Some("a,b c")),
            ("{x: context.args} == {x: context.args}", false, false, Some("*")),
            ("context == context", true, true, Some("*")),
        ] {
            let uses = uses(condition);
            let wanted = uses.args.as_ref().map(told);
            assert_eq!((uses.approved, uses.intent), (approved, intent), "{condition}");
            assert_eq!(wanted.as_deref(), args, "{condition}");
        }
    }

    #[test]
    fn what_a_policy_names_is_found_wherever_it_stands() {
        let uses = uses(
            r#"action in [Action::"call"] && action == Action::"call:a" && resource == Tool::"t"
               && ["low"].contains(resource.risk) && "x" != resource.trust && principal.scopes.containsAny(["s"])
               && resource.level == 3"#,
        );
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(list(&uses.actions), "call call:a");
        assert_eq!(list(&uses.exact_actions), "call:a");
        assert_eq!(list(&uses.tools), "t");
        let words: Vec<String> = uses.words.iter().map(|(path, word)| format!("{path}={word}")).collect();
        assert_eq!(
            words,
            ["principal.scopes=s", "resource.level=3", "resource.risk=low", "resource.trust=x"]
        );
    }
}
