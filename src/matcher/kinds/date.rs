//! `$date`: the same day or instant, however it is written.

use super::{Matcher, MatcherKind, Witness};
use crate::matcher::{PatternError, Report, SchemaView, Scope, words};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct Date;

impl MatcherKind for Date {
    fn name(&self) -> &'static str {
        "$date"
    }

    fn docs(&self) -> &'static str {
        "The same day (`2026-03-01`) or instant (`2026-03-01T09:00:00Z`), however it is written; `03/04/2026` is ambiguous and never matches."
    }

    fn operand(&self) -> Value {
        json!({ "type": "string", "examples": ["2026-03-01", "2026-03-01T09:00:00Z"] })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        let moment = operand.as_str().ok_or(Unreadable::NoDate).and_then(Moment::read);
        match moment {
            Ok(moment) => Ok(Arc::new(Same { written: operand.clone(), moment })),
            Err(reason) => Err(scope
                .error(format!(
                    "`{}` is {}",
                    operand.as_str().unwrap_or(&operand.to_string()),
                    reason.words()
                ))
                .with_hint("write a day as `2026-03-01`, an instant as `2026-03-01T09:00:00Z`")),
        }
    }
}

/// A point in time, as precisely as it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    /// A day.
    Day(NaiveDate),
    /// A clock's time that does not say where.
    Local(NaiveDateTime),
    /// An instant.
    Instant(DateTime<FixedOffset>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Unreadable {
    NoDate,
    Ambiguous,
}

impl Unreadable {
    fn words(self) -> &'static str {
        match self {
            Self::NoDate => "no date",
            Self::Ambiguous => "ambiguous: is the day or the month first?",
        }
    }
}

impl Moment {
    fn read(text: &str) -> Result<Self, Unreadable> {
        let text = text.trim();
        if is_ambiguous(text) {
            return Err(Unreadable::Ambiguous);
        }
        read_instant(text)
            .map(Self::Instant)
            .or_else(|| read_local(text).map(Self::Local))
            .or_else(|| read_day(text).map(Self::Day))
            .ok_or(Unreadable::NoDate)
    }

    fn local(self) -> NaiveDateTime {
        match self {
            Self::Day(day) => day.and_time(NaiveTime::MIN),
            Self::Local(local) => local,
            Self::Instant(instant) => instant.naive_local(),
        }
    }

    /// Whether `found` says the same: a day means all of it, and a time without an offset is the clock's.
    fn is_same(self, found: Self) -> bool {
        match (self, found) {
            (Self::Day(day), _) => day == found.local().date(),
            (Self::Instant(a), Self::Instant(b)) => a == b,
            _ => self.local() == found.local(),
        }
    }
}

/// Two short numbers before a year: `03/04/2026`, `3.4.26`.
fn is_ambiguous(text: &str) -> bool {
    let date = text.split([' ', 'T']).next().unwrap_or(text);
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    matches!(parts.as_slice(), [a, b, c] if [a, b, c].into_iter().all(digits) && a.len() <= 2 && b.len() <= 2)
}

fn read_instant(text: &str) -> Option<DateTime<FixedOffset>> {
    let rfc = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text)).ok();
    let formats =
        ["%Y-%m-%dT%H:%M%:z", "%Y-%m-%d %H:%M:%S%.f%:z", "%Y-%m-%dT%H:%M:%S%.f%z", "%Y-%m-%d %H:%M:%S %z"];
    let offset = || formats.iter().find_map(|format| DateTime::parse_from_str(text, format).ok());
    let zulu = || {
        let local = read_local(text.strip_suffix(['Z', 'z']).or_else(|| text.strip_suffix(" UTC"))?)?;
        Some(local.and_utc().fixed_offset())
    };
    rfc.or_else(offset).or_else(zulu)
}

fn read_local(text: &str) -> Option<NaiveDateTime> {
    let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
}

fn read_day(text: &str) -> Option<NaiveDate> {
    let formats =
        ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d %B %Y", "%B %d %Y", "%d-%B-%Y", "%Y %B %d"];
    let plain = without_ordinals(text);
    formats.iter().find_map(|format| NaiveDate::parse_from_str(&plain, format).ok())
}

/// `March 1st, 2026` as `March 1 2026`.
fn without_ordinals(text: &str) -> String {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("of"));
    let plain = words.map(|word| {
        let number = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending));
        number.filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())).unwrap_or(word)
    });
    plain.collect::<Vec<_>>().join(" ")
}

#[derive(Debug)]
struct Same {
    written: Value,
    moment: Moment,
}

impl Matcher for Same {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        let found = value.and_then(Value::as_str).map(Moment::read);
        matches!(found, Some(Ok(found)) if self.moment.is_same(found))
    }

    fn expected(&self) -> String {
        format!("the date {}", words::value(&self.written))
    }

    fn explain(&self, value: Option<&Value>, _: SchemaView<'_>, report: &mut Report) {
        match value.and_then(Value::as_str).map(Moment::read) {
            Some(Err(reason)) => {
                report
                    .noted(self.expected(), format!("{}, which is {}", words::actual(value), reason.words()));
            }
            _ => report.mismatch(self.expected(), value),
        }
    }

    fn witness(&self, _: SchemaView<'_>) -> Option<Witness> {
        Some(Witness::Value(self.written.clone()))
    }
}
