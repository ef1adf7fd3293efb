//! Playing one trial: prompt → intent → view → model → decisions → score.

use super::{
    AnswerOutcome, ApprovalExpectation, CallRecord, OfferedTool, TrialEnd, TrialError, TrialKey, TrialRecord,
    TurnRecord,
};
use crate::{
    provider::{
        Asked, Fault, Limiter, Message, Patience, Provider, Reply, Request, RequestTool, ask_patiently,
    },
    score::{Answer, TurnScore, ceiling, score_turn},
    suite::{Case, Turn as CaseTurn},
};
use proofhouse_manager::{
    adapters::journal::MemoryLog,
    event::{Fresh, ProposedOutcome, Scope},
    manager::{Manager, ModelAnswer, Session, StatedIntent, Turn, TurnError, Verdict},
    model::{Decision, EffectLevel, ProposedBy, ProposedCall, ResolveFilter, SessionId, StopCode, ToolId},
    port::{Clock, JournalError},
    resolve::{bm25::Population, payload::WireNames},
    text::shorten,
};
use serde_json::json;
use std::sync::Arc;

/// The words of an answer are kept up to this many characters.
const MAX_TEXT: usize = 4_000;

/// A model, with what bounds its use.
pub(super) struct Model {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) limiter: Limiter,
}

/// Everything that trials share.
pub(super) struct Bench {
    pub(super) manager: Manager,
    pub(super) clock: Arc<dyn Clock>,
    /// Principal, budget and run; each trial gets a conversation of its own.
    pub(super) session: Session,
    pub(super) models: Vec<Model>,
    pub(super) patience: Patience,
}

/// A finished trial and its events, which have no place in the journal yet.
pub(super) struct Played {
    pub(super) record: TrialRecord,
    pub(super) events: Vec<Fresh>,
}

/// Why a trial stopped before its last turn was scored.
enum Halt {
    /// It says nothing about the model.
    Surroundings(TrialEnd, TrialError),
    /// A turn failed; what follows would build on it.
    Failed,
}

impl Bench {
    /// Plays a trial. `offered` is what the case is offered; `None` offers every tool.
    pub(super) async fn play(
        &self,
        model: usize,
        case: &Case,
        key: TrialKey,
        offered: Option<&Population>,
    ) -> Played {
        let scope = Scope {
            session_id: SessionId::from_uuid(self.clock.uuid()),
            call_id: None,
            ..self.session.scope.clone()
        };
        let level_of = |tool: &ToolId| self.level_of(tool);
        let mut trial = Trial {
            bench: self,
            model: &self.models[model],
            case,
            // What one trial asks is no memory of another.
            session: Session { scope, memory: Default::default(), ..self.session.clone() },
            offered,
            ceiling: ceiling(case, &level_of),
            log: MemoryLog::new(self.clock.as_ref()),
            messages: Vec::new(),
            turns: Vec::with_capacity(case.turns.len()),
            key,
        };
        let mut halt = None;
        for (index, turn) in case.turns.iter().enumerate() {
            if let Err(why) = trial.turn(index, turn).await {
                halt = Some(why);
                break;
            }
        }
        trial.finish(halt)
    }

    fn level_of(&self, tool: &ToolId) -> Option<EffectLevel> {
        self.manager.registry().get(tool).map(|t| t.level())
    }
}

/// A trial under way.
struct Trial<'a> {
    bench: &'a Bench,
    model: &'a Model,
    case: &'a Case,
    session: Session,
    offered: Option<&'a Population>,
    ceiling: EffectLevel,
    log: MemoryLog<'a>,
    messages: Vec<Message>,
    turns: Vec<TurnRecord>,
    key: TrialKey,
}

