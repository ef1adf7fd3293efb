//! What other evaluations recorded, brought in: a folder for each of them.

pub mod bfcl;
