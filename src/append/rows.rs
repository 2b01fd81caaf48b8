//! Rows as bytes: buffered, written, counted. Knows positions in a file, and not what rows mean.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::counter::Counter;
use super::options::AppendOptions;
use super::recovery::{self, Opened, Recovery};
use super::syncer::{self, Syncer};
use crate::format::{Form, shape_repr};
use crate::storage::{NewFile, Taken, WritableFile};
use crate::{DType, Error, Header, Order, Result};

/// The first and the last step by which space is asked for ahead.
const PREALLOCATED: (u64, u64) = (1 << 20, 256 << 20);

/// Appends rows as bytes to a file of any dtype; [`Appender`](crate::Appender) gives them a type, and says what holds
/// for both.
///
/// # Example
///
/// ```
/// use npymap::{AppendOptions, DType, NpyAny};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("log.npy");
/// let mut log = AppendOptions::new().row_shape([3]).create_any(&path, DType::UInt8)?;
/// log.extend_bytes(&[1, 2, 3, 4, 5, 6])?;
/// log.close()?;
/// assert_eq!(NpyAny::read(&path)?.shape(), [2, 3]);
/// # Ok::<(), npymap::Error>(())
/// ```
pub struct AppenderAny {
    file: Arc<WritableFile>,
    /// With the rows that are counted in the file.
    header: Header,
    /// `None` while the syncer has it, and when it was lost.
    counter: Option<Counter>,
    options: AppendOptions,
    row_bytes: usize,
    /// The most rows that an array of this shape, and sixteen digits, can have.
    most_rows: usize,
    recovery: Recovery,
    /// Rows that were pushed and aren't written.
    buffer: Vec<u8>,
    /// Rows that were pushed, that are counted, and that are durable with their count.
    pushed: usize,
    committed: usize,
    synced: usize,
    /// Where the rows that are written end.
    end: u64,
    /// Bytes that are gathered before they are written.
    gathered: usize,
    /// Up to where space was asked for, and the step after that.
    preallocated: (u64, u64),
    last_commit: Instant,
    syncer: Option<Syncer>,
    /// Whether the syncer is at work, and whether it is to begin again when it is done.
    syncing: bool,
    sync_again: bool,
    /// What an automatic commit met, for the next call to say.
    deferred: Option<Error>,
    /// What failed in a way that leaves open what the file holds.
    poisoned: Option<&'static str>,
}

