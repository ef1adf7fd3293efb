//! The tools of a suite: found, normalized, registered.

use super::RejectedTool;
use crate::suite::{Suite, ToolSpec};
use proofhouse_manager::{
    adapters::sources::{AnthropicTools, Descriptors, FileFormat, McpCapture, OpenAiTools},
    document::Diagnostics,
    event::{
        Fact,
        fact::{ToolDiscovered, ToolNormalized, ToolRegistrationFailed},
    },
    model::{Digest, RegistrationState, SourceType, ToolId, TrustLevel},
    port::{Discovered, Discovery, Rejected, SourceError, Spot, ToolSourcePort},
    registry::{RegisteredTool, RegistrationError, Registry, SchemaFault},
};
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// What became of a suite's tools.
#[derive(Debug)]
pub struct Toolbox {
    /// Those that can be used.
    pub registry: Registry,
    /// Those that are only there to distract.
    pub distractors: BTreeSet<ToolId>,
    /// Those that cannot be used, and why.
    pub rejected: Vec<RejectedTool>,
    /// Mistakes in descriptors that are used all the same.
    pub problems: Diagnostics,
    /// What happened, for the journal.
    pub facts: Vec<Fact>,
    /// Where each usable tool was found, and what was served beside its descriptor.
    pub origins: HashMap<ToolId, ToolOrigin>,
}

/// Where a tool was found.
#[derive(Debug)]
pub struct ToolOrigin {
    /// The fields of its definition that the descriptor does not hold; nothing for a written descriptor.
    pub served: Option<Map<String, Value>>,
    /// Its place, if it stands in a file.
    pub spot: Option<Spot>,
}

/// Tools that cannot be loaded at all.
#[derive(Debug, thiserror::Error)]
pub enum ToolsError {
    /// A source cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Live servers are not asked by a run yet.
    #[error(
        "`mcp: {{ command: {command} }}` starts a server, which this version does not do\nhint: save its tools/list answer and name it under `mcp: {{ capture: FILE }}`"
    )]
    Live {
        /// The program.
        command: String,
    },
    /// Nothing is left.
    #[error("the suite has no tool that can be used{}", first(.0))]
    None(Vec<RejectedTool>),
}

fn first(rejected: &[RejectedTool]) -> String {
    rejected.first().map_or_else(String::new, |r| format!(": `{}`: {}", r.name, r.reason))
}

impl Toolbox {
    /// Finds and registers a suite's tools. One that cannot be used is put aside, and the others stay.
    ///
    /// # Errors
    /// [`ToolsError`] if a source cannot be read or no tool is left.
    pub fn of(suite: &Suite) -> Result<Self, ToolsError> {
        let mut toolbox = Self::empty();
        let mut own = Vec::new();
        for spec in &suite.tools {
            own.extend(sources(spec)?);
        }
        toolbox.take_all(own)?;
        if toolbox.registry.tools().is_empty() {
            return Err(ToolsError::None(toolbox.rejected));
        }
        let own = toolbox.registry.tools().len();
        let distractors = suite.distractors.iter().flat_map(|d| &d.files).map(|file| {
            let source = McpCapture { path: file.clone(), trust: TrustLevel::ThirdParty };
            (Box::new(source) as Box<dyn ToolSourcePort + Send + Sync>, file.display().to_string())
        });
        toolbox.take_all(distractors.collect())?;
        toolbox.distractors = toolbox.registry.tools()[own..].iter().map(|t| t.id().clone()).collect();
        Ok(toolbox)
    }

    /// The tools of a folder of descriptors, or of one file of whichever format it holds.
    ///
    /// # Errors
    /// [`ToolsError`] if it cannot be read or holds no tool that can be used.
    pub fn from_path(path: &Path) -> Result<Self, ToolsError> {
        let mut toolbox = Self::empty();
        toolbox.take_all(vec![(source_at(path, TrustLevel::ThirdParty)?, path.display().to_string())])?;
        if toolbox.registry.tools().is_empty() && toolbox.rejected.is_empty() {
            return Err(ToolsError::None(Vec::new()));
        }
        Ok(toolbox)
    }

    fn empty() -> Self {
        Self {
            registry: Registry::new(),
            distractors: BTreeSet::new(),
            rejected: Vec::new(),
            problems: Diagnostics::new(),
            facts: Vec::new(),
            origins: HashMap::new(),
        }
    }

    /// Reads sources and prepares their tools, many at a time; admits them in order.
    fn take_all(&mut self, sources: Vec<Named>) -> Result<(), ToolsError> {
        let found: Result<Vec<Found>, SourceError> = sources.into_par_iter().map(find).collect();
        for Found { source, tools, rejected, problems } in found? {
            self.problems.extend(problems);
            for tool in rejected {
                let reason = format!("{}: {}", tool.place(), tool.reason());
                self.reject(tool.name.as_str().into(), RegistrationState::InvalidSchema, reason);
            }
            tools.into_iter().for_each(|tool| self.take(tool, &source));
        }
        Ok(())
    }

