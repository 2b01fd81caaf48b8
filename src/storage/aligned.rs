//! Owned memory at a multiple of 64 bytes.

use alloc::alloc::handle_alloc_error;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::{Error, Result};

/// One cache line.
const ALIGN: usize = 64;

/// From how many bytes on huge pages are asked for: NumPy's number.
#[cfg(all(feature = "mmap", target_os = "linux"))]
const HUGE: usize = 4 << 20;

/// Owned bytes whose first lies at a multiple of 64: every element type can view them in place, and so can a kernel
/// that wants whole cache lines.
#[derive(Default)]
pub struct Aligned {
    /// Whatever precedes the next multiple of 64, then the bytes.
    ///
    /// A vector of 64-byte blocks would need no room before them, but would be slower: the zeros of what is aligned
    /// so far are written one by one, where those of bytes are pages that the system has cleared.
    memory: Memory,
    start: usize,
    len: usize,
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
        let memory = len.checked_add(ALIGN - 1).and_then(Memory::zeroed);
        let memory = memory.ok_or(Error::OutOfMemory { bytes: len })?;
        let start = memory.as_ptr().addr().wrapping_neg() % ALIGN;
        Ok(Self { memory, start, len })
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
        &self.memory[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

impl fmt::Debug for Aligned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aligned({} bytes)", self.len)
    }
}

/// Memory that was zeros when it came, at any address.
enum Memory {
    Allocator(Vec<u8>),
    /// The system's own, in huge pages if it has some: 512 times fewer are found and mapped as they are touched.
    #[cfg(all(feature = "mmap", target_os = "linux"))]
    System(memmap2::MmapMut),
}

impl Memory {
    fn zeroed(len: usize) -> Option<Self> {
        #[cfg(all(feature = "mmap", target_os = "linux"))]
        if len >= HUGE
            && let Ok(pages) = memmap2::MmapMut::map_anon(len)
        {
            // Where it isn't taken, the pages are small ones.
            let _ = pages.advise(memmap2::Advice::HugePage);
            return Some(Self::System(pages));
        }
        bytemuck::allocation::try_zeroed_vec(len).ok().map(Self::Allocator)
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::Allocator(Vec::new())
    }
}

impl Deref for Memory {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Allocator(bytes) => bytes,
            #[cfg(all(feature = "mmap", target_os = "linux"))]
            Self::System(pages) => pages,
        }
    }
}

impl DerefMut for Memory {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Allocator(bytes) => bytes,
            #[cfg(all(feature = "mmap", target_os = "linux"))]
            Self::System(pages) => pages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_made_starts_at_a_multiple_of_64() {
        // Miri knows no advice for huge pages.
        for len in [1, 63, 64, 65, 1000, if cfg!(miri) { 5000 } else { 5 << 20 }] {
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
