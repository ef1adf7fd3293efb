//! Grants: which are in force, and whether one covers a call.

use crate::{
    event::{
        Fact,
        fact::{GrantIssued, GrantRevoked, ToolBlocked, ToolCallStarted},
    },
    model::{
        Digest, EffectLevel, GrantArguments, GrantBinding, GrantId, PermissionGrant, PrincipalId,
        RuntimeTerms, SessionId, ToolId, ToolVersion,
    },
};
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// How many times a grant may have been passed on from agent to agent.
const MAX_DERIVED: usize = 16;

/// What of a call a grant is held against.
#[derive(Debug, Clone, Copy)]
pub struct CallFacts<'a> {
    /// Who acts.
    pub principal: &'a PrincipalId,
    /// In which conversation.
    pub session_id: &'a SessionId,
    /// For which tenant, such as `workspace:/srv/shop`.
    pub tenant: Option<&'a str>,
    /// With which tool.
    pub tool_id: &'a ToolId,
    /// In which version.
    pub tool_version: &'a ToolVersion,
    /// With which contract.
    pub descriptor_digest: &'a Digest,
    /// With which arguments.
    pub args_digest: &'a Digest,
    /// With which scopes.
    pub scopes: &'a [String],
    /// How far it reaches.
    pub level: EffectLevel,
    /// Where and with what it would run.
    pub terms: &'a RuntimeTerms,
}

/// Why a grant does not cover a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Misfit {
    #[error("it was ended: {0}")]
    Ended(String),
    #[error("it expired at {}", .0.format("%Y-%m-%d %H:%M:%S%.3fZ"))]
    Expired(DateTime<Utc>),
    #[error("it was used for its one call")]
    Spent,
    #[error("it is for one approved call, and is handed to that call alone")]
    OneCall,
    #[error("the grant that it was passed on from is gone: {0}")]
    Parent(String),
    #[error("it is for another principal, {0}")]
    Principal(PrincipalId),
    #[error("it is for another session, {0}")]
    Session(SessionId),
    #[error("it does not reach beyond {0}")]
    Tenant(String),
    #[error("it is for another tool, {0}")]
    Tool(ToolId),
    #[error("it is for version {0}")]
    Version(ToolVersion),
    #[error("it is for another contract of the tool, {}", .0.short())]
    Descriptor(Digest),
    #[error("it is for other arguments")]
    Arguments,
    #[error("it is for another place, program, sandbox or credential")]
    Terms,
    #[error("it does not hold the scope `{0}`")]
    Scope(String),
    #[error("what can destroy is approved one call at a time")]
    Destructive,
}

/// Where a grant stands at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantState {
    /// In force.
    Live,
    /// Its time is over.
    Expired,
    /// Revoked, or ended with its tool: why.
    Ended(String),
    /// Used for the one call that it was for.
    Spent,
}

impl GrantState {
    /// The state in one word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Expired => "expired",
            Self::Ended(_) => "ended",
            Self::Spent => "spent",
        }
    }
}

/// A grant, and what has become of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    grant: PermissionGrant,
    ended: Option<String>,
    spent: bool,
}

impl Held {
    /// The grant.
    pub fn grant(&self) -> &PermissionGrant {
        &self.grant
    }

    /// Where it stands.
    pub fn state(&self, now: DateTime<Utc>) -> GrantState {
        match &self.ended {
            Some(why) => GrantState::Ended(why.clone()),
            None if self.spent => GrantState::Spent,
            None if self.grant.expires_at <= now => GrantState::Expired,
            None => GrantState::Live,
        }
    }
}

/// All grants that a journal tells of.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    held: Vec<Held>,
    by_id: HashMap<GrantId, usize>,
    by_tool: HashMap<ToolId, Vec<usize>>,
    /// Revocations of grants that this journal does not tell of: those of one call stand in their run's.
    revoked_elsewhere: HashMap<GrantId, String>,
}

impl Grants {
    /// Takes the next event in; most are none of its business.
    pub fn apply(&mut self, fact: &Fact) {
        match fact {
            Fact::GrantIssued(GrantIssued { grant }) => self.issue(grant),
            Fact::GrantRevoked(_) if mutant!(RevocationForgotten) => {}
            Fact::GrantRevoked(GrantRevoked { grant_id, by, reason }) => {
                self.end(grant_id, &format!("revoked by {by}: {reason}"));
            }
            Fact::ToolBlocked(ToolBlocked { tool_id, tool_version, by, reason, .. }) => {
                let why = format!("`{tool_id}` was blocked by {by}: {reason}");
                self.end_of_tool(tool_id, tool_version.as_ref(), &why);
            }
            Fact::ToolCallStarted(ToolCallStarted { grant_id: Some(id), .. }) => {
                if let Some(held) = self.by_id.get(id).map(|at| &mut self.held[*at])
                    && matches!(held.grant.binding, GrantBinding::Call { .. })
                {
                    held.spent = true;
                }
            }
            _ => {}
        }
    }

    /// A grant that is told of twice, in the journals of its run and of the registry, is one grant; nothing
    /// makes an ended one live again.
    fn issue(&mut self, grant: &PermissionGrant) {
        if self.by_id.contains_key(&grant.grant_id) {
            return;
        }
        let at = self.held.len();
        self.by_id.insert(grant.grant_id.clone(), at);
        self.by_tool.entry(grant.tool_id.clone()).or_default().push(at);
        let ended = self.revoked_elsewhere.get(&grant.grant_id).cloned();
        self.held.push(Held { grant: grant.clone(), ended, spent: false });
    }