    fn take(&mut self, tool: FoundTool, source: &str) {
        let FoundTool { id, kind, definition, prepared, origin } = tool;
        let discovered = ToolDiscovered {
            tool_id: id.clone(),
            source: source.to_owned(),
            source_type: kind,
            definition_digest: definition.clone(),
        };
        self.facts.push(discovered.into());
        let admitted = match prepared {
            Ok(tool) => self.registry.admit(tool),
            Err(fault) => Err(RegistrationError::Schema { tool: id, fault }),
        };
        match admitted {
            Ok(tool) => {
                self.facts.push(normalized(&tool, definition));
                self.origins.insert(tool.id().clone(), origin);
            }
            // The same tool from two sources is a collision: the first stays, nothing is shadowed.
            Err(RegistrationError::Duplicate { tool }) => {
                let reason = format!("{source}: another tool has this id already");
                self.reject(tool, RegistrationState::Blocked, reason);
            }
            Err(RegistrationError::Schema { tool, fault }) => {
                let reason = format!("{source}: {fault}");
                self.reject(tool, RegistrationState::InvalidSchema, reason);
            }
        }
    }

    fn reject(&mut self, tool: ToolId, state: RegistrationState, reason: String) {
        self.rejected.push(RejectedTool { name: tool.to_string(), reason: reason.clone() });
        let failed = ToolRegistrationFailed {
            tool_id: tool,
            tool_version: None,
            descriptor_digest: None,
            state,
            reason,
        };
        self.facts.push(failed.into());
    }
}

fn normalized(tool: &RegisteredTool, definition: Digest) -> Fact {
    ToolNormalized::of(tool, definition).into()
}

/// What stands at a path as a source: a folder holds descriptors, a file says by its keys what it is. Trust is how
/// far a file's claims count; a descriptor states its own.
///
/// # Errors
/// [`ToolsError`] if it cannot be read, or holds no tools in a format that is known.
pub fn source_at(
    path: &Path,
    trust: TrustLevel,
) -> Result<Box<dyn ToolSourcePort + Send + Sync>, ToolsError> {
    if path.is_dir() {
        let unreadable = |e: std::io::Error| SourceError::Unreadable {
            file: path.display().to_string(),
            reason: e.to_string(),
        };
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if matches!(extension, "yaml" | "yml" | "json") {
                paths.push(file);
            }
        }
        paths.sort();
        return Ok(Box::new(Descriptors { paths }));
    }
    let format = FileFormat::of_file(path)?;
    Ok(format.open(path, trust))
}

type Named = (Box<dyn ToolSourcePort + Send + Sync>, String);

/// What a source holds, with its tools prepared.
struct Found {
    source: String,
    tools: Vec<FoundTool>,
    rejected: Vec<Rejected>,
    problems: Diagnostics,
}

struct FoundTool {
    id: ToolId,
    kind: SourceType,
    definition: Digest,
    prepared: Result<RegisteredTool, SchemaFault>,
    origin: ToolOrigin,
}

fn find((source, name): Named) -> Result<Found, SourceError> {
    let Discovery { tools, rejected, problems } = source.discover()?;
    let prepare = |tool: Discovered| FoundTool {
        id: tool.descriptor.tool_id.clone(),
        kind: tool.descriptor.source.kind,
        definition: tool.definition_digest,
        origin: ToolOrigin { served: tool.served, spot: tool.spot },
        prepared: RegisteredTool::new(tool.descriptor),
    };
    Ok(Found { source: name, tools: tools.into_par_iter().map(prepare).collect(), rejected, problems })
}

fn sources(spec: &ToolSpec) -> Result<Vec<Named>, ToolsError> {
    fn each(
        files: &[PathBuf],
        open: impl Fn(PathBuf) -> Box<dyn ToolSourcePort + Send + Sync>,
    ) -> Vec<Named> {
        files.iter().map(|f| (open(f.clone()), f.display().to_string())).collect()
    }
    Ok(match spec {
        ToolSpec::Descriptors { files } => {
            let source = Descriptors { paths: files.clone() };
            vec![(Box::new(source), "descriptors".to_owned())]
        }
        ToolSpec::McpCapture { files, trust } => {
            each(files, |path| Box::new(McpCapture { path, trust: *trust }))
        }
        ToolSpec::OpenAi { files, trust } => {
            each(files, |path| Box::new(OpenAiTools { path, trust: *trust }))
        }
        ToolSpec::Anthropic { files, trust } => {
            each(files, |path| Box::new(AnthropicTools { path, trust: *trust }))
        }
        ToolSpec::McpCommand { command, .. } => return Err(ToolsError::Live { command: command.clone() }),
    })
}
