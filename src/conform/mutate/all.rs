//! Every mutation, by the requirement that is then not met.

use super::{
    Mutation,
    Operator::{self, Drop, Duplicate, Edit, Forge, Retarget, Swap, Truncate},
    draft::Draft,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

const fn row(
    requirement: &'static str,
    name: &'static str,
    operator: Operator,
    apply: fn(&mut Draft<'_>) -> Option<()>,
) -> Mutation {
    Mutation { requirement, name, operator, apply }
}

/// Every mutation.
pub const ALL: &[Mutation] = &[
    row("R1.1", "nobody asked", Drop, |d| {
        let c = d.plain()?;
        d.drop(d.of(&c, "ToolCallRequested")?)
    }),
    row("R1.2", "another contract starts", Retarget, |d| {
        let c = d.plain()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/descriptorDigest", "0".repeat(64))
    }),
    row("R1.2", "another version starts", Retarget, |d| {
        let c = d.plain()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/toolVersion", "0.0.1")
    }),
    row("R1.3", "never enabled", Drop, |d| {
        let c = d.plain()?;
        d.drop(d.of_tool(&c.tool, "ToolEnabled")?)
    }),
    row("R1.3", "blocked on its way", Forge, |d| {
        let c = d.plain()?;
        let at = d.of(&c, "ToolCallStarted")?;
        d.forge(at, &json!({"type": "ToolBlocked", "toolId": c.tool, "cause": "decision"}))
    }),
    row("R2.1", "a result out of nowhere", Forge, |d| {
        let c = d.plain()?;
        let at = d.of(&c, "TraceUpdated")?;
        let mut other = d.events[d.of(&c, "ToolCallFinished")?].clone();
        other.insert("toolCallId".to_owned(), "tc_nobody".into());
        d.forge(at, &other.into())
    }),
    row("R2.2", "a second result", Duplicate, |d| {
        let c = d.plain()?;
        let at = d.of(&c, "ToolCallFinished")?;
        d.duplicate(at, at)
    }),
    row("R2.3", "started twice at once", Duplicate, |d| {
        let c = d.plain()?;
        let at = d.of(&c, "ToolCallStarted")?;
        d.duplicate(at, at)
    }),
    row("R2.4", "no result", Truncate, |d| {
        let c = d.plain()?;
        d.any("LogClosed")?;
        d.truncate(&c, d.of(&c, "ToolCallStarted")?)
    }),
    row("R3.1", "never validated", Drop, |d| {
        let c = d.plain()?;
        d.drop(d.of(&c, "ToolArgsValidated")?)
    }),
    row("R3.1", "validated after policy", Swap, |d| {
        let c = d.plain()?;
        d.swap(d.of(&c, "ToolArgsValidated")?, d.of(&c, "ToolPolicyChecked")?)
    }),
    row("R3.2", "invalid and executed", Edit, |d| {
        let c = d.plain()?;
        d.edit(d.of(&c, "ToolArgsValidated")?, "/status", "failed")
    }),
    row("R3.2", "policy asked about invalid arguments", Forge, |d| {
        let at = d.with("ToolArgsValidated", "status", "failed")?;
        d.forge(at + 1, &json!({"type": "ToolPolicyChecked", "decision": "allow", "policyIds": ["own"], "reason": "why not"}))
    }),
    row("R4.1", "policy not asked", Drop, |d| {
        let c = d.plain()?;
        d.drop(d.of(&c, "ToolPolicyChecked")?)
    }),
    row("R4.1", "policy asked after the start", Swap, |d| {
        let c = d.plain()?;
        d.swap(d.of(&c, "ToolPolicyChecked")?, d.of(&c, "ToolCallStarted")?)
    }),
    row("R4.2", "denied and executed", Edit, |d| {
        let c = d.plain()?;
        d.edit(d.of(&c, "ToolPolicyChecked")?, "/decision", "deny")
    }),
    row("R4.2", "undecided and executed", Edit, |d| {
        let c = d.plain()?;
        d.edit(d.of(&c, "ToolPolicyChecked")?, "/decision", "unsure")
    }),
    row("R5.1", "nobody said yes", Drop, |d| {
        let c = d.approved()?;
        d.drop(d.of(&c, "ApprovalGranted")?)
    }),
    row("R5.1", "the yes of another call", Retarget, |d| {
        let c = d.approved()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/approvalId", "ap_other")
    }),
    row("R5.2", "a grant that never was", Drop, |d| {
        let c = d.approved()?;
        d.drop(d.of(&c, "GrantIssued")?)
    }),
    row("R5.2", "a revoked grant", Forge, |d| {
        let c = d.approved()?;
        let at = d.of(&c, "ToolCallStarted")?;
        let grant = d.value(at, "grantId");
        d.forge(at, &json!({"type": "GrantRevoked", "grantId": grant, "by": "user:ada", "reason": "no more"}))
    }),
    row("R5.2", "an expired grant", Edit, |d| {
        let c = d.approved()?;
        d.edit(d.of(&c, "GrantIssued")?, "/expiresAt", "2000-01-01T00:00:00Z")
    }),
    row("R5.3", "a grant for another tool", Retarget, |d| {
        let c = d.approved()?;
        d.edit(d.of(&c, "GrantIssued")?, "/toolId", "other.tool")
    }),
    row("R6.1", "asked about something else", Edit, |d| {
        let c = d.approved()?;
        d.edit(d.of(&c, "ApprovalRequested")?, "/argsDigest", "0".repeat(64))
    }),
    row("R6.2", "other arguments", Edit, |d| {
        let c = d.approved()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/argsDigest", "0".repeat(64))
    }),
    row("R6.2", "more scopes", Edit, |d| {
        let c = d.approved()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/scopes/-", "admin")
    }),
    row("R6.2", "a higher risk", Edit, |d| {
        let c = d.approved()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/riskLevel", "extreme")
    }),
    row("R6.3", "after it expired", Edit, |d| {
        let c = d.approved()?;
        d.edit(d.of(&c, "ApprovalGranted")?, "/expiresAt", "2000-01-01T00:00:00Z")
    }),
    row("R6.4", "void and used", Forge, |d| {
        let c = d.approved()?;
        let at = d.of(&c, "ToolCallStarted")?;
        let approval = d.value(at, "approvalId");
        d.forge(at, &json!({"type": "ApprovalInvalidated", "approvalId": approval, "field": "argsDigest"}))
    }),
    row("R6.5", "used twice", Duplicate, |d| {
        let c = d.approved()?;
        d.duplicate(d.of(&c, "ToolCallStarted")?, d.of(&c, "ToolCallFinished")?)
    }),
    row("R7.1", "a secret as it is", Edit, |d| {
        let secret = d.canary?.to_owned();
        d.show(&format!("key={secret}"))
    }),
    row("R7.1", "a secret in base64", Edit, |d| {
        let secret = STANDARD.encode(format!("x{}", d.canary?));
        d.show(&secret)
    }),
    row("R7.1", "a secret in hexadecimal", Edit, |d| {
        let secret: String = d.canary?.bytes().map(|b| format!("{b:02X}")).collect();
        d.show(&secret)
    }),
    row("R7.1", "a secret backwards", Edit, |d| {
        let secret: String = d.canary?.chars().rev().collect();
        d.show(&secret)
    }),
    row("R7.2", "a secret in two parts", Duplicate, |d| {
        let secret = d.canary?.to_owned();
        let (one, two) = secret.split_at(secret.len() / 2);
        let at = d.of(&d.kept(false)?, "ContextProjected")?;
        d.duplicate(at, at)?;
        d.edit(at, "/preview", format!("key={one}"))?;
        d.edit(at + 1, "/preview", two)
    }),
    row("R8.1", "a large output that nobody keeps", Drop, |d| {
        let c = d.kept(true)?;
        d.drop(d.of(&c, "ArtifactPersisted")?)
    }),
    row("R8.2", "more than the budget", Edit, |d| {
        let c = d.kept(true)?;
        d.edit(d.of(&c, "ContextProjected")?, "/tokens", 1_000_000)
    }),
    row("R8.2", "more text than it says", Edit, |d| {
        let c = d.kept(true)?;
        d.edit(d.of(&c, "ContextProjected")?, "/maxTokens", 1)
    }),
    row("R9.1", "an artifact of no call", Edit, |d| {
        let c = d.kept(false)?;
        d.edit(d.of(&c, "ArtifactPersisted")?, "/toolCallId", Value::Null)
    }),
    row("R9.2", "an artifact of another event", Retarget, |d| {
        let c = d.kept(false)?;
        d.edit(d.of(&c, "ArtifactPersisted")?, "/sourceEventId", "ev_other")
    }),
    row("R9.2", "an artifact before its result", Swap, |d| {
        let c = d.kept(false)?;
        d.swap(d.of(&c, "ToolCallFinished")?, d.of(&c, "ArtifactPersisted")?)
    }),
    row("R9.3", "an artifact without digest", Edit, |d| {
        let c = d.kept(false)?;
        d.edit(d.of(&c, "ArtifactPersisted")?, "/contentHash", Value::Null)
    }),
    row("R9.4", "an artifact that was changed", Edit, |d| {
        let c = d.kept(false)?;
        d.edit(d.of(&c, "ArtifactPersisted")?, "/contentHash", "0".repeat(64))
    }),
    row("R9.5", "an artifact of no size", Edit, |d| {
        let c = d.kept(false)?;
        d.edit(d.of(&c, "ArtifactPersisted")?, "/bytes", Value::Null)
    }),
    row("R10.1", "no sandbox", Drop, |d| {
        let c = d.local()?;
        d.drop(d.of(&c, "ToolSandboxPrepared")?)
    }),
    row("R10.1", "a sandbox too late", Swap, |d| {
        let c = d.local()?;
        d.swap(d.of(&c, "ToolSandboxPrepared")?, d.of(&c, "ToolCallStarted")?)
    }),
    row("R10.1", "the sandbox of another call", Retarget, |d| {
        let c = d.local()?;
        d.edit(d.of(&c, "ToolSandboxPrepared")?, "/toolCallId", "tc_other")
    }),
    row("R10.2", "other limits", Edit, |d| {
        let c = d.local()?;
        d.edit(d.of(&c, "ToolSandboxPrepared")?, "/policyDigest", "0".repeat(64))
    }),
    row("R10.2", "another sandbox", Retarget, |d| {
        let c = d.local()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/sandboxId", "sbx_other")
    }),
    row("R11.1", "shown as it is served", Drop, |d| {
        let tool = d.served()?.2;
        d.drop(d.of_tool(&tool, "ToolNormalized")?)
    }),
    row("R11.1", "another contract is shown", Retarget, |d| {
        let (at, n, _) = d.served()?;
        d.edit(at, &format!("/tools/{n}/descriptorDigest"), "0".repeat(64))
    }),
    row("R11.2", "served anew", Forge, |d| {
        let (at, _, tool) = d.served()?;
        d.forge(at, &json!({"type": "ToolDiscovered", "toolId": tool, "source": "server", "sourceType": "mcp", "definitionDigest": "0".repeat(64)}))
    }),
    row("R11.3", "a served tool without a decision", Edit, |d| {
        let (at, n, _) = d.served()?;
        d.edit(at, &format!("/tools/{n}/policyDecision"), Value::Null)
    }),
    row("R12.1", "a script that is no tool of its skill", Edit, |d| {
        let c = d.script()?;
        d.edit(d.of_tool(&c.tool, "ToolNormalized")?, "/sourceType", "cli")
    }),
    row("R12.1", "a script by another tool", Edit, |d| {
        let folder = d.value(d.any("SkillLoaded")?, "source");
        let c = d.no_script()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/executable", format!("{}/scripts/run.sh", folder.as_str()?))
    }),
    row("R12.2", "a skill that grants", Forge, |d| {
        let at = d.any("SkillLoaded")?;
        let skill = d.value(at, "eventId");
        d.forge(
            at + 1,
            &json!({"type": "GrantIssued", "grantId": "gr_skill", "toolId": "any", "parentEventId": skill}),
        )
    }),
    row("R12.2", "a skill that gives rights", Forge, |d| {
        let at = d.any("SkillLoaded")?;
        let skill = d.value(at, "eventId");
        d.forge(
            at + 1,
            &json!({"type": "ToolGranted", "toolId": "any", "grantId": "gr_skill", "parentEventId": skill}),
        )
    }),
    row("R13.1", "a contract without effects", Edit, |d| {
        let c = d.plain()?;
        d.edit(d.of_tool(&c.tool, "ToolNormalized")?, "/effects", json!({}))
    }),
    row("R13.2", "an undeclared read", Edit, |d| {
        let c = d.plain()?;
        d.edit(d.of(&c, "ToolCallFinished")?, "/effectsObserved/reads", json!(["secret:vault/key"]))
    }),
    row("R13.2", "an undeclared write", Edit, |d| {
        let c = d.plain()?;
        d.edit(d.of(&c, "ToolCallFinished")?, "/effectsObserved/writes", json!(["file:/etc/passwd"]))
    }),
    row("R13.2", "an undeclared call", Edit, |d| {
        let c = d.plain()?;
        d.edit(d.of(&c, "ToolCallFinished")?, "/effectsObserved/externalCalls", json!(["elsewhere.example"]))
    }),
    row("R14.1", "a click destroys", Edit, |d| {
        let c = d.destructive()?;
        d.edit(d.of(&c, "ApprovalGranted")?, "/confirmation", "chosen")
    }),
    row("R14.1", "a yes of unknown kind destroys", Edit, |d| {
        let c = d.destructive()?;
        d.edit(d.of(&c, "ApprovalGranted")?, "/confirmation", Value::Null)
    }),
    row("R14.1", "a grant alone destroys", Drop, |d| {
        let c = d.destructive()?;
        d.edit(d.of(&c, "ToolCallStarted")?, "/approvalId", Value::Null)?;
        d.drop(d.of(&c, "ApprovalGranted")?)
    }),
    row("R15.1", "shown for no reason", Edit, |d| {
        let (at, n) = d.shown(|_| true)?;
        d.edit(at, &format!("/tools/{n}/reason"), "")
    }),
    row("R15.2", "shown though denied", Edit, |d| {
        let (at, n) = d.shown(|tool| !d.is_from(tool, "mcp"))?;
        d.edit(at, &format!("/tools/{n}/policyDecision"), "deny")
    }),
    row("R15.3", "left out by nothing", Edit, |d| {
        let at = d.leaves_out()?;
        d.edit(at, "/dropped/0/filter", Value::Null)
    }),
    row("R15.4", "shown and left out", Edit, |d| {
        let (at, n) = d.shown(|_| true)?;
        let tool = d.value(at, "tools")[n]["toolId"].clone();
        d.edit(at, "/dropped/-", json!({"toolId": tool, "filter": "rank", "reason": "beyond the budget"}))
    }),
    row("R15.5", "left out without words", Edit, |d| {
        let at = d.leaves_out()?;
        d.edit(at, "/dropped/0/reason", "")
    }),
    row("R16.1", "never measured", Drop, |d| d.drop(d.any("EvalCompleted")?)),
    row("R16.1", "measured afterwards", Swap, |d| d.swap(d.any("EvalCompleted")?, d.any("ToolEnabled")?)),
    row("R16.1", "another contract was measured", Retarget, |d| {
        d.edit(d.any("EvalCompleted")?, "/descriptorDigest", "0".repeat(64))
    }),
    row("R16.2", "no golden prompt", Edit, |d| d.edit(d.any("EvalCompleted")?, "/golden", 0)),
    row("R16.3", "no negative prompt", Edit, |d| d.edit(d.any("EvalCompleted")?, "/negative", 0)),
    row("R16.4", "thresholds missed", Edit, |d| d.edit(d.any("EvalCompleted")?, "/passed", false)),
];

impl Draft<'_> {
    /// A text in what the model is shown of a small result.
    fn show(&mut self, text: &str) -> Option<()> {
        let at = self.of(&self.kept(false)?, "ContextProjected")?;
        self.edit(at, "/preview", text)
    }

    /// A tool of an MCP server in a view: the view, the place in it, the tool.
    fn served(&self) -> Option<(usize, usize, String)> {
        let (at, n) = self.shown(|tool| self.is_from(tool, "mcp"))?;
        Some((at, n, self.value(at, "tools")[n]["toolId"].as_str()?.to_owned()))
    }
}
