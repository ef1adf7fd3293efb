//! Text → commands, in the order in which they stand, with those inside of others.

use super::unwrap::unwrap;
use deno_task_shell::parser::{
    self, CommandInner, IoFile, PipelineInner, RedirectOp, Sequence, SequentialList, WordPart,
};
use std::fmt;

/// No line is followed deeper than this through wrappers, substitutions and shells within shells.
const DEPTH: usize = 16;

/// A line that was read as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandLine {
    /// Every command of it, those inside of others too.
    pub commands: Vec<Command>,
}

/// One program that is started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    /// Its name and its words.
    pub words: Vec<Word>,
    /// Variables that are set for it.
    pub variables: Vec<(String, Word)>,
    /// Files that it reads and writes by the shell's hand.
    pub redirects: Vec<Redirect>,
    /// The program that sends it its input, in a pipeline.
    pub fed_by: Option<String>,
    /// Whether nobody waits for it.
    pub in_background: bool,
    /// Through what it is started: `env`, `sh`, a substitution.
    pub through: Vec<String>,
}

/// A word, as far as it is known before it is expanded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// Its text; what is not known yet stands as it was written, such as `$HOME` or `~`.
    pub text: String,
    /// Whether the text is all that it will be.
    pub fixed: bool,
}

/// A file in a command's place of input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The file.
    pub file: Word,
    /// Whether it is written.
    pub writes: bool,
}

/// Why a line cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}\nhint: write plain commands, or register what is to be run as a tool of its own")]
pub struct Unclear {
    /// What is not clear.
    pub what: String,
}

impl Unclear {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

impl Command {
    /// The program's name without its folder.
    pub fn name(&self) -> &str {
        let name = self.words.first().map_or("", |word| word.text.as_str());
        name.rsplit('/').next().unwrap_or(name)
    }

    /// Its words behind the name.
    pub fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Whether one of its options is this letter, alone or among others (`-rf`), or this long word.
    pub fn has_option(&self, letter: char, long: &str) -> bool {
        self.args().iter().any(|word| {
            let text = word.text.as_str();
            match text.strip_prefix("--") {
                Some(name) => !long.is_empty() && name.split('=').next() == Some(long),
                None => text.strip_prefix('-').is_some_and(|letters| letters.contains(letter)),
            }
        })
    }

    /// Its words that are no options.
    pub fn operands(&self) -> impl Iterator<Item = &Word> {
        self.args().iter().filter(|word| !word.text.starts_with('-') || word.text == "-")
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        f.write_str(&words.join(" "))
    }
}

/// Reads a command line as `sh` would.
///
/// # Errors
/// [`Unclear`] if it holds what has no meaning before it runs, or what this reader does not know.
pub fn read(text: &str) -> Result<CommandLine, Unclear> {
    let mut reader = Reader::default();
    reader.text(text, &Context::default())?;
    Ok(CommandLine { commands: reader.commands })
}

#[derive(Debug, Default)]
struct Reader {
    commands: Vec<Command>,
}

#[derive(Debug, Clone, Default)]
struct Context {
    through: Vec<String>,
    fed_by: Option<String>,
    in_background: bool,
}

impl Context {
    fn inside(&self, what: &str) -> Result<Self, Unclear> {
        if self.through.len() >= DEPTH {
            return Err(Unclear::new("commands are wrapped too deeply to be followed"));
        }
        let through = self.through.iter().cloned().chain([what.to_owned()]).collect();
        Ok(Self { through, ..self.clone() })
    }
}

fn is_name(text: &str) -> bool {
    matches!(text, "[" | ":") || text.chars().all(|c| c.is_alphanumeric() || "_./+-@".contains(c))
}

/// What other shells read in another way than this reader, or what hides commands in words.
const CONSTRUCTS: &[(&str, &str)] = &[
    ("$'", "a quoted text with escapes (`$'…'`)"),
    ("$\"", "a translated text (`$\"…\"`)"),
    ("${", "an expansion with an operator (`${…}`)"),
    ("((", "arithmetic (`((…))`)"),
    ("$[", "arithmetic (`$[…]`)"),
    ("<(", "a process as a file (`<(…)`)"),
    (">(", "a process as a file (`>(…)`)"),
    ("<<", "a text in place of a file (`<<`)"),
    ("<>", "a file opened for both (`<>`)"),
    ("\\\n", "a line that goes on in the next one"),
    ("\r", "a carriage return"),
    ("\0", "a NUL"),
];

impl Reader {
    fn text(&mut self, text: &str, context: &Context) -> Result<(), Unclear> {
        // Asked of the raw text, quotes and all: what is quoted now may be read again by a shell within.
        if let Some((_, what)) = CONSTRUCTS.iter().find(|(sign, _)| text.contains(sign)) {
            return Err(Unclear::new(format!("{what} cannot be judged before it runs")));
        }
        let list = parser::parse(text).map_err(|error| {
            Unclear::new(format!("the command line cannot be read: {}", error.message.trim_end_matches('.')))
        })?;
        self.list(&list, context)
    }

