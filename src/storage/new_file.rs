//! Files that get their names when they are whole. Knows folders and names, and not what is written.
//!
//! Such a file has no name at all while it is written, where the system can do that: whoever is killed leaves nothing
//! behind, and nobody else can have opened it. Elsewhere it has a temporary one in the same folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::{WritableFile, io_error, os, write_error};
use crate::{Error, Result};

/// A file that is being written and has not got its name yet.
#[derive(Debug)]
pub(crate) struct NewFile {
    file: WritableFile,
    /// Its temporary name, where files must have one.
    temporary: Option<Temporary>,
    is_named: bool,
}

/// What is to become of a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It stays, and it is an error.
    Refuse,
    /// It is replaced, unless somebody is changing its length.
    Replace,
    /// It is replaced by who changes its length.
    ReplaceLocked,
}

impl NewFile {
    /// Makes a file, empty and open for reading and writing, that is to get the name `path`.
    ///
    /// Where that is a symbolic link, the name is what it leads to.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if is_descriptor(path) {
            let told = io::Error::new(io::ErrorKind::InvalidInput, "it is an open descriptor");
            return Err(io_error("replace", Some(path))(told));
        }
        // Whatever the working directory is by the time it gets its name.
        let path = std::path::absolute(path).map_err(io_error("find", Some(path)))?;
        let path = target_of(&path)?;
        let failed = || io_error("create", Some(&path));
        match os::unnamed(folder_of(&path)).map_err(failed())? {
            Some(file) => Ok(Self { file: WritableFile::new(file, path), temporary: None, is_named: false }),
            None => {
                let (file, temporary) = Temporary::create(&path).map_err(failed())?;
                let file = WritableFile::new(file, path);
                Ok(Self { file, temporary: Some(temporary), is_named: false })
            }
        }
    }

    pub(crate) fn file(&self) -> &WritableFile {
        &self.file
    }

    /// Whether nobody else can open the file: no name leads to it, and its descriptor isn't lent.
    #[cfg(feature = "mmap")]
    pub(crate) fn is_unnamed(&self) -> bool {
        self.temporary.is_none()
    }

    /// Whether it has got its name.
    pub(crate) fn is_named(&self) -> bool {
        self.is_named
    }

    /// Gives the file its name, as [`name`](Self::name) does, and returns it.
    pub(crate) fn publish(mut self, taken: Taken, durable: bool) -> Result<WritableFile> {
        self.name(taken, durable)?;
        Ok(self.file)
    }

    /// Gives the file its name, at once and whole.
    ///
    /// If it is `durable`, the file and then its name have reached the disk. Nothing has changed on an error, and it may
    /// be tried again, unless it [is named](Self::is_named): only the last step has failed then, which makes the name
    /// durable.
    pub(crate) fn name(&mut self, taken: Taken, durable: bool) -> Result<()> {
        let path = self.file.path().to_path_buf();
        let len = self.file.metadata()?.len();
        if taken != Taken::Refuse {
            self.before_replacing(taken)?;
        }
        if durable {
            self.file.file().sync_all().map_err(write_error("sync", self.file.file(), Some(&path), len))?;
        }
        let named = match (&mut self.temporary, taken) {
            (None, Taken::Refuse) => os::link(self.file.file(), &path),
            (None, _) => Temporary::link(self.file.file(), &path).and_then(|mut name| name.rename_over(&path)),
            (Some(temporary), Taken::Refuse) => temporary.rename_to(&path),
            (Some(temporary), _) => temporary.rename_over(&path),
        };
        named.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists if taken == Taken::Refuse => Error::AlreadyExists { path: path.clone() },
            _ => write_error("name", self.file.file(), Some(&path), len)(error),
        })?;
        self.is_named = true;
        if durable {
            os::sync_folder(folder_of(&path)).map_err(io_error("sync the folder of", Some(&path)))?;
        }
        Ok(())
    }

    /// Takes over what stays of a file that is to be replaced, its mode; refuses to if somebody else appends to it.
    fn before_replacing(&self, taken: Taken) -> Result<()> {
        let path = self.file.path();
        let Ok(there) = fs::metadata(path) else { return Ok(()) };
        if !there.is_file() {
            let told = io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
            return Err(io_error("replace", Some(path))(told));
        }
        // Only asked, not taken: those who replace it needn't wait for each other.
        let is_locked = |file| os::is_locked(&file, os::APPEND_LOCK);
        if taken == Taken::Replace && File::open(path).is_ok_and(is_locked) {
            return Err(Error::Locked { path: path.to_path_buf(), waited_ms: 0 });
        }
        os::inherit(self.file.file(), &there).map_err(io_error("set the mode of", Some(path)))
    }
}

