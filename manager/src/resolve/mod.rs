//! From an intent to what a model is shown.

pub mod payload;
