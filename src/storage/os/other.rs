//! Systems of which nothing special is asked: what they lack is done without.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::Duration;

pub(crate) fn unnamed(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

pub(crate) fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn allocate(_: &File, _: u64, _: u64, _: bool) -> io::Result<bool> {
    Ok(false)
}

pub(crate) fn is_cached(_: &File, _: u64) -> bool {
    // Nobody could be told that it isn't.
    true
}

pub(crate) fn will_need(_: &File, _: u64, _: u64) {}

pub(crate) fn available(_: &File) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn modified_since_boot(_: &File, _: &Metadata) -> bool {
    false
}

#[derive(Debug)]
pub(crate) struct Watch;

impl Watch {
    pub(crate) fn new(_: &File) -> Self {
        Self
    }

    pub(crate) fn wait(&self, at_most: Duration) {
        std::thread::sleep(at_most);
    }
}
