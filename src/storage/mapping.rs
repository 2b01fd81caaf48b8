//! Files mapped into memory. The only module that maps.
#![cfg_attr(feature = "mmap", expect(unsafe_code, reason = "maps files"))]

use alloc::sync::Arc;
use core::fmt;
use core::ops::Deref;
#[cfg(feature = "mmap")]
use core::ops::{DerefMut, Range};
#[cfg(feature = "mmap")]
use core::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "mmap")]
use super::WritableFile;

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
/// A [`MappingMut`] asks for more: **nobody else even reads these bytes through another mapping** while it lives, for
/// it hands out exclusive borrows of them. Positioned reads (`read`, [`NpyFile`](crate::NpyFile)) may see old or new
/// elements, or halves of both. A private mapping ([`Npy::map_cow`](crate::Npy::map_cow)) asks for the same as any
/// other: pages that weren't written to through it still show what others write.
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

/// What can be told how it will be used: [`Mapping`] and [`MappingMut`].
#[cfg(feature = "mmap")]
pub trait Mapped: super::Bytes {
    /// Tells the system how bytes will be used.
    #[doc(hidden)]
    fn advise_bytes(&self, advice: Advice, range: Range<usize>) -> std::io::Result<()> {
        // Systems without such advice.
        let _ = (advice, range);
        Ok(())
    }
}

#[cfg(feature = "mmap")]
impl Mapped for Mapping {
    #[cfg(unix)]
    fn advise_bytes(&self, advice: Advice, range: Range<usize>) -> std::io::Result<()> {
        let Some(map) = &self.map else { return Ok(()) };
        advice.give(range, |advice, start, len| map.advise_range(advice, start, len))
    }
}

#[cfg(feature = "mmap")]
impl Mapped for MappingMut {
    #[cfg(unix)]
    fn advise_bytes(&self, advice: Advice, range: Range<usize>) -> std::io::Result<()> {
        let Some(map) = &self.map else { return Ok(()) };
        advice.give(range, |advice, start, len| map.advise_range(advice, start, len))
    }
}

/// Whether the page of byte `at` of a mapping isn't in memory, as far as the system tells.
///
/// Linux tells those who may write to the file, or own it; to others every page is in memory.
#[cfg(all(feature = "mmap", any(target_os = "linux", target_os = "android")))]
pub(super) fn is_absent(bytes: &[u8], at: usize) -> bool {
    let Some(byte) = bytes.get(at) else { return false };
    let address = core::ptr::from_ref(byte);
    let page = address.map_addr(|address| address - address % rustix::param::page_size());
    let mut found = 0;
    // SAFETY: `mincore` reads nothing of the pages and writes a byte for each; it is asked about one, into `found`, which
    // is borrowed exclusively here. An address that isn't mapped would be an error.
    let told = unsafe { libc::mincore(page.cast_mut().cast(), 1, &raw mut found) };
    told == 0 && found & 1 == 0
}

/// Whether the page of byte `at` of a mapping isn't in memory: it may always be so where the system doesn't tell.
#[cfg(all(feature = "mmap", not(any(target_os = "linux", target_os = "android"))))]
pub(super) fn is_absent(bytes: &[u8], at: usize) -> bool {
    at < bytes.len()
}

/// A part of a file, mapped for reading and writing; made by [`Npy::map_mut`](crate::Npy::map_mut) and
/// [`Npy::map_cow`](crate::Npy::map_cow).
///
/// Its [contract](Mapping#the-contract) is that of [`Mapping`], and more: the bytes of the rows are accessed in no other
/// way while they are borrowed, in this process or another.
#[cfg(feature = "mmap")]
pub struct MappingMut {
    /// `None` where there are no bytes: nothing is mapped then.
    map: Option<memmap2::MmapMut>,
    /// Where in the file it starts.
    offset: u64,
    /// The file that changes go to; `None` if they are private.
    file: Option<Arc<WritableFile>>,
    /// Whether the file has got another length, or another header, since it was last made durable.
    resized: AtomicBool,
}

#[cfg(feature = "mmap")]
impl MappingMut {
    /// Maps `len` bytes of a file from byte `offset` on; changes go to the file.
    ///
    /// # Safety
    ///
    /// The [contract](Mapping#the-contract) of this type; and the file held `offset + len` bytes when that promise began.
    pub(crate) unsafe fn shared(file: WritableFile, offset: u64, len: usize) -> std::io::Result<Self> {
        let mut mapping = Self { map: None, offset, file: Some(Arc::new(file)), resized: AtomicBool::new(false) };
        // SAFETY: the caller's promise is the one that this asks for.
        unsafe { mapping.remap(len)? };
        *mapping.resized.get_mut() = false;
        Ok(mapping)
    }

