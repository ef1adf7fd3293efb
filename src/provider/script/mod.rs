//! `script:` — answers written down, faults included.
//!
//! `script:FILE` reads them from a file ([`format`]); `script:perfect` answers every case rightly. Together
//! they put the harness itself to the test: what a report must show is known beforehand.

mod duration;
mod format;
mod reply;

use super::{
    Attempt, Fault, Provider, Reply, Request,
    open::{Kind, ModelError, Opened},
    settings::{PerfectAnswers, ProviderSettings},
};
use crate::run::AnswerOutcome;
use format::{Entry, Otherwise, Script};
use futures_util::future::BoxFuture;
use proofhouse_manager::model::ProposedArgs;
use std::{fs, path::Path, sync::Arc};

/// Models whose answers are written down.
pub(super) const KIND: Kind = Kind {
    prefix: "script",
    takes: "FILE",
    docs: "answers written down, faults included; `script:perfect` gets everything right",
    wire: None,
    open,
};

const PERFECT: &str = "perfect";

fn open(model: &str, settings: &ProviderSettings) -> Result<Opened, ModelError> {
    let perfect = settings.perfect.clone();
    let scripted = match model {
        PERFECT => Scripted { script: Script::perfect(), perfect },
        file => Scripted { script: read(Path::new(file))?, perfect },
    };
    if scripted.script.otherwise == Otherwise::Perfect && scripted.perfect.is_none() {
        return Err(ModelError::NoPerfectAnswers(format!("script:{model}")));
    }
    Ok(Opened::Plain(Arc::new(scripted)))
}

fn read(path: &Path) -> Result<Script, ModelError> {
    let bytes = fs::read(path)
        .map_err(|e| ModelError::NoScript { path: path.display().to_string(), problem: e.to_string() })?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(format::parse(path, &bytes, &stem)?)
}

/// A model whose answers are written down.
struct Scripted {
    script: Script,
    perfect: Option<PerfectAnswers>,
}

impl Provider for Scripted {
    fn name(&self) -> &str {
        &self.script.name
    }

    fn label(&self) -> &'static str {
        "written down, faults included: no model was asked"
    }

    fn notes(&self, cases: &[&str]) -> Vec<String> {
        let unused = self.script.entries.iter().filter(|entry| !cases.iter().any(|case| entry.covers(case)));
        unused
            .map(|entry| format!("the script answers `{}`, and there is no such case", entry.case))
            .collect()
    }

    fn ask<'a>(&'a self, request: &'a Request, attempt: Attempt) -> BoxFuture<'a, Result<Reply, Fault>> {
        Box::pin(async move {
            let fits = |entry: &&Entry| entry.fits(&request.trial.case, request.turn, request.trial.repeat);
            match self.script.entries.iter().find(fits) {
                Some(entry) => entry.reply(attempt).give(request).await,
                None => self.otherwise(request),
            }
        })
    }
}

impl Scripted {
    fn otherwise(&self, request: &Request) -> Result<Reply, Fault> {
        let case = &request.trial.case;
        match self.script.otherwise {
            Otherwise::Perfect => {
                let answer = self.perfect.as_ref().and_then(|perfect| perfect(case, request.turn));
                let calls = answer.ok_or_else(|| {
                    Fault::Setup(format!(
                        "the suite has no right answer to turn {} of `{case}`",
                        request.turn + 1
                    ))
                })?;
                let call = |(tool, args): (_, _)| (request.called_name(tool), ProposedArgs::Object(args));
                Ok(answer_with(calls.iter().map(|(tool, args)| call((tool, args.clone()))).collect()))
            }
            Otherwise::Abstain => Ok(answer_with(Vec::new())),
            Otherwise::Error => Err(Fault::Setup(format!("the script has no answer for `{case}`"))),
        }
    }
}

fn answer_with(calls: Vec<(String, ProposedArgs)>) -> Reply {
    let outcome = if calls.is_empty() { AnswerOutcome::Abstained } else { AnswerOutcome::Called };
    Reply { outcome, text: None, calls, usage: None, raw: None, recorded_latency: None }
}

#[cfg(test)]
mod tests;
