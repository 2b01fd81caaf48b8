//! Mapped arrays that change their length, reach the disk, or are told how they will be used. Knows files, headers and
//! mappings.
#![expect(unsafe_code, reason = "maps what a file has grown by")]

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::append::{check_can_grow, check_shrinks, grown, resize, whole_array};
use crate::element::Element;
use crate::format::shape_repr;
use crate::storage::{Advice, Mapped, MappingMut, WritableFile, io_error};
use crate::{Error, Header, Npy, NpyAny, ReadOptions, Result};

impl NpyAny<MappingMut> {
    /// Writes what was changed through the mapping to the disk, and waits until it is there: NumPy's `flush`. What
    /// [`grow`](Self::grow) and [`shrink_to`](Self::shrink_to) have changed is there then, too.
    ///
    /// # Errors
    ///
    /// [`Error::PrivateMapping`]; [`Error::Io`].
    #[doc(alias = "msync")]
    pub fn flush(&self) -> Result<()> {
        self.flush_bytes("flush", 0..self.bytes().len(), true)
    }

    /// Begins to write what was changed through the mapping to the disk, and doesn't wait.
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    pub fn flush_async(&self) -> Result<()> {
        self.flush_bytes("flush_async", 0..self.bytes().len(), false)
    }

    /// Writes what was changed in some rows (columns in Fortran order) to the disk, with the pages that they lie on, and
    /// waits until it is there.
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush); [`Error::OutOfBounds`].
    pub fn flush_rows(&self, rows: Range<usize>) -> Result<()> {
        let bytes = self.layout().rows_bytes(&rows, "rows")?;
        self.flush_bytes("flush_rows", bytes, true)
    }

    fn flush_bytes(&self, operation: &'static str, bytes: Range<usize>, wait: bool) -> Result<()> {
        let file = self.shared_file(operation)?;
        self.owner().flush(bytes, wait).map_err(io_error("flush", Some(file.path())))
    }

    /// Adds `rows` rows of zeros, columns in Fortran order: the file grows in place, by space that is really allocated,
    /// and is counted anew in its header. What it costs doesn't depend on how large the file is.
    ///
    /// It takes the lock of those who append. Nothing of the file has changed on an error. Other mappings of the file stay
    /// as they are; NumPy, opening it anew, finds the rows.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpace`]; [`Error::NoHeaderRoom`]; [`Error::TrailingBytes`] if something follows the array;
    /// [`Error::Locked`] if somebody appends to the file; [`Error::HeaderChanged`] if somebody has changed its length
    /// since it was mapped; [`Error::PrivateMapping`]; [`Error::ShapeTooLarge`]; [`Error::Rank`] for a 0-d array;
    /// [`Error::Io`].
    #[doc(alias = "resize")]
    pub fn grow(&mut self, rows: usize) -> Result<()> {
        let rows = grown(self.header(), rows)?;
        self.resize("grow", rows)
    }

    /// Cuts the array to `rows` rows, columns in Fortran order: they are counted anew in the header first, then the file
    /// is cut.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] if it has fewer; as [`grow`](Self::grow).
    pub fn shrink_to(&mut self, rows: usize) -> Result<()> {
        check_shrinks(self.header(), rows)?;
        self.resize("shrink_to", rows)
    }

    fn resize(&mut self, operation: &'static str, rows: usize) -> Result<()> {
        let file = self.shared_file(operation)?.clone();
        check_can_grow(self.header())?;
        file.lock(Duration::ZERO)?;
        let header = self.unchanged(&file);
        let resized = header.and_then(|header| resize(&file, &header, rows, |header| self.cover(&file, header)));
        resized.and(file.unlock())
    }

    /// Checks that the file still has the header that it had when it was mapped, and ends where the array does.
    fn unchanged(&self, file: &WritableFile) -> Result<Header> {
        // One that was allowed to be longer than usual is allowed to still.
        let now = whole_array(file, &ReadOptions::new().max_header_size(usize::MAX))?;
        now.check_same_rows(self.header(), file.path())?;
        if now.shape() == self.shape() {
            return Ok(now);
        }
        let (found, wanted) = (shape_repr(now.shape()), shape_repr(self.shape()));
        Err(Error::HeaderChanged { path: file.path().to_path_buf(), found, wanted })
    }

    /// Covers as many bytes as a header says that the file now has, and takes the header over.
    fn cover(&mut self, file: &WritableFile, header: &Header) -> Result<()> {
        // SAFETY: whoever made the mapping has accepted its contract for the rows of this array; those that have come
        // are its own, for it alone holds the lock of those who append, and nobody else can know them. The file reaches
        // beyond these bytes, for it has been made so long, or was longer and isn't cut yet.
        unsafe { self.owner_mut().remap(header.nbytes()) }.map_err(io_error("map", Some(file.path())))?;
        self.set_header(header.clone());
        Ok(())
    }

    /// The file that changes go to.
    fn shared_file(&self, operation: &'static str) -> Result<&Arc<WritableFile>> {
        self.owner().file().ok_or(Error::PrivateMapping { operation })
    }
}

impl<T: Element> Npy<T, MappingMut> {
    /// Adds `rows` rows of zeros, as [`NpyAny::grow`] does.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::grow`]; the errors of a `T` for which zeros are no value.
    pub fn grow(&mut self, rows: usize) -> Result<()> {
        self.resize_by(|any| any.grow(rows))
    }

    /// Cuts the array to `rows` rows, as [`NpyAny::shrink_to`] does.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::shrink_to`].
    pub fn shrink_to(&mut self, rows: usize) -> Result<()> {
        self.resize_by(|any| any.shrink_to(rows))
    }
}

impl<B: Mapped> NpyAny<B> {
    /// Tells the system how the array will be used.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    #[doc(alias = "madvise")]
    pub fn advise(&self, advice: Advice) -> Result<()> {
        let start = self.start_of_bytes();
        let bytes = start..start + self.bytes().len();
        self.owner().advise_bytes(advice, bytes).map_err(io_error("advise on", None))
    }

    /// Tells the system how some rows (columns in Fortran order) will be used, with the pages that they lie on.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`]; [`Error::Io`].
    pub fn advise_rows(&self, advice: Advice, rows: Range<usize>) -> Result<()> {
        let bytes = self.layout().rows_bytes(&rows, "rows")?;
        let start = self.start_of_bytes();
        let bytes = start + bytes.start..start + bytes.end;
        self.owner().advise_bytes(advice, bytes).map_err(io_error("advise on", None))
    }
}
