//! The specification's interface (§17): what every tool manager can be asked.

use super::{Ended, Resolved, Verdict};
use crate::{
    event::Fact,
    model::{
        CallId, EnablementScope, EventId, GrantId, ProposedCall, ToolDescriptor, ToolId, ToolIntent,
        ToolRegistration, ToolTrace, ToolView, TrustLevel,
    },
    port::{Evaluator, ToolSourcePort},
    stage::{Authorized, Executed, Outcome, Pending, Prepared, Validated},
};

/// How a tool is registered.
#[derive(Clone, Copy)]
pub struct RegisterOptions<'a> {
    /// Where it was found.
    pub source: &'a str,
    /// How far that is trusted, whatever the descriptor claims of itself.
    pub trust: TrustLevel,
    /// Measures how well it is selected; without one, it waits for that.
    pub evaluator: Option<&'a dyn Evaluator>,
}

impl std::fmt::Debug for RegisterOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegisterOptions").field("source", &self.source).finish_non_exhaustive()
    }
}

/// A tool manager, one method for each of the specification's.
///
/// The order of a call is in the types: what one method returns is what the next one takes, and nothing else
/// makes it. A refusal is no error but a [`Stop`](crate::stage::Stop) or a
/// [`Verdict::Stopped`], with its reason and its events. An error means that nobody knows, and nothing went on.
///
/// ```
/// use proofhouse_manager::{
///     adapters::{builtin::{Builtin, Workspace}, home::Home, sources::standard::Standard},
///     manager::{HomeManager, HomeOptions, RegisterOptions, ToolManager, Verdict},
///     model::{EnablementScope, ProposedArgs, ProposedBy, ProposedCall, TrustLevel},
///     stage::Outcome,
/// };
/// use serde_json::json;
/// use std::sync::Arc;
/// # use proofhouse_manager::{model::{Digest, EvalScores, ToolEval}, port::{Evaluation, Evaluator, EvaluatorError}};
/// # use proofhouse_manager::registry::RegisteredTool;
/// # struct Measured;
/// # impl Evaluator for Measured {
/// #     fn evaluate(&self, tool: &RegisteredTool) -> Result<Evaluation, EvaluatorError> {
/// #         let eval = ToolEval {
/// #             tool_id: tool.id().clone(), tool_version: tool.version().clone(),
/// #             descriptor_digest: tool.digest().clone(), suite: "own".into(), suite_digest: Digest::zero(),
/// #             golden: 5, negative: 5, scores: EvalScores::default(),
/// #         };
/// #         Ok(Evaluation { eval, passed: true, thresholds: vec!["recall ≥ 0.5".into()], model: "own".into() })
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("notes.txt"), "remember the milk")?;
/// # let evaluator: &dyn Evaluator = &Measured;
/// let home = Home::open(folder.path().join("agent"))?;
/// let mut options = HomeOptions::new(folder.path());
/// options.adapters = vec![Arc::new(Builtin::new(Workspace::open(folder.path())?))];
/// let mut manager = HomeManager::open(home, options)?;
///
/// // A tool is found, registered as far as it gets, and enabled once it is verified.
/// let mut found = manager.discover(&Standard)?;
/// found.retain(|tool| tool.tool_id == "file.read".into());
/// let options = RegisterOptions {
///     source: Standard::WORD,
///     trust: TrustLevel::FirstParty,
///     evaluator: Some(evaluator),
/// };
/// let registration = manager.register(found.remove(0), &options)?;
/// manager.enable(&registration.tool_id, EnablementScope::Everyone)?;
///
/// // An intent becomes a view, and a call can be proposed from that view alone.
/// let intent = manager.intent("read my notes file");
/// let resolved = manager.resolve(intent)?;
/// let view = manager.compile_view(resolved)?;
/// assert_eq!(view.tools[0].tool_id, "file.read".into());
/// let draft = ProposedCall {
///     tool: "file.read".into(),
///     args: ProposedArgs::from_value(json!({ "path": "notes.txt" })),
///     proposed_by: ProposedBy::Model,
/// };
///
/// // Validated, authorized, prepared, executed, verified: in this order and no other.
/// let (call, Outcome::Next(valid)) = manager.validate_args(draft)? else { panic!("invalid") };
/// let Verdict::Allowed(authorized) = manager.authorize(valid)? else { panic!("not allowed") };
/// let Outcome::Next(prepared) = manager.prepare_runtime(authorized)? else { panic!("refused") };
/// let Outcome::Next(executed) = manager.execute(prepared)? else { panic!("refused") };
/// let ended = manager.verify(executed)?;
/// let result = ended.result().ok_or("it did not run")?;
/// assert_eq!(result.output_preview.as_deref(), Some("remember the milk"));
///
/// // The journal alone tells what happened.
/// assert!(manager.explain(&call)?.steps.len() >= 9);
/// # Ok(())
/// # }
/// ```
pub trait ToolManager {
    /// Why something could not be done, or known.
    type Error: std::error::Error;

