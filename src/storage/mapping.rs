//! Files mapped into memory. The only module that maps.
#![cfg_attr(feature = "mmap", expect(unsafe_code, reason = "maps files"))]

use alloc::sync::Arc;
use core::fmt;
use core::ops::Deref;

/// A part of a file, mapped read-only. Cloning it is cheap: the clones share the mapping.
///
/// # The contract
///
/// A file can be changed by anybody who may write to it, and a mapping shows every change at once. The elements that
/// a mapping holds are handed out as plain slices, whose contents must not change while they are borrowed, and which
/// die by a signal (SIGBUS) where the file no longer reaches. Whoever makes a mapping by an `unsafe` function
/// therefore promises:
///
/// **Until the last view of the mapping and the mapping itself are gone, nobody, in this process or another, changes
/// the bytes of the rows that it covers, or cuts the file below their end.**
///
/// - The header and whatever follows the rows may change: a log that grows by whole rows after those that are there
///   may be mapped while it grows.
/// - Replacing the file by another of the same name (write beside it, then rename) is harmless: the mapping keeps the
///   old file.
/// - Rewriting it in place is not: `np.save` onto a mapped file, `open(…, "wb")` and `File::create` cut it first.
/// - A lock helps only against programs that ask for it.
///
/// Where nobody can promise that, read the file ([`Npy::read`](crate::Npy::read)), read parts of it
/// ([`NpyFile`](crate::NpyFile): a file that was cut is an error there), or let the kernel vouch for it
/// ([`Npy::map_immutable`](crate::Npy::map_immutable)).
///
/// Without the feature `mmap` the type is there and no value of it can be made.
#[derive(Clone)]
pub struct Mapping {
    /// `None` where there are no bytes: nothing is mapped then.
    map: Option<Arc<Map>>,
}

#[cfg(feature = "mmap")]
type Map = memmap2::Mmap;

#[cfg(not(feature = "mmap"))]
type Map = Unmappable;

/// Stands in for a mapping where there are none.
#[cfg(not(feature = "mmap"))]
enum Unmappable {}

#[cfg(not(feature = "mmap"))]
impl Deref for Unmappable {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match *self {}
    }
}

#[cfg(feature = "mmap")]
impl Mapping {
    /// Maps `len` bytes of a file from byte `offset` on.
    ///
    /// # Safety
    ///
    /// The [contract](Mapping#the-contract); and the file held `offset + len` bytes when that promise began.
    pub(crate) unsafe fn new(file: &std::fs::File, offset: u64, len: usize) -> std::io::Result<Self> {
        if len == 0 {
            return Ok(Self { map: None });
        }
        // SAFETY: memmap2 asks that the file isn't changed or cut while it is mapped: the caller guarantees it for
        // these bytes, and only these are handed out.
        let map = unsafe { memmap2::MmapOptions::new().offset(offset).len(len).map(file)? };
        Ok(Self { map: Some(Arc::new(map)) })
    }

    /// Maps a file that the kernel keeps as it is; `None` if it doesn't.
    pub(crate) fn immutable(file: &std::fs::File, offset: u64, len: usize) -> std::io::Result<Option<Self>> {
        if len == 0 {
            return Ok(Some(Self { map: None }));
        }
        match memmap2::MmapOptions::new().offset(offset).len(len).map_if_safe(file) {
            Ok(map) => Ok(Some(Self { map: Some(Arc::new(map)) })),
            Err(error) if error.map_failed() => Err(error.into()),
            Err(_) => Ok(None),
        }
    }
}

impl Deref for Mapping {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.map.as_ref().map_or(&[], |map| map)
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapping({} bytes)", self.len())
    }
}
