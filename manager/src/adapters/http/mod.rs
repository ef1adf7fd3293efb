//! Tools that are one operation of one host: the request that the contract describes, made as it says and no other way.
//!
//! Where it goes is written in the contract. It leaves through the gate of [`egress`](super::egress), which judges each
//! host and each address, at every redirect again; credentials go to the host that they are for. A call is one request,
//! and the redirects that it follows: whether it is tried again is the stage's to say. Absent: policy, redaction.

mod answer;
mod credential;
mod exchange;
mod fault;
mod holds;
mod redirect;
mod render;

use super::egress::{EgressRules, Gate};
use crate::{
    event::fact::FinishStatus,
    model::{
        ArtifactKind, EffectsObserved, Egress, FilesystemRules, NetworkRules, RequestFaultKind,
        RequestTemplate, SandboxAudit, SandboxEnvironment, SandboxId, SandboxMode, SandboxPolicy,
        SandboxProcess, StopCode, StopReason, ToolDescriptor,
    },
    port::{Adapter, CredentialBroker, Ran, Resolver, RunRequest, Settled},
    stage::{RunMode, Ticket},
};
use exchange::{Exchange, Exchanged};
use fault::Fault;
use holds::Holds;
use reqwest::header::{HeaderName, HeaderValue};
use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

/// Makes the requests of HTTP tools.
pub struct Http {
    resolver: Arc<dyn Resolver>,
    broker: Arc<dyn CredentialBroker>,
    holds: Holds,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http").field("holds", &self.holds).finish_non_exhaustive()
    }
}

impl Http {
    /// With this resolver, and this broker's credentials.
    pub fn new(resolver: Arc<dyn Resolver>, broker: Arc<dyn CredentialBroker>) -> Self {
        Self { resolver, broker, holds: Holds::default() }
    }
}

impl Adapter for Http {
    fn word(&self) -> &'static str {
        "http"
    }

    fn settle(&self, run: &RunRequest<'_>) -> Result<Settled, StopReason> {
        let template = template(run.tool)?;
        let policy = policy(run.tool, template);
        rules(run.tool, &policy.network)?;
        render::render(template, run.args).map_err(|why| StopReason::new(StopCode::InvalidArguments, why))?;
        let credentials = self.broker.references(run)?;
        Settled::new(policy, enforced(template), None, credentials)
    }

    fn invoke(&self, ticket: Ticket<'_>) -> Ran {
        let begun = Instant::now();
        let Exchanged { answer, contacted } = match self.exchange(&ticket, begun) {
            Ok(exchange) => exchange.run(),
            Err(fault) => Exchanged { answer: Err(fault), contacted: Vec::new() },
        };
        let read = template(ticket.tool())
            .map_err(|reason| Fault::new("unusable", reason.to_string()))
            .and_then(|template| answer::read(template, answer?));
        let effects = EffectsObserved { external_calls: contacted, ..EffectsObserved::default() };
        let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (status, output, structured, error) = match read {
            Ok((structured, output)) => (FinishStatus::Success, output, Some(structured), None),
            Err(fault) => {
                let error = fault.error(ticket.tool().effects.idempotent);
                (fault.status(), fault.output, None, Some(error))
            }
        };
        Ran { status, output, kind: ArtifactKind::ToolOutput, structured, effects, error, latency_ms }
    }
}

impl Http {
    /// The request of a call, with everything that only a run that has begun may have.
    fn exchange<'t>(&'t self, ticket: &'t Ticket<'t>, begun: Instant) -> Result<Exchange<'t>, Fault> {
        let unusable = |reason: StopReason| Fault::new("unusable", reason.to_string());
        let (tool, sandbox) = (ticket.tool(), &ticket.settled().sandbox);
        let template = template(tool).map_err(unusable)?;
        let request = render::render(template, ticket.args()).map_err(|why| Fault::new("unusable", why))?;
        if ticket.mode() == RunMode::DryRun {
            let message = format!("a request has no dry run: nothing was sent to `{}`", template.base_url);
            return Err(Fault::new("dry_run_unsupported", message));
        }
        let gate = Gate::new(rules(tool, &sandbox.network).map_err(unusable)?, Arc::clone(&self.resolver));
        let (host, port) = template.host().map_err(|why| Fault::new("unusable", why))?;
        // Before a secret is read: nothing is lent for a request that does not go out.
        if let Some(reason) = ticket.interrupt().reason() {
            return Err(Fault::new("cancelled", reason.to_string()));
        }
        let leases = self.broker.lease(&ticket.run_request());
        let leases = leases.map_err(|reason| Fault::new("credential_refused", reason.to_string()))?;
        let credentials = credential::bind(leases, &host, port, &request.headers)?;
        Ok(Exchange {
            gate,
            request,
            credentials,
            key: key(template, ticket.call().as_str())?,
            expected: &template.expected_statuses,
            most: sandbox.process.max_stdout_bytes,
            deadline: begun + Duration::from_millis(sandbox.process.timeout_ms),
            interrupt: ticket.interrupt(),
            holds: &self.holds,
        })
    }
}

