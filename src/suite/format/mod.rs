//! The files as people write them: plain structs, unknown fields are errors.
//!
//! No `flatten` and no `untagged`: a decoder that buffers forgets where it was, and its errors help nobody. Where
//! a field takes several shapes, a visitor of its own says which.

mod case;
mod matching;
mod shapes;
mod suite;

pub(super) use case::{CallFile, CaseFile, ForbidFile, TurnFile};
pub(super) use matching::MatchFile;
pub(super) use shapes::{NormalizeFile, OneOrMany, PrincipalFile};
pub(super) use suite::{SuiteFile, ToolFile};
