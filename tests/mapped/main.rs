//! Files mapped for writing, and grown: NumPy and positioned reads see what was written, and nothing else changes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]
#![expect(unsafe_code, reason = "maps")]

mod growing;
#[path = "../made/mod.rs"]
mod made;
mod opening;
mod shrinking;
#[path = "../support/mod.rs"]
mod support;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};

use npymap::{Element, MappingMut, Npy, NpyAny, Result};
use serde_json::{Value, json};

/// A file in a folder of its own.
struct File {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl File {
    /// The file that `np.save` writes for a Python expression.
    fn numpys(expression: &str) -> Self {
        let file = Self::of(&[]);
        support::live::ask(&format!("np.save(path, {expression})"), &json!({"path": file.path}));
        file
    }

    fn of(bytes: &[u8]) -> Self {
        let folder = support::temp_dir();
        let path = folder.path().join("x.npy");
        fs::write(&path, bytes).unwrap();
        Self { folder, path }
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }

    fn len(&self) -> usize {
        fs::metadata(&self.path).unwrap().len().try_into().unwrap()
    }

    /// What a Python expression of `a`, which NumPy loads from the file, is. NumPy reads here, and maps nothing.
    fn ask(&self, expression: &str) -> Value {
        support::live::ask(&format!("(lambda a: {expression})(np.load(path))"), &json!({"path": self.path}))
    }

    fn map_mut<T: Element>(&self) -> Npy<T, MappingMut> {
        map_mut(&self.path).unwrap()
    }

    fn map_cow<T: Element>(&self) -> Npy<T, MappingMut> {
        // SAFETY: as in `map_mut`.
        unsafe { Npy::<T>::map_cow(&self.path) }.unwrap()
    }

    fn map_any(&self) -> NpyAny<MappingMut> {
        // SAFETY: as in `map_mut`.
        unsafe { NpyAny::map_mut(&self.path) }.unwrap()
    }
}

/// Maps a file for writing.
fn map_mut<T: Element>(path: &Path) -> Result<Npy<T, MappingMut>> {
    // SAFETY: every test has files of its own; nothing else maps or changes them, and they are read by other means only
    // while no element is borrowed.
    unsafe { Npy::<T>::map_mut(path) }
}
