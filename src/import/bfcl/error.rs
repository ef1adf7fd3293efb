//! Why recorded answers could not be judged, and where.

use std::path::{Path, PathBuf};

/// Why recorded answers could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file that cannot be opened.
    #[error("cannot open `{}`: {source}\nhint: name files that exist and may be read", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that cannot be read to its end.
    #[error("cannot read `{}` behind line {line}: {source}{}", file.display(), hint_of(source))]
    Read {
        /// The file.
        file: PathBuf,
        /// The last line that was read whole.
        line: u64,
        /// What the system, or the decompression, says.
        source: std::io::Error,
    },
    /// A line that cannot be used.
    #[error("`{}` line {line}: {what}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// Its line, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A file beside the answers that is not as expected.
    #[error("`{}`: {what}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A case that was there when its answers were read.
    #[error("case `{0}` is lost")]
    Lost(String),
    /// What comes out cannot be written.
    #[error("cannot write: {0}")]
    Write(std::io::Error),
}

impl ImportError {
    #[expect(clippy::needless_pass_by_value, reason = "errors and literals are handed over alike")]
    pub(super) fn line(file: &Path, line: u64, what: impl ToString) -> Self {
        Self::Line { file: file.to_owned(), line, what: what.to_string() }
    }

    #[expect(clippy::needless_pass_by_value, reason = "errors and literals are handed over alike")]
    pub(super) fn file(file: &Path, what: impl ToString) -> Self {
        Self::File { file: file.to_owned(), what: what.to_string() }
    }
}

fn hint_of(source: &std::io::Error) -> &'static str {
    match source.kind() {
        std::io::ErrorKind::UnexpectedEof => "\nhint: the gzip file is cut off; fetch it again",
        std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData => {
            "\nhint: the gzip file is damaged; fetch it again"
        }
        _ => "",
    }
}
