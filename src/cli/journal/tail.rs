//! `proofhouse journal tail`.

use super::{
    super::{CliError, Exit},
    Format,
};
use proofhouse_manager::{
    adapters::journal::{Events, ReadError, read},
    event::Event,
    text::line,
};
use std::{
    collections::VecDeque,
    io::{self, Write as _},
    path::PathBuf,
    time::Duration,
};

/// How often a growing file is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Characters of a summary.
const WIDTH: usize = 160;

/// Show the last events, and those that come
///
/// One line an event: number, time, type, call, and what happened. What a terminal would obey is spelled out.
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The journal; of one that was rotated, its first file
    file: PathBuf,
    /// Go on as the journal grows
    #[arg(short, long)]
    follow: bool,
    /// Only events of this type, such as `ToolCallStarted`; may be repeated
    #[arg(long = "type", value_name = "T")]
    kinds: Vec<String>,
    /// Only events of this call
    #[arg(long, value_name = "ID")]
    call: Option<String>,
    /// How many events to begin with
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    lines: usize,
    /// How to print: lines for people, or the journal's own lines of JSON
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// 0 once all was shown, or nobody reads on.
pub(super) fn run(options: &Options) -> Result<Exit, CliError> {
    let mut events = read(&options.file).map_err(CliError::usage)?;
    let mut last = VecDeque::new();
    while let Some(event) = events.next() {
        let event = event.map_err(CliError::usage)?;
        if options.wants(&event) {
            last.push_back(options.row(&event, &events));
        }
        if last.len() > options.lines {
            last.pop_front();
        }
    }
    // A reader that is gone has seen enough.
    let shown = last.iter().try_for_each(|row| show(row));
    if shown.is_err() || !options.follow {
        return Ok(Exit::Holds);
    }
    options.go_on(events)
}

impl Options {
    fn go_on(&self, mut events: Events) -> Result<Exit, CliError> {
        loop {
            match events.next() {
                Some(Ok(event)) => {
                    if self.wants(&event) && show(&self.row(&event, &events)).is_err() {
                        return Ok(Exit::Holds);
                    }
                }
                // A writer makes the next file right after it has named it.
                None | Some(Err(ReadError::Missing { .. })) => std::thread::sleep(LOOK),
                Some(Err(error)) => return Err(CliError::usage(error)),
            }
        }
    }

    fn wants(&self, event: &Event) -> bool {
        let kind = event.fresh.fact.kind();
        let call = event.fresh.scope.call_id.as_deref();
        (self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted == kind))
            && self.call.as_deref().is_none_or(|wanted| call == Some(wanted))
    }

    fn row(&self, event: &Event, events: &Events) -> Vec<u8> {
        if self.format == Format::Json {
            return [events.line(), b"\n"].concat();
        }
        let fresh = &event.fresh;
        let call = fresh.scope.call_id.as_deref().unwrap_or("-");
        let (kind, call) = (line(fresh.fact.kind(), WIDTH), line(call, WIDTH));
        let summary = line(&fresh.fact.summary(), WIDTH);
        let ts = fresh.ts.format("%Y-%m-%dT%H:%M:%S%.3fZ");
        format!("{:>6}  {ts}  {kind:<21}  {call}  {summary}\n", event.seq).into_bytes()
    }
}

fn show(row: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(row)?;
    out.flush()
}
