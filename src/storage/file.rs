//! Positioned reads: they move no cursor that others share, and end early instead of by a signal.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::Error;

/// Names a failed call.
pub(crate) fn io_error(operation: &'static str, path: Option<&Path>) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Io { operation, path: path.map(Path::to_path_buf), source }
}

/// Fills `buffer` from byte `offset` of the file on, and returns how much of it: less than all at the file's end.
pub(crate) fn read_up_to_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_at(file, &mut buffer[filled..], offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
