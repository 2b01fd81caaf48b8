//! Files that are written by positions: they end up as long as they should, or as they were. Knows no headers.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{io_error, os};
use crate::{Error, Result};

/// Bytes that are written at a time where nothing else says how many.
const STEP: usize = 1 << 20;

/// How often a lock is asked for while it is waited for.
const LOCK_STEP: Duration = Duration::from_millis(5);

/// An open file and the name that errors give it.
#[derive(Debug)]
pub(crate) struct WritableFile {
    file: File,
    path: PathBuf,
    /// Whether it has the lock of those who change the file's length.
    locked: AtomicBool,
}

/// Closing gives the lock back too, but only when the last copy of the descriptor is closed: a process that is being
/// started has one for a moment.
impl Drop for WritableFile {
    fn drop(&mut self) {
        if *self.locked.get_mut() {
            // Closing, which comes next, gives it back as well.
            let _ = os::unlock(&self.file, os::APPEND_LOCK);
        }
    }
}

impl WritableFile {
    pub(crate) fn new(file: File, path: PathBuf) -> Self {
        Self { file, path, locked: AtomicBool::new(false) }
    }

    /// Opens a file that is there, for reading and writing. Nothing is cut.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::options().read(true).write(true).open(path).map_err(io_error("open", Some(path)))?;
        Ok(Self::new(file, path.to_path_buf()))
    }

    /// Opens a file that is there, as the only one who changes its length: waits so long for whoever else does.
    ///
    /// The lock is held until the file is closed.
    pub(crate) fn open_locked(path: &Path, wait: Duration) -> Result<Self> {
        let start = Instant::now();
        loop {
            let file = Self::open(path)?;
            file.lock(wait.saturating_sub(start.elapsed()))?;
            // Whoever had the lock may have put another file in this one's place.
            let there = std::fs::metadata(path).map_err(io_error("stat", Some(path)))?;
            if os::is_same_file(&there, &file.metadata()?) != Some(false) {
                return Ok(file);
            }
        }
    }

    /// Takes the lock of those who change the file's length, waiting so long for it.
    pub(crate) fn lock(&self, wait: Duration) -> Result<()> {
        let start = Instant::now();
        while !os::try_lock(&self.file, os::APPEND_LOCK).map_err(io_error("lock", Some(&self.path)))? {
            let waited = start.elapsed();
            if waited >= wait {
                let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
                return Err(Error::Locked { path: self.path.clone(), waited_ms });
            }
            std::thread::sleep(LOCK_STEP.min(wait - waited));
        }
        self.locked.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Gives the lock back.
    #[cfg(feature = "mmap")]
    pub(crate) fn unlock(&self) -> Result<()> {
        self.locked.store(false, Ordering::Relaxed);
        os::unlock(&self.file, os::APPEND_LOCK).map_err(io_error("unlock", Some(&self.path)))
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn metadata(&self) -> Result<std::fs::Metadata> {
        self.file.metadata().map_err(io_error("stat", Some(&self.path)))
    }

    /// Writes bytes from byte `offset` on. What was written before an error stays.
    pub(crate) fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        write_all_at(&self.file, bytes, offset).map_err(|error| self.write_error(error, bytes.len() as u64))
    }

    /// Makes the file `to` bytes long instead of `from`, in blocks that are its own: no later write into them can find
    /// the disk full. On an error it is as long as it was.
    pub(crate) fn allocate(&self, from: u64, to: u64) -> Result<()> {
        if to <= from {
            return Ok(());
        }
        let needed = to - from;
        let failed = match os::allocate(&self.file, from, needed, false) {
            Ok(true) => return Ok(()),
            Ok(false) => match self.write_zeros(from, to) {
                Ok(()) => return Ok(()),
                Err(error) => error,
            },
            Err(error) => error,
        };
        // File systems keep what they had found before they ran out.
        self.set_len(from)?;
        Err(self.write_error(failed, needed))
    }

    /// Asks for blocks beyond the end, which stays where it is. An optimization: where there are none, writes find out.
    pub(crate) fn preallocate(&self, from: u64, len: u64) {
        let _ = os::allocate(&self.file, from, len, true);
    }

    fn write_zeros(&self, from: u64, to: u64) -> io::Result<()> {
        let zeros = vec![0; STEP];
        let mut at = from;
        while at < to {
            let step = usize::try_from(to - at).map_or(STEP, |left| left.min(STEP));
            write_all_at(&self.file, &zeros[..step], at)?;
            at += step as u64;
        }
        Ok(())
    }

    pub(crate) fn set_len(&self, len: u64) -> Result<()> {
        self.file.set_len(len).map_err(io_error("change the length of", Some(&self.path)))
    }

    /// Makes data, and what it takes to find them, durable.
    pub(crate) fn sync_data(&self) -> Result<()> {
        self.file.sync_data().map_err(|error| self.write_error_in("sync", error, 0))
    }

    fn write_error(&self, error: io::Error, needed: u64) -> Error {
        self.write_error_in("write", error, needed)
    }

    fn write_error_in(&self, operation: &'static str, error: io::Error, needed: u64) -> Error {
        write_error(operation, &self.file, Some(&self.path), needed)(error)
    }
}

/// Names a failed write of `needed` bytes.
pub(crate) fn write_error<'a>(
    operation: &'static str,
    file: &'a File,
    path: Option<&'a Path>,
    needed: u64,
) -> impl FnOnce(io::Error) -> Error + 'a {
    move |error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            let available = os::available(file).unwrap_or(0);
            Error::NoSpace { path: path.map(Path::to_path_buf), needed, available }
        }
        _ => io_error(operation, path)(error),
    }
}

fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match write_at(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                bytes = &bytes[n..];
                offset += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, offset)
}

#[cfg(not(any(unix, windows)))]
fn write_at(_: &File, _: &[u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
