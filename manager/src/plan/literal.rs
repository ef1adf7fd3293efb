//! The concrete things that a prompt names: quotations, paths, addresses, numbers, dates.
//!
//! Shared by the planner (what is acted upon), retrieval (a literal is an argument, not a wish) and the
//! embedded model (which fills arguments from them). It finds; it never judges what a thing is for.

/// What kind of thing a piece of a prompt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Plain words.
    Word,
    /// Something in quotation marks or backticks.
    Quotation,
    /// A web address.
    Url,
    /// A mail address.
    Email,
    /// A file, folder or glob; also `owner/name`, which looks the same.
    Path,
    /// A number, without a sign such as `#` in front of it.
    Number,
    /// A calendar date as `2026-03-15`.
    Date,
    /// A made-up name: `cus_9`, `parseInput`, `PAY-310`, `v1.4.0`.
    Name,
}

/// One piece of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'p> {
    /// What it is.
    pub kind: Kind,
    /// Its text, without quotation marks and surrounding punctuation.
    pub text: &'p str,
    /// Whether a clause ends with it.
    pub ends_clause: bool,
}

/// The pieces of a prompt, in order. Quotations are whole; everything else is split at spaces.
pub fn pieces(prompt: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::with_capacity(prompt.len() / 5 + 1);
    let mut rest = prompt;
    while let Some((open, inner, after)) = next_quotation(rest) {
        unquoted(&rest[..open], &mut pieces);
        pieces.push(Piece { kind: quoted_kind(inner), text: inner, ends_clause: false });
        rest = after;
    }
    unquoted(rest, &mut pieces);
    pieces
}

/// A quotation that holds a whole address or path is that thing.
fn quoted_kind(text: &str) -> Kind {
    match kind(text) {
        found @ (Kind::Url | Kind::Email | Kind::Path | Kind::Date)
            if !text.contains(char::is_whitespace) =>
        {
            found
        }
        _ => Kind::Quotation,
    }
}

fn unquoted<'p>(text: &'p str, pieces: &mut Vec<Piece<'p>>) {
    for word in text.split_whitespace() {
        let bare = bare(word);
        if bare.is_empty() {
            if let (Some(last), true) = (pieces.last_mut(), ends_clause(word)) {
                last.ends_clause = true;
            }
            continue;
        }
        pieces.push(Piece { kind: kind(bare), text: bare, ends_clause: ends_clause(word) });
    }
}

fn ends_clause(word: &str) -> bool {
    word.ends_with([',', '.', ';', ':', '!', '?', '-', '–', '—', '。', '，'])
}

/// A word without the punctuation around it; a leading dot or slash belongs to a path.
fn bare(word: &str) -> &str {
    let end = |c: char| {
        matches!(
            c,
            ',' | ';' | '?' | '!' | ')' | ']' | '}' | '>' | ':' | '.' | '"' | '\'' | '»' | '“' | '”' | '`'
        ) || c == '–'
            || c == '—'
    };
    let start = |c: char| {
        matches!(c, '(' | '[' | '{' | '<' | '"' | '\'' | '«' | '„' | '“' | '¿' | '¡' | '`' | '#' | '–' | '—')
    };
    let bare = word.trim_end_matches(end).trim_start_matches(start);
    if bare.chars().all(|c| c.is_ascii_punctuation() && c != '*' && c != '/' && c != '.') { "" } else { bare }
}

/// The first quotation: where it starts, its inside, and what follows it.
fn next_quotation(text: &str) -> Option<(usize, &str, &str)> {
    const PAIRS: [(char, char); 7] =
        [('"', '"'), ('`', '`'), ('“', '”'), ('«', '»'), ('„', '“'), ('\'', '\''), ('‘', '’')];
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let opens = PAIRS.iter().find(|(open, _)| *open == c && !before.is_alphanumeric());
        before = c;
        let Some((_, close)) = opens else { continue };
        let inside = &text[at + c.len_utf8()..];
        if let Some(end) = closing(inside, *close) {
            return Some((at, inside[..end].trim(), &inside[end + close.len_utf8()..]));
        }
    }
    None
}

/// The mark that closes a quotation. A straight single quote inside a word is an apostrophe.
fn closing(inside: &str, close: char) -> Option<usize> {
    let follows = |at: usize| inside[at + close.len_utf8()..].chars().next();
    inside
        .match_indices(close)
        .map(|(at, _)| at)
        .find(|at| *at > 0 && (close != '\'' || follows(*at).is_none_or(|c| !c.is_alphanumeric())))
}

