//! Durations as people write them: `0.05`, `30s`, `250ms`, `2m`.

use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};
use std::{fmt, time::Duration};

/// A duration; a bare number is seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seconds(pub(super) Duration);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SecondsVisitor)
    }
}

struct SecondsVisitor;

impl Visitor<'_> for SecondsVisitor {
    type Value = Seconds;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration such as `30s`, `250ms` or a number of seconds")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Seconds, E> {
        parse(text).map(Seconds).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }

    fn visit_f64<E: Error>(self, seconds: f64) -> Result<Seconds, E> {
        let duration = Duration::try_from_secs_f64(seconds);
        duration.map(Seconds).map_err(|_| E::invalid_value(serde::de::Unexpected::Float(seconds), &self))
    }

    fn visit_u64<E: Error>(self, seconds: u64) -> Result<Seconds, E> {
        Ok(Seconds(Duration::from_secs(seconds)))
    }
}

fn parse(text: &str) -> Option<Duration> {
    let text = text.trim();
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("", 1.0)];
    let (number, factor) =
        units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?.trim_end(), factor)))?;
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * factor).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, expected) in [
            ("30s", Some(30_000)),
            ("250ms", Some(250)),
            ("1.5 s", Some(1_500)),
            ("2m", Some(120_000)),
            ("0.05", Some(50)),
            ("s", None),
            ("-1s", None),
            ("soon", None),
            ("1h", None),
        ] {
            assert_eq!(parse(text), expected.map(Duration::from_millis), "{text}");
        }
    }
}
