//! Grants and approvals as folds: what covers a call, what ends it, and what a restart finds.

use super::{
    testing::{digest, now, request},
    *,
};
use crate::{
    event::{
        Fact, GrantReach,
        fact::{
            ApprovalConfirmation, ApprovalDenied, ApprovalExpired, ApprovalGranted, ApprovalInvalidated,
            ApprovalRequested, BlockCause, GrantIssued, GrantRevoked, ToolBlocked,
        },
    },
    model::{
        ApprovalId, Digest, EffectLevel, GrantArguments, GrantBinding, GrantId, PermissionGrant, PrincipalId,
        RiskLevel, RuntimeTerms, SessionId, ToolId, ToolVersion,
    },
};
use chrono::TimeDelta;

fn terms() -> RuntimeTerms {
    RuntimeTerms {
        working_directory: Some("/srv/shop".into()),
        executable: None,
        sandbox_digest: digest("sandbox"),
        credentials: Vec::new(),
    }
}

fn grant(id: &str) -> PermissionGrant {
    PermissionGrant {
        grant_id: id.into(),
        principal: "user:dev".into(),
        tool_id: "mail.send".into(),
        tool_version: "1.0.0".into(),
        descriptor_digest: digest("contract"),
        scopes: vec!["mail:send".into(), "mail:read".into()],
        arguments: GrantArguments::Exactly { args_digest: digest("args") },
        binding: GrantBinding::Session { session_id: "ses_1".into() },
        tenant: Some("workspace:/srv/shop".into()),
        terms: Some(terms()),
        derived_from: None,
        approval_id: None,
        granted_by: "user:dev".into(),
        granted_at: now(),
        expires_at: now() + TimeDelta::hours(1),
    }
}

/// A call of which each test varies one thing.
#[derive(Clone)]
struct Call {
    principal: PrincipalId,
    session: SessionId,
    tenant: Option<&'static str>,
    tool: ToolId,
    version: ToolVersion,
    contract: Digest,
    args: Digest,
    scopes: Vec<String>,
    level: EffectLevel,
    terms: RuntimeTerms,
}

impl Call {
    fn new() -> Self {
        Self {
            principal: "user:dev".into(),
            session: "ses_1".into(),
            tenant: Some("workspace:/srv/shop"),
            tool: "mail.send".into(),
            version: "1.0.0".into(),
            contract: digest("contract"),
            args: digest("args"),
            scopes: vec!["mail:send".into()],
            level: EffectLevel::ExternalWrite,
            terms: terms(),
        }
    }

    fn facts(&self) -> CallFacts<'_> {
        CallFacts {
            principal: &self.principal,
            session_id: &self.session,
            tenant: self.tenant,
            tool_id: &self.tool,
            tool_version: &self.version,
            descriptor_digest: &self.contract,
            args_digest: &self.args,
            scopes: &self.scopes,
            level: self.level,
            terms: &self.terms,
        }
    }
}

fn issued(grant: PermissionGrant) -> Fact {
    GrantIssued { grant: Box::new(grant) }.into()
}

fn revoked(id: &str) -> Fact {
    GrantRevoked { grant_id: id.into(), by: "user:ops".into(), reason: "no longer".into() }.into()
}

fn blocked(version: Option<&str>) -> Fact {
    ToolBlocked {
        tool_id: "mail.send".into(),
        tool_version: version.map(Into::into),
        cause: BlockCause::Drift,
        by: "system:registry".into(),
        reason: "it drifted".into(),
        definition_digest: None,
    }
    .into()
}

fn fold(facts: &[Fact]) -> Grants {
    let mut grants = Grants::default();
    facts.iter().for_each(|fact| grants.apply(fact));
    grants
}

