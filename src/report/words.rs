//! Numbers as people read them: the same words in every format.

use crate::stats::Rate;

/// `84.2 %`, or `n/a` where nothing was counted.
pub(super) fn percent(rate: &Rate) -> String {
    rate.estimate.map_or_else(|| "n/a".to_owned(), share)
}

/// A share of 1 as per cent with one decimal; 0 and 100 only if they are exact.
pub(super) fn share(value: f64) -> String {
    let text = format!("{:.1}", value * 100.0);
    match text.as_str() {
        "100.0" if value < 1.0 => "99.9 %".to_owned(),
        "0.0" if value > 0.0 => "0.1 %".to_owned(),
        _ => format!(
            "{} %",
            text.strip_suffix(".0").filter(|short| matches!(*short, "0" | "100")).unwrap_or(&text)
        ),
    }
}

/// `48/57`, or nothing where nothing was counted.
pub(super) fn fraction(rate: &Rate) -> String {
    match rate.denominator {
        0 => String::new(),
        of => format!("{}/{}", count(rate.numerator), count(of)),
    }
}

/// `73–91 %`, or nothing where there is no interval.
pub(super) fn interval(rate: &Rate) -> String {
    rate.interval.map_or_else(String::new, range)
}

/// `73–91 %`; a narrow one with a decimal, so that its ends stay apart.
pub(super) fn range((low, high): (f64, f64)) -> String {
    let decimals = usize::from(high - low < NARROW);
    format!("{:.decimals$}–{:.decimals$} %", low * 100.0, high * 100.0)
}

/// Below this width an interval is shown with a decimal.
const NARROW: f64 = 0.05;

/// `84.2 % (48/57, 73–91 %)`.
pub(super) fn rate(rate: &Rate) -> String {
    match (fraction(rate), interval(rate)) {
        (of, _) if of.is_empty() => percent(rate),
        (of, range) if range.is_empty() => format!("{} ({of})", percent(rate)),
        (of, range) => format!("{} ({of}, {range})", percent(rate)),
    }
}

/// `4,318`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 trial`, `2 trials`.
pub(super) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_certainty() {
        let rows = [
            (0.0, "0 %"),
            (1.0, "100 %"),
            (0.99999, "99.9 %"),
            (0.00001, "0.1 %"),
            (0.5, "50.0 %"),
            (0.8421, "84.2 %"),
        ];
        for (value, text) in rows {
            assert_eq!(share(value), text);
        }
    }

    #[test]
    fn the_ends_of_an_interval_stay_apart() {
        for (ends, text) in
            [((0.734, 0.911), "73–91 %"), ((0.0, 0.0012), "0.0–0.1 %"), ((0.62, 0.65), "62.0–65.0 %")]
        {
            assert_eq!(range(ends), text);
        }
    }

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), text);
        }
    }
}
