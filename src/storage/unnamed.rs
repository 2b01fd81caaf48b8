//! Memory of an array that has no name yet. Knows files and mappings, and not what is in them.
#![cfg_attr(feature = "mmap", expect(unsafe_code, reason = "maps files that nobody else can open"))]

use core::fmt;
use core::ops::{Deref, DerefMut};
use std::path::Path;

use super::{Aligned, NewFile, Taken};
use crate::Result;

/// The bytes of a [`Draft`](crate::Draft): a mapped file without a name, or memory where there are no such files.
pub struct Unnamed {
    file: NewFile,
    offset: usize,
    memory: Memory,
}

enum Memory {
    /// Mapped, really allocated; `None` where there are no bytes.
    #[cfg(feature = "mmap")]
    Mapped(Option<memmap2::MmapMut>),
    /// Written to the file when it is published.
    Owned(Aligned),
}

impl Unnamed {
    /// Makes a file that starts with `head` and goes on with `len` bytes of zeros.
    pub(crate) fn create(path: &Path, head: &[u8], len: usize) -> Result<Self> {
        let file = NewFile::create(path)?;
        file.file().write_all_at(head, 0)?;
        file.file().allocate(head.len() as u64, head.len() as u64 + len as u64)?;
        let memory = Self::map(&file, head.len(), len)?;
        Ok(Self { file, offset: head.len(), memory })
    }

    #[cfg(feature = "mmap")]
    fn map(file: &NewFile, offset: usize, len: usize) -> Result<Memory> {
        if !file.is_unnamed() {
            return Aligned::zeroed(len).map(Memory::Owned);
        }
        if len == 0 {
            return Ok(Memory::Mapped(None));
        }
        // SAFETY: memmap2 asks that the file isn't changed or cut while it is mapped. No name leads to this file, and
        // its descriptor isn't lent; what reaches it all the same (`/proc/self/fd`, a debugger) is outside of Rust's
        // guarantee, as std says of `/proc/self/mem`. It gets its name by `name`, after which its owner, the draft, is
        // dropped without being looked at (`draft.rs`). The file reaches beyond `offset + len` bytes, for it has been
        // made that long.
        let map = unsafe { memmap2::MmapOptions::new().offset(offset as u64).len(len).map_mut(file.file().file()) };
        map.map(|map| Memory::Mapped(Some(map))).map_err(super::io_error("map", Some(file.file().path())))
    }

    #[cfg(not(feature = "mmap"))]
    fn map(_: &NewFile, _: usize, len: usize) -> Result<Memory> {
        Aligned::zeroed(len).map(Memory::Owned)
    }

    /// Gives the file its name, as [`NewFile::name`] does. Whoever calls this gives up the bytes once it
    /// [is named](Self::is_named), without looking at them again: others can open the file then.
    pub(crate) fn name(&mut self, taken: Taken, durable: bool) -> Result<()> {
        match &self.memory {
            #[cfg(feature = "mmap")]
            Memory::Mapped(_) => {}
            Memory::Owned(bytes) => self.file.file().write_all_at(bytes, self.offset as u64)?,
        }
        self.file.name(taken, durable)
    }

    /// Whether the file has got its name.
    pub(crate) fn is_named(&self) -> bool {
        self.file.is_named()
    }
}

impl Deref for Unnamed {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.memory {
            #[cfg(feature = "mmap")]
            Memory::Mapped(map) => map.as_deref().unwrap_or_default(),
            Memory::Owned(bytes) => bytes,
        }
    }
}

impl DerefMut for Unnamed {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            #[cfg(feature = "mmap")]
            Memory::Mapped(map) => map.as_deref_mut().unwrap_or_default(),
            Memory::Owned(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Unnamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unnamed({} bytes)", self.len())
    }
}