    fn end(&mut self, id: &GrantId, why: &str) {
        match self.by_id.get(id) {
            Some(at) => self.held[*at].ended.get_or_insert_with(|| why.to_owned()),
            None => self.revoked_elsewhere.entry(id.clone()).or_insert_with(|| why.to_owned()),
        };
    }

    fn end_of_tool(&mut self, tool: &ToolId, version: Option<&ToolVersion>, why: &str) {
        for at in self.by_tool.get(tool).into_iter().flatten() {
            let held = &mut self.held[*at];
            if version.is_none_or(|version| *version == held.grant.tool_version) {
                held.ended.get_or_insert_with(|| why.to_owned());
            }
        }
    }

    /// Every grant, in the order in which they were given.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Held> {
        self.held.iter()
    }

    /// One grant.
    pub fn get(&self, id: &str) -> Option<&Held> {
        self.by_id.get(id).map(|at| &self.held[*at])
    }

    /// The grant that covers a call, if there is one.
    pub fn covering(&self, call: &CallFacts<'_>, now: DateTime<Utc>) -> Option<&PermissionGrant> {
        let candidates = self.by_tool.get(call.tool_id)?.iter().map(|at| &self.held[*at]);
        candidates.map(Held::grant).find(|grant| self.misfit(grant, call, now).is_none())
    }

    /// Why a grant does not cover a call; `None` where it does.
    pub fn misfit(
        &self,
        grant: &PermissionGrant,
        call: &CallFacts<'_>,
        now: DateTime<Utc>,
    ) -> Option<Misfit> {
        match grant.binding {
            GrantBinding::Call { .. } => return Some(Misfit::OneCall),
            GrantBinding::Session { .. } | GrantBinding::Standing => {}
        }
        if call.level >= EffectLevel::DestructiveOrAdmin {
            return Some(Misfit::Destructive);
        }
        self.ended(&grant.grant_id, now).or_else(|| grant_mismatch(grant, call))
    }

    /// Why a call that stands on a grant must stop; `None` while it may go on.
    ///
    /// A grant for one call, or one that followed from this run's approval, may stand in the run's journal
    /// alone; its revocation is told here.
    pub fn interruption(&self, grant: &PermissionGrant, now: DateTime<Utc>) -> Option<Misfit> {
        if let Some(why) = self.revoked_elsewhere.get(&grant.grant_id) {
            return Some(Misfit::Ended(why.clone()));
        }
        match (self.by_id.contains_key(&grant.grant_id), &grant.derived_from) {
            (true, _) => self.ended(&grant.grant_id, now).filter(|misfit| *misfit != Misfit::Spent),
            (false, _) if grant.expires_at <= now && !mutant!(ExpiryForgotten) => {
                Some(Misfit::Expired(grant.expires_at))
            }
            (false, Some(parent)) => self.ended(parent, now).map(|misfit| Misfit::Parent(misfit.to_string())),
            (false, None) => None,
        }
    }

    /// Why a grant is no longer in force; `None` while it is. A grant that nobody has heard of is not.
    pub fn ended(&self, id: &GrantId, now: DateTime<Utc>) -> Option<Misfit> {
        let mut next = Some(id);
        for passed_on in 0..=MAX_DERIVED {
            let id = next?;
            let gone = match self.get(id) {
                None => Some(Misfit::Ended("no journal tells of it".to_owned())),
                Some(held) => match held.state(now) {
                    GrantState::Live => None,
                    GrantState::Expired => Some(Misfit::Expired(held.grant.expires_at)),
                    GrantState::Ended(why) => Some(Misfit::Ended(why)),
                    GrantState::Spent => Some(Misfit::Spent),
                },
            };
            match gone {
                Some(misfit) if passed_on == 0 => return Some(misfit),
                Some(misfit) => return Some(Misfit::Parent(misfit.to_string())),
                None => next = self.get(id).and_then(|held| held.grant.derived_from.as_ref()),
            }
        }
        next.map(|_| Misfit::Parent(format!("it was passed on more than {MAX_DERIVED} times")))
    }
}

/// What of a call is not what the grant says, whatever the time.
pub fn grant_mismatch(grant: &PermissionGrant, call: &CallFacts<'_>) -> Option<Misfit> {
    if grant.principal != *call.principal {
        return Some(Misfit::Principal(grant.principal.clone()));
    }
    if let GrantBinding::Session { session_id } = &grant.binding
        && session_id != call.session_id
    {
        return Some(Misfit::Session(session_id.clone()));
    }
    if grant.tenant.as_deref().is_some_and(|tenant| Some(tenant) != call.tenant) {
        return Some(Misfit::Tenant(grant.tenant.clone().unwrap_or_default()));
    }
    if grant.tool_id != *call.tool_id {
        return Some(Misfit::Tool(grant.tool_id.clone()));
    }
    if grant.tool_version != *call.tool_version {
        return Some(Misfit::Version(grant.tool_version.clone()));
    }
    if grant.descriptor_digest != *call.descriptor_digest {
        return Some(Misfit::Descriptor(grant.descriptor_digest.clone()));
    }
    match &grant.arguments {
        GrantArguments::Exactly { args_digest } if args_digest != call.args_digest => {
            return Some(Misfit::Arguments);
        }
        GrantArguments::Exactly { .. } | GrantArguments::Any => {}
    }
    if grant.terms.as_ref().is_some_and(|terms| terms != call.terms) {
        return Some(Misfit::Terms);
    }
    let missing = call.scopes.iter().find(|scope| !grant.scopes.contains(scope));
    missing.map(|scope| Misfit::Scope(scope.clone()))
}
