//! Integration tests: the public API from outside.

mod browser;
mod synthetic;