#[test]
fn a_grant_covers_what_it_says_and_nothing_else() {
    type Change = fn(&mut Call, &mut PermissionGrant);
    let rows: [(&str, Change, Option<&str>); 18] = [
        ("sound", |_, _| {}, None),
        ("fewer scopes", |c, _| c.scopes.clear(), None),
        (
            "any arguments",
            |c, g| {
                g.arguments = GrantArguments::Any;
                c.args = digest("other");
            },
            None,
        ),
        (
            "standing, any session",
            |c, g| {
                g.binding = GrantBinding::Standing;
                c.session = "ses_2".into();
            },
            None,
        ),
        (
            "no tenant stated",
            |c, g| {
                g.tenant = None;
                c.tenant = None;
            },
            None,
        ),
        ("AP-01 arguments", |c, _| c.args = digest("Args"), Some("other arguments")),
        ("AP-09 session", |c, _| c.session = "ses_2".into(), Some("another session, ses_1")),
        ("AP-09 tenant", |c, _| c.tenant = Some("workspace:/srv/bank"), Some("beyond workspace:/srv/shop")),
        ("AP-09 no tenant", |c, _| c.tenant = None, Some("beyond workspace:/srv/shop")),
        ("AP-09 PO-12 agent", |c, _| c.principal = "subagent:x".into(), Some("another principal, user:dev")),
        ("AP-10 PO-12 version", |c, _| c.version = "1.0.1".into(), Some("for version 1.0.0")),
        ("AP-10 contract", |c, _| c.contract = digest("drifted"), Some("another contract")),
        ("AP-11 sandbox", |c, _| c.terms.sandbox_digest = digest("wider"), Some("another place")),
        ("AP-12 folder", |c, _| c.terms.working_directory = None, Some("another place")),
        ("AP-11 scopes", |c, _| c.scopes.push("mail:delete".into()), Some("the scope `mail:delete`")),
        ("PO-12 expired", |_, g| g.expires_at = now(), Some("expired at 2026-01-01 00:00:00.000Z")),
        (
            "destructive",
            |c, g| {
                g.arguments = GrantArguments::Any;
                c.level = EffectLevel::DestructiveOrAdmin;
            },
            Some("one call at a time"),
        ),
        (
            "one call's",
            |_, g| {
                g.binding = GrantBinding::Call { tool_call_id: "tc_1".into(), contract_digest: digest("c") }
            },
            Some("handed to that call alone"),
        ),
    ];
    for (what, change, expected) in rows {
        let (mut call, mut given) = (Call::new(), grant("gr_1"));
        change(&mut call, &mut given);
        let grants = fold(&[issued(given.clone())]);
        let misfit = grants.misfit(&given, &call.facts(), now()).map(|m| m.to_string());
        match (misfit.as_deref(), expected) {
            (None, None) => {}
            (Some(found), Some(part)) => assert!(found.contains(part), "{what}: {found}"),
            (found, _) => panic!("{what}: {found:?}"),
        }
        assert_eq!(grants.covering(&call.facts(), now()).is_some(), expected.is_none(), "{what}");
    }
}

