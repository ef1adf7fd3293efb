//! `proofhouse approvals`: what waits for a yes or no, and answering it.

use super::{CliError, Command, Exit, exit::say, home::HomeOption};
use clap::{ArgMatches, Args as _, FromArgMatches as _, Subcommand, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use proofhouse_manager::{
    adapters::{
        approvers::{FileQueue, ListedApprovers, QueueError, Queued, own_principal},
        clock::SystemClock,
        home::Home,
        wait::ThreadWait,
    },
    authority::escape,
    event::GrantReach,
    model::{ApprovalRequest, Digest},
    port::{Answer, AnswerDecision, ApproverRights as _, Clock as _, Confirmation},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Approvals;

/// Answer calls that wait for somebody's yes or no
///
/// A yes is for exactly what is shown: one changed byte, program, folder, policy or second too late, and it is
/// void.
#[derive(Debug, clap::Args)]
struct Options {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    home: HomeOption,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List what waits, equal questions together
    List {
        /// How to print
        #[arg(long, value_enum, default_value_t = Format::Table)]
        format: Format,
    },
    /// Show a request: exactly what would run
    Show {
        /// The approval's id
        id: String,
        /// How to print
        #[arg(long, value_enum, default_value_t = Format::Table)]
        format: Format,
    },
    /// Say yes
    Grant {
        /// The approval's id
        id: String,
        /// Allow the same call again, in this session
        #[arg(long, conflicts_with = "always")]
        for_session: bool,
        /// Allow the same call again, until the grant expires or is revoked
        #[arg(long)]
        always: bool,
        /// What the request demands to be typed, for a call that can destroy
        #[arg(long, value_name = "PHRASE")]
        typed: Option<String>,
    },
    /// Say no
    Deny {
        /// The approval's id
        id: String,
        /// Why; shown when a nearly equal call comes back
        #[arg(long, default_value = "")]
        reason: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

impl Command for Approvals {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("approvals"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let Options { action, home } = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        let desk = Desk::open(home.open()?);
        match action {
            Action::List { format } => desk.list(format)?,
            Action::Show { id, format } => desk.show(&id, format)?,
            Action::Grant { id, for_session, always, typed } => {
                let reach = match (for_session, always) {
                    (true, _) => GrantReach::Session,
                    (false, true) => GrantReach::Always,
                    (false, false) => GrantReach::Once,
                };
                desk.grant(&id, reach, typed)?;
            }
            Action::Deny { id, reason } => desk.deny(&id, reason)?,
        }
        Ok(Exit::Holds)
    }
}

/// Where requests are answered.
struct Desk {
    home: Home,
    queue: FileQueue,
}

impl Desk {
    fn open(home: Home) -> Self {
        let queue = FileQueue::new(&home, Arc::new(SystemClock), Arc::new(ThreadWait));
        Self { home, queue }
    }

    fn list(&self, format: Format) -> Result<(), CliError> {
        let mut rows: BTreeMap<(usize, Digest), Vec<Queued>> = BTreeMap::new();
        let mut first_of: BTreeMap<Digest, usize> = BTreeMap::new();
        let mut problems = Vec::new();
        for (at, queued) in self.queue.list().map_err(refusal)?.into_iter().enumerate() {
            match queued {
                Ok(queued) => {
                    let digest = queued.request.args_digest.clone();
                    let first = *first_of.entry(digest.clone()).or_insert(at);
                    rows.entry((first, digest)).or_default().push(queued);
                }
                Err(error) => problems.push(error.to_string()),
            }
        }
        let groups: Vec<Vec<Queued>> = rows.into_values().collect();
        say(&match format {
            Format::Table => table(&groups, &problems),
            Format::Json => format!("{:#}\n", listing(&groups, &problems)),
        });
        Ok(())
    }

    fn show(&self, id: &str, format: Format) -> Result<(), CliError> {
        let queued = self.queue.get(id).map_err(refusal)?;
        say(&match format {
            Format::Table => {
                format!("{}\ncontract    {}\n", queued.request.preview, queued.request.contract_digest)
            }
            Format::Json => {
                let answer = queued.answer.as_ref().map(|answer| json!(answer));
                format!("{:#}\n", json!({ "format": 1, "request": queued.request, "answer": answer }))
            }
        });
        Ok(())
    }

    fn grant(&self, id: &str, reach: GrantReach, typed: Option<String>) -> Result<(), CliError> {
        let request = self.queue.get(id).map_err(refusal)?.request;
        offered(&request, reach)?;
        let confirmation = match (&request.typed_confirmation, typed) {
            (Some(phrase), Some(typed)) if typed == *phrase => Confirmation::Typed { phrase: typed },
            (Some(phrase), _) => {
                return Err(CliError::usage(format!(
                    "`{id}` can destroy: choosing is not enough\nhint: look at it with `proofhouse approvals show {id}`, then add `--typed {phrase}`"
                )));
            }
            (None, _) => Confirmation::Chosen,
        };
        let by = own_principal();
        ListedApprovers::of(&self.home)
            .may_approve(&by, &request.contract)
            .map_err(|why| CliError::usage(format!("{by} may not approve `{id}`: {why}")))?;
        self.answer(&request, AnswerDecision::Allow { reach }, confirmation)?;
        let much = match reach {
            GrantReach::Once => "for this one call",
            GrantReach::Session => "for this session, with exactly these arguments",
            GrantReach::Always => "until revoked, with exactly these arguments",
        };
        say(&format!("granted {id} {much}, as {by}\n"));
        Ok(())
    }

    fn deny(&self, id: &str, reason: String) -> Result<(), CliError> {
        let request = self.queue.get(id).map_err(refusal)?.request;
        self.answer(&request, AnswerDecision::Deny { reason }, Confirmation::Chosen)?;
        say(&format!("denied {id}, as {}\n", own_principal()));
        Ok(())
    }

    fn answer(
        &self,
        request: &ApprovalRequest,
        decision: AnswerDecision,
        confirmation: Confirmation,
    ) -> Result<(), CliError> {
        let answer = Answer {
            approval_id: request.approval_id.clone(),
            contract_digest: request.contract_digest.clone(),
            decision,
            by: own_principal(),
            confirmation,
            at: SystemClock.now(),
        };
        self.queue.put(request, &answer).map_err(refusal)
    }
}

fn offered(request: &ApprovalRequest, reach: GrantReach) -> Result<(), CliError> {
    let options = &request.options;
    let (offered, word) = match reach {
        GrantReach::Once => (options.allow_once, "once"),
        GrantReach::Session => (options.allow_for_session, "--for-session"),
        GrantReach::Always => (options.always_allow_this_tool == Some(true), "--always"),
    };
    if offered {
        return Ok(());
    }
    let id = &request.approval_id;
    Err(CliError::usage(format!(
        "`{id}` does not offer `{word}`\nhint: what can destroy is allowed one call at a time"
    )))
}

fn refusal(error: QueueError) -> CliError {
    match error {
        QueueError::Io { .. } => CliError::surroundings(error),
        QueueError::Unknown(_)
        | QueueError::Answered(..)
        | QueueError::Late(..)
        | QueueError::Changed(..) => CliError::usage(error),
    }
}

fn state(queued: &Queued) -> String {
    match &queued.answer {
        None if queued.request.expires_at <= SystemClock.now() => "expired".to_owned(),
        None => "waits".to_owned(),
        Some(Answer { decision: AnswerDecision::Allow { .. }, by, .. }) => format!("granted by {by}"),
        Some(Answer { decision: AnswerDecision::Deny { .. }, by, .. }) => format!("denied by {by}"),
    }
}

fn table(groups: &[Vec<Queued>], problems: &[String]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["approval", "equal", "state", "level", "tool", "changes", "who", "void after"]);
    for group in groups {
        for (at, queued) in group.iter().enumerate() {
            let contract = &queued.request.contract;
            table.add_row([
                contract.approval_id.to_string(),
                if at == 0 { format!("{}", group.len()) } else { "″".to_owned() },
                state(queued),
                contract.effect_level.to_string(),
                format!("{} {}", escape(&contract.tool_id), escape(&contract.tool_version)),
                queued.request.diff.as_ref().map_or("unknown".to_owned(), |diff| diff.changed.to_string()),
                escape(&contract.principal),
                contract.expires_at.format("%Y-%m-%d %H:%M:%SZ").to_string(),
            ]);
        }
    }
    let mut text = match groups.is_empty() {
        true => "nothing waits for an answer\n".to_owned(),
        false => format!("{table}\n"),
    };
    for problem in problems {
        text.push_str(&format!("cannot be shown: {problem}\n"));
    }
    text
}

fn listing(groups: &[Vec<Queued>], problems: &[String]) -> Value {
    let row = |equal: usize, queued: &Queued| {
        let contract = &queued.request.contract;
        json!({
            "approvalId": contract.approval_id,
            "state": state(queued),
            "equal": equal,
            "toolId": contract.tool_id,
            "toolVersion": contract.tool_version,
            "level": contract.effect_level,
            "principal": contract.principal,
            "argsDigest": contract.args_digest,
            "contractDigest": queued.request.contract_digest,
            "changesDigest": contract.changes_digest,
            "diff": queued.request.diff,
            "expiresAt": contract.expires_at,
            "typedConfirmation": queued.request.typed_confirmation,
        })
    };
    let rows: Vec<Value> =
        groups.iter().flat_map(|group| group.iter().map(|queued| row(group.len(), queued))).collect();
    json!({ "format": 1, "approvals": rows, "problems": problems })
}
