//! Trying a program before anybody is asked: the same run, on a view that waits for the answer.
//!
//! The program runs once. What it wrote and said is kept under the call's id, and a commit makes exactly that of it.

use super::{
    Cli, Errand, Fault, Reach, Tried,
    view::{self, View},
};
use crate::{
    model::{CallId, Changes, Digest, StopCode, StopReason, ToolDescriptor, ToolError},
    port::{MISMATCH, Ran, Rehearsal, Rehearsals, Rehearsed},
    stage::Ticket,
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What is kept of one rehearsal.
struct Kept(PathBuf);

impl Kept {
    fn view(&self) -> PathBuf {
        self.0.join("view")
    }

    fn output(&self) -> PathBuf {
        self.0.join("output")
    }

    fn structured(&self) -> PathBuf {
        self.0.join("structured.json")
    }

    fn store(&self, tried: &Tried) -> std::io::Result<()> {
        let structured = serde_json::to_vec(&tried.structured)?;
        fs::write(self.output(), &tried.output).and_then(|()| fs::write(self.structured(), structured))
    }

    /// What it said and wrote, in the workspace as it is now.
    fn load(&self, tool: &ToolDescriptor, workspace: &Path) -> Result<Tried, Fault> {
        let gone =
            |why: std::io::Error| Fault::new(MISMATCH, format!("its rehearsal is not kept any more: {why}"));
        let output = fs::read(self.output()).map_err(gone)?;
        let structured = fs::read(self.structured()).and_then(|text| Ok(serde_json::from_slice(&text)?));
        let structured: Option<Value> = structured.map_err(gone)?;
        let view = match self.view().exists() {
            true => Some(View::open(&self.view(), workspace, super::policy::writes(tool))?),
            false => None,
        };
        Ok(Tried { output, structured, view, ..Tried::default() })
    }

    fn forget(&self) {
        view::forget(&self.view());
        view::forget(&self.0);
    }
}

impl Cli {
    fn rehearsal(&self, call: &CallId) -> Kept {
        Kept(self.home.rehearsals().join(call.as_str()))
    }
}

impl Rehearsals for Cli {
    fn rehearse(&self, rehearsal: &Rehearsal<'_>) -> Result<Rehearsed, ToolError> {
        let kept = self.rehearsal(rehearsal.call);
        let system = |why: std::io::Error| Fault::new("system", format!("a rehearsal cannot be kept: {why}"));
        fs::create_dir_all(&kept.0).map_err(system)?;
        let errand = Errand {
            tool: rehearsal.run.tool,
            args: rehearsal.run.args,
            settled: rehearsal.settled,
            interrupt: rehearsal.interrupt,
            store: &kept.view(),
            leased: &[],
            reach: Reach::Nothing,
        };
        let mut tried = self.try_it(&errand);
        let told = match tried.fault.take() {
            Some(fault) => Err(fault),
            None => kept.store(&tried).map_err(system).and_then(|()| tell(&tried)),
        };
        told.map_err(|fault| {
            kept.forget();
            fault.into()
        })
    }

    fn present(&self, rehearsal: &Rehearsal<'_>) -> Result<Digest, StopReason> {
        let mismatch = |why: String| StopReason::new(StopCode::ApprovalMismatch, why);
        let kept = self.rehearsal(rehearsal.call).load(rehearsal.run.tool, &self.workspace);
        digest(&kept.map_err(|fault| mismatch(fault.message))?).map_err(|fault| mismatch(fault.message))
    }

    fn commit(&self, ticket: Ticket<'_>, approved: &Digest) -> Ran {
        let kept = self.rehearsal(ticket.call());
        let tried = kept.load(ticket.tool(), &self.workspace).unwrap_or_else(Tried::failed);
        let tried = match digest(&tried) {
            Ok(found) if found == *approved => tried,
            Ok(_) => tried.but(Fault::new(MISMATCH, "what would be written is not what was approved")),
            Err(fault) => tried.but(fault),
        };
        let ran = tried.kept(&ticket, &self.workspace);
        kept.forget();
        ran
    }

    fn forget(&self, call: &CallId) {
        self.rehearsal(call).forget();
    }
}

/// What it would change, told.
fn tell(tried: &Tried) -> Result<Rehearsed, Fault> {
    let latency_ms = tried.latency_ms;
    Ok(match &tried.view {
        None => Rehearsed {
            changes: Changes::default(),
            diff: String::new(),
            effects: Default::default(),
            latency_ms,
        },
        Some(view) => Rehearsed {
            changes: view.changes.clone(),
            diff: view.diff()?,
            effects: view.effects.clone(),
            latency_ms,
        },
    })
}

fn digest(tried: &Tried) -> Result<Digest, Fault> {
    if let Some(fault) = &tried.fault {
        return Err(fault.clone());
    }
    let none = Changes::default();
    let changes = tried.view.as_ref().map_or(&none, |view| &view.changes);
    changes.digest().map_err(|why| Fault::new(MISMATCH, why.to_string()))
}