#[test]
fn what_ends_a_grant_ends_it_for_good() {
    let child = PermissionGrant { derived_from: Some("gr_1".into()), ..grant("gr_2") };
    let rows: Vec<(&str, Vec<Fact>, &str, Option<&str>)> = vec![
        ("given", vec![issued(grant("gr_1"))], "gr_1", None),
        ("PO-12 revoked", vec![issued(grant("gr_1")), revoked("gr_1")], "gr_1", Some("revoked by user:ops")),
        (
            "revoked before it is told of",
            vec![revoked("gr_1"), issued(grant("gr_1"))],
            "gr_1",
            Some("revoked by"),
        ),
        (
            "given again",
            vec![issued(grant("gr_1")), revoked("gr_1"), issued(grant("gr_1"))],
            "gr_1",
            Some("revoked by"),
        ),
        ("another revoked", vec![issued(grant("gr_1")), revoked("gr_9")], "gr_1", None),
        ("drift", vec![issued(grant("gr_1")), blocked(Some("1.0.0"))], "gr_1", Some("it drifted")),
        ("another version drifts", vec![issued(grant("gr_1")), blocked(Some("2.0.0"))], "gr_1", None),
        ("every version", vec![issued(grant("gr_1")), blocked(None)], "gr_1", Some("was blocked by")),
        (
            "PO-16 its parent is revoked",
            vec![issued(grant("gr_1")), issued(child.clone()), revoked("gr_1")],
            "gr_2",
            Some("passed on from is gone: it was ended: revoked by user:ops"),
        ),
        ("its parent is unknown", vec![issued(child.clone())], "gr_2", Some("no journal tells of it")),
        (
            "PO-15 its own parent",
            vec![issued(PermissionGrant { derived_from: Some("gr_1".into()), ..grant("gr_1") })],
            "gr_1",
            Some("passed on more than 16 times"),
        ),
        ("unheard of", vec![], "gr_1", Some("no journal tells of it")),
    ];
    for (what, facts, id, expected) in rows {
        let ended = fold(&facts).ended(&GrantId::new(id), now()).map(|m| m.to_string());
        match (ended.as_deref(), expected) {
            (None, None) => {}
            (Some(found), Some(part)) => assert!(found.contains(part), "{what}: {found}"),
            (found, _) => panic!("{what}: {found:?}"),
        }
    }
}

#[test]
fn a_question_stands_where_its_first_answer_put_it() {
    let id = || ApprovalId::new("apr_1");
    let asked: Fact = ApprovalRequested {
        approval_id: id(),
        args_digest: digest("args"),
        scopes: Vec::new(),
        risk_level: RiskLevel::High,
        request: Box::new(request("apr_1")),
    }
    .into();
    let granted: Fact = ApprovalGranted {
        approval_id: id(),
        args_digest: digest("args"),
        contract_digest: digest("c"),
        scopes: Vec::new(),
        risk_level: RiskLevel::High,
        approved_by: "user:lead".into(),
        reach: GrantReach::Once,
        confirmation: ApprovalConfirmation::Chosen,
        grant_id: "gr_1".into(),
        expires_at: now(),
    }
    .into();
    let denied: Fact = ApprovalDenied { approval_id: id(), denied_by: None, reason: String::new() }.into();
    let expired: Fact = ApprovalExpired { approval_id: id(), expires_at: now() }.into();
    let void: Fact = ApprovalInvalidated {
        approval_id: id(),
        field: "argsDigest".into(),
        approved: String::new(),
        found: String::new(),
    }
    .into();
    let rows: Vec<(&str, Vec<&Fact>, i64, Option<&str>)> = vec![
        ("AP-23 pending survives a restart", vec![&asked], 0, Some("pending")),
        ("AP-23 or is no longer pending, and never allowed", vec![&asked], 10, Some("expired")),
        ("granted", vec![&asked, &granted], 0, Some("granted")),
        ("AP-18 a yes after a no", vec![&asked, &denied, &granted], 0, Some("denied")),
        ("AP-18 a yes after the end", vec![&asked, &expired, &granted], 0, Some("expired")),
        ("a yes that is void", vec![&asked, &granted, &void], 0, Some("void")),
        ("AP-17 a yes to nothing that was asked", vec![&granted], 0, None),
    ];
    for (what, facts, minutes, expected) in rows {
        let mut approvals = Approvals::default();
        facts.iter().for_each(|fact| approvals.apply(now(), fact));
        let at = now() + TimeDelta::minutes(minutes);
        let found = approvals.get("apr_1").map(|asked| asked.standing(at).word());
        assert_eq!(found, expected, "{what}");
        assert_eq!(approvals.pending(at).count(), usize::from(expected == Some("pending")), "{what}");
    }
    // Drift ends what waits.
    let mut approvals = Approvals::default();
    [&asked, &blocked(None)].iter().for_each(|fact| approvals.apply(now(), fact));
    assert_eq!(approvals.get("apr_1").unwrap().standing(now()).word(), "void");
}
