//! Cases as their files have them, from prepared files or from the folder of the leaderboard's own package.

use super::{ImportError, blocks::Block, package, stream::for_each_block};
use serde_json::Value;
use std::path::PathBuf;

/// A case, in the prepared form.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) value: Value,
    pub(super) file: PathBuf,
    pub(super) line: u64,
}

impl Document {
    pub(super) fn wrong(&self, what: impl ToString) -> ImportError {
        ImportError::line(&self.file, self.line, what)
    }
}

/// Every case of some files and folders, in their order; and what of the folders is not read, in words.
pub(super) fn read(paths: &[PathBuf]) -> Result<(Vec<Document>, Vec<String>), ImportError> {
    let (mut documents, mut notes) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            documents.extend(package::cases(path, &mut notes)?);
        } else {
            documents.extend(lines(path.clone())?);
        }
    }
    Ok((documents, notes))
}

/// Every line of a file, as a value.
pub(super) fn lines(file: PathBuf) -> Result<Vec<Document>, ImportError> {
    let mut documents = Vec::new();
    for_each_block(&[file], values, |found| {
        documents.extend(found);
        Ok(())
    })?;
    Ok(documents)
}

/// The lines of a block, as values.
pub(super) fn values(block: &Block) -> Result<Vec<Document>, ImportError> {
    let mut documents = Vec::new();
    block.lines(&block.index(), |line, text| {
        let value = serde_json::from_str(text.whole())
            .map_err(|error| ImportError::line(block.file(), line, format!("no JSON: {error}")))?;
        documents.push(Document { value, file: block.file().to_owned(), line });
        Ok(())
    })?;
    Ok(documents)
}
