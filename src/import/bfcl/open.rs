//! Opens files that may be gzip, whatever they are called.

use super::ImportError;
use flate2::bufread::MultiGzDecoder;
use std::{
    fs::File,
    io::{self, BufReader, Cursor, Read},
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

fn unpacked(mut file: File) -> io::Result<Box<dyn Read + Send>> {
    let mut first = Vec::with_capacity(GZIP.len());
    file.by_ref().take(GZIP.len() as u64).read_to_end(&mut first)?;
    let packed = first == GZIP;
    let whole = Cursor::new(first).chain(file);
    // Plain text goes into the blocks as it is, without a buffer between.
    Ok(match packed {
        true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, whole))),
        false => Box::new(whole),
    })
}
