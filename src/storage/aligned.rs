//! Owned memory at a multiple of 64 bytes.
#![expect(unsafe_code, reason = "tells bytemuck that 64 aligned bytes are plain")]

use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

use crate::{Error, Result};

/// Owned bytes whose first lies at a multiple of 64: every element type can view them in place, and so can a kernel
/// that wants whole cache lines.
#[derive(Clone, Default)]
pub struct Aligned {
    blocks: Vec<Block>,
    len: usize,
}

/// One cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Block([u8; Self::LEN]);

impl Block {
    const LEN: usize = 64;
}

// SAFETY: the only field is an array of bytes, of which all zeros is a value.
unsafe impl Zeroable for Block {}

// SAFETY: the only field is an array of 64 bytes, so that size and alignment are equal and nothing is padding; any
// bits are a value, there is no interior mutability, and the type is `Copy` and `'static`.
unsafe impl Pod for Block {}

impl Aligned {
    /// Allocates `len` bytes of zeros.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn zeroed(len: usize) -> Result<Self> {
        let blocks = bytemuck::allocation::try_zeroed_vec(len.div_ceil(Block::LEN));
        let blocks = blocks.map_err(|()| Error::OutOfMemory { bytes: len })?;
        Ok(Self { blocks, len })
    }

    /// Copies `bytes`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn copy_of(bytes: &[u8]) -> Result<Self> {
        let mut copy = Self::zeroed(bytes.len())?;
        copy.copy_from_slice(bytes);
        Ok(copy)
    }

    /// Makes it `len` bytes long; new ones are zeros.
    #[cfg(feature = "std")]
    pub(crate) fn resize(&mut self, len: usize) -> Result<()> {
        let blocks = len.div_ceil(Block::LEN);
        let more = blocks.saturating_sub(self.blocks.len());
        self.blocks.try_reserve(more).map_err(|_| Error::OutOfMemory { bytes: len })?;
        self.blocks.resize(blocks, Block::zeroed());
        self.len = len;
        Ok(())
    }
}

impl Deref for Aligned {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.blocks)[..self.len]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.blocks)[..self.len]
    }
}

impl fmt::Debug for Aligned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aligned({} bytes)", self.len)
    }
}
