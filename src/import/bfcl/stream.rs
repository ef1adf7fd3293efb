//! Work on the blocks of files with all cores, and its results in order.

use super::{
    ImportError,
    blocks::{Block, Blocks},
};
use rayon::prelude::*;
use std::path::PathBuf;

/// How many blocks a core has waiting: enough that none idles, few enough that memory stays small.
const BLOCKS_PER_CORE: usize = 4;

/// Some blocks that are worked on together; their buffers are used again and again.
struct Batch {
    blocks: Vec<Block>,
    filled: usize,
}

impl Batch {
    fn new() -> Self {
        let count = rayon::current_num_threads() * BLOCKS_PER_CORE;
        Self { blocks: std::iter::repeat_with(Block::default).take(count).collect(), filled: 0 }
    }

    fn fill(&mut self, source: &mut Blocks) -> Result<(), ImportError> {
        self.filled = 0;
        for block in &mut self.blocks {
            if !source.next(block)? {
                break;
            }
            self.filled += 1;
        }
        Ok(())
    }
}

/// Does some work on each block of the files and hands on the results in the order of the files.
///
/// The next blocks are read and unpacked while these are worked on.
pub(super) fn for_each_block<T: Send>(
    files: &[PathBuf],
    work: impl Fn(&Block) -> Result<T, ImportError> + Sync,
    mut take: impl FnMut(T) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut source = Blocks::new(files);
    let (mut current, mut next) = (Batch::new(), Batch::new());
    let mut read = current.fill(&mut source);
    while current.filled > 0 {
        let blocks = &current.blocks[..current.filled];
        let ahead = || {
            if read.is_ok() {
                return next.fill(&mut source);
            }
            next.filled = 0;
            Ok(())
        };
        let (read_ahead, done) =
            rayon::join(ahead, || blocks.par_iter().with_max_len(1).map(&work).collect::<Vec<_>>());
        done.into_iter().try_for_each(|result| take(result?))?;
        read = read.and(read_ahead);
        std::mem::swap(&mut current, &mut next);
    }
    read
}
