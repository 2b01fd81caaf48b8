//! Locks of single bytes far beyond the end of any file. Knows descriptors, and not what the locks are for.
//!
//! They belong to the open file (an open-file-description lock), not to the process: two handles of one process
//! exclude each other, closing a third handle of the file drops nothing, and the system drops them when their holder
//! dies. On Windows a lock keeps others from reading the bytes that it covers; these are never read.

use std::fs::File;
use std::io;

/// The byte that whoever changes the length of a file holds.
pub(crate) const APPEND_LOCK: u64 = 1 << 62;

/// Takes a byte's lock for this open file, until it is given back or the file closed; returns whether it was free.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn try_lock(file: &File, byte: u64) -> io::Result<bool> {
    set_lock(file, byte, libc::F_WRLCK)
}

/// Gives a byte's lock back.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn unlock(file: &File, byte: u64) -> io::Result<()> {
    set_lock(file, byte, libc::F_UNLCK).map(drop)
}

/// Whether another open file has a byte's lock, as far as can be told.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn is_locked(file: &File, byte: u64) -> bool {
    ask(file, byte, libc::F_WRLCK, libc::F_OFD_GETLK).is_ok_and(|kind| kind != libc::F_UNLCK)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn set_lock(file: &File, byte: u64, kind: libc::c_int) -> io::Result<bool> {
    match ask(file, byte, kind, libc::F_OFD_SETLK) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Gives the system a command about the lock of a byte, and returns the kind of lock that it answers with.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[expect(unsafe_code, reason = "rustix has no open-file-description locks")]
fn ask(file: &File, byte: u64, kind: libc::c_int, command: libc::c_int) -> io::Result<libc::c_int> {
    use std::os::fd::AsRawFd;

    // The offset of a lock is as wide as the system's file sizes only by this name where C programs choose.
    #[cfg(not(target_env = "gnu"))]
    use libc::flock;
    #[cfg(target_env = "gnu")]
    use libc::flock64 as flock;

    // SAFETY: a `flock` is integers, for which zeros are values.
    let mut lock: flock = unsafe { std::mem::zeroed() };
    let field = |_| io::Error::from(io::ErrorKind::Unsupported);
    lock.l_type = kind.try_into().map_err(field)?;
    lock.l_whence = libc::SEEK_SET.try_into().map_err(field)?;
    lock.l_start = byte.try_into().map_err(|_| io::Error::from(io::ErrorKind::Unsupported))?;
    lock.l_len = 1;
    loop {
        #[cfg(not(all(
            target_env = "gnu",
            any(target_arch = "x86", target_arch = "arm", target_arch = "mips", target_arch = "powerpc")
        )))]
        // SAFETY: the descriptor is open as long as `file` is borrowed, and these commands read and write a `flock` of
        // this width through a pointer to one, which is borrowed exclusively here.
        let refused = unsafe { libc::fcntl(file.as_raw_fd(), command, &raw mut lock) } != 0;
        // Here the C library's `fcntl` takes offsets of 32 bits, and the system's own call those of 64.
        #[cfg(all(
            target_env = "gnu",
            any(target_arch = "x86", target_arch = "arm", target_arch = "mips", target_arch = "powerpc")
        ))]
        // SAFETY: as above.
        let refused = unsafe { libc::syscall(libc::SYS_fcntl64, file.as_raw_fd(), command, &raw mut lock) } != 0;
        if !refused {
            return Ok(lock.l_type.into());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Whether another open file has a byte's lock, as far as can be told.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn is_locked(file: &File, byte: u64) -> bool {
    // A lock that those who ask can share.
    match try_share(file, byte) {
        Ok(true) => unlock(file, byte).is_err(),
        Ok(false) => true,
        Err(_) => false,
    }
}

/// Where a lock is.
#[cfg(windows)]
#[expect(unsafe_code, reason = "std locks whole files, which readers would notice")]
fn place(byte: u64) -> windows_sys::Win32::System::IO::OVERLAPPED {
    // SAFETY: an `OVERLAPPED` is integers and pointers, for which zeros are values.
    let mut at: windows_sys::Win32::System::IO::OVERLAPPED = unsafe { std::mem::zeroed() };
    let [low, high] = [byte & 0xffff_ffff, byte >> 32].map(|half| u32::try_from(half).unwrap_or(u32::MAX));
    at.Anonymous.Anonymous.Offset = low;
    at.Anonymous.Anonymous.OffsetHigh = high;
    at
}

/// Gives a byte's lock back.
#[cfg(windows)]
#[expect(unsafe_code, reason = "std locks whole files, which readers would notice")]
pub(crate) fn unlock(file: &File, byte: u64) -> io::Result<()> {
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Storage::FileSystem::UnlockFileEx;

    let mut at = place(byte);
    // SAFETY: the handle is open as long as `file` is borrowed, and `at` outlives the call.
    if unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut at) } != 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// Takes a byte's lock for this open file, until it is given back or the file closed; returns whether it was free.
#[cfg(windows)]
pub(crate) fn try_lock(file: &File, byte: u64) -> io::Result<bool> {
    lock_byte(file, byte, windows_sys::Win32::Storage::FileSystem::LOCKFILE_EXCLUSIVE_LOCK)
}

/// Takes a byte's lock as [`try_lock`] does, together with others who take it so.
#[cfg(windows)]
fn try_share(file: &File, byte: u64) -> io::Result<bool> {
    lock_byte(file, byte, 0)
}

#[cfg(windows)]
#[expect(unsafe_code, reason = "std locks whole files, which readers would notice")]
fn lock_byte(
    file: &File,
    byte: u64,
    kind: windows_sys::Win32::Storage::FileSystem::LOCK_FILE_FLAGS,
) -> io::Result<bool> {
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
    use windows_sys::Win32::Storage::FileSystem::{LOCKFILE_FAIL_IMMEDIATELY, LockFileEx};

    let mut at = place(byte);
    let flags = kind | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open as long as `file` is borrowed, and `at` outlives the call, which doesn't wait.
    if unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut at) } != 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    let code = error.raw_os_error().and_then(|code| u32::try_from(code).ok());
    if matches!(code, Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING)) { Ok(false) } else { Err(error) }
}

/// Takes the file's lock for this open file, until it is given back or the file closed; returns whether it was free.
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
pub(crate) fn try_lock(file: &File, _byte: u64) -> io::Result<bool> {
    // A lock of the whole file, which only those see who ask for one.
    was_free(file.try_lock())
}

/// Takes the file's lock as [`try_lock`] does, together with others who take it so.
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
fn try_share(file: &File, _byte: u64) -> io::Result<bool> {
    was_free(file.try_lock_shared())
}

#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
fn was_free(locked: Result<(), std::fs::TryLockError>) -> io::Result<bool> {
    match locked {
        Ok(()) => Ok(true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Gives the file's lock back.
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
pub(crate) fn unlock(file: &File, _byte: u64) -> io::Result<()> {
    file.unlock()
}
