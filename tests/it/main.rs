//! Integration tests: the binary and the public API from outside.

mod bfcl;
mod bfcl_suite;
mod browser;
mod cli;
mod crash;
mod real_model;
mod synthetic;
