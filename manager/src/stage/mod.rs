//! The road of a call: each stage a type that only the step before it can make.
//!
//! ```text
//! proposed ─▶ Draft ─▶ Validated ─▶ PolicyChecked ─▶ Authorized ─▶ Prepared ─▶ Executed ─▶ Verified ─▶ Recorded
//! ```
//!
//! Stages are proofs: their fields are private, and [`advance`] is the only way from one to the next. It
//! decides, appends the facts to the journal, and only then hands the next stage out: *no log, no run*. A
//! step that refuses is no error but a [`Stop`], with its reason and its event.
//!
//! A stage cannot be made by hand:
//!
//! ```
//! use proofhouse_manager::stage::Validated;
//! fn policy_sees(call: &Validated) -> &serde_json::Value {
//!     call.args()
//! }
//! ```
//!
//! ```compile_fail
//! use proofhouse_manager::stage::Validated;
//! fn policy_sees(call: &Validated) -> &serde_json::Value {
//!     let forged = Validated { args: serde_json::Value::Null };
//!     call.args()
//! }
//! ```
//!
//! Nor can policy be asked about a call whose arguments were not validated:
//!
//! ```
//! use proofhouse_manager::{port::{EventSink, JournalError}, stage::*};
//! fn check(step: &CheckPolicy<'_>, call: Validated, log: &mut dyn EventSink) -> Result<(), JournalError> {
//!     advance(step, call, log).map(drop)
//! }
//! ```
//!
//! ```compile_fail
//! use proofhouse_manager::{port::{EventSink, JournalError}, stage::*};
//! fn check(step: &CheckPolicy<'_>, call: Draft, log: &mut dyn EventSink) -> Result<(), JournalError> {
//!     advance(step, call, log).map(drop)
//! }
//! ```
//!
//! Nothing here does IO, reads a clock or is async.

mod approved;
mod authorized;
mod call;
mod check;
mod checked;
mod contract;
mod draft;
mod executed;
mod hooked;
mod lent;
mod prepared;
mod projection;
mod question;
mod recorded;
mod rehearsed;
mod retry;
mod validated;
mod verified;

pub use approved::{Approve, GrantLifetimes};
pub use authorized::{Authority, Authorization, Authorize, Authorized, OneTimeGrant, Pending};
pub use call::{Outcome, Step, Stop, advance};
pub(crate) use check::declared;
pub use checked::{CheckPolicy, PolicyChecked};
pub use contract::{Present, Refused};
pub use draft::{Draft, Propose};
pub use executed::{Execute, Executed, RunMode, Ticket, execute};
pub use hooked::AskHooks;
pub use prepared::{Prepare, Prepared};
pub use question::Ask;
pub use recorded::{Record, Recorded};
pub use rehearsed::{Rehearse, Unasked, rehearse};
pub use validated::{Validate, Validated};
pub use verified::{Verified, Verify};
