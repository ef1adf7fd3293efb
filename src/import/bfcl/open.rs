//! Opens files that may be gzip, whatever they are called.

use super::ImportError;
use flate2::bufread::MultiGzDecoder;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

const GZIP: [u8; 2] = [0x1f, 0x8b];
const BUFFER: usize = 1 << 16;

/// The text of a file, unpacked if its first bytes say that it is gzip.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read + Send>, ImportError> {
    let failed = |source| ImportError::Open { file: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    unpacked(file).map_err(failed)
}

fn unpacked(file: File) -> io::Result<Box<dyn Read + Send>> {
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let packed = reader.fill_buf()?.starts_with(&GZIP);
    Ok(if packed { Box::new(MultiGzDecoder::new(reader)) } else { Box::new(reader) })
}