    /// Maps `len` bytes of a file from byte `offset` on; changes stay in this mapping.
    ///
    /// # Safety
    ///
    /// As [`shared`](Self::shared).
    pub(crate) unsafe fn private(file: &std::fs::File, offset: u64, len: usize) -> std::io::Result<Self> {
        let map = match len {
            0 => None,
            // SAFETY: memmap2 asks that the file isn't changed or cut while it is mapped: the caller guarantees it.
            _ => Some(unsafe { memmap2::MmapOptions::new().offset(offset).len(len).map_copy(file)? }),
        };
        Ok(Self { map, offset, file: None, resized: AtomicBool::new(false) })
    }

    /// Covers the first `len` bytes from the start on instead of those it covers, after the file has been resized.
    ///
    /// # Safety
    ///
    /// As [`shared`](Self::shared), for these bytes. The mapping isn't private.
    pub(crate) unsafe fn remap(&mut self, len: usize) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Err(std::io::ErrorKind::Unsupported.into()) };
        *self.resized.get_mut() = true;
        self.map = match len {
            0 => None,
            // SAFETY: memmap2 asks that the file isn't changed or cut while it is mapped: the caller guarantees it for
            // these bytes, and only these are handed out. Of the old mapping nothing is borrowed, for it is borrowed
            // exclusively here, and it goes when the new one takes its place.
            _ => Some(unsafe { memmap2::MmapOptions::new().offset(self.offset).len(len).map_mut(file.file())? }),
        };
        Ok(())
    }

    /// The file that changes go to; `None` if they are private.
    pub(crate) fn file(&self) -> Option<&Arc<WritableFile>> {
        self.file.as_ref()
    }

    /// Writes changed bytes back to the file, and waits until that is done if it is to be durable.
    pub(crate) fn flush(&self, range: Range<usize>, wait: bool) -> std::io::Result<()> {
        match &self.map {
            Some(map) if !range.is_empty() && wait => map.flush_range(range.start, range.len())?,
            Some(map) if !range.is_empty() => map.flush_async_range(range.start, range.len())?,
            _ => {}
        }
        // The header, and how long the file is, aren't in the mapping.
        if wait && self.resized.load(Ordering::Relaxed) {
            self.file.as_ref().map_or(Ok(()), |file| file.file().sync_data())?;
            self.resized.store(false, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cfg(feature = "mmap")]
impl Deref for MappingMut {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}

#[cfg(feature = "mmap")]
impl DerefMut for MappingMut {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.map.as_deref_mut().unwrap_or_default()
    }
}

#[cfg(feature = "mmap")]
impl fmt::Debug for MappingMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.file.is_some() { "" } else { ", private" };
        write!(f, "MappingMut({} bytes{kind})", self.len())
    }
}

/// How mapped bytes will be used: what the system may read ahead, and how much memory it takes for it.
///
/// Only advice that leaves the contents as they are; on systems without such advice it does nothing.
#[cfg(feature = "mmap")]
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Advice {
    /// No special use, which is how mappings start.
    Normal,
    /// Here and there: nothing is read ahead.
    Random,
    /// From the first byte to the last: much is read ahead, and soon forgotten.
    Sequential,
    /// Soon: reading begins now.
    WillNeed,
    /// By pages as large as the system has, if the file system can.
    HugePages,
}

#[cfg(all(feature = "mmap", unix))]
impl Advice {
    /// Gives memmap2's advice of this name about bytes, where there are any, and the system has such advice.
    fn give(
        self,
        range: Range<usize>,
        give: impl FnOnce(memmap2::Advice, usize, usize) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let advice = match self {
            Self::Normal => memmap2::Advice::Normal,
            Self::Random => memmap2::Advice::Random,
            Self::Sequential => memmap2::Advice::Sequential,
            Self::WillNeed => memmap2::Advice::WillNeed,
            #[cfg(target_os = "linux")]
            Self::HugePages => memmap2::Advice::HugePage,
            #[cfg(not(target_os = "linux"))]
            Self::HugePages => return Ok(()),
        };
        if range.is_empty() { Ok(()) } else { give(advice, range.start, range.len()) }
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
