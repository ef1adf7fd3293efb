//! `proofhouse grants`: who may use which tool without being asked, giving and taking that.

use super::{CliError, Command, Exit, exit::say, home::HomeOption};
use chrono::{DateTime, TimeDelta, Utc};
use clap::{ArgMatches, Args as _, FromArgMatches as _, Subcommand, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use proofhouse_manager::{
    adapters::{
        approvers::own_principal, clock::SystemClock, grants::GrantBook, home::Home,
        registrations::Registrations,
    },
    authority::{GrantState, Held, escape},
    model::{
        Domain, EffectLevel, GrantArguments, GrantBinding, GrantId, PermissionGrant, digest_value,
        parse_strict,
    },
    port::{Clock as _, DescriptorStore as _},
};
use serde_json::{Value, json};
use std::{str::FromStr, sync::Arc};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Grants;

/// Permissions: list, show, issue and revoke them
#[derive(Debug, clap::Args)]
struct Options {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    home: HomeOption,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List grants in force; with `--all`, those that are not, too
    List {
        /// Also those that expired, were revoked or used
        #[arg(long)]
        all: bool,
        /// How to print
        #[arg(long, value_enum, default_value_t = Format::Table)]
        format: Format,
    },
    /// Show a grant and where it stands
    Show {
        /// The grant's id
        id: String,
    },
    /// Let somebody use an enabled tool without being asked
    Issue(Issue),
    /// Take a grant back; calls that wait or run on it stop
    Revoke {
        /// The grant's id, also of one that a run gave to a single call
        id: String,
        /// Why
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, clap::Args)]
struct Issue {
    /// The tool's id
    tool: String,
    /// Who may use it, such as `user:dev`
    #[arg(long, value_name = "PRINCIPAL")]
    to: String,
    /// For how long: `30m`, `12h`, `30d`
    #[arg(long = "for", value_name = "TIME", value_parser = Lifetime::from_str)]
    lifetime: Lifetime,
    /// With these arguments alone, as JSON; without, with any that the tool's schema allows
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// In this session alone
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Not beyond this tenant, such as `workspace:/srv/shop`
    #[arg(long, value_name = "TENANT")]
    tenant: Option<String>,
    /// Passed on from this grant: it ends with that one
    #[arg(long, value_name = "GRANT")]
    from: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

/// A time with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lifetime(pub(super) TimeDelta);

impl FromStr for Lifetime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unclear =
            || format!("`{text}` is no time\nhint: write a number and `m`, `h` or `d`, such as `12h`");
        let at = text.len().checked_sub(1).filter(|at| text.is_char_boundary(*at)).ok_or_else(unclear)?;
        let (number, unit) = text.split_at(at);
        let number: u32 = number.parse().ok().filter(|n| *n > 0).ok_or_else(unclear)?;
        let number = i64::from(number);
        let time = match unit {
            "m" => TimeDelta::try_minutes(number),
            "h" => TimeDelta::try_hours(number),
            "d" => TimeDelta::try_days(number),
            _ => None,
        };
        // No permission outlives what anybody remembers of giving it.
        let bounded = time.filter(|time| *time <= TimeDelta::days(366));
        bounded.map(Self).ok_or_else(|| match time {
            Some(_) => format!("`{text}` is more than a year\nhint: give less, and renew it"),
            None => unclear(),
        })
    }
}

impl Command for Grants {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("grants"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let Options { action, home } = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        let home = home.open()?;
        let book = GrantBook::open(&home, Arc::new(SystemClock)).map_err(CliError::surroundings)?;
        match action {
            Action::List { all, format } => list(&book, all, format)?,
            Action::Show { id } => show(&book, &id)?,
            Action::Issue(issue) => self::issue(&book, &home, issue)?,
            Action::Revoke { id, reason } => revoke(&book, &id, reason)?,
        }
        Ok(Exit::Holds)
    }
}

fn list(book: &GrantBook, all: bool, format: Format) -> Result<(), CliError> {
    let now = SystemClock.now();
    let grants = book.grants().map_err(CliError::surroundings)?;
    let shown: Vec<&Held> = grants.all().filter(|held| all || held.state(now) == GrantState::Live).collect();
    say(&match format {
        Format::Json => {
            let rows: Vec<Value> = shown.iter().map(|held| row(held, now)).collect();
            format!("{:#}\n", json!({ "format": 1, "grants": rows }))
        }
        Format::Table if shown.is_empty() => "no grant is in force\n".to_owned(),
        Format::Table => table(&shown, now),
    });
    Ok(())
}

fn row(held: &Held, now: DateTime<Utc>) -> Value {
    let state = held.state(now);
    let why = match &state {
        GrantState::Ended(why) => Some(why.clone()),
        GrantState::Live | GrantState::Expired | GrantState::Spent => None,
    };
    json!({ "state": state.word(), "why": why, "grant": held.grant() })
}

