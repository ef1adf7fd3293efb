//! The cases of some files, by their names.

use super::{
    ImportError,
    blocks::Block,
    documents::{self, Document},
    stream::for_each_block,
};
use crate::matcher::bfcl::{Case, Rules, Tape};
use smol_str::SmolStr;
use std::{
    collections::{HashMap, hash_map::Entry},
    path::PathBuf,
};

/// Every case that answers may be of, in the order of the files.
#[derive(Debug, Default)]
pub struct CaseBook {
    cases: Vec<Case>,
    /// Their names again, close together: most answers come in the order of the cases.
    names: Vec<SmolStr>,
    /// The place of the case that answers to each case are judged by, mostly its own.
    judged_by: Vec<usize>,
    by_name: HashMap<SmolStr, usize>,
}

/// Where answers have come to, in the order of the cases.
#[derive(Debug, Default)]
pub(super) struct Bookmark(usize);

impl CaseBook {
    /// Reads files of cases, and folders as the leaderboard's own package has them.
    ///
    /// By the rules of version 4 an answer to a case that names its successor, by `v4_id`, is judged by that
    /// one, if it is among the files.
    ///
    /// # Errors
    /// A file that cannot be read, a case that cannot be judged, a name that two cases share.
    pub fn read(files: &[PathBuf], rules: Rules) -> Result<Self, ImportError> {
        let mut book = Self::default();
        let (folders, files): (Vec<_>, Vec<_>) = files.iter().cloned().partition(|path| path.is_dir());
        for_each_block(&files, compile, |cases| cases.into_iter().try_for_each(|found| book.add(found)))?;
        let (documents, _) = documents::read(&folders)?;
        documents.iter().try_for_each(|document| book.add(of_document(document)?))?;
        Ok(book.settled(rules))
    }

    /// Cases as their files have them.
    pub(super) fn of_documents(documents: &[Document], rules: Rules) -> Result<Self, ImportError> {
        let mut book = Self::default();
        documents.iter().try_for_each(|document| book.add(of_document(document)?))?;
        Ok(book.settled(rules))
    }

    /// The case that an answer of this name is judged by.
    #[inline]
    pub fn get(&self, id: &str) -> Option<&Case> {
        self.place(id).map(|place| &self.cases[place])
    }

    /// The same, looking first behind the case before.
    #[inline]
    pub(super) fn get_next(&self, id: &str, bookmark: &mut Bookmark) -> Option<&Case> {
        let follows = self.names.get(bookmark.0).is_some_and(|name| name == id);
        let at = if follows { bookmark.0 } else { *self.by_name.get(id)? };
        bookmark.0 = at + 1;
        Some(&self.cases[self.judged_by[at]])
    }

    /// The place in the files of the case that an answer of this name is judged by.
    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.by_name.get(id).map(|&at| self.judged_by[at])
    }

    /// How many cases there are.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    fn add(&mut self, found: Found) -> Result<(), ImportError> {
        let place = self.cases.len();
        match self.by_name.entry(found.case.id().into()) {
            Entry::Occupied(_) => {
                let what = format!("there are two cases `{}`", found.case.id());
                Err(ImportError::line(&found.file, found.line, what))
            }
            Entry::Vacant(free) => {
                self.names.push(free.key().clone());
                free.insert(place);
                self.judged_by.push(place);
                self.cases.push(found.case);
                Ok(())
            }
        }
    }

    fn settled(mut self, rules: Rules) -> Self {
        if rules == Rules::V4 {
            for (case, place) in self.cases.iter().zip(&mut self.judged_by) {
                let successor = case.v4_id().and_then(|id| self.by_name.get(id));
                *place = successor.copied().unwrap_or(*place);
            }
        }
        // Read on several cores they lie scattered; copied they follow each other, and answers in their order miss the
        // cache an eighth less.
        self.cases = self.cases.clone();
        self
    }
}

struct Found {
    case: Case,
    file: PathBuf,
    line: u64,
}

fn of_document(document: &Document) -> Result<Found, ImportError> {
    let text = document.value.to_string();
    let tape = Tape::parse(&text).map_err(|error| document.wrong(error))?;
    let root = tape.root().ok_or_else(|| document.wrong("no JSON"))?;
    let case = Case::compile(root).map_err(|error| document.wrong(error))?;
    Ok(Found { case, file: document.file.clone(), line: document.line })
}

fn compile(block: &Block) -> Result<Vec<Found>, ImportError> {
    let mut found = Vec::new();
    let index = block.index();
    block.lines(&index, |line, text| {
        let failed = |what: String| ImportError::line(block.file(), line, what);
        let tape = Tape::parse_at(text).map_err(|error| failed(error.to_string()))?;
        let root = tape.root().ok_or_else(|| failed("no JSON".to_owned()))?;
        let case = Case::compile(root).map_err(|error| failed(error.to_string()))?;
        found.push(Found { case, file: block.file().to_owned(), line });
        Ok(())
    })?;
    Ok(found)
}
