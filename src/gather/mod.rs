//! Rows by their numbers, many at a time, in any order: they are checked first, then fetched ahead of their use in
//! batches, and copied. Knows rows as ranges of bytes; `index.rs` knows what numbers there are.
//!
//! A disk has done a batch of rows in the time that it takes for a few that are asked for one by one: the first touch of a
//! page that isn't in memory waits for it, and most systems read megabytes around it. So the system is told of a batch
//! of rows before any of them is looked at, and of the next one before this one is copied. That takes a call for each run
//! of pages, which is more than a copy of a row that is in memory: one row of each batch is looked up first, and where it is
//! in memory, nobody is told anything until some rows turn out to be slow.

#[cfg(feature = "std")]
mod file;
mod index;

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::Range;

pub use index::RowIndex;
pub(crate) use index::check;

use crate::any::{can_decode, fold};
use crate::element::{Element, at_element};
use crate::format::{Layout, shape_repr};
use crate::storage::Bytes;
use crate::{Error, Npy, NpyAny, Order, Result};

/// Rows that the system is told of at a time, at most, and their bytes.
const BATCH: usize = 512;
const BATCH_BYTES: usize = 4 << 20;

/// Rows that are timed together where the one that was looked up is in memory, the first time and after that: others may
/// not be, and the system says of all rows that they are to those who may not write to a file, and don't own it.
const TIMED: [usize; 2] = [4, 64];

/// What holds rows that may have to be fetched from a disk.
pub(crate) trait Fetch {
    /// Whether a byte isn't in memory, as far as can be told.
    fn is_absent(&self, at: usize) -> bool;

    /// Begins to fetch some bytes.
    fn fetch(&self, range: Range<usize>);
}

/// Goes through rows batch by batch; each is fetched while the one before is taken, unless all seem to be in memory.
pub(crate) fn in_batches<I: RowIndex>(
    rows: &[I],
    row_bytes: usize,
    source: &impl Fetch,
    mut take: impl FnMut(&[I]) -> Result<()>,
) -> Result<()> {
    let mut batches = batches(rows, row_bytes).peekable();
    // Whether some rows weren't in memory.
    let mut is_cold = false;
    let mut told = batches.peek().is_some_and(|first| tell(first, row_bytes, source, is_cold));
    while let Some(mut left) = batches.next() {
        let told_next = batches.peek().is_some_and(|next| tell(next, row_bytes, source, is_cold));
        let [mut timed, then] = TIMED;
        while !told && !left.is_empty() {
            let (now, later) = left.split_at(timed.min(left.len()));
            (timed, left) = (then, later);
            let clock = Clock::start();
            take(now)?;
            if clock.is_slow(now.len(), row_bytes) {
                (is_cold, told) = (true, true);
                fetch(left, row_bytes, source);
            }
        }
        take(left)?;
        told = told_next;
    }
    Ok(())
}

/// As many rows at a time as the system is told of.
fn batches<I>(rows: &[I], row_bytes: usize) -> core::slice::Chunks<'_, I> {
    rows.chunks((BATCH_BYTES / row_bytes.max(1)).clamp(1, BATCH))
}

/// Begins to fetch a batch, if it is known that rows aren't in memory, or the first isn't: looking one up takes a
/// microsecond or two.
fn tell<I: RowIndex>(rows: &[I], row_bytes: usize, source: &impl Fetch, is_cold: bool) -> bool {
    let first = rows.first().and_then(|index| index.row());
    let told = is_cold || (row_bytes > 0 && first.is_some_and(|row| source.is_absent(row * row_bytes)));
    if told {
        fetch(rows, row_bytes, source);
    }
    told
}

