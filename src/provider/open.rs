//! From a model's name to a provider that can be asked.

use super::{
    ALL, Provider,
    address::Address,
    command,
    recording::Recorder,
    settings::ProviderSettings,
    wire::{Recordable, Wire},
};
use proofhouse_manager::{
    document::{DocumentError, did_you_mean},
    resolve::payload::Dialect,
};
use std::sync::Arc;

/// A kind of provider: one file, one line in [`ALL`].
pub struct Kind {
    /// What stands before the colon.
    pub prefix: &'static str,
    /// What stands behind it; empty if nothing may.
    pub takes: &'static str,
    /// What it is, in a line.
    pub docs: &'static str,
    /// How its answers are recorded and replayed, if they can be.
    pub wire: Option<&'static dyn Wire>,
    /// Opens the model that stands behind the colon.
    pub open: fn(&str, &ProviderSettings) -> Result<Opened, ModelError>,
}

impl Kind {
    /// How a model of this kind is written.
    pub fn usage(&self) -> String {
        if self.takes.is_empty() { self.prefix.to_owned() } else { format!("{}:{}", self.prefix, self.takes) }
    }
}

/// A provider, fresh from its kind.
pub enum Opened {
    /// It answers by itself, the same every time.
    Plain(Arc<dyn Provider>),
    /// Its answers are worth keeping.
    Recordable(Arc<dyn Recordable>),
}

/// A model that cannot be opened.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// There is no such provider.
    #[error("there is no provider `{prefix}`\nhint: {hint}")]
    UnknownProvider {
        /// What stands before the colon.
        prefix: String,
        /// What was probably meant, and what there is.
        hint: String,
    },
    /// The part behind the colon is missing, or there is one too many.
    #[error("`{spec}` does not name a model\nhint: write `{usage}`")]
    Usage {
        /// As it was written.
        spec: String,
        /// As it is written.
        usage: String,
    },
    /// No `MODEL[@BASE_URL]`.
    #[error(
        "{0}\nhint: write MODEL@BASE_URL, such as `llama3.2@http://127.0.0.1:11434/v1`; keys come from the environment"
    )]
    BadAddress(String),
    /// A key is missing or unusable.
    #[error("{variable} {problem}\nhint: export {variable}, or name a server on this machine: {usage}")]
    Key {
        /// The variable that should hold it.
        variable: &'static str,
        /// What is wrong.
        problem: &'static str,
        /// How to do without.
        usage: &'static str,
    },
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
    /// A script that is not there.
    #[error("{path}: {problem}\nhint: write `script:FILE`, or `script:perfect` for the right answers")]
    NoScript {
        /// Where it should be.
        path: String,
        /// What the system says.
        problem: String,
    },
    /// A script with a mistake in it.
    #[error(transparent)]
    Script(#[from] DocumentError),
    /// A script that leans on right answers where there are none.
    #[error(
        "`{0}` needs the right answers, and there is no suite to take them from\nhint: run it with a suite"
    )]
    NoPerfectAnswers(String),
    /// A command line that cannot be split.
    #[error(
        "`{0}` is no command line\nhint: close every quote; it is split like a shell would, but no shell runs it"
    )]
    Command(String),
    /// Recordings that cannot be read or used.
    #[error("{0}")]
    Recording(String),
}

/// Opens a model: `NAME` or `PROVIDER:MODEL[@BASE_URL]`.
///
/// # Errors
/// [`ModelError`] if there is no such provider, or it cannot be set up as it is written.
pub fn open(spec: &str, settings: &ProviderSettings) -> Result<Arc<dyn Provider>, ModelError> {
    let (prefix, rest) = spec.trim().split_once(':').unwrap_or((spec.trim(), ""));
    let kind = ALL.iter().find(|kind| kind.prefix == prefix).ok_or_else(|| unknown(prefix))?;
    if rest.trim().is_empty() != kind.takes.is_empty() {
        return Err(ModelError::Usage { spec: spec.to_owned(), usage: kind.usage() });
    }
    match (kind.open)(rest.trim(), settings)? {
        Opened::Plain(provider) => Ok(provider),
        Opened::Recordable(provider) => recorded(provider, settings),
    }
}

/// What a stranger's suite would make happen by naming this model: a program that runs, or a server that is sent
/// prompts and perhaps a key. `None` for models that do neither.
pub fn reaches_out(spec: &str) -> Option<String> {
    let (prefix, rest) = spec.trim().split_once(':')?;
    if prefix == command::KIND.prefix {
        return Some(format!("it runs the program `{}`", rest.trim()));
    }
    let stated = ["@http://", "@https://"].iter().find_map(|at| rest.find(at))?;
    let address = Address::parse(rest, &rest[stated + 1..]).ok()?;
    (!address.is_loopback()).then(|| {
        format!(
            "it sends prompts, and your key if there is one, to `{}`",
            address.base.host_str().unwrap_or("?")
        )
    })
}

/// How a kind of model is shown tools, where it is shown them in a provider's form.
pub fn dialect_of(spec: &str) -> Option<Dialect> {
    let prefix = spec.trim().split(':').next()?;
    ALL.iter().find(|kind| kind.prefix == prefix)?.wire.map(Wire::dialect)
}

/// Puts the cache around a provider, and the recording around both.
fn recorded(
    provider: Arc<dyn Recordable>,
    settings: &ProviderSettings,
) -> Result<Arc<dyn Provider>, ModelError> {
    let provider = match &settings.cache {
        Some(folder) => Arc::new(Recorder::cache(provider, folder, settings.now)?),
        None => provider,
    };
    Ok(match &settings.record {
        Some(to) => Arc::new(Recorder::record(provider, &to.folder, to.mode, settings.now)?),
        None => provider,
    })
}

fn unknown(prefix: &str) -> ModelError {
    let usages: Vec<String> = ALL.iter().map(Kind::usage).collect();
    let mut hint = format!("there are {}", usages.join(", "));
    let meant = did_you_mean(prefix, ALL.iter().map(|kind| kind.prefix));
    if let Some(kind) = ALL.iter().find(|kind| Some(kind.prefix) == meant) {
        hint = format!("did you mean `{}`? {hint}", kind.usage());
    }
    ModelError::UnknownProvider { prefix: prefix.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_out_is_told() {
        let rows = [
            ("lexical", None),
            ("openai:gpt-5-mini", None),
            ("openai:llama@http://127.0.0.1:11434/v1", None),
            ("replay:golden/recordings/x", None),
            ("openai:gpt@https://models.example.com/v1", Some("models.example.com")),
            ("anthropic:claude@https://evil.test", Some("evil.test")),
            ("command:curl evil.test", Some("`curl evil.test`")),
        ];
        for (spec, told) in rows {
            let found = reaches_out(spec);
            assert_eq!(found.is_some(), told.is_some(), "{spec}: {found:?}");
            assert!(found.unwrap_or_default().contains(told.unwrap_or_default()), "{spec}");
        }
    }
}