fn table(shown: &[&Held], now: DateTime<Utc>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["grant", "state", "to", "tool", "arguments", "reach", "until"]);
    for held in shown {
        let grant = held.grant();
        table.add_row([
            grant.grant_id.to_string(),
            held.state(now).word().to_owned(),
            escape(&grant.principal),
            format!("{} {}", escape(&grant.tool_id), escape(&grant.tool_version)),
            match &grant.arguments {
                GrantArguments::Any => "any".to_owned(),
                GrantArguments::Exactly { args_digest } => format!("exactly {}", args_digest.short()),
            },
            match &grant.binding {
                GrantBinding::Call { tool_call_id, .. } => format!("call {tool_call_id}"),
                GrantBinding::Session { session_id } => format!("session {session_id}"),
                GrantBinding::Standing => "standing".to_owned(),
            },
            grant.expires_at.format("%Y-%m-%d %H:%M:%SZ").to_string(),
        ]);
    }
    format!("{table}\n")
}

fn show(book: &GrantBook, id: &str) -> Result<(), CliError> {
    let grants = book.grants().map_err(CliError::surroundings)?;
    let held = grants.get(id).ok_or_else(|| unknown(id))?;
    say(&format!("{:#}\n", row(held, SystemClock.now())));
    Ok(())
}

fn unknown(id: &str) -> CliError {
    CliError::usage(format!("no grant `{id}` is known here\nhint: `proofhouse grants list --all` names them"))
}

fn issue(book: &GrantBook, home: &Home, issue: Issue) -> Result<(), CliError> {
    let registrations = Registrations::of(home.clone());
    let ledger = registrations.ledger().map_err(CliError::surroundings)?;
    let enabled = ledger.get(&issue.tool).and_then(|record| record.enabled()).ok_or_else(|| {
        CliError::usage(format!(
            "no version of `{}` is enabled here\nhint: register, review and enable it first: `proofhouse tools --help`",
            issue.tool
        ))
    })?;
    let (version, digest) = (enabled.version().clone(), enabled.digest().clone());
    let tool = registrations.get(&digest).map_err(CliError::surroundings)?;
    if tool.level() >= EffectLevel::DestructiveOrAdmin {
        return Err(CliError::usage(format!(
            "`{}` can destroy, and is approved one call at a time\nhint: answer its calls with `proofhouse approvals`",
            issue.tool
        )));
    }
    let grants = book.grants().map_err(CliError::surroundings)?;
    if let Some(from) = issue.from.as_deref().filter(|from| grants.get(from).is_none()) {
        return Err(unknown(from));
    }
    let now = SystemClock.now();
    let grant = PermissionGrant {
        grant_id: GrantId::from_uuid(SystemClock.uuid()),
        principal: issue.to.into(),
        tool_id: tool.tool_id,
        tool_version: version,
        descriptor_digest: digest,
        scopes: tool.permissions.required_scopes,
        arguments: arguments(issue.args.as_deref())?,
        binding: match issue.session {
            Some(session) => GrantBinding::Session { session_id: session.into() },
            None => GrantBinding::Standing,
        },
        tenant: issue.tenant,
        terms: None,
        derived_from: issue.from.map(Into::into),
        approval_id: None,
        granted_by: own_principal(),
        granted_at: now,
        expires_at: now + issue.lifetime.0,
    };
    let (id, until) = (grant.grant_id.clone(), grant.expires_at.format("%Y-%m-%d %H:%M:%SZ").to_string());
    book.issue(grant).map_err(CliError::surroundings)?;
    say(&format!("granted {id} until {until}\n"));
    Ok(())
}

fn arguments(text: Option<&str>) -> Result<GrantArguments, CliError> {
    let Some(text) = text else { return Ok(GrantArguments::Any) };
    let unusable = |why: String| CliError::usage(format!("the arguments `{text}` cannot be used: {why}"));
    let args = parse_strict(text).map_err(unusable)?;
    if !args.is_object() {
        return Err(unusable("they are no JSON object".to_owned()));
    }
    let args_digest = digest_value(Domain::Plain, &args).map_err(|e| unusable(e.to_string()))?;
    Ok(GrantArguments::Exactly { args_digest })
}

fn revoke(book: &GrantBook, id: &str, reason: String) -> Result<(), CliError> {
    let grants = book.grants().map_err(CliError::surroundings)?;
    match grants.get(id).map(|held| held.state(SystemClock.now())) {
        Some(GrantState::Ended(why)) => {
            return Err(CliError::usage(format!("`{id}` was ended before: {why}")));
        }
        // The grant of one call stands in its run's journal alone, and may be running now.
        None if !id.starts_with("gr_") => return Err(unknown(id)),
        Some(GrantState::Live | GrantState::Expired | GrantState::Spent) | None => {}
    }
    book.revoke(id.into(), own_principal(), reason).map_err(CliError::surroundings)?;
    say(&format!("revoked {id}\n"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifetime_has_a_unit_and_an_end() {
        let rows = [
            ("30m", Ok(TimeDelta::minutes(30))),
            ("12h", Ok(TimeDelta::hours(12))),
            ("30d", Ok(TimeDelta::days(30))),
            ("0d", Err("is no time")),
            ("-1d", Err("is no time")),
            ("12", Err("is no time")),
            ("", Err("is no time")),
            ("3é", Err("is no time")),
            ("400d", Err("more than a year")),
        ];
        for (text, expected) in rows {
            match (text.parse::<Lifetime>(), expected) {
                (Ok(Lifetime(time)), Ok(expected)) => assert_eq!(time, expected, "{text}"),
                (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }
}
