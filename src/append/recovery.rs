//! Opening files that somebody has stopped appending to, perhaps in the middle. Knows counts and sizes, not elements.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::counter::{Counter, Relaid};
use crate::format::MAGIC;
use crate::storage::{NewFile, Taken, WritableFile, io_error, modified_since_boot, read_up_to_at};
use crate::{Error, Header, ReadOptions, Result};

/// Bytes that are copied at a time.
const COPY: usize = 1 << 20;

/// What was found when a file was opened for appending, and what was done about it.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Rows that the header counted. If it was being changed, those that the file held: they had been written before.
    pub rows: u64,
    /// Whether a writer had died while it changed the count.
    pub finished_publish: bool,
    /// Rows that were whole and not yet counted, and are now: the last ones before their writer was killed.
    pub adopted: u64,
    /// Rows that were not counted, and were cut: what a power cut leaves of them may be zeros.
    pub cut_rows: u64,
    /// Bytes that were cut, those of the rows and of a part of a row.
    pub cut_bytes: u64,
    /// Where the rows that were cut are kept, as an `.npy` file.
    pub kept_in: Option<PathBuf>,
    /// Whether the header was laid out anew for appending, in the length it had.
    pub relaid: bool,
}

impl Recovery {
    /// Returns whether the file was as its last writer should leave it.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let Self { finished_publish, adopted, cut_bytes, .. } = self;
        !finished_publish && (*adopted, *cut_bytes) == (0, 0)
    }
}

/// How a file's size and the count in its header agree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Rows that the header counts; `None` while it is being changed.
    pub(crate) counted: Option<u64>,
    /// Whole rows that the file holds after its header.
    pub(crate) held: u64,
    /// Bytes after them.
    pub(crate) partial: u64,
    row_bytes: u64,
    data_offset: u64,
}

impl State {
    /// Compares a header, whose count may be in change, with the size of the file.
    pub(crate) fn of(header: &Header, size: u64) -> Self {
        let layout = header.layout();
        let (row_bytes, data_offset) = (layout.row_bytes() as u64, header.data_offset() as u64);
        let data = size.saturating_sub(data_offset);
        let counted = (!header.is_carry()).then_some(layout.rows() as u64);
        // Rows without bytes are as many as are counted, and what a change of the count leaves is less than that.
        let (held, partial) = match row_bytes {
            0 => (layout.rows() as u64, data),
            _ => (data / row_bytes, data % row_bytes),
        };
        Self { counted, held, partial, row_bytes, data_offset }
    }

    /// Where so many rows end in the file.
    pub(crate) fn end_of(&self, rows: u64) -> u64 {
        self.data_offset + rows * self.row_bytes
    }

    /// Where the file ends.
    pub(crate) fn size(&self) -> u64 {
        self.end_of(if self.row_bytes == 0 { 0 } else { self.held }) + self.partial
    }
}

/// A file that is open for appending, and locked.
pub(super) struct Opened {
    pub(super) file: WritableFile,
    pub(super) counter: Counter,
    pub(super) recovery: Recovery,
}

/// Opens a file for appending, and puts right what whoever appended last has left; nothing is changed of one that `check`
/// refuses.
pub(super) fn open(
    path: &Path,
    wait: Duration,
    discard_tail: bool,
    check: impl FnOnce(&Header) -> Result<()>,
) -> Result<Opened> {
    let file = WritableFile::open_locked(path, wait)?;
    let (header, size) = ReadOptions::new().unsettled_header_of(file.file(), Some(path))?;
    check_can_grow(&header)?;
    check(&header)?;
    let state = State::of(&header, size);
    let mut recovery = Recovery { rows: state.counted.unwrap_or(state.held), ..Recovery::default() };
    let plan = Plan::new(&file, &header, &state, discard_tail)?;
    let relaid = if header.appendable() { None } else { Some(Counter::with_publish_field(&header)?) };
    plan.carry_out(&file, &header, &state, &mut recovery)?;
    recovery.relaid = relaid.is_some();
    let mut counter = relaid.map_or_else(|| Ok(Counter::new(header)), |relaid: Relaid| relaid.write(&file))?;
    let rows = usize::try_from(plan.rows).map_err(|_| Error::Dimension { axis: 0, found: plan.rows.to_string() })?;
    counter.set(&file, rows)?;
    Ok(Opened { file, counter, recovery })
}

/// Refuses arrays that have no axis to grow along, or no bytes that could be written.
pub(crate) fn check_can_grow(header: &Header) -> Result<()> {
    header.refuse_objects()?;
    match header.growth_axis() {
        Some(_) => Ok(()),
        None => Err(Error::Rank { found: 1, wanted: 0, shape: "()".into() }),
    }
}

