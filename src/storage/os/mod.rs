//! What operating systems do differently: locks, files without names, real allocation, waiting for a change.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod lock;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod other;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use linux::{Watch, allocate, available, is_cached, link, modified_since_boot, unnamed, will_need};
pub(crate) use lock::{APPEND_LOCK, is_locked, try_lock, unlock};
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) use other::{Watch, allocate, available, is_cached, link, modified_since_boot, unnamed, will_need};

use std::fs::File;
use std::io;
use std::path::Path;

/// Makes the names in a folder durable, where the system knows how to.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Gives a file the mode, and as far as the system lets us the owners, of the one whose place it takes.
pub(crate) fn inherit(file: &File, from: &std::fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // Only root may give files away; whoever replaces another's file owns the new one, as with any editor.
        let _ = std::os::unix::fs::fchown(file, Some(from.uid()), Some(from.gid()));
    }
    file.set_permissions(from.permissions())
}

/// Whether two files are one; `None` where the system doesn't number them.
pub(crate) fn is_same_file(one: &std::fs::Metadata, other: &std::fs::Metadata) -> Option<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((one.dev(), one.ino()) == (other.dev(), other.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = (one, other);
        None
    }
}