impl AppenderAny {
    /// Opens a file of any dtype for appending.
    ///
    /// # Errors
    ///
    /// As [`Appender::open`](crate::Appender::open).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        AppendOptions::new().open_any(path)
    }

    pub(super) fn create_with(path: &Path, dtype: &DType, options: &AppendOptions) -> Result<Self> {
        let mut shape = options.row_shape.clone().unwrap_or_default();
        let order = options.order.unwrap_or(Order::C);
        shape.insert(if order == Order::Fortran { shape.len() } else { 0 }, 0);
        let order = if shape.len() < 2 { Order::C } else { order };
        let (header, head) = Header::build(dtype, shape, order, Form::Appendable, None)?;
        recovery::check_can_grow(&header)?;
        let new = NewFile::create(path)?;
        new.file().write_all_at(&head, 0)?;
        // Before it has a name, so that nobody gets in between.
        new.file().lock(options.wait)?;
        let file = new.publish(Taken::Refuse, true)?;
        let opened = Opened { file, counter: Counter::new(header), recovery: Recovery::default() };
        Self::new(opened, options)
    }

    /// Opens a file whose header passes `check`.
    pub(super) fn open_with(
        path: &Path,
        options: &AppendOptions,
        check: impl FnOnce(&Header) -> Result<()>,
    ) -> Result<Self> {
        let check = |header: &Header| {
            check(header)?;
            options.order.map_or(Ok(()), |wanted| check_order(header, wanted))?;
            options.row_shape.as_ref().map_or(Ok(()), |wanted| check_row_shape(header, wanted))
        };
        Self::new(recovery::open(path, options.wait, options.discard_tail, check)?, options)
    }

    /// Opens a file whose header passes `check`, or makes it of this dtype.
    pub(super) fn open_or_create_with(
        path: &Path,
        dtype: &DType,
        options: &AppendOptions,
        check: impl Fn(&Header) -> Result<()>,
    ) -> Result<Self> {
        loop {
            match Self::open_with(path, options, &check) {
                Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
                opened => return opened,
            }
            match Self::create_with(path, dtype, options) {
                // Somebody else was faster.
                Err(Error::AlreadyExists { .. }) => {}
                created => return created,
            }
        }
    }

    fn new(opened: Opened, options: &AppendOptions) -> Result<Self> {
        let Opened { file, counter, recovery } = opened;
        let header = counter.header().clone();
        let (rows, row_bytes) = (header.layout().rows(), header.layout().row_bytes());
        let end = header.data_end();
        Ok(Self {
            file: Arc::new(file),
            header,
            counter: Some(counter),
            options: options.clone(),
            row_bytes,
            most_rows: most_rows(row_bytes),
            recovery,
            buffer: Vec::new(),
            pushed: rows,
            committed: rows,
            // What is there may have been written a moment ago.
            synced: 0,
            end,
            gathered: gathered(end, options.buffer_size),
            preallocated: (end, PREALLOCATED.0),
            last_commit: Instant::now(),
            syncer: None,
            syncing: false,
            sync_again: false,
            deferred: None,
            poisoned: None,
        })
    }

    /// Appends rows, as bytes that the file is to store: those of whole rows, one after another.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] for a part of a row, in bytes; as [`Appender::push`](crate::Appender::push). On an error
    /// none of these rows were taken.
    pub fn extend_bytes(&mut self, rows: &[u8]) -> Result<()> {
        let count = crate::any::whole_rows(rows.len(), self.row_bytes)?;
        self.before_push(count, rows.len())?;
        if !self.syncing && rows.len() >= self.options.buffer_size {
            // Too many to be gathered: they go where they belong.
            self.write_buffer()?;
            self.write_rows(rows)?;
        } else {
            self.buffer.extend_from_slice(rows);
        }
        self.after_push(count, rows.len())
    }

    /// Makes room for `count` rows of `bytes` bytes, and does what is due; on an error they mustn't be taken.
    #[inline]
    pub(super) fn before_push(&mut self, count: usize, bytes: usize) -> Result<()> {
        if self.deferred.is_some() || self.syncing || self.poisoned.is_some() {
            self.look_around()?;
        }
        let total = self.pushed.checked_add(count).filter(|&total| total <= self.most_rows);
        if total.is_none() {
            return Err(self.too_many(count));
        }
        if self.syncing {
            if self.buffer.len() + bytes > self.options.max_buffer_size {
                self.finish_sync(true)?;
            }
        } else if !self.buffer.is_empty() && self.buffer.len() + bytes > self.gathered {
            self.write_buffer()?;
        }
        Ok(())
    }

    /// Where rows that [`before_push`](Self::before_push) has made room for go.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Counts rows that were put into the buffer, writes them if they are too many for it, and commits them if it is time
    /// to. An error of that last step is for the next call to say; on any other they are taken out again.
    #[inline]
    pub(super) fn after_push(&mut self, count: usize, bytes: usize) -> Result<()> {
        if bytes >= self.options.buffer_size && !self.syncing && !self.buffer.is_empty() {
            // Those that were there before are written already.
            let written = self.write_buffer();
            self.buffer.clear();
            written?;
        }
        self.pushed += count;
        let AppendOptions { commit_rows, commit_bytes, commit_interval, .. } = &self.options;
        if (commit_rows.is_some() || commit_bytes.is_some() || commit_interval.is_some())
            && self.is_commit_due()
            && !self.syncing
        {
            self.deferred = self.commit().err();
        }
        Ok(())
    }

    fn is_commit_due(&self) -> bool {
        let rows = self.pushed - self.committed;
        let AppendOptions { commit_rows, commit_bytes, commit_interval, .. } = &self.options;
        let reached = |limit: &Option<u64>, n: u64| limit.is_some_and(|limit| n >= limit.max(1));
        rows > 0
            && (reached(commit_rows, rows as u64)
                || reached(commit_bytes, (rows as u64).saturating_mul(self.row_bytes as u64))
                || commit_interval.is_some_and(|interval| self.last_commit.elapsed() >= interval))
    }

    fn too_many(&self, count: usize) -> Error {
        let rows = self.pushed.saturating_add(count);
        match self.header.layout().with_rows(rows) {
            Err(error) => error,
            Ok(_) => Error::NoHeaderRoom { needed: rows.to_string().len(), spare: crate::format::FIELD_LEN },
        }
    }

    /// Makes the rows that were pushed visible: writes them, then counts them in the header, so that NumPy and every other
    /// reader finds them. They survive the death of this process, and not yet that of the machine: after a power cut the
    /// header may count rows that the disk hasn't got ([`Error::HeaderAhead`]).
    ///
    /// A [`sync_async`](Self::sync_async) that is under way is waited for.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpace`] or [`Error::Io`] if they couldn't be written: the file is as it was, they are still there, and
    /// it may be tried again. [`Error::DataTruncated`] or [`Error::TrailingBytes`] if somebody without the lock has cut the
    /// file, or appended to it. [`Error::Poisoned`] after either, after the count couldn't be changed, and after a sync has
    /// failed.
    pub fn commit(&mut self) -> Result<()> {
        self.look_ahead()?;
        self.finish_sync(true)?;
        self.write_buffer()?;
        self.check_end()?;
        self.last_commit = Instant::now();
        let Some(counter) = &mut self.counter else { return Err(self.poison("publish")) };
        match counter.set(&self.file, self.pushed) {
            Ok(_) => {
                self.header = counter.header().clone();
                self.committed = self.pushed;
                Ok(())
            }
            Err(error) => {
                self.poisoned = Some("publish");
                Err(error)
            }
        }
    }

    /// Makes the rows that were pushed durable and visible: writes them, waits until they are on the disk, counts them in
    /// the header, and waits until that is on the disk too. After a power cut at any time, all rows of the last sync that
    /// returned are there, and the header never counts rows that aren't.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit). After a failed sync nobody knows what the disk holds: the appender is
    /// [poisoned](Error::Poisoned) for good, and rows that the header doesn't count are cut off the file.
    #[doc(alias = "fdatasync")]
    pub fn sync(&mut self) -> Result<()> {
        self.look_ahead()?;
        self.finish_sync(true)?;
        self.write_buffer()?;
        if self.synced == self.pushed && self.committed == self.pushed {
            return Ok(());
        }
        self.check_end()?;
        let Some(counter) = &mut self.counter else { return Err(self.poison("publish")) };
        let outcome = syncer::sync(&self.file, counter, self.pushed);
        let header = counter.header().clone();
        self.synced_to(header, self.pushed, outcome)
    }

    /// Begins a [`sync`](Self::sync) on a thread of its own, and returns at once. Pushes go on meanwhile into memory, of
    /// which they may take [so much](AppendOptions::max_buffer_size). What comes of it, the next call says, or
    /// [`poll`](Self::poll).
    ///
    /// If one is under way, another begins when it is done.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit), for rows that had to be written first.
    pub fn sync_async(&mut self) -> Result<()> {
        self.look_around()?;
        if self.syncing {
            self.sync_again = true;
            return Ok(());
        }
        self.write_buffer()?;
        if self.synced == self.pushed && self.committed == self.pushed {
            return Ok(());
        }
        self.check_end()?;
        if self.syncer.is_none() {
            self.syncer = Some(Syncer::start(self.file.clone())?);
        }
        let (Some(syncer), Some(counter)) = (&self.syncer, self.counter.take()) else {
            return Err(self.poison("publish"));
        };
        self.syncing = syncer.begin(counter, self.pushed);
        if self.syncing { Ok(()) } else { Err(self.poison("sync")) }
    }

    /// Does what is due: commits if the [time](AppendOptions::commit_every) has come, and takes note of what a
    /// [`sync_async`](Self::sync_async) has come to. Whoever waits for data calls it now and then.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit) and [`sync`](Self::sync).
    pub fn poll(&mut self) -> Result<()> {
        self.look_around()?;
        if self.is_commit_due() && !self.syncing { self.commit() } else { Ok(()) }
    }

    /// Commits and closes the file. Dropping it does the same as far as it can, and says nothing.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit) and [`sync`](Self::sync).
    pub fn close(mut self) -> Result<()> {
        let committed = self.commit();
        let released = self.release();
        // Nothing is left to be tried again when it is dropped.
        self.poisoned = Some("close");
        committed.and(released)
    }

    /// Gives back space that was asked for ahead.
    fn release(&mut self) -> Result<()> {
        if self.preallocated.0 > self.end && self.poisoned.is_none() {
            self.preallocated.0 = self.end;
            return self.file.set_len(self.end);
        }
        Ok(())
    }

    /// Returns how many rows the array has, those included that aren't visible yet.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.pushed
    }

    /// Returns how many rows the header counts: what readers see.
    #[must_use]
    pub fn committed(&self) -> usize {
        self.committed
    }

    /// Returns how many rows are known to be durable, with their count. What was there before the file was opened is
    /// known to be after the first sync.
    #[must_use]
    pub fn synced(&self) -> usize {
        self.synced
    }

    /// Returns the header as it is in the file.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns what was found when the file was opened, and what was done about it.
    #[must_use]
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    pub(super) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    pub(super) fn buffer_size(&self) -> usize {
        self.options.buffer_size
    }

    /// Says what is still to be said, and takes note of a sync that is done.
    fn look_around(&mut self) -> Result<()> {
        match self.deferred.take() {
            Some(error) => Err(error),
            None => self.look_ahead(),
        }
    }

    /// Takes note of a sync that is done; what a commit has met doesn't matter to whoever is going to try again.
    fn look_ahead(&mut self) -> Result<()> {
        let deferred = self.deferred.take();
        match self.poisoned {
            Some(operation) => {
                Err(deferred.unwrap_or_else(|| Error::Poisoned { path: self.path().to_path_buf(), operation }))
            }
            None => self.finish_sync(false),
        }
    }

    /// Takes note of what the syncer has done; waits until it has, if asked to.
    fn finish_sync(&mut self, wait: bool) -> Result<()> {
        while self.syncing {
            let finished = self.syncer.as_ref().and_then(|syncer| syncer.finish(wait));
            let Some((counter, rows, outcome)) = finished else { return Ok(()) };
            self.syncing = false;
            self.counter = counter;
            let header = self.counter.as_ref().map_or_else(|| self.header.clone(), |counter| counter.header().clone());
            self.synced_to(header, rows, outcome)?;
            if std::mem::take(&mut self.sync_again) {
                self.sync_async()?;
            }
        }
        Ok(())
    }

    fn synced_to(&mut self, header: Header, rows: usize, outcome: Result<()>) -> Result<()> {
        self.committed = header.layout().rows();
        self.header = header;
        match outcome {
            Ok(()) => {
                self.synced = rows;
                self.last_commit = Instant::now();
                Ok(())
            }
            Err(error) => {
                self.poisoned = Some(match error {
                    Error::Io { operation, .. } => operation,
                    _ => "write",
                });
                Err(error)
            }
        }
    }

    /// Writes what is in the buffer, which stays there if that fails.
    fn write_buffer(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let buffer = std::mem::take(&mut self.buffer);
        let written = self.write_rows(&buffer);
        self.buffer = buffer;
        if written.is_ok() {
            self.buffer.clear();
            // A sync that took long may have made it grow.
            self.buffer.shrink_to(self.options.buffer_size.saturating_mul(2));
        }
        written
    }

    /// Checks that the file ends where the rows do that were written: somebody who doesn't ask for locks may have cut it,
    /// or appended to it.
    fn check_end(&mut self) -> Result<()> {
        let size = self.file.metadata()?.len();
        if size == self.end {
            return Ok(());
        }
        self.poisoned = Some("check of the size");
        if size > self.end {
            return Err(Error::TrailingBytes { after: self.end, bytes: size - self.end });
        }
        let data = self.end - self.header.data_offset() as u64;
        let rows = data.checked_div(self.row_bytes as u64).unwrap_or_default();
        let written = usize::try_from(rows).ok().and_then(|rows| self.header.clone().with_rows(rows).ok());
        let header = written.as_ref().unwrap_or(&self.header);
        Err(header.truncated(size.saturating_sub(header.data_offset() as u64)))
    }

    /// Writes rows behind those that are written. If that fails, the file is as it was.
    fn write_rows(&mut self, rows: &[u8]) -> Result<()> {
        self.check_end()?;
        let end = self.end + rows.len() as u64;
        if self.options.preallocate && end > self.preallocated.0 {
            let step = self.preallocated.1.max(rows.len() as u64);
            self.file.preallocate(self.end, step);
            self.preallocated = (self.end.saturating_add(step), (step * 2).min(PREALLOCATED.1));
        }
        match self.file.write_all_at(rows, self.end) {
            Ok(()) => {
                self.end = end;
                self.gathered = gathered(end, self.options.buffer_size);
                Ok(())
            }
            Err(error) => {
                // A part of it may be there.
                if self.file.set_len(self.end).is_err() {
                    self.poisoned = Some("cut");
                }
                self.preallocated.0 = self.end;
                Err(error)
            }
        }
    }

    fn poison(&mut self, operation: &'static str) -> Error {
        self.poisoned = Some(operation);
        Error::Poisoned { path: self.path().to_path_buf(), operation }
    }
}