/// The header that carries the call's id: the same at every attempt, and of no other call.
fn key(template: &RequestTemplate, call: &str) -> Result<Option<(HeaderName, HeaderValue)>, Fault> {
    let Some(name) = &template.idempotency_header else { return Ok(None) };
    let unusable = |e: &dyn std::fmt::Display| Fault::new("unusable", format!("the header `{name}`: {e}"));
    let header = HeaderName::from_bytes(name.as_bytes()).map_err(|e| unusable(&e))?;
    Ok(Some((header, HeaderValue::from_str(call).map_err(|e| unusable(&e))?)))
}

/// The tool's request, if it can be made here within what its contract demands.
fn template(tool: &ToolDescriptor) -> Result<&RequestTemplate, StopReason> {
    let unavailable = |why: String| StopReason::new(StopCode::SandboxUnavailable, why);
    let Some(template) = &tool.execution.request else {
        let why = format!(
            "the contract of `{}` does not say which request it makes (`execution.request`)",
            tool.tool_id
        );
        return Err(StopReason::new(StopCode::AdapterUnavailable, why));
    };
    if tool.sandbox.mode != SandboxMode::RemoteApi {
        return Err(unavailable(
            "a request runs elsewhere: its sandbox is `remote_api`, and nothing else holds".to_owned(),
        ));
    }
    match template.faults(tool).into_iter().find(|fault| fault.kind == RequestFaultKind::Unusable) {
        Some(fault) => Err(unavailable(format!("`execution.request{}`: {}", fault.pointer, fault.message))),
        None => Ok(template),
    }
}

fn rules(tool: &ToolDescriptor, network: &NetworkRules) -> Result<EgressRules, StopReason> {
    let denied = tool.sandbox.network.as_ref().map_or(&[][..], |network| &network.deny_domains);
    EgressRules::of(network, denied)
        .map_err(|error| StopReason::new(StopCode::SandboxUnavailable, error.to_string()))
}

fn policy(tool: &ToolDescriptor, template: &RequestTemplate) -> SandboxPolicy {
    let network = tool.sandbox.network.as_ref();
    SandboxPolicy {
        sandbox_id: SandboxId::new("unnumbered"),
        mode: tool.sandbox.mode,
        filesystem: FilesystemRules {
            // where it runs: the operation of its host
            cwd: template.to_string(),
            read_roots: Vec::new(),
            write_roots: Vec::new(),
            blocked_paths: Vec::new(),
            temp_dir: String::new(),
            persist_outputs: false,
        },
        network: NetworkRules {
            egress: network.map_or(Egress::None, |network| network.egress_policy),
            allow_domains: network.map_or_else(Vec::new, |network| network.allow_domains.clone()),
            deny_private_networks: true,
        },
        environment: SandboxEnvironment {
            inherited_env: Vec::new(),
            injected_env: Vec::new(),
            secret_env_allowed: false,
        },
        process: SandboxProcess::of(tool),
        audit: SandboxAudit { record_command: false, record_file_access: false, record_network_access: true },
    }
}

fn enforced(template: &RequestTemplate) -> BTreeMap<String, String> {
    let rows = [
        ("request", format!("{template} and no other operation; arguments fill named places")),
        (
            "network",
            "names are resolved here once, every address is judged, at each redirect again".to_owned(),
        ),
        ("credentials", "sent to the host that they are for, dropped at every other".to_owned()),
        ("limits", "time and size are bounded while the answer is read; nothing is decompressed".to_owned()),
        ("processes", "a function of the runtime that starts no process".to_owned()),
    ];
    rows.map(|(property, by)| (property.to_owned(), by)).into()
}

#[cfg(test)]
mod tests;
