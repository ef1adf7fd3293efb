//! Reads files one after the other, in blocks of whole lines.

use super::{ImportError, open::open};
use crate::matcher::bfcl::{Cursor, Index};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// How much is read at a time; a block is longer only where a line is.
const BLOCK: usize = 1 << 18;

/// Some whole lines of a file.
#[derive(Debug, Default)]
pub(super) struct Block {
    text: Vec<u8>,
    file: PathBuf,
    /// The number of its first line in the file, from 1.
    first_line: u64,
    /// Where its lines end.
    ends: Vec<usize>,
    /// How many lines that are not blank came before it, in all files.
    pub(super) rows_before: u64,
}

impl Block {
    /// Hands on every line that is not blank, with its number in the file.
    pub(super) fn lines<'b>(
        &'b self,
        index: &'b Index,
        mut take: impl FnMut(u64, Cursor<'b>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let text = self.text()?;
        let mut from = 0;
        for (number, &end) in (self.first_line..).zip(&self.ends) {
            let line = &text[from..end];
            if !is_blank(line.as_bytes()) {
                take(number, Cursor::indexed(line, index, from))?;
            }
            from = end + 1;
        }
        Ok(())
    }

    /// Where the strings of its text end.
    pub(super) fn index(&self) -> Index {
        Index::of(&self.text)
    }

    /// The file that it is of.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    fn text(&self) -> Result<&str, ImportError> {
        std::str::from_utf8(&self.text).map_err(|error| {
            let before = &self.text[..error.valid_up_to()];
            let line = self.first_line + memchr::memchr_iter(b'\n', before).count() as u64;
            ImportError::line(&self.file, line, "it is not UTF-8")
        })
    }

    /// Finds its lines; how many there are, and how many of them are not blank.
    fn find_lines(&mut self) -> (u64, u64) {
        self.ends.clear();
        self.ends.extend(memchr::memchr_iter(b'\n', &self.text));
        if self.text.last().is_some_and(|last| *last != b'\n') {
            self.ends.push(self.text.len());
        }
        let (mut rows, mut from) = (0, 0);
        for &end in &self.ends {
            rows += u64::from(!is_blank(&self.text[from..end]));
            from = end + 1;
        }
        (self.ends.len() as u64, rows)
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// The lines of some files.
pub(super) struct Blocks {
    /// The files that are left, the next one last.
    files: Vec<PathBuf>,
    open: Option<Open>,
    rows: u64,
}

struct Open {
    file: PathBuf,
    reader: Box<dyn Read + Send>,
    /// The beginning of a line whose end has not been read.
    rest: Vec<u8>,
    lines: u64,
}

impl Blocks {
    pub(super) fn new(files: &[PathBuf]) -> Self {
        Self { files: files.iter().rev().cloned().collect(), open: None, rows: 0 }
    }

    /// Puts the next lines in place of those of a block; false if none are left.
    pub(super) fn next(&mut self, block: &mut Block) -> Result<bool, ImportError> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(file) = self.files.pop() else { return Ok(false) };
                self.open = Some(Open { reader: open(&file)?, file, rest: Vec::new(), lines: 0 });
                continue;
            };
            let ended = open.next(block)?;
            let (lines, rows) = block.find_lines();
            block.rows_before = self.rows;
            open.lines += lines;
            self.rows += rows;
            if ended {
                self.open = None;
            }
            if !block.text.is_empty() {
                return Ok(true);
            }
        }
    }
}

impl Open {
    /// Reads the next lines; true at the end of the file.
    fn next(&mut self, block: &mut Block) -> Result<bool, ImportError> {
        block.text.clear();
        block.text.append(&mut self.rest);
        block.file.clone_from(&self.file);
        block.first_line = self.lines + 1;
        loop {
            let before = block.text.len();
            if self.read(&mut block.text)? == 0 {
                return Ok(true);
            }
            if let Some(end) = memchr::memrchr(b'\n', &block.text[before..]) {
                self.rest.extend_from_slice(&block.text[before + end + 1..]);
                block.text.truncate(before + end + 1);
                return Ok(false);
            }
        }
    }

    fn read(&mut self, text: &mut Vec<u8>) -> Result<usize, ImportError> {
        let read = self.reader.by_ref().take(BLOCK as u64).read_to_end(text);
        read.map_err(|source| ImportError::Read { file: self.file.clone(), line: self.lines, source })
    }
}
