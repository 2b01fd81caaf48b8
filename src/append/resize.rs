//! Arrays that change their length in place, by rows of zeros or by being cut. Knows counts and sizes, not elements.

use std::path::Path;
use std::time::Duration;

use super::counter::Counter;
use super::recovery::check_can_grow;
use crate::format::shape_repr;
use crate::storage::WritableFile;
use crate::{Error, Header, ReadOptions, Result};

/// Adds `rows` rows of zeros to a file, columns in Fortran order: in place, by space that is really allocated, and counted
/// in its header. What it costs doesn't depend on how large the file is.
///
/// It takes the lock of those who append. Nothing of the array has changed on an error. Those who have mapped the file
/// keep what they have mapped.
///
/// # Errors
///
/// [`Error::NoSpace`]; [`Error::NoHeaderRoom`]; [`Error::TrailingBytes`] if something follows the array;
/// [`Error::Locked`] if somebody appends to the file; [`Error::ShapeTooLarge`]; [`Error::Rank`] for a 0-d array;
/// [`Error::DataTruncated`], [`Error::Object`], [`Error::Io`]; the errors of reading a header.
///
/// # Example
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("x.npy");
/// npymap::save(&path, [2, 3], &[1.0; 6])?;
/// npymap::grow(&path, 2)?;
/// assert_eq!(npymap::Npy::<f64>::read(&path)?[3], [0.0; 3]);
/// npymap::shrink_to(&path, 1)?;
/// assert_eq!(npymap::NpyFile::open(&path)?.shape(), [1, 3]);
/// # Ok::<(), npymap::Error>(())
/// ```
pub fn grow(path: impl AsRef<Path>, rows: usize) -> Result<()> {
    let file = WritableFile::open_locked(path.as_ref(), Duration::ZERO)?;
    let header = whole_array(&file, &ReadOptions::new())?;
    resize(&file, &header, grown(&header, rows)?, |_| Ok(()))
}

/// Cuts a file to `rows` rows, columns in Fortran order: they are counted anew in the header first, then the file is cut.
///
/// Whoever has the file mapped must not touch what is cut: the system kills those who do.
///
/// # Errors
///
/// [`Error::OutOfBounds`] if it has fewer; as [`grow`].
pub fn shrink_to(path: impl AsRef<Path>, rows: usize) -> Result<()> {
    let file = WritableFile::open_locked(path.as_ref(), Duration::ZERO)?;
    let header = whole_array(&file, &ReadOptions::new())?;
    check_shrinks(&header, rows)?;
    resize(&file, &header, rows, |_| Ok(()))
}

/// How many rows there are with `rows` more.
pub(crate) fn grown(header: &Header, rows: usize) -> Result<usize> {
    let total = header.layout().rows().checked_add(rows);
    total.ok_or_else(|| Error::ShapeTooLarge { shape: shape_repr(header.shape()), itemsize: header.itemsize() })
}

/// Refuses to shrink an array to more rows than it has.
pub(crate) fn check_shrinks(header: &Header, rows: usize) -> Result<()> {
    let len = header.layout().rows();
    if rows > len { Err(Error::OutOfBounds { what: "rows", start: 0, end: rows, len }) } else { Ok(()) }
}

/// Reads the header of a file that holds an array that can grow, and nothing else.
pub(crate) fn whole_array(file: &WritableFile, options: &ReadOptions) -> Result<Header> {
    let (header, size) = options.header_of(file.file(), Some(file.path()))?;
    check_can_grow(&header)?;
    header.check_data(size)?;
    let after = header.data_end();
    if size > after { Err(Error::TrailingBytes { after, bytes: size - after }) } else { Ok(header) }
}

/// Changes the length of the [whole array](whole_array) in a locked file, and calls `counted` when the header counts as
/// many rows as there are to be: before a cut, and after the file has grown.
pub(crate) fn resize(
    file: &WritableFile,
    header: &Header,
    rows: usize,
    counted: impl FnOnce(&Header) -> Result<()>,
) -> Result<()> {
    let nbytes = header.layout().with_rows(rows)?.nbytes() as u64;
    let (old_end, new_end) = (header.data_end(), header.data_offset() as u64 + nbytes);
    let prepared = Counter::prepare(header, rows)?;
    if new_end < old_end {
        let counter = prepared.set(file, rows)?;
        // After a power cut the header must not count what is cut.
        file.sync_data()?;
        counted(counter.header())?;
        return file.set_len(new_end);
    }
    // The publish field first: rows that whoever dies now leaves uncounted are told by it from another array.
    let (mut counter, old) = prepared.lay_out(file)?;
    match file.allocate(old_end, new_end).and_then(|()| counter.set(file, rows)) {
        Ok(_) => counted(counter.header()),
        Err(error) => {
            file.set_len(old_end)?;
            old.map_or(Ok(()), |old| old.put_back(file))?;
            Err(error)
        }
    }
}