/// What kind of thing a text without surrounding punctuation is.
pub fn kind(text: &str) -> Kind {
    if text.contains(char::is_whitespace) {
        return Kind::Word;
    }
    if text.contains("://") || text.starts_with("www.") {
        return Kind::Url;
    }
    if is_email(text) {
        return Kind::Email;
    }
    if is_date(text) {
        return Kind::Date;
    }
    if is_number(text) {
        return Kind::Number;
    }
    if is_path(text) {
        return Kind::Path;
    }
    if is_name(text) { Kind::Name } else { Kind::Word }
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && host.split_once('.').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty())
    })
}

/// `2026-03-15`, with or without a time after a `T`.
fn is_date(text: &str) -> bool {
    let day = text.split_once('T').map_or(text, |(day, _)| day);
    let digits =
        |at: std::ops::Range<usize>| day.get(at).is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit()));
    day.len() == 10 && digits(0..4) && digits(5..7) && digits(8..10) && &day[4..5] == "-" && &day[7..8] == "-"
}

fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+', '$', '€']).unwrap_or(text);
    let text = text.strip_suffix(['%', '€', '$']).unwrap_or(text);
    text.parse::<f64>().is_ok() && text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_path(text: &str) -> bool {
    let has_letter = text.chars().any(char::is_alphanumeric);
    let slash = text.contains('/') && has_letter;
    let dotted = text.strip_prefix("*.").or_else(|| text.rsplit_once('.').map(|(_, extension)| extension));
    let extension = dotted.is_some_and(|e| {
        (1..=10).contains(&e.len())
            && e.bytes().all(|b| b.is_ascii_alphanumeric())
            && e.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let hidden =
        text.strip_prefix('.').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    has_letter && (slash || extension || hidden)
}

/// Letters mixed with digits or underscores, capitals inside, or an all-capital key with a number.
fn is_name(text: &str) -> bool {
    let digit = text.bytes().any(|b| b.is_ascii_digit());
    let letter = text.chars().any(char::is_alphabetic) || text.contains('.');
    let inner_capital =
        text.chars().zip(text.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    letter && (digit || text.contains('_') || inner_capital)
}

#[cfg(test)]
mod tests {
    use super::Kind::{Date, Email, Name, Number, Path, Quotation, Url, Word};
    use super::*;

    #[track_caller]
    fn check(prompt: &str, expected: &[(Kind, &str)]) {
        let got: Vec<_> = pieces(prompt).iter().map(|p| (p.kind, p.text)).collect();
        assert_eq!(got, expected, "{prompt}");
    }

    #[test]
    fn literals_are_found_in_their_surroundings() {
        check("what's in src/a.rs?", &[(Word, "what's"), (Word, "in"), (Path, "src/a.rs")]);
        check("say \"it's on\", ok", &[(Word, "say"), (Quotation, "it's on"), (Word, "ok")]);
        check("don't and can't", &[(Word, "don't"), (Word, "and"), (Word, "can't")]);
        check("name 'my label' (#42)", &[(Word, "name"), (Quotation, "my label"), (Number, "42")]);
        check("open `src/x.ts`.", &[(Word, "open"), (Path, "src/x.ts")]);
        check("« au revoir » kim@example.com,", &[(Quotation, "au revoir"), (Email, "kim@example.com")]);
        check(
            "https://a.example/b?c=1 2026-03-15",
            &[(Url, "https://a.example/b?c=1"), (Date, "2026-03-15")],
        );
        check(
            "*.snap .editorconfig acme/web",
            &[(Path, "*.snap"), (Path, ".editorconfig"), (Path, "acme/web")],
        );
        check(
            "v1.4.0 3.5 -2 PAY-310 cus_9",
            &[(Name, "v1.4.0"), (Number, "3.5"), (Number, "-2"), (Name, "PAY-310"), (Name, "cus_9")],
        );
        check("parseInput GitHub 15%", &[(Name, "parseInput"), (Name, "GitHub"), (Number, "15%")]);
        check("an \"open end", &[(Word, "an"), (Word, "open"), (Word, "end")]);
        check(" - ... ", &[]);
        check("", &[]);
    }

    #[test]
    fn punctuation_ends_a_clause() {
        let ends: Vec<bool> = pieces("first a, then b. go").iter().map(|p| p.ends_clause).collect();
        assert_eq!(ends, [false, true, false, true, false]);
    }
}
