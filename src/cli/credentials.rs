//! `proofhouse credentials`: which secret is for whom and for what. Bound by reference; never shown.

use super::{CliError, Command, Exit, environment, exit::say, grants::Lifetime, home::HomeOption};
use chrono::{DateTime, Utc};
use clap::{ArgMatches, Args as _, FromArgMatches as _, Subcommand, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use proofhouse_manager::{
    adapters::{
        approvers::own_principal,
        clock::SystemClock,
        credentials::{
            Broker,
            source::{self, Sources},
        },
        grants::GrantBook,
        home::Home,
    },
    authority::escape,
    model::{CredentialBinding, CredentialBindingId, Injection, ToolPattern},
    port::Clock as _,
};
use serde_json::{Value, json};
use std::{path::Path, str::FromStr, sync::Arc};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Credentials;

/// Credentials: bind, list, check and unbind them; by reference, never by their text
#[derive(Debug, clap::Args)]
struct Options {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    home: HomeOption,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Bind a secret to tools, under the name by which their contracts require it
    Bind(Bind),
    /// List what is bound
    List {
        /// How to print
        #[arg(long, value_enum, default_value_t = Format::Table)]
        format: Format,
    },
    /// Read each bound secret as a run would, and say whether it can be lent
    Check {
        /// Only those of this name
        name: Option<String>,
    },
    /// Take a binding back; calls that run with it stop
    Unbind {
        /// The binding's id
        id: String,
        /// Why
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, clap::Args)]
struct Bind {
    /// The name, as contracts write it in `requiredSecrets`
    name: String,
    /// Where the secret is kept: `env:NAME`, `file:/path`, `keyring:service/account`, `command:/path WORD…`
    #[arg(long, value_name = "REFERENCE")]
    from: String,
    /// A tool that it is for: an id, `github.*` or `*` (repeatable)
    #[arg(long = "tool", value_name = "PATTERN", required = true, value_parser = ToolPattern::from_str)]
    tools: Vec<ToolPattern>,
    /// Whose it is [default: you]
    #[arg(long, value_name = "PRINCIPAL")]
    principal: Option<String>,
    /// A scope that it holds (repeatable)
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// The only audience that it may be sent to, as the tool's contract names it
    #[arg(long, value_name = "HOST")]
    audience: Option<String>,
    /// How it is handed over: `env:VARIABLE`, `fd:VARIABLE` or `header:NAME[:PREFIX]` [default: env: and its name]
    #[arg(long = "as", value_name = "HOW", value_parser = how)]
    injection: Option<Injection>,
    /// For how long: `30m`, `12h`, `30d` [default: until it is taken back]
    #[arg(long = "for", value_name = "TIME", value_parser = Lifetime::from_str)]
    lifetime: Option<Lifetime>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

impl Command for Credentials {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("credentials"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let Options { action, home } = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        let home = home.open()?;
        let book = Arc::new(GrantBook::open(&home, Arc::new(SystemClock)).map_err(CliError::surroundings)?);
        match action {
            Action::Bind(bind) => self::bind(&book, bind),
            Action::List { format } => list(&book, format),
            Action::Check { name } => check(&book, name.as_deref()),
            Action::Unbind { id, reason } => unbind(&book, &id.into(), reason),
        }
    }
}

/// The broker of a home, with this process's environment.
pub(super) fn broker(home: &Home) -> Result<Broker, CliError> {
    let book = GrantBook::open(home, Arc::new(SystemClock)).map_err(CliError::surroundings)?;
    Ok(lender(&Arc::new(book)))
}

fn lender(book: &Arc<GrantBook>) -> Broker {
    Broker::new(Arc::clone(book), Arc::new(SystemClock), Sources::new(environment()))
}

fn bind(book: &Arc<GrantBook>, bind: Bind) -> Result<Exit, CliError> {
    let Bind { name, from, tools, principal, scopes, audience, injection, lifetime } = bind;
    let secret_ref = whole(from)?;
    Sources::check(&secret_ref).map_err(CliError::usage)?;
    let binding = CredentialBinding {
        credential_binding_id: CredentialBindingId::from_uuid(SystemClock.uuid()),
        principal: principal.map_or_else(own_principal, Into::into),
        name: named(name, injection.as_ref())?,
        secret_ref,
        tools,
        scopes,
        audience,
        injection,
        expires_at: lifetime.map(|Lifetime(time)| SystemClock.now() + time),
    };
    // What cannot be read, or is no secret, is not bound.
    lender(book).read(&binding).map_err(|reason| CliError::fails(reason.message))?;
    let known = book.bindings().map_err(CliError::surroundings)?;
    let same = |other: &&CredentialBinding| {
        (&other.name, &other.principal, &other.tools) == (&binding.name, &binding.principal, &binding.tools)
    };
    let replaced: Vec<CredentialBindingId> =
        known.all().iter().filter(same).map(|other| other.credential_binding_id.clone()).collect();
    let (id, told) = (binding.credential_binding_id.clone(), describe(&binding));
    book.bind(binding).map_err(CliError::surroundings)?;
    for old in replaced {
        book.unbind(old, own_principal(), format!("bound anew as {id}")).map_err(CliError::surroundings)?;
    }
    say(&format!("bound {id}: {told}\n"));
    Ok(Exit::Holds)
}

/// A reference as it is kept: a program by its whole path, so that it is always the same one.
fn whole(reference: String) -> Result<String, CliError> {
    let Some(command) = reference.strip_prefix("command:").filter(|words| !words.starts_with(['[', '/']))
    else {
        return Ok(reference);
    };
    let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
    let path = environment()("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file());
    let found = found.and_then(|path| path.to_str().map(ToOwned::to_owned));
    let found = found.filter(|path| Path::new(path).is_absolute() && !path.contains(char::is_whitespace));
    let found = found.ok_or_else(|| {
        CliError::usage(format!("there is no program `{program}`\nhint: name it by its whole path"))
    })?;
    Ok(format!("command:{found} {rest}").trim_end().to_owned())
}

/// A name that can stand in a journal, and be a variable where it has to be one.
fn named(name: String, injection: Option<&Injection>) -> Result<String, CliError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(plain) {
        return Err(CliError::usage(format!(
            "`{name}` is no name of a credential\nhint: write letters, digits, `_`, `-` and `.`"
        )));
    }
    if injection.is_none() && !is_variable(&name) {
        return Err(CliError::usage(format!(
            "`{name}` is no name of a variable, so it must be said how the secret is handed over\nhint: add `--as env:VARIABLE` or `--as header:Authorization:Bearer`"
        )));
    }
    Ok(name)
}

fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// How a secret is handed over, as people write it.
fn how(text: &str) -> Result<Injection, String> {
    let unclear = || {
        format!(
            "`{text}` is no way to hand a secret over\nhint: there are `env:VARIABLE`, `fd:VARIABLE` and `header:NAME[:PREFIX]`"
        )
    };
    let (word, rest) = text.split_once(':').ok_or_else(unclear)?;
    match word {
        "env" if is_variable(rest) => Ok(Injection::Variable(rest.to_owned())),
        "fd" if is_variable(rest) => Ok(Injection::Descriptor(rest.to_owned())),
        "header" => {
            let (name, prefix) = rest.split_once(':').unwrap_or((rest, ""));
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            let is_prefix = prefix.chars().all(|c| c.is_ascii_graphic() || c == ' ');
            // A word before a secret is apart from it.
            let apart = if prefix.ends_with(|c: char| c.is_ascii_alphanumeric()) { " " } else { "" };
            let header = || Injection::Header { name: name.to_owned(), prefix: format!("{prefix}{apart}") };
            (is_name && is_prefix).then(header).ok_or_else(unclear)
        }
        _ => Err(unclear()),
    }
}

fn shown_how(injection: &Injection) -> String {
    match injection {
        Injection::Variable(name) => format!("env:{name}"),
        Injection::Descriptor(name) => format!("fd:{name}"),
        Injection::Header { name, prefix } => format!("header:{name}:{}", prefix.trim_end()),
    }
}

fn until(binding: &CredentialBinding) -> String {
    binding.expires_at.map_or("unbound".to_owned(), |at| at.format("%Y-%m-%d %H:%M:%SZ").to_string())
}

fn tools(binding: &CredentialBinding) -> String {
    binding.tools.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn describe(binding: &CredentialBinding) -> String {
    format!(
        "{} from {}, for {} with {}, handed over as {}, until {}",
        escape(&binding.name),
        escape(&binding.secret_ref),
        escape(&binding.principal),
        escape(&tools(binding)),
        shown_how(&binding.injection()),
        until(binding)
    )
}

fn list(book: &GrantBook, format: Format) -> Result<Exit, CliError> {
    let bindings = book.bindings().map_err(CliError::surroundings)?;
    let now = SystemClock.now();
    say(&match format {
        Format::Json => {
            let row =
                |binding: &CredentialBinding| json!({ "state": state(binding, now), "binding": binding });
            let rows: Vec<Value> = bindings.all().iter().map(row).collect();
            format!("{:#}\n", json!({ "format": 1, "credentials": rows }))
        }
        Format::Table if bindings.all().is_empty() => "no credential is bound\n".to_owned(),
        Format::Table => table(bindings.all(), now),
    });
    Ok(Exit::Holds)
}

fn state(binding: &CredentialBinding, now: DateTime<Utc>) -> &'static str {
    if binding.expires_at.is_some_and(|at| at <= now) { "expired" } else { "live" }
}

fn table(bindings: &[CredentialBinding], now: DateTime<Utc>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header([
        "binding", "state", "name", "from", "for", "tools", "scopes", "audience", "as", "until",
    ]);
    for binding in bindings {
        table.add_row([
            binding.credential_binding_id.to_string(),
            state(binding, now).to_owned(),
            escape(&binding.name),
            escape(&binding.secret_ref),
            escape(&binding.principal),
            escape(&tools(binding)),
            escape(&binding.scopes.join(", ")),
            escape(binding.audience.as_deref().unwrap_or_default()),
            shown_how(&binding.injection()),
            until(binding),
        ]);
    }
    format!("{table}\n")
}

fn check(book: &Arc<GrantBook>, name: Option<&str>) -> Result<Exit, CliError> {
    let bindings = book.bindings().map_err(CliError::surroundings)?;
    let (lender, now) = (lender(book), SystemClock.now());
    let asked: Vec<&CredentialBinding> =
        bindings.all().iter().filter(|binding| name.is_none_or(|name| binding.name == name)).collect();
    if asked.is_empty() {
        let which = name.map_or("no credential".to_owned(), |name| format!("no credential `{name}`"));
        let forms: Vec<&str> = source::forms().collect();
        return Err(CliError::fails(format!(
            "{which} is bound\nhint: `proofhouse credentials bind NAME --from REFERENCE --tool ID` binds one, from {}",
            forms.join(", ")
        )));
    }
    let mut exit = Exit::Holds;
    for binding in asked {
        let fault = match state(binding, now) {
            "expired" => Some(format!("it expired at {}", until(binding))),
            _ => lender.read(binding).err().map(|reason| reason.message),
        };
        let (id, name) = (&binding.credential_binding_id, escape(&binding.name));
        match fault {
            None => say(&format!("ok {id} {name}\n")),
            Some(why) => {
                exit = Exit::Fails;
                say(&format!("no {id} {name}: {why}\n"));
            }
        }
    }
    Ok(exit)
}

fn unbind(book: &GrantBook, id: &CredentialBindingId, reason: String) -> Result<Exit, CliError> {
    let bindings = book.bindings().map_err(CliError::surroundings)?;
    if bindings.get(id).is_none() {
        return Err(CliError::usage(format!(
            "no binding `{id}` is in force\nhint: `proofhouse credentials list` names them"
        )));
    }
    book.unbind(id.clone(), own_principal(), reason).map_err(CliError::surroundings)?;
    say(&format!("unbound {id}\n"));
    Ok(Exit::Holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_to_hand_over_is_written_as_it_is_shown() {
        let header =
            |name: &str, prefix: &str| Injection::Header { name: name.to_owned(), prefix: prefix.to_owned() };
        let rows = [
            ("env:TOKEN", Ok(Injection::Variable("TOKEN".to_owned()))),
            ("fd:TOKEN_FD", Ok(Injection::Descriptor("TOKEN_FD".to_owned()))),
            ("header:Authorization:Bearer", Ok(header("Authorization", "Bearer "))),
            ("header:X-Api-Key", Ok(header("X-Api-Key", ""))),
            ("header:X-Api-Key:key=", Ok(header("X-Api-Key", "key="))),
            ("env:1TOKEN", Err("is no way")),
            ("env:", Err("is no way")),
            ("argv:--token", Err("is no way")),
            ("header:a b", Err("is no way")),
            ("header:A:x\ny", Err("is no way")),
            ("TOKEN", Err("is no way")),
        ];
        for (text, expected) in rows {
            match (how(text), expected) {
                (Ok(got), Ok(expected)) => assert_eq!(got, expected, "{text}"),
                (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
                (got, _) => panic!("{text}: {got:?}"),
            }
        }
    }

    #[test]
    fn a_name_is_a_variable_or_says_how_it_is_handed_over() {
        assert!(named("GITHUB_TOKEN".to_owned(), None).is_ok());
        assert!(named("github-token".to_owned(), Some(&how("env:X").unwrap())).is_ok());
        for name in ["github-token", "", "a b", "a/b", "a\n"] {
            assert!(named(name.to_owned(), None).is_err(), "{name}");
        }
    }
}