/// What is to be done about the bytes after the rows that are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Rows that are there in the end.
    pub(crate) rows: u64,
    /// Where the file is to end.
    pub(crate) end: u64,
    /// Whether what is cut is kept elsewhere.
    pub(crate) keeps: bool,
}

impl Plan {
    /// Decides by what a writer of ours can have left behind, and when.
    pub(crate) fn new(file: &WritableFile, header: &Header, state: &State, discard_tail: bool) -> Result<Self> {
        let Some(counted) = state.counted else {
            // The rows are written before the count is changed.
            return Ok(Self { rows: state.held, end: state.end_of(state.held), keeps: false });
        };
        if state.held < counted {
            return Err(Error::HeaderAhead { header: counted, file: state.held });
        }
        let (after, size) = (state.end_of(counted), state.size());
        let as_counted = Self { rows: counted, end: after, keeps: false };
        if size == after || discard_tail {
            return Ok(as_counted);
        }
        if !header.appendable() || starts_an_array(file, after)? {
            return Err(Error::TrailingBytes { after, bytes: size - after });
        }
        if modified_since_boot(file.file(), &file.metadata()?) {
            // Its writer was killed, and what it had written is there.
            return Ok(Self { rows: state.held, end: state.end_of(state.held), keeps: false });
        }
        Ok(Self { keeps: true, ..as_counted })
    }

    /// Keeps what is to be kept, then cuts. The count is for the caller to change.
    pub(crate) fn carry_out(
        &self,
        file: &WritableFile,
        header: &Header,
        state: &State,
        recovery: &mut Recovery,
    ) -> Result<()> {
        recovery.finished_publish = state.counted.is_none();
        recovery.adopted = self.rows.saturating_sub(recovery.rows);
        if self.keeps {
            recovery.cut_rows = state.held - self.rows;
            recovery.kept_in = Some(keep(file, header, state, self.rows)?);
        }
        recovery.cut_bytes = state.size() - self.end;
        if recovery.cut_bytes > 0 { file.set_len(self.end) } else { Ok(()) }
    }
}

/// Whether another array starts at byte `at`, as it does after `np.save(f, a); np.save(f, b)`.
fn starts_an_array(file: &WritableFile, at: u64) -> Result<bool> {
    let mut start = [0; MAGIC.len()];
    let n = read_up_to_at(file.file(), &mut start, at).map_err(io_error("read", Some(file.path())))?;
    Ok(n == start.len() && start == MAGIC)
}

/// Copies what follows the first `after` rows into a file beside this one: an array of the whole rows, and then the bytes
/// of a part of a row.
pub(crate) fn keep(file: &WritableFile, header: &Header, state: &State, after: u64) -> Result<PathBuf> {
    let (from, rows) = (state.end_of(after), state.held - after);
    let rows = usize::try_from(rows).map_err(|_| Error::Dimension { axis: 0, found: rows.to_string() })?;
    let shape = header.layout().with_rows(rows)?.shape().to_vec();
    let head = Header::new_appendable(header.dtype().clone(), shape, header.order())?.to_bytes()?;
    for n in 1_u32.. {
        let mut name = file.path().as_os_str().to_owned();
        name.push(format!(".cut-{n}"));
        let path = PathBuf::from(name);
        if path.exists() {
            continue;
        }
        let kept = NewFile::create(&path)?;
        kept.file().write_all_at(&head, 0)?;
        copy(file, from, state.size() - from, kept.file(), head.len() as u64)?;
        match kept.publish(Taken::Refuse, true) {
            Err(Error::AlreadyExists { .. }) => {}
            published => return published.map(|_| path),
        }
    }
    Err(Error::AlreadyExists { path: file.path().to_path_buf() })
}

/// Copies `len` bytes that a file holds from byte `from` on to byte `to` of another; fewer if it ends before. Returns how
/// many they were.
pub(crate) fn copy(source: &WritableFile, from: u64, len: u64, target: &WritableFile, to: u64) -> Result<u64> {
    let mut buffer = vec![0; usize::try_from(len).map_or(COPY, |len| len.min(COPY))];
    let mut done = 0;
    while done < len {
        let step = usize::try_from(len - done).map_or(COPY, |left| left.min(COPY));
        let read = read_up_to_at(source.file(), &mut buffer[..step], from + done);
        let n = read.map_err(io_error("read", Some(source.path())))?;
        target.write_all_at(&buffer[..n], to + done)?;
        done += n as u64;
        if n < step {
            break;
        }
    }
    Ok(done)
}