impl Trial<'_> {
    async fn turn(&mut self, index: usize, turn: &CaseTurn) -> Result<(), Halt> {
        let mut open = self.open(turn)?;
        let names = self.names(&open);
        self.messages.push(Message::User(turn.prompt.clone()));
        let request = Request {
            trial: self.key.clone(),
            turn: index,
            messages: self.messages.clone(),
            tools: request_tools(&open, &names),
        };
        let provider = self.model.provider.as_ref();
        let (answer, asked) =
            ask_patiently(provider, &request, &self.bench.patience, &self.model.limiter).await;
        let reply = answer.map_err(|fault| surroundings(fault, asked))?;
        let calls = self.decide(&mut open, &reply, &names).map_err(|error| journal_failed(&error))?;
        let passed = self.score(turn, &open, &reply, calls, asked);
        self.messages.extend(continuation(turn, &self.turns[index], &reply));
        if passed { Ok(()) } else { Err(Halt::Failed) }
    }

    fn open(&mut self, turn: &CaseTurn) -> Result<Turn, Halt> {
        let stated = self.case.intent.as_ref().map(|intent| StatedIntent {
            action_types: intent.action_types.clone(),
            target: intent.target.clone(),
        });
        let manager = &self.bench.manager;
        manager.open_turn(&self.session, &turn.prompt, stated.as_ref(), self.offered, &mut self.log).map_err(
            |error| match error {
                TurnError::Journal(error) => journal_failed(&error),
                TurnError::ViewTooLarge(error) => halt(TrialEnd::Error, "view_too_large", error.to_string()),
            },
        )
    }

    fn names(&self, open: &Turn) -> WireNames {
        let ids: Vec<ToolId> = open.tools.iter().map(|t| t.id().clone()).collect();
        self.model.provider.dialect().names(&ids)
    }

    /// Records the answer and takes each call as far as its authorization.
    fn decide(
        &mut self,
        open: &mut Turn,
        reply: &Reply,
        names: &WireNames,
    ) -> Result<Vec<CallRecord>, JournalError> {
        let answer = ModelAnswer {
            model: self.model.provider.name(),
            outcome: outcome_word(reply.outcome),
            calls: reply.calls.len(),
            text: reply.text.as_deref(),
        };
        let manager = &self.bench.manager;
        manager.model_answered(&self.session, open, answer, &mut self.log)?;
        let mut calls = Vec::with_capacity(reply.calls.len());
        for (wire_name, args) in &reply.calls {
            let tool = names.canonical(wire_name).cloned().unwrap_or_else(|| wire_name.as_str().into());
            let proposed =
                ProposedCall { tool: tool.clone(), args: args.clone(), proposed_by: ProposedBy::Model };
            let (call, verdict) = manager.decide(&self.session, open, proposed, &mut self.log)?;
            let registered = manager.registry().get(&tool);
            calls.push(CallRecord {
                in_view: open.view.get(&tool).is_some(),
                args: args.to_value(),
                args_valid: args_valid(&verdict),
                level: registered.map(|t| t.level()),
                risk: registered.map(|t| t.descriptor().risk.level),
                decision: decision(&verdict),
                reason: reason(&verdict),
                allowed: false,
                unsafe_because: None,
                call_id: call.to_string(),
                tool,
            });
        }
        Ok(calls)
    }

    fn score(
        &mut self,
        turn: &CaseTurn,
        open: &Turn,
        reply: &Reply,
        calls: Vec<CallRecord>,
        asked: Asked,
    ) -> bool {
        let in_view = |tool: &ToolId| held(open, tool);
        let registry = self.bench.manager.registry();
        let schema_of = |tool: &ToolId| registry.get(tool).map(|t| t.input_schema());
        let answer = Answer {
            outcome: reply.outcome,
            calls,
            ceiling: self.ceiling,
            in_view: &in_view,
            schema_of: &schema_of,
        };
        let TurnScore { expected, calls, pairs, strict, problems } = score_turn(turn, answer);
        let passed = problems.is_empty();
        self.turns.push(TurnRecord {
            prompt: turn.prompt.clone(),
            view: open.view.digest.to_string(),
            offered: offered_tools(open),
            outcome: reply.outcome,
            text: reply.text.as_deref().map(|text| shorten(text, MAX_TEXT).into_owned()),
            expected,
            calls,
            pairs,
            strict,
            problems,
            usage: reply.usage,
            latency_us: u64::try_from(asked.latency.as_micros()).unwrap_or(u64::MAX),
            attempts: asked.attempts,
        });
        passed
    }

    fn finish(mut self, halt: Option<Halt>) -> Played {
        let (end, error) = match halt {
            Some(Halt::Surroundings(end, error)) => (end, Some(error)),
            Some(Halt::Failed) => (TrialEnd::Fail, None),
            None => (TrialEnd::Pass, None),
        };
        let end = match self.approval_problem() {
            Some(problem) if matches!(end, TrialEnd::Pass | TrialEnd::Fail) => {
                if let Some(last) = self.turns.last_mut() {
                    last.problems.push(problem);
                }
                TrialEnd::Fail
            }
            _ => end,
        };
        let record = TrialRecord {
            kind: self.case.kind,
            tags: self.case.tags.clone(),
            why: self.case.why.clone(),
            end,
            approval: self.case.approval,
            ceiling: self.ceiling,
            turns: self.turns,
            error,
            events: (0, 0),
            key: self.key,
        };
        Played { record, events: self.log.into_events() }
    }

    /// What is wrong with whether the manager asked; only calls that reached policy say anything.
    fn approval_problem(&self) -> Option<String> {
        let mut decided = self.turns.iter().flat_map(|t| &t.calls).filter(|c| c.decision.is_some());
        let asked = |call: &CallRecord| call.decision == Some(Decision::Ask);
        match self.case.approval? {
            ApprovalExpectation::Required => {
                let calls: Vec<_> = decided.collect();
                let missed = !calls.is_empty() && !calls.into_iter().any(asked);
                missed.then(|| "approval is required here, and the manager did not ask".to_owned())
            }
            ApprovalExpectation::NotRequired => {
                let needless = decided.find(|c| asked(c))?;
                Some(format!("no approval is needed here, and the manager asks about `{}`", needless.tool))
            }
        }
    }
}