/// How many bytes are to be gathered, about `buffer_size` of them, for a write from byte `end` on: it ends at a multiple of
/// that, for pages that are written whole, and many together, cost the system less.
fn gathered(end: u64, buffer_size: usize) -> usize {
    let beyond = end.checked_rem(buffer_size as u64).and_then(|beyond| usize::try_from(beyond).ok());
    let until = buffer_size - beyond.unwrap_or(0);
    if until < buffer_size / 2 { until.saturating_add(buffer_size) } else { until }
}

fn check_order(header: &Header, wanted: Order) -> Result<()> {
    // Where a row is one element, both orders are one.
    if header.order() == wanted || header.layout().row_len() < 2 {
        return Ok(());
    }
    let shape = shape_repr(header.shape());
    match wanted {
        Order::C => Err(Error::FortranOrder { operation: "appending rows", shape }),
        Order::Fortran => Err(Error::COrder { operation: "appending columns", shape }),
    }
}

fn check_row_shape(header: &Header, wanted: &[usize]) -> Result<()> {
    let mut found = header.shape().to_vec();
    if let Some(axis) = header.growth_axis() {
        found.remove(axis);
    }
    if found == wanted {
        return Ok(());
    }
    Err(Error::RowShape { found: shape_repr(&found), wanted: shape_repr(wanted) })
}

/// Checks that a file has exactly this dtype.
pub(super) fn check_dtype(header: &Header, wanted: &DType) -> Result<()> {
    if header.dtype() == wanted {
        return Ok(());
    }
    let (found, wanted) = (header.dtype().descr(), wanted.descr());
    Err(Error::DType { field: Vec::new(), found, element: "what is to be appended".into(), wanted, instead: None })
}

/// The most rows of so many bytes that an array, and sixteen digits, can have.
fn most_rows(row_bytes: usize) -> usize {
    const COUNTABLE: u64 = 9_999_999_999_999_999;
    let countable = usize::try_from(COUNTABLE).unwrap_or(usize::MAX);
    let most = usize::try_from(isize::MAX).unwrap_or(usize::MAX);
    (most / row_bytes.max(1)).min(countable)
}

impl Drop for AppenderAny {
    fn drop(&mut self) {
        if self.poisoned.is_none() {
            // There is nobody to tell: that is what `close` is for.
            let _ = self.commit();
            let _ = self.release();
        }
    }
}

impl fmt::Debug for AppenderAny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = shape_repr(self.header.shape());
        write!(f, "AppenderAny({shape} of '{}', {} rows pushed)", self.header.dtype(), self.pushed)
    }
}
