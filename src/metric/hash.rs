//! A fast hash for the fold's own tables.
//!
//! The multiply-rotate hash of Firefox and rustc ("FxHash"). The standard hasher withstands keys made to
//! collide and took a quarter of the time of `add`; the keys here are names from suites and our own numbers,
//! never a name that a model made up.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// A table that is never iterated for output.
pub(super) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct FastHasher(u64);

impl FastHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.mix(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.mix(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }

    fn write_isize(&mut self, n: isize) {
        self.mix(n as u64);
    }

    /// A product's good bits are its high ones, and a table looks at both ends: fold them together.
    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, hash::BuildHasher};

    #[test]
    fn neighbouring_keys_do_not_collide() {
        let build = BuildHasherDefault::<FastHasher>::default();
        let numbers = (0_u32..100).flat_map(|a| (0_u32..100).map(move |b| (a, b)));
        let hashes: BTreeSet<u64> = numbers.map(|key| build.hash_one(key)).collect();
        assert_eq!(hashes.len(), 10_000);
        let low: BTreeSet<u64> = (0..10_000).map(|i| build.hash_one(format!("case-{i}")) % 16_384).collect();
        assert!(low.len() > 5_000, "spread over {} of 16384 buckets", low.len());
    }
}
