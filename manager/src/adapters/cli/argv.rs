//! From a call's arguments to the words that a program is told.
//!
//! A value becomes one word, whole, and is never parsed again. What could be taken for an option is refused, unless
//! the template protects it.

use super::Fault;
use crate::model::{CommandPart, CommandTemplate};
use serde_json::Value;

/// More bytes than this are not handed over, all words together. The kernel takes a little more.
const MOST_BYTES: usize = 1 << 20;
/// More bytes than this are not handed over in one word.
const MOST_IN_A_WORD: usize = 96 << 10;

/// The words that a program is told, without its own name.
///
/// # Errors
/// [`Fault`] if a value cannot be handed over as what the template says.
pub(super) fn words(template: &CommandTemplate, args: &Value) -> Result<Vec<String>, Fault> {
    let mut line = Line { words: Vec::new(), options: Options::Taken };
    for part in &template.args {
        line.add(part, args)?;
    }
    let bytes: usize = line.words.iter().map(|word| word.len() + 1).sum();
    if bytes > MOST_BYTES {
        return Err(refused(format!("the arguments are {bytes} bytes, and {MOST_BYTES} is the most")));
    }
    Ok(line.words)
}

/// What a program reads on its standard input.
pub(super) fn stdin(template: &CommandTemplate, args: &Value) -> Option<Vec<u8>> {
    match args.get(template.stdin.as_deref()?)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone().into_bytes()),
        other => Some(other.to_string().into_bytes()),
    }
}

/// Whether the program still takes words for options.
#[derive(Clone, Copy, PartialEq)]
enum Options {
    Taken,
    Over,
}

struct Line {
    words: Vec<String>,
    options: Options,
}

impl Line {
    fn add(&mut self, part: &CommandPart, args: &Value) -> Result<(), Fault> {
        let given = part.argument().and_then(|name| args.get(name)).filter(|value| !value.is_null());
        match part {
            CommandPart::Literal(word) => self.words.push(word.clone()),
            CommandPart::EndOfOptions => {
                self.options = Options::Over;
                self.words.push("--".to_owned());
            }
            CommandPart::Value { of, absent } => match given {
                Some(value) => self.value(of, value)?,
                None => self.words.extend(absent.clone()),
            },
            CommandPart::Flag { name, value, absent } => match given {
                Some(given) => self.flag(name, value, given)?,
                None => self.words.extend(absent.clone()),
            },
            CommandPart::Switch { name, .. } => {
                if given == Some(&Value::Bool(true)) {
                    self.words.push(name.clone());
                }
            }
            CommandPart::Each { of, flag } => {
                for element in given.and_then(Value::as_array).into_iter().flatten() {
                    match flag {
                        Some(flag) => self.flag(flag, of, element)?,
                        None => self.value(of, element)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// An option and a value: in one word nothing can be mistaken.
    fn flag(&mut self, flag: &str, argument: &str, value: &Value) -> Result<(), Fault> {
        if flag.ends_with('=') {
            self.words.push(format!("{flag}{}", word(argument, value)?));
            return Ok(());
        }
        self.words.push(flag.to_owned());
        self.value(argument, value)
    }

    /// A value as a word of its own.
    fn value(&mut self, argument: &str, value: &Value) -> Result<(), Fault> {
        let word = word(argument, value)?;
        if word.starts_with('-') && self.options == Options::Taken {
            return Err(refused(format!(
                "`{argument}` begins with `-`, and the program could take it for an option\nhint: leave the `-` out, or have the tool's template put `endOfOptions` before it"
            )));
        }
        self.words.push(word);
        Ok(())
    }
}

/// A value as text that a program can be handed.
fn word(argument: &str, value: &Value) -> Result<String, Fault> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err(refused(format!("`{argument}` is not one word")));
        }
    };
    if text.contains('\0') {
        return Err(refused(format!(
            "`{argument}` holds a zero character, at which a program would stop reading"
        )));
    }
    if text.len() > MOST_IN_A_WORD {
        let length = text.len();
        return Err(refused(format!("`{argument}` is {length} bytes, and {MOST_IN_A_WORD} is the most")));
    }
    Ok(text)
}

fn refused(message: String) -> Fault {
    Fault::new("invalid_arguments", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn template() -> CommandTemplate {
        let parts = json!([
            { "literal": "run" },
            { "switch": { "name": "--fast", "when": "fast" } },
            { "flag": { "name": "--name=", "value": "name", "absent": "--all" } },
            { "flag": { "name": "-k", "value": "key" } },
            { "each": { "of": "features", "flag": "--feature=" } },
            { "value": { "of": "target" } },
            "endOfOptions",
            { "each": { "of": "paths" } },
        ]);
        serde_json::from_value(json!({ "program": "tool", "args": parts, "stdin": "text" })).unwrap()
    }

    #[test]
    fn values_become_words_and_nothing_else() {
        let rows = [
            (json!({}), vec!["run", "--all", "--"]),
            (json!({ "fast": false, "name": null }), vec!["run", "--all", "--"]),
            (json!({ "fast": true, "name": "-x" }), vec!["run", "--fast", "--name=-x", "--"]),
            (json!({ "key": 7, "target": true }), vec!["run", "--all", "-k", "7", "true", "--"]),
            (
                json!({ "features": ["a b", "--c"], "paths": ["-rf", "; rm *", "$(x)\n"] }),
                vec!["run", "--all", "--feature=a b", "--feature=--c", "--", "-rf", "; rm *", "$(x)\n"],
            ),
        ];
        for (args, expected) in rows {
            assert_eq!(words(&template(), &args).unwrap(), expected, "{args}");
        }
    }

    #[test]
    fn what_could_be_misread_is_refused() {
        let rows = [
            (json!({ "key": "-x" }), "begins with `-`"),
            (json!({ "target": "--help" }), "begins with `-`"),
            (json!({ "target": -5 }), "begins with `-`"),
            (json!({ "name": "a\0b" }), "zero character"),
            (json!({ "paths": ["a\0b"] }), "zero character"),
            (json!({ "paths": [["a"]] }), "not one word"),
            (json!({ "name": "x".repeat(200 << 10) }), "is the most"),
            (json!({ "paths": vec!["x".repeat(90 << 10); 20] }), "is the most"),
        ];
        for (args, expected) in rows {
            let fault = words(&template(), &args).unwrap_err();
            assert!(
                fault.code == "invalid_arguments" && fault.message.contains(expected),
                "{}",
                fault.message
            );
        }
    }

    #[test]
    fn standard_input_is_an_argument_as_it_is() {
        let read = |args: Value| stdin(&template(), &args);
        assert_eq!(read(json!({ "text": "a\n" })), Some(b"a\n".to_vec()));
        assert_eq!(read(json!({ "text": { "a": 1 } })), Some(b"{\"a\":1}".to_vec()));
        assert_eq!(read(json!({ "text": null })), None);
        assert_eq!(read(json!({})), None);
    }
}
