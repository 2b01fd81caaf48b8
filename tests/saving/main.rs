//! Files written whole: byte for byte NumPy's, whole or not there at all, whatever stood in their place before.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod bytes;
mod drafts;
#[path = "../made/mod.rs"]
mod made;
#[cfg(feature = "ndarray")]
mod nd;
mod places;
mod rows;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What `np.save` writes for a Python expression.
fn numpys(expression: &str) -> Vec<u8> {
    let folder = support::temp_dir();
    let path = folder.path().join("numpy.npy");
    support::live::ask(&format!("np.save(path, {expression})"), &serde_json::json!({"path": path}));
    fs::read(path).unwrap()
}