/// A temporary name, removed when it is dropped.
#[derive(Debug)]
struct Temporary {
    /// `None` once it was renamed: it may be somebody else's from then on.
    path: Option<PathBuf>,
}

impl Temporary {
    /// Makes a file of a temporary name beside `path`.
    fn create(path: &Path) -> io::Result<(File, Self)> {
        Self::find(path, |name| File::options().read(true).write(true).create_new(true).open(name))
    }

    /// Gives a file without a name a temporary one beside `path`.
    fn link(file: &File, path: &Path) -> io::Result<Self> {
        Self::find(path, |name| os::link(file, name)).map(|((), temporary)| temporary)
    }

    fn find<F>(path: &Path, mut make: impl FnMut(&Path) -> io::Result<F>) -> io::Result<(F, Self)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            // Short, for the other name may be as long as names can be.
            let name = path.with_file_name(format!(".npymap-{}-{count}.tmp", std::process::id()));
            match make(&name) {
                Ok(made) => return Ok((made, Self { path: Some(name) })),
                // Left behind by a process of the same number, or one elsewhere.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn rename_over(&mut self, path: &Path) -> io::Result<()> {
        if let Some(temporary) = &self.path {
            fs::rename(temporary, path)?;
        }
        self.path = None;
        Ok(())
    }

    /// Renames the file unless the name is taken.
    fn rename_to(&mut self, path: &Path) -> io::Result<()> {
        let Some(temporary) = &self.path else { return Ok(()) };
        match fs::hard_link(temporary, path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                // A file system without hard links: the name is taken by an empty file first.
                drop(File::options().write(true).create_new(true).open(path)?);
                self.rename_over(path)
            }
            Ok(()) => {
                // The other name goes; where it can't, the file has two.
                let _ = fs::remove_file(temporary);
                self.path = None;
                Ok(())
            }
            taken => taken,
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nobody is left to tell.
            let _ = fs::remove_file(path);
        }
    }
}

/// The folder that a name is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// What a name leads to, if it is a symbolic link: whoever writes to it means that.
fn target_of(path: &Path) -> Result<PathBuf> {
    let mut names = names_of(path);
    let target = names.by_ref().take(MOST_LINKS).last();
    if let (Some(target), None) = (target, names.next()) {
        return Ok(target);
    }
    let told = fs::metadata(path).err().unwrap_or_else(|| io::ErrorKind::InvalidInput.into());
    Err(io_error("follow the links of", Some(path))(told))
}

/// Whether a name is that of an open descriptor, as `/dev/stdout` is: writing to it must not replace what it leads to.
pub(crate) fn is_descriptor(path: &Path) -> bool {
    names_of(path).take(MOST_LINKS).any(|name| {
        // Linux has them as links, other systems as files.
        let may_be = name.starts_with("/dev/fd") || name.is_symlink();
        let folder = if may_be { folder_of(&name).canonicalize().ok() } else { None };
        folder.is_some_and(|folder| {
            folder == Path::new("/dev/fd") || (folder.starts_with("/proc") && folder.ends_with("fd"))
        })
    })
}

/// As many links as Linux follows, and the name that they end at.
const MOST_LINKS: usize = 41;

/// A name, then what it leads to if it is a symbolic link, and so on.
fn names_of(path: &Path) -> impl Iterator<Item = PathBuf> {
    let next = |name: &PathBuf| fs::read_link(name).ok().map(|target| folder_of(name).join(target));
    std::iter::successors(Some(path.to_path_buf()), next)
}