    fn list(&mut self, list: &SequentialList, context: &Context) -> Result<(), Unclear> {
        list.items.iter().try_for_each(|item| {
            let in_background = context.in_background || item.is_async;
            self.sequence(&item.sequence, &Context { in_background, ..context.clone() })
        })
    }

    fn sequence(&mut self, sequence: &Sequence, context: &Context) -> Result<(), Unclear> {
        match sequence {
            Sequence::ShellVar(variable) => {
                let value = self.word(&variable.value, context)?;
                let variables = vec![(variable.name.clone(), value)];
                let through = context.through.clone();
                self.commands.push(Command { variables, through, ..Command::default() });
                Ok(())
            }
            Sequence::Pipeline(pipeline) => self.pipeline(&pipeline.inner, context),
            Sequence::BooleanList(list) => {
                self.sequence(&list.current, context)?;
                self.sequence(&list.next, context)
            }
        }
    }

    fn pipeline(&mut self, inner: &PipelineInner, context: &Context) -> Result<(), Unclear> {
        match inner {
            PipelineInner::Command(command) => self.command(command, context),
            PipelineInner::PipeSequence(pair) => {
                let before = self.commands.len();
                self.command(&pair.current, context)?;
                let sender = self.commands.get(before).map_or("", |command| command.name());
                let fed_by = Some(if sender.is_empty() { "a pipe" } else { sender }.to_owned());
                self.pipeline(&pair.next, &Context { fed_by, ..context.clone() })
            }
        }
    }

    fn command(&mut self, command: &parser::Command, context: &Context) -> Result<(), Unclear> {
        let mut redirects = Vec::new();
        if let Some(redirect) = &command.redirect
            && let IoFile::Word(file) = &redirect.io_file
        {
            let writes = matches!(redirect.op, RedirectOp::Output(_));
            redirects.push(Redirect { file: self.word(file, context)?, writes });
        }
        match &command.inner {
            CommandInner::Simple(simple) => {
                let mut words = Vec::new();
                for word in &simple.args {
                    words.push(self.word(word, context)?);
                }
                let mut variables = Vec::new();
                for variable in &simple.env_vars {
                    variables.push((variable.name.clone(), self.word(&variable.value, context)?));
                }
                let Context { through, fed_by, in_background } = context.clone();
                self.start(Command { words, variables, redirects, fed_by, in_background, through }, context)
            }
            CommandInner::Subshell(list) => {
                if !redirects.is_empty() {
                    let through = context.through.clone();
                    self.commands.push(Command { redirects, through, ..Command::default() });
                }
                self.list(list, &context.inside("( )")?)
            }
        }
    }

    /// Notes a command, and what it starts in its turn.
    fn start(&mut self, command: Command, context: &Context) -> Result<(), Unclear> {
        if let Some(name) = command.words.first().filter(|name| !name.fixed && name.text != "[") {
            let what = format!("the program `{}` is only known when it runs", name.text);
            return Err(Unclear::new(what));
        }
        // What another shell takes for a word of its grammar (`{`, `((`, `f()`) is nobody's name.
        if let Some(name) = command.words.first().filter(|name| !is_name(&name.text)) {
            return Err(Unclear::new(format!("`{}` is no program's name", name.text)));
        }
        let name = command.name().to_owned();
        let within = unwrap(&command)?;
        let fed_by = command.fed_by.clone();
        self.commands.push(command);
        for words in within.commands {
            let inside = Context { fed_by: fed_by.clone(), ..context.inside(&name)? };
            let Context { through, fed_by, in_background } = inside.clone();
            let command = Command { words, fed_by, in_background, through, ..Command::default() };
            self.start(command, &inside)?;
        }
        within.texts.iter().try_for_each(|text| self.text(text, &context.inside(&name)?))
    }

    fn word(&mut self, word: &parser::Word, context: &Context) -> Result<Word, Unclear> {
        let mut read = Word { text: String::new(), fixed: true };
        self.parts(word.parts(), Quoted::No, context, &mut read)?;
        Ok(read)
    }

