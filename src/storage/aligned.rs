//! Owned memory at a multiple of 64 bytes.

use alloc::alloc::handle_alloc_error;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::{Error, Result};

/// One cache line.
const ALIGN: usize = 64;

/// Owned bytes whose first lies at a multiple of 64: every element type can view them in place, and so can a kernel
/// that wants whole cache lines.
#[derive(Default)]
pub struct Aligned {
    /// Whatever precedes the next multiple of 64, then the bytes.
    ///
    /// A vector of 64-byte blocks would need no room before them, but would be slower: the zeros of what is aligned
    /// so far are written one by one, where those of bytes are pages that the system has cleared.
    memory: Vec<u8>,
    start: usize,
}

impl Aligned {
    /// Allocates `len` bytes of zeros.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn zeroed(len: usize) -> Result<Self> {
        if len == 0 {
            return Ok(Self::default());
        }
        let out_of_memory = Error::OutOfMemory { bytes: len };
        let Some(room) = len.checked_add(ALIGN - 1) else { return Err(out_of_memory) };
        let mut memory: Vec<u8> = bytemuck::allocation::try_zeroed_vec(room).map_err(|()| out_of_memory)?;
        let start = memory.as_ptr().addr().wrapping_neg() % ALIGN;
        memory.truncate(start + len);
        Ok(Self { memory, start })
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
        let mut resized = Self::zeroed(len)?;
        let kept = len.min(self.len());
        resized[..kept].copy_from_slice(&self[..kept]);
        *self = resized;
        Ok(())
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        // As `Vec` does.
        Self::copy_of(self).unwrap_or_else(|_| handle_alloc_error(Layout::for_value::<[u8]>(self)))
    }
}

impl Deref for Aligned {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.memory[self.start..]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..]
    }
}

impl fmt::Debug for Aligned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aligned({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_made_starts_at_a_multiple_of_64() {
        for len in [1, 63, 64, 65, 1000, 1 << 20] {
            let zeroed = Aligned::zeroed(len).unwrap();
            assert_eq!((zeroed.as_ptr().addr() % 64, zeroed.len()), (0, len));
            assert!(zeroed.iter().all(|&byte| byte == 0));
            let bytes: Vec<u8> = (0..=255).cycle().take(len).collect();
            let copy = Aligned::copy_of(&bytes).unwrap();
            let clone = copy.clone();
            assert_eq!((clone.as_ptr().addr() % 64, &*clone), (0, &*bytes));
        }
        assert!(Aligned::zeroed(0).unwrap().is_empty());
    }

    #[test]
    fn memory_that_cannot_be_had_is_an_error() {
        for bytes in [usize::MAX, usize::MAX - 63, usize::MAX / 2] {
            assert!(matches!(Aligned::zeroed(bytes), Err(Error::OutOfMemory { .. })));
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn resizing_keeps_what_is_there() {
        let mut bytes = Aligned::copy_of(&[1, 2, 3]).unwrap();
        bytes.resize(100_000).unwrap();
        assert_eq!((bytes.as_ptr().addr() % 64, bytes.len(), &bytes[..5]), (0, 100_000, &[1, 2, 3, 0, 0][..]));
        bytes.resize(2).unwrap();
        assert_eq!(&*bytes, [1, 2]);
    }
}
