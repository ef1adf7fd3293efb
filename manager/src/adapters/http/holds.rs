//! Hosts that have asked to be left alone for a while (RFC 9110, 10.2.3: `Retry-After`). Every call waits for them, not
//! only the one that was told.

use chrono::DateTime;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Nobody is left alone for longer.
const LONGEST: Duration = Duration::from_secs(3600);

/// Until when which host is left alone.
#[derive(Debug, Default)]
pub(super) struct Holds(Mutex<HashMap<String, Instant>>);

impl Holds {
    /// How long a host is still to be left alone.
    pub(super) fn left(&self, host: &str) -> Duration {
        let holds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        holds.get(host).map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Leaves a host alone for so long.
    pub(super) fn hold(&self, host: &str, time: Duration) {
        let now = Instant::now();
        let mut holds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        holds.retain(|_, until| *until > now);
        holds.insert(host.to_owned(), now + time.min(LONGEST));
    }
}

/// How long an answer asks to be left alone: in seconds, or until a date by the host's own clock.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let after = text(RETRY_AFTER)?;
    if let Ok(seconds) = after.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let date = |text: &str| DateTime::parse_from_rfc2822(text).ok();
    Some((date(after)? - date(text(DATE)?)?).to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn what_a_host_asks_for_is_read_in_both_forms() {
        let date = "Wed, 21 Oct 2026 07:28:00 GMT";
        for (after, date, expected) in [
            (Some("2"), None, Some(2)),
            (Some(" 0 "), None, Some(0)),
            (Some("Wed, 21 Oct 2026 07:28:10 GMT"), Some(date), Some(10)),
            (Some("Wed, 21 Oct 2026 07:27:00 GMT"), Some(date), Some(0)),
            (Some("Wed, 21 Oct 2026 07:28:10 GMT"), None, None),
            (Some("soon"), Some(date), None),
            (Some("-1"), None, None),
            (None, Some(date), None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [(RETRY_AFTER, after), (DATE, date)] {
                value.map(|value| headers.insert(name, HeaderValue::from_str(value).unwrap()));
            }
            assert_eq!(retry_after(&headers), expected.map(Duration::from_secs), "{after:?} {date:?}");
        }
    }

    #[test]
    fn a_host_is_left_alone_as_long_as_it_asked_and_no_other_is() {
        let holds = Holds::default();
        holds.hold("a:443", Duration::MAX);
        assert!(holds.left("a:443") > LONGEST / 2 && holds.left("a:443") <= LONGEST);
        assert_eq!(holds.left("b:443"), Duration::ZERO);
        holds.hold("a:443", Duration::ZERO);
        assert_eq!(holds.left("a:443"), Duration::ZERO);
    }
}