    fn parts(
        &mut self,
        parts: &[WordPart],
        quoted: Quoted,
        context: &Context,
        read: &mut Word,
    ) -> Result<(), Unclear> {
        for part in parts {
            match part {
                WordPart::Text(text) => {
                    read.text.push_str(text);
                    // A pattern becomes the names of files that nobody has seen.
                    read.fixed &= quoted == Quoted::Yes || !text.contains(['*', '?', '[']);
                }
                WordPart::Variable(name) => {
                    read.text.push('$');
                    read.text.push_str(name);
                    read.fixed = false;
                }
                WordPart::Tilde => {
                    read.text.push('~');
                    read.fixed = false;
                }
                WordPart::Command(list) => {
                    read.text.push_str("$(…)");
                    read.fixed = false;
                    self.list(list, &context.inside("$( )")?)?;
                }
                WordPart::Quoted(parts) => self.parts(parts, Quoted::Yes, context, read)?,
                WordPart::Brace(_) => {
                    return Err(Unclear::new(
                        "braces that become several words (`{a,b}`) are read by some shells only",
                    ));
                }
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoted {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each command with what it is started through.
    fn commands(text: &str) -> Vec<String> {
        let told = |c: &Command| match c.through.as_slice() {
            [] => c.to_string(),
            through => format!("{} > {c}", through.join(" > ")),
        };
        read(text).unwrap().commands.iter().map(told).collect()
    }

    #[test]
    fn every_command_of_a_line_is_found() {
        // PO-10, AP-13: pipelines, lists, substitutions, wrappers and shells within shells.
        let rows: &[(&str, &[&str])] = &[
            ("make docs", &["make docs"]),
            ("a; b && c || d | e & f", &["a", "b", "c", "d", "e", "f"]),
            ("a\nb", &["a", "b"]),
            ("(cd x && rm y)", &["( ) > cd x", "( ) > rm y"]),
            ("echo $(rm x)", &["$( ) > rm x", "echo $(…)"]),
            ("echo `rm x`", &["$( ) > rm x", "echo $(…)"]),
            ("echo \"in $(rm x) quotes\"", &["$( ) > rm x", "echo in $(…) quotes"]),
            ("X=$(rm x) true", &["$( ) > rm x", "true"]),
            ("X=$(rm x)", &["$( ) > rm x", ""]),
            ("cat < $(rm x)", &["$( ) > rm x", "cat"]),
            ("env -i A=b rm x", &["env -i A=b rm x", "env > rm x"]),
            (
                "sudo -u root nice -n 5 rm x",
                &["sudo -u root nice -n 5 rm x", "sudo > nice -n 5 rm x", "sudo > nice > rm x"],
            ),
            ("timeout -k 1 5s rm x", &["timeout -k 1 5s rm x", "timeout > rm x"]),
            ("ls | xargs -0 -n1 rm -f", &["ls", "xargs -0 -n1 rm -f", "xargs > rm -f"]),
            (
                "find . -name x -exec rm {} + -o -execdir cat {} \\;",
                &["find . -name x -exec rm {} + -o -execdir cat {} ;", "find > rm {}", "find > cat {}"],
            ),
            ("sh -c 'a; rm x'", &["sh -c a; rm x", "sh > a", "sh > rm x"]),
            ("bash -euxc \"rm x\" name", &["bash -euxc rm x name", "bash > rm x"]),
            ("sh -c 'sh -c \"rm x\"'", &["sh -c sh -c \"rm x\"", "sh > sh -c rm x", "sh > sh > rm x"]),
            ("eval rm x", &["eval rm x", "eval > rm x"]),
            ("busybox rm x", &["busybox rm x", "busybox > rm x"]),
            ("command -- rm x", &["command -- rm x", "command > rm x"]),
            ("command -v rm", &["command -v rm"]),
            ("r'm' x", &["rm x"]),
            ("\"r\"m x", &["rm x"]),
            ("# a comment\nmake", &["make"]),
            ("[ -f x ] && : y", &["[ -f x ]", ": y"]),
        ];
        for (text, expected) in rows {
            assert_eq!(commands(text), *expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_for_certain_is_refused() {
        let rows = [
            ("", "cannot be read"),
            ("for x in a; do rm $x; done", "cannot be read"),
            ("while true; do :; done", "cannot be read"),
            ("if true; then rm x; fi", "cannot be read"),
            (":(){ :|:& };:", "no program's name"),
            ("f() { rm x; }; f", "no program's name"),
            ("(( x ))", "cannot be judged"),
            ("[[ -n x ]]", "only known when it runs"),
            ("echo 'unclosed", "cannot be read"),
            ("echo $(rm", "cannot be read"),
            ("$X x", "only known when it runs"),
            ("$(which rm) x", "only known when it runs"),
            ("~/bin/x", "only known when it runs"),
            ("/bin/r?m x", "only known when it runs"),
            ("sh -c \"$X\"", "only known when it runs"),
            ("eval \"$X\"", "only known when it runs"),
            ("xargs $X", "only known when it runs"),
            ("echo $'rm\\x20x'", "cannot be judged"),
            ("echo ${X:-$(rm x)}", "cannot be judged"),
            ("cat <<E\nx\nE", "cannot be judged"),
            ("diff <(a) <(b)", "cannot be judged"),
            ("rm\\\n x", "cannot be judged"),
            ("{rm,x}", "several words"),
        ];
        for (text, part) in rows {
            let error = read(text).map(|line| line.commands).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("hint: "), "{text}: {error}");
        }
        let deep = "env ".repeat(40) + "rm x";
        assert!(read(&deep).unwrap_err().what.contains("too deeply"));
    }

    #[test]
    fn what_feeds_a_command_and_where_it_writes_is_known() {
        let line = read("curl -s host | tee x | sh > out.txt &").unwrap();
        let fed: Vec<_> = line.commands.iter().map(|c| c.fed_by.as_deref()).collect();
        assert_eq!(fed, [None, Some("curl"), Some("tee")]);
        assert!(line.commands.iter().all(|c| c.in_background));
        let redirect = &line.commands[2].redirects[0];
        assert!(redirect.writes && redirect.file == Word { text: "out.txt".into(), fixed: true });
    }
}
