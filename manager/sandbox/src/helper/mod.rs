//! The helper: a fresh process that builds the sandbox around itself and then becomes the program.
//!
//! It is this same program, started again, because what has to be done between a fork and an `execve` allocates,
//! and a caller with threads must not do that. Three processes follow each other:
//!
//! 1. [`outer`] takes the order, stops being root, enters namespaces, and waits;
//! 2. [`init`] is the first process inside: it builds the tree, gives up all rights, watches, and ends everything;
//! 3. [`child`] binds itself by limits and filters, and becomes the program.
//!
//! Any step that fails is told to the caller, and nothing runs. Knows the order, and nothing of who asked.

mod child;
mod identity;
mod init;
mod kernel;
mod landlock;
mod mounts;
mod outer;
mod seccomp;
mod tree;
mod watch;

pub(crate) use outer::run;

/// Folders that every run has for itself.
const PRIVATE: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];
