//! The cases of some files, by their names.

use super::{
    ImportError,
    blocks::Block,
    documents::{self, Document},
    stream::for_each_block,
};
use crate::matcher::bfcl::{Case, Rules, Tape};
use std::{
    collections::{HashMap, hash_map::Entry},
    path::PathBuf,
};

/// Every case that answers may be of.
#[derive(Debug)]
pub struct CaseBook {
    cases: Vec<Case>,
    /// The case that an answer with this name is judged by.
    by_id: HashMap<Box<str>, usize>,
}

impl CaseBook {
    /// Cases as their files have them.
    pub(super) fn of_documents(documents: &[Document], rules: Rules) -> Result<Self, ImportError> {
        let mut book = Self { cases: Vec::new(), by_id: HashMap::new() };
        documents.iter().try_for_each(|document| book.add(of_document(document)?))?;
        if rules == Rules::V4 {
            book.redirect();
        }
        Ok(book)
    }

    /// Reads files of cases, and folders as the leaderboard's own package has them.
    ///
    /// By the rules of version 4 an answer to a case that names its successor, by `v4_id`, is judged by that
    /// one, if it is among the files.
    ///
    /// # Errors
    /// A file that cannot be read, a case that cannot be judged, a name that two cases share.
    pub fn read(files: &[PathBuf], rules: Rules) -> Result<Self, ImportError> {
        let mut book = Self { cases: Vec::new(), by_id: HashMap::new() };
        let (folders, files): (Vec<_>, Vec<_>) = files.iter().cloned().partition(|path| path.is_dir());
        for_each_block(&files, compile, |cases| cases.into_iter().try_for_each(|found| book.add(found)))?;
        let (documents, _) = documents::read(&folders)?;
        documents.iter().try_for_each(|document| book.add(of_document(document)?))?;
        if rules == Rules::V4 {
            book.redirect();
        }
        Ok(book)
    }

    /// The case that an answer of this name is judged by.
    #[inline]
    pub fn get(&self, id: &str) -> Option<&Case> {
        self.by_id.get(id).map(|&place| &self.cases[place])
    }

    /// The place among all cases of the one that an answer of this name is judged by.
    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
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
        match self.by_id.entry(found.case.id().into()) {
            Entry::Occupied(_) => {
                let what = format!("there are two cases `{}`", found.case.id());
                Err(ImportError::line(&found.file, found.line, what))
            }
            Entry::Vacant(free) => {
                free.insert(self.cases.len());
                self.cases.push(found.case);
                Ok(())
            }
        }
    }

    fn redirect(&mut self) {
        for case in &self.cases {
            let successor = case.v4_id().and_then(|id| self.by_id.get(id)).copied();
            if let (Some(successor), Some(place)) = (successor, self.by_id.get_mut(case.id())) {
                *place = successor;
            }
        }
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
