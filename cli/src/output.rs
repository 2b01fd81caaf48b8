//! Where text and bytes go: standard output, or a new file that appears when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::trouble::{Result, Trouble};

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 17;

/// Standard output or a file, buffered.
pub struct Output {
    writer: BufWriter<Box<dyn Write>>,
    terminal: bool,
    draft: Option<Draft>,
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Result<Self> {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        Ok(Self { writer: BufWriter::with_capacity(BUFFER, unbuffered(stdout)?), terminal, draft: None })
    }

    /// A file, which is there after [`finish`](Self::finish); one that is there already is an error unless `force`.
    pub fn file(path: &Path, force: bool) -> Result<Self> {
        let (draft, file) = Draft::new(path, force)?;
        Ok(Self { writer: BufWriter::with_capacity(BUFFER, Box::new(file)), terminal: false, draft: Some(draft) })
    }

    /// Whether a person looks at it, whose terminal obeys control characters.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether the reader of standard output has left, where the system tells without a write.
    pub fn is_abandoned(&self) -> bool {
        self.draft.is_none() && is_stdout_abandoned()
    }

    /// Writes out what is collected, and gives a file its name.
    pub fn finish(mut self) -> Result<()> {
        self.writer.flush()?;
        match self.draft.take() {
            Some(draft) => draft.publish(),
            None => Ok(()),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Standard output without the standard library's buffer, which looks for the last newline in all that goes through.
#[cfg(unix)]
fn unbuffered(stdout: io::Stdout) -> io::Result<Box<dyn Write>> {
    use std::os::fd::AsFd;
    Ok(Box::new(File::from(stdout.as_fd().try_clone_to_owned()?)))
}

/// Standard output; a Windows console wants UTF-16, which the standard library sees to.
#[cfg(not(unix))]
fn unbuffered(stdout: io::Stdout) -> io::Result<Box<dyn Write>> {
    Ok(Box::new(stdout))
}

/// Whether standard output is a pipe or socket without a reader.
#[cfg(unix)]
fn is_stdout_abandoned() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

#[cfg(not(unix))]
fn is_stdout_abandoned() -> bool {
    false
}

/// A file that has only a temporary name yet, in the folder where it is going to stay; removed if it is dropped.
struct Draft {
    temporary: PathBuf,
    path: PathBuf,
    force: bool,
}

impl Draft {
    fn new(path: &Path, force: bool) -> Result<(Self, File)> {
        if !force && path.symlink_metadata().is_ok() {
            return Err(exists(path));
        }
        let name = path.file_name().ok_or_else(|| Trouble::Said(format!("{} is no name of a file", path.display())))?;
        for attempt in 0..1000 {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{attempt}.tmp", std::process::id()));
            let temporary = path.with_file_name(hidden);
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok((Self { temporary, path: path.to_path_buf(), force }, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed("create", path, error)),
            }
        }
        Err(Trouble::Said(format!("{}: no temporary name is free beside it", path.display())))
    }

    /// Makes the file durable and gives it its name; two that do so at the same time without `force` don't both win.
    fn publish(self) -> Result<()> {
        let synced = OpenOptions::new().write(true).open(&self.temporary).and_then(|file| file.sync_all());
        synced.map_err(|error| failed("write", &self.path, error))?;
        let named = if self.force {
            fs::rename(&self.temporary, &self.path)
        } else {
            // A link, unlike a rename, doesn't replace what is there; the other name goes with the draft.
            match fs::hard_link(&self.temporary, &self.path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !self.path.exists() => {
                    fs::rename(&self.temporary, &self.path)
                }
                other => other,
            }
        };
        named.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(&self.path),
            _ => failed("create", &self.path, error),
        })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After a rename there is nothing to remove.
        let _ = fs::remove_file(&self.temporary);
    }
}

fn exists(path: &Path) -> Trouble {
    Trouble::Said(format!("{} is there already; -f overwrites it", path.display()))
}

fn failed(operation: &str, path: &Path, error: io::Error) -> Trouble {
    Trouble::Output(format!("{}: cannot {operation}", path.display()), error)
}