/// Times some rows.
struct Clock(#[cfg(feature = "std")] std::time::Instant);

impl Clock {
    fn start() -> Self {
        Self(
            #[cfg(feature = "std")]
            std::time::Instant::now(),
        )
    }

    /// Whether so many rows took longer than rows in memory do: 25 µs and 1 ns a byte each.
    fn is_slow(&self, rows: usize, row_bytes: usize) -> bool {
        #[cfg(feature = "std")]
        {
            let nanoseconds = rows.saturating_mul(row_bytes.saturating_add(25_000));
            self.0.elapsed().as_nanos() > nanoseconds as u128
        }
        #[cfg(not(feature = "std"))]
        {
            let _ = (rows, row_bytes);
            false
        }
    }
}

/// Begins to fetch rows, whether or not they are in memory.
pub(crate) fn fetch_all<I: RowIndex>(rows: &[I], row_bytes: usize, source: &impl Fetch) {
    batches(rows, row_bytes).for_each(|batch| fetch(batch, row_bytes, source));
}

/// Begins to fetch rows.
fn fetch<I: RowIndex>(rows: &[I], row_bytes: usize, source: &impl Fetch) {
    /// Runs of bytes that are no farther apart than this are fetched together: what lies between comes with them.
    const APART: usize = 4096;

    if row_bytes == 0 {
        return;
    }
    let mut starts: Vec<usize> = rows.iter().filter_map(|index| index.row()).map(|row| row * row_bytes).collect();
    starts.sort_unstable();
    let mut runs = starts.into_iter().map(|start| start..start + row_bytes);
    let Some(mut run) = runs.next() else { return };
    for next in runs {
        if next.start <= run.end.saturating_add(APART) {
            run.end = next.end;
        } else {
            source.fetch(core::mem::replace(&mut run, next));
        }
    }
    source.fetch(run);
}

/// Refuses arrays whose rows aren't in one piece each, or that have none.
pub(crate) fn check_layout(layout: &Layout, operation: &'static str) -> Result<()> {
    if layout.shape().is_empty() {
        return Err(Error::Rank { found: 1, wanted: 0, shape: shape_repr(layout.shape()) });
    }
    layout.check_order(Order::C, operation)
}

/// Checks that a buffer is as long as so many rows.
pub(crate) fn check_buffer(found: usize, rows: usize, row_len: usize) -> Result<()> {
    let wanted = rows.checked_mul(row_len);
    if wanted == Some(found) {
        Ok(())
    } else {
        Err(Error::BufferLength { found, wanted: wanted.unwrap_or(usize::MAX) })
    }
}

impl<B: Bytes> Fetch for NpyAny<B> {
    fn is_absent(&self, at: usize) -> bool {
        self.owner().is_absent(self.start_of_bytes() + at)
    }

    fn fetch(&self, range: Range<usize>) {
        let start = self.start_of_bytes();
        self.owner().fetch(start + range.start..start + range.end);
    }
}

impl<B: Bytes> NpyAny<B> {
    /// Begins to read rows from the disk that aren't in memory yet, and doesn't wait for them: for those who are going to
    /// look at them one by one, in any order.
    ///
    /// It costs about half a microsecond a row, also where they are in memory. Over memory it does nothing, and so it does
    /// where the system has no such advice. [`gather`](Self::gather) does it by itself where it pays.
    ///
    /// # Errors
    ///
    /// [`Error::RowIndex`] for a row that there isn't, before anything is read; [`Error::FortranOrder`]; [`Error::Rank`] on
    /// a 0-d array.
    #[doc(alias = "madvise")]
    #[doc(alias = "WILLNEED")]
    pub fn prefetch<I: RowIndex>(&self, rows: &[I]) -> Result<()> {
        check_layout(self.layout(), "prefetch")?;
        check(rows, self.layout().rows())?;
        fetch_all(rows, self.layout().row_bytes(), self);
        Ok(())
    }

    /// Copies rows, in the order in which they are asked for and as often, in any byte order and at any alignment:
    /// NumPy's `a[rows]`.
    ///
    /// `out` takes the elements of one row after another. Rows of a mapping that aren't in memory are fetched from the
    /// disk in batches, ahead of their use.
    ///
    /// # Errors
    ///
    /// [`Error::RowIndex`] for a row that there isn't, before anything is read; [`Error::BufferLength`];
    /// [`Error::FortranOrder`]; [`Error::Rank`] on a 0-d array; as [`to_vec`](Self::to_vec).
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::NpyAny;
    ///
    /// let x = NpyAny::read("examples/data/measurements.npy")?;
    /// let mut rows = [[0.0_f32; 3]; 4];
    /// x.gather(&[7, 0, 999, 7], &mut rows)?;
    /// assert_eq!(rows[0], rows[3]);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "take")]
    pub fn gather<T: Element, I: RowIndex>(&self, rows: &[I], out: &mut [T]) -> Result<()> {
        let (dtype, layout) = fold::<T>(self.dtype(), self.layout(), can_decode::<T>)?;
        check_layout(&layout, "gather")?;
        check(rows, layout.rows())?;
        let (row_len, row_bytes) = (layout.row_len(), layout.row_bytes());
        check_buffer(out.len(), rows.len(), row_len)?;
        let (bytes, mut slots) = (self.bytes(), out.chunks_exact_mut(row_len.max(1)));
        in_batches(rows, row_bytes, self, |batch| {
            let starts = batch.iter().filter_map(|index| index.row()).map(|row| row * row_bytes);
            starts.zip(slots.by_ref()).try_for_each(|(start, out)| {
                T::decode(&dtype, &bytes[start..start + row_bytes], out)
                    .map_err(|error| at_element::<T>(error, start / dtype.itemsize().max(1)))
            })
        })
    }
}

impl<T: Element, B: Bytes> Npy<T, B> {
    /// Copies rows, in the order in which they are asked for and as often: NumPy's `a[rows]`.
    ///
    /// `out` takes the elements of one row after another. Rows of a mapping that aren't in memory are fetched from the
    /// disk in batches, ahead of their use, which is several times as fast as touching them one by one; see
    /// [`prefetch`](NpyAny::prefetch) for rows that aren't to be copied.
    ///
    /// # Errors
    ///
    /// [`Error::RowIndex`](crate::Error::RowIndex) for a row that there isn't, before anything is read;
    /// [`Error::BufferLength`](crate::Error::BufferLength); [`Error::FortranOrder`](crate::Error::FortranOrder);
    /// [`Error::Rank`](crate::Error::Rank) on a 0-d array.
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::Npy;
    ///
    /// let x = Npy::<f32>::read("examples/data/measurements.npy")?;
    /// let mut batch = vec![0.0; 3 * 4];
    /// x.gather(&[7, 0, 999, 7], &mut batch)?;
    /// assert_eq!(batch[6..9], x[999]);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "take")]
    pub fn gather<I: RowIndex>(&self, rows: &[I], out: &mut [T]) -> Result<()> {
        let row_len = self.row_len();
        self.check_rows(rows)?;
        check_buffer(out.len(), rows.len(), row_len)?;
        let mut slots = out.chunks_exact_mut(row_len.max(1));
        self.each_row(rows, |some| some.zip(slots.by_ref()).for_each(|(row, slot)| slot.copy_from_slice(row)))
    }

    /// Copies rows as [`gather`](Self::gather) does, each to a place of its own: row `k` of those asked for starts at
    /// element `k * stride` of `out`. What lies between stays.
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather), with [`Error::BufferLength`](crate::Error::BufferLength) for a stride below the length
    /// of a row, and for a buffer that ends before the last row does, or more than a stride behind it.
    pub fn gather_strided<I: RowIndex>(&self, rows: &[I], out: &mut [T], stride: usize) -> Result<()> {
        let row_len = self.row_len();
        self.check_rows(rows)?;
        check_strided(out.len(), rows.len(), row_len, stride)?;
        let mut slots = out.chunks_mut(stride.max(1));
        self.each_row(rows, |some| {
            some.zip(slots.by_ref()).for_each(|(row, slot)| slot[..row_len].copy_from_slice(row))
        })
    }

    /// Copies rows as [`gather`](Self::gather) does into memory that need not be initialized: pinned memory of a device,
    /// say. Returns it, filled.
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather).
    pub fn gather_uninit<'a, I: RowIndex>(&self, rows: &[I], out: &'a mut [MaybeUninit<T>]) -> Result<&'a mut [T]> {
        let row_len = self.row_len();
        self.check_rows(rows)?;
        check_buffer(out.len(), rows.len(), row_len)?;
        let mut filled = 0;
        self.each_row(rows, |some| {
            for row in some {
                let slots = &mut out[filled..filled + row.len()];
                slots.iter_mut().zip(row).for_each(|(slot, element)| {
                    slot.write(*element);
                });
                filled += row.len();
            }
        })?;
        assert_eq!(filled, out.len(), "a row was left out");
        Ok(initialized(out))
    }

    /// Copies rows as [`gather`](Self::gather) does into a new vector.
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn gather_vec<I: RowIndex>(&self, rows: &[I]) -> Result<Vec<T>> {
        self.check_rows(rows)?;
        let mut out = Vec::new();
        let len = rows.len().checked_mul(self.row_len());
        let bytes = len.and_then(|len| len.checked_mul(size_of::<T>())).unwrap_or(usize::MAX);
        let reserved = len.is_some_and(|len| out.try_reserve_exact(len).is_ok());
        if !reserved {
            return Err(Error::OutOfMemory { bytes });
        }
        self.each_row(rows, |some| some.for_each(|row| out.extend_from_slice(row)))?;
        Ok(out)
    }

    /// Copies rows as [`gather`](Self::gather) does, and makes each element something else on the way: `f32` of an `F16`,
    /// an `i64` of an `i32`.
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather).
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::Npy;
    ///
    /// let x = Npy::<f32>::read("examples/data/measurements.npy")?;
    /// let mut batch = [0.0; 6];
    /// x.gather_with(&[1, 0], &mut batch, f64::from)?;
    /// assert_eq!(batch[3], f64::from(x[[0, 0]]));
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn gather_with<I: RowIndex, U>(
        &self,
        rows: &[I],
        out: &mut [U],
        mut convert: impl FnMut(T) -> U,
    ) -> Result<()> {
        let row_len = self.row_len();
        self.check_rows(rows)?;
        check_buffer(out.len(), rows.len(), row_len)?;
        let mut slots = out.iter_mut();
        self.each_row(rows, |some| {
            some.flatten().zip(slots.by_ref()).for_each(|(element, slot)| *slot = convert(*element));
        })
    }

    fn check_rows<I: RowIndex>(&self, rows: &[I]) -> Result<()> {
        check_layout(self.own_layout(), "gather")?;
        check(rows, self.own_layout().rows())
    }

    /// Hands out rows that [`check_rows`](Self::check_rows) has passed, some at a time, fetched ahead.
    fn each_row<'a, I: RowIndex>(&'a self, rows: &[I], mut act: impl FnMut(RowsAt<'_, 'a, I, T>)) -> Result<()> {
        let (elements, row_len) = (self.as_slice(), self.row_len());
        in_batches(rows, self.own_layout().row_bytes(), &**self, |some| {
            act(RowsAt { indices: some.iter(), elements, row_len });
            Ok(())
        })
    }
}