    /// Looks what a source holds. Seen is not registered.
    ///
    /// # Errors
    /// If the source cannot be read.
    fn discover(&mut self, source: &dyn ToolSourcePort) -> Result<Vec<ToolDescriptor>, Self::Error>;

    /// Walks a tool through admission as far as it gets.
    ///
    /// # Errors
    /// If the journal or the store of contracts cannot be written. A tool that does not make it is no error:
    /// its registration says in which state it is, and why.
    fn register(
        &mut self,
        descriptor: ToolDescriptor,
        options: &RegisterOptions<'_>,
    ) -> Result<ToolRegistration, Self::Error>;

    /// Lets a verified tool be used.
    ///
    /// # Errors
    /// If a step is missing; the error names it.
    fn enable(&mut self, tool: &ToolId, scope: EnablementScope) -> Result<(), Self::Error>;

    /// Finds the tools that an intent may use.
    ///
    /// # Errors
    /// If the journal cannot be written, or all of too many tools were to be shown.
    fn resolve(&mut self, intent: ToolIntent) -> Result<Resolved, Self::Error>;

    /// Compiles the view from which calls can be proposed until the next one is compiled.
    ///
    /// # Errors
    /// If the journal cannot be written.
    fn compile_view(&mut self, resolved: Resolved) -> Result<ToolView, Self::Error>;

    /// Takes a proposed call in and holds its arguments against the schema.
    ///
    /// # Errors
    /// If no view was compiled, or the journal cannot be written.
    fn validate_args(&mut self, draft: ProposedCall) -> Result<(CallId, Outcome<Validated>), Self::Error>;

    /// Asks policy; allows, asks somebody, or stops.
    ///
    /// # Errors
    /// If no view was compiled, or the journal cannot be written.
    fn authorize(&mut self, call: Validated) -> Result<Verdict, Self::Error>;

    /// Puts the question of a pending call to whoever may answer it.
    ///
    /// # Errors
    /// If the journal cannot be written.
    fn approve(&mut self, call: Pending) -> Result<Verdict, Self::Error>;

    /// Settles where and with what a call runs.
    ///
    /// # Errors
    /// If the journal cannot be written.
    fn prepare_runtime(&mut self, call: Authorized) -> Result<Outcome<Prepared>, Self::Error>;

    /// Runs a prepared call, once.
    ///
    /// # Errors
    /// If its start or end cannot be put on the disk.
    fn execute(&mut self, call: Prepared) -> Result<Outcome<Executed>, Self::Error>;

    /// Holds a result against its contract, keeps the evidence, and hands out what may be shown.
    ///
    /// # Errors
    /// If the journal cannot be written.
    fn verify(&mut self, call: Executed) -> Result<Ended, Self::Error>;

    /// Takes a fact of the surroundings into the journal: what a user said, what a model answered, which skill was
    /// loaded.
    ///
    /// # Errors
    /// If the journal cannot be written, or the fact is not for outsiders to state.
    fn observe(&mut self, fact: Fact) -> Result<EventId, Self::Error>;

    /// Tells all about one call, from the journal alone.
    ///
    /// # Errors
    /// If the journal cannot be read or does not know the call.
    fn explain(&mut self, call: &CallId) -> Result<ToolTrace, Self::Error>;

    /// Takes a grant back: what waits or runs on it stops.
    ///
    /// # Errors
    /// If that cannot be put on the disk.
    fn revoke(&mut self, grant: &GrantId) -> Result<(), Self::Error>;
}