fn request_tools(open: &Turn, names: &WireNames) -> Vec<RequestTool> {
    let named = |tool: &Arc<proofhouse_manager::registry::RegisteredTool>| RequestTool {
        wire_name: names.wire(tool.id()).unwrap_or(tool.id()).into(),
        tool: Arc::clone(tool),
    };
    open.tools.iter().map(named).collect()
}

fn offered_tools(open: &Turn) -> Vec<OfferedTool> {
    let offered = |tool: &proofhouse_manager::model::ExposedTool| OfferedTool {
        tool: tool.tool_id.clone(),
        reason: tool.reason.clone(),
        decision: tool.policy_decision,
        level: tool.level,
    };
    open.view.tools.iter().map(offered).collect()
}

fn held(open: &Turn, tool: &ToolId) -> Result<(), Option<ResolveFilter>> {
    if open.view.get(tool).is_some() {
        return Ok(());
    }
    Err(open.view.dropped.iter().find(|d| d.tool_id == *tool).map(|d| d.filter))
}

/// What the conversation goes on with: the model's calls, and what the tools are made to answer.
fn continuation(turn: &CaseTurn, record: &TurnRecord, reply: &Reply) -> Vec<Message> {
    let calls: Vec<_> =
        record.calls.iter().map(|c| (c.call_id.clone(), c.tool.clone(), c.args.clone())).collect();
    let result = turn.tool_result.clone().unwrap_or_else(|| json!({ "status": "ok" }));
    let results = calls
        .iter()
        .map(|(call, _, _)| Message::ToolResult { call: call.clone(), content: result.clone() })
        .collect::<Vec<_>>();
    let mut messages = vec![Message::Assistant { text: reply.text.clone(), calls }];
    messages.extend(results);
    messages
}

fn outcome_word(outcome: AnswerOutcome) -> ProposedOutcome {
    match outcome {
        AnswerOutcome::Called => ProposedOutcome::Called,
        AnswerOutcome::Abstained => ProposedOutcome::Abstained,
        AnswerOutcome::Refused => ProposedOutcome::Refused,
        AnswerOutcome::Unparsable => ProposedOutcome::Unparsable,
        AnswerOutcome::Truncated => ProposedOutcome::Truncated,
    }
}

fn args_valid(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Allowed(_) | Verdict::Asked(_) => Some(true),
        Verdict::Stopped(reason) => match reason.code {
            StopCode::UnknownTool => None,
            StopCode::MalformedArguments | StopCode::InvalidArguments => Some(false),
            StopCode::PolicyDenied
            | StopCode::PolicyError
            | StopCode::ApprovalUnavailable
            | StopCode::ApprovalDenied
            | StopCode::ApprovalExpired
            | StopCode::ApprovalMismatch
            | StopCode::ApprovalSpent
            | StopCode::Revoked
            | StopCode::NotCallable
            | StopCode::LimitReached
            | StopCode::SandboxUnavailable
            | StopCode::CredentialUnavailable
            | StopCode::AdapterUnavailable
            | StopCode::RehearsalFailed
            | StopCode::HookDenied => Some(true),
        },
    }
}

/// What policy answered; `None` for a call that did not get so far.
fn decision(verdict: &Verdict) -> Option<Decision> {
    (args_valid(verdict) == Some(true)).then(|| verdict.decision())
}

fn reason(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Allowed(_) => None,
        Verdict::Asked(pending) => Some(pending.checked().answer().reason()),
        Verdict::Stopped(reason) => Some(reason.message.clone()),
    }
}

fn halt(end: TrialEnd, code: &str, message: String) -> Halt {
    Halt::Surroundings(end, TrialError { code: code.to_owned(), message, changed_tools: Vec::new() })
}

fn journal_failed(error: &JournalError) -> Halt {
    halt(TrialEnd::Error, "journal", error.to_string())
}

fn surroundings(fault: Fault, asked: Asked) -> Halt {
    let code = fault.code();
    let end = match fault {
        Fault::Stale { .. } | Fault::NoRecording(_) => TrialEnd::Stale,
        Fault::Status { .. }
        | Fault::Connection(_)
        | Fault::Timeout(_)
        | Fault::Protocol(_)
        | Fault::Setup(_) => TrialEnd::Error,
    };
    let mut message = fault.to_string();
    if asked.attempts > 1 {
        message.push_str(&format!(" (after {} attempts)", asked.attempts));
    }
    let changed_tools = match fault {
        Fault::Stale { changed_tools, .. } => changed_tools,
        _ => Vec::new(),
    };
    Halt::Surroundings(end, TrialError { code, message, changed_tools })
}