/// Some rows, by numbers that were checked.
struct RowsAt<'i, 'a, I, T> {
    indices: core::slice::Iter<'i, I>,
    elements: &'a [T],
    row_len: usize,
}

impl<'a, I: RowIndex, T> Iterator for RowsAt<'_, 'a, I, T> {
    type Item = &'a [T];

    #[inline]
    fn next(&mut self) -> Option<&'a [T]> {
        let first = self.indices.next()?.row()? * self.row_len;
        self.elements.get(first..first + self.row_len)
    }
}

/// Checks a buffer whose rows lie `stride` elements apart.
fn check_strided(found: usize, rows: usize, row_len: usize, stride: usize) -> Result<()> {
    let fits = stride >= row_len;
    let all = rows.checked_mul(stride).filter(|_| fits);
    let least = all.map(|all| all.saturating_sub(stride - row_len));
    match (least, all) {
        (Some(least), Some(all)) if least <= found && found <= all => Ok(()),
        _ => Err(Error::BufferLength { found, wanted: least.unwrap_or(usize::MAX) }),
    }
}

/// Elements that were all written.
#[expect(unsafe_code, reason = "the standard library's own is newer than the oldest Rust that this builds with")]
fn initialized<T: Copy>(elements: &mut [MaybeUninit<T>]) -> &mut [T] {
    // SAFETY: `MaybeUninit<T>` has the layout of `T`, and its one caller has written every element, which it has counted.
    // The borrow is passed on, and exclusive.
    unsafe { &mut *(core::ptr::from_mut(elements) as *mut [T]) }
}
