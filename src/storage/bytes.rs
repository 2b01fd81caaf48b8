//! What an array may be a view of.
#![expect(unsafe_code, reason = "declares which owners keep their bytes still, and vouches for them")]

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

#[cfg(feature = "mmap")]
use super::MappingMut;
#[cfg(feature = "std")]
use super::Unnamed;
use super::{Aligned, Mapping};
use crate::Result;

/// An owner or borrower of bytes that an array can be a view of.
///
/// Sealed: implemented for `&[u8]`, `&mut [u8]`, `Vec<u8>`, `Arc<[u8]>`, [`Aligned`], [`Mapping`], `MappingMut` and
/// `Unnamed`. Not for `Box<[u8]>` and inline arrays, whose address isn't settled when they are moved.
///
/// # Safety
///
/// Between two uses by `&mut`, [`as_bytes`](Self::as_bytes) returns the same address, length and contents every time,
/// also after the value was moved.
pub unsafe trait Bytes: sealed::Sealed {
    /// Returns the bytes.
    fn as_bytes(&self) -> &[u8];

    /// Whether byte `at` isn't in memory, as far as can be told.
    #[doc(hidden)]
    fn is_absent(&self, at: usize) -> bool {
        let _ = at;
        false
    }

    /// Begins to fetch bytes from where they are.
    #[doc(hidden)]
    fn fetch(&self, range: Range<usize>) {
        let _ = range;
    }
}

/// [`Bytes`] that may be written: `&mut [u8]`, `Vec<u8>`, [`Aligned`], `MappingMut` and `Unnamed`.
///
/// # Safety
///
/// [`as_bytes_mut`](Self::as_bytes_mut) returns the bytes that [`as_bytes`](Bytes::as_bytes) does.
pub unsafe trait BytesMut: Bytes {
    /// Returns the bytes for writing.
    fn as_bytes_mut(&mut self) -> &mut [u8];
}

/// [`Bytes`] whose clones can be viewed as whatever the original can: `&[u8]`, `Arc<[u8]>`, [`Aligned`] and
/// [`Mapping`].
///
/// Not `Vec<u8>`, whose clone may lie at a worse address, and not `&mut [u8]`, which has no clone.
pub trait BytesClone: Bytes + Clone {
    /// Returns an owner of these of the bytes, and where in it they start: itself, shared, or a copy of the part.
    #[doc(hidden)]
    fn part(&self, range: Range<usize>) -> Result<(Self, usize)> {
        Ok((self.clone(), range.start))
    }
}

impl BytesClone for &[u8] {}
impl BytesClone for Arc<[u8]> {}
impl BytesClone for Mapping {}

impl BytesClone for Aligned {
    fn part(&self, range: Range<usize>) -> Result<(Self, usize)> {
        Ok((Self::copy_of(&self[range])?, 0))
    }
}

mod sealed {
    /// Keeps the traits to this crate.
    pub trait Sealed {}
}

impl sealed::Sealed for &[u8] {}
impl sealed::Sealed for &mut [u8] {}
impl sealed::Sealed for Vec<u8> {}
impl sealed::Sealed for Arc<[u8]> {}
impl sealed::Sealed for Aligned {}
impl sealed::Sealed for Mapping {}
#[cfg(feature = "mmap")]
impl sealed::Sealed for MappingMut {}
#[cfg(feature = "std")]
impl sealed::Sealed for Unnamed {}

// SAFETY: a shared borrow names one place for its whole lifetime, and nobody writes to it meanwhile.
unsafe impl Bytes for &[u8] {
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: an exclusive borrow names one place for its whole lifetime, and nobody but its holder writes to it.
unsafe impl Bytes for &mut [u8] {
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: a vector's elements live on the heap, where moving the vector leaves them; they change by `&mut` only.
unsafe impl Bytes for Vec<u8> {
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: the elements live on the heap, where moving the pointer leaves them. They could change by `Arc::get_mut`
// or `Arc::make_mut`: both take the pointer by `&mut`, and the first only if no other array shares the bytes while the
// second copies them before.
unsafe impl Bytes for Arc<[u8]> {
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: the bytes are a part, fixed when it was made, of a vector's elements or of memory that the system gave; both
// stay where they are when their owner is moved, and change by `&mut` only.
unsafe impl Bytes for Aligned {
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: the address and length of a mapping are fixed when it is made. Its contents stay by the contract that
// whoever made it has accepted, or by the kernel's word.
unsafe impl Bytes for Mapping {
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self
    }

    #[cfg(feature = "mmap")]
    fn is_absent(&self, at: usize) -> bool {
        super::mapping::is_absent(self, at)
    }

    #[cfg(feature = "mmap")]
    fn fetch(&self, range: Range<usize>) {
        // Advice that isn't taken leaves things as they are.
        let _ = super::Mapped::advise_bytes(self, super::Advice::WillNeed, range);
    }
}

// SAFETY: the address and length of a mapping change by `&mut` only (`remap`, or another value in its place). Its
// contents stay by the contract that whoever made it has accepted, but for what is written through `&mut`.
#[cfg(feature = "mmap")]
unsafe impl Bytes for MappingMut {
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self
    }

    #[cfg(feature = "mmap")]
    fn is_absent(&self, at: usize) -> bool {
        super::mapping::is_absent(self, at)
    }

    #[cfg(feature = "mmap")]
    fn fetch(&self, range: Range<usize>) {
        // Advice that isn't taken leaves things as they are.
        let _ = super::Mapped::advise_bytes(self, super::Advice::WillNeed, range);
    }
}

// SAFETY: a mapping, whose address and length are fixed when it is made, of a file that nobody else can open, or
// `Aligned` memory; both change by `&mut` only.
#[cfg(feature = "std")]
unsafe impl Bytes for Unnamed {
    #[inline]
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: both reborrow the same slice.
unsafe impl BytesMut for &mut [u8] {
    #[inline]
    fn as_bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

// SAFETY: both are the vector's elements.
unsafe impl BytesMut for Vec<u8> {
    #[inline]
    fn as_bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

// SAFETY: both are the same part of the same memory.
unsafe impl BytesMut for Aligned {
    #[inline]
    fn as_bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

// SAFETY: both are the bytes of the same mapping.
#[cfg(feature = "mmap")]
unsafe impl BytesMut for MappingMut {
    #[inline]
    fn as_bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

// SAFETY: both are the bytes of the same mapping or memory.
#[cfg(feature = "std")]
unsafe impl BytesMut for Unnamed {
    #[inline]
    fn as_bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}
