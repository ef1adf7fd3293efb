//! Who is asked: a tool manager behind the driver protocol, in this process or as a child.
//!
//! Whatever is wrong with a driver is a [`DriverError`] and never a verdict: nobody conforms by falling silent.

mod process;
mod serve;

pub use process::ChildDriver;
pub use serve::serve;

use serde_json::Value;

/// A tool manager in one session.
pub trait Driver {
    /// Asks one thing and waits for the answer.
    ///
    /// # Errors
    /// [`DriverError`] if there is no answer that can be used. A refusal is an answer.
    fn call(&mut self, method: &str, params: Value) -> Result<Value, DriverError>;
}

/// Starts a driver for each scenario.
pub trait Drivers: Sync {
    /// Starts one, in an empty manager.
    ///
    /// # Errors
    /// [`DriverError`] if it does not start.
    fn start(&self) -> Result<Box<dyn Driver>, DriverError>;
}

/// Why a driver cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// The manager does not offer this method.
    #[error("the driver has no method `{method}`")]
    NoMethod {
        /// The method.
        method: String,
    },
    /// It could not be started.
    #[error("the driver `{command}` cannot be started: {reason}\nhint: give a command that runs by itself")]
    Start {
        /// What was to be started.
        command: String,
        /// What the system said.
        reason: String,
    },
    /// It answered with an error.
    #[error("the driver fails at `{method}`: {message} ({code})")]
    Failed {
        /// The method.
        method: String,
        /// Code of the error.
        code: i64,
        /// Its words.
        message: String,
    },
    /// It ended without an answer.
    #[error("the driver ended at `{method}` without an answer{said}")]
    Died {
        /// The method.
        method: String,
        /// The end of its standard error, where there is one.
        said: String,
    },
    /// It took too long.
    #[error(
        "the driver has not answered `{method}` within {seconds} s\nhint: `--driver-timeout` gives it longer"
    )]
    TimedOut {
        /// The method.
        method: String,
        /// How long it had.
        seconds: u64,
    },
    /// What it wrote is no answer.
    #[error(
        "what the driver writes at `{method}` is no answer: {what}\nhint: `proofhouse conform --describe-driver` shows every answer"
    )]
    Garbage {
        /// The method.
        method: String,
        /// What is wrong with it.
        what: String,
    },
    /// It speaks another protocol.
    #[error("the driver speaks protocol `{theirs}`, and this suite speaks `{}`", super::protocol::VERSION)]
    Version {
        /// What it says to speak.
        theirs: String,
    },
}

impl DriverError {
    fn garbage(method: &str, what: impl Into<String>) -> Self {
        Self::Garbage { method: method.to_owned(), what: what.into() }
    }
}
