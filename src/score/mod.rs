//! Scoring: what a model proposed, held against what a case expects.
//!
//! Pure functions from a turn and the manager's answers to the plain record of a trial. Knows neither
//! providers nor files.

mod pairing;
mod safety;
mod turn;

pub use safety::{ceiling, unsafe_because};
pub use turn::{Answer, SchemaOf, TurnScore, score_turn};
