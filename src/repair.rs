//! What can be wrong with a file as a whole, and putting it right. Knows counts and sizes, not elements.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::append::{Counter, Plan, Recovery, State, keep};
use crate::storage::{APPEND_LOCK, WritableFile, io_error, is_locked};
use crate::{Error, Header, ReadOptions, Result};

/// What [`verify`] and [`repair`] have found in a file, and what was done about it.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Findings {
    /// The header, as it was found.
    pub header: Header,
    /// Bytes of the file, as it was found.
    pub file_size: u64,
    /// Rows that the header counts (columns in Fortran order); `None` if it says so little because its change was not
    /// finished.
    pub rows_in_header: Option<u64>,
    /// Whole rows that the file has space for after its header.
    pub rows_in_file: u64,
    /// Whether somebody is appending to it: rows that aren't counted yet are no problem then.
    pub in_use: bool,
    /// What is wrong, or was.
    pub problems: Vec<Problem>,
    /// What was done about it: nothing by [`verify`].
    pub done: Vec<Repair>,
}

impl Findings {
    /// Returns whether nothing is wrong, or nothing any more: bytes that may be another array are left alone.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let is_left = |problem: &Problem| self.done.is_empty() || matches!(problem, Problem::TrailingBytes { .. });
        !self.problems.iter().any(is_left)
    }
}

/// What can be wrong with a file whose header can be read.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Its writer died while it changed the count of rows.
    UnfinishedPublish,
    /// The header counts more rows than the file holds.
    HeaderAhead {
        /// Rows that the header counts.
        header: u64,
        /// Whole rows that the file holds.
        file: u64,
    },
    /// Whole rows that the header doesn't count: their writer died before it did.
    UncountedRows {
        /// How many.
        rows: u64,
    },
    /// A part of a row at the end.
    PartialRow {
        /// How many bytes.
        bytes: u64,
    },
    /// Bytes after the array that may be another array, or anything else. They do no harm to those who read this one.
    TrailingBytes {
        /// Where the array ends, in bytes from the start of the file.
        after: u64,
        /// How many bytes follow.
        bytes: u64,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnfinishedPublish => write!(f, "its writer died while it changed the count of rows"),
            Self::HeaderAhead { header, file } => {
                write!(f, "the header counts {header} rows, and the file holds {file}")
            }
            Self::UncountedRows { rows: 1 } => write!(f, "1 whole row is not counted in the header"),
            Self::UncountedRows { rows } => write!(f, "{rows} whole rows are not counted in the header"),
            Self::PartialRow { bytes } => write!(f, "a part of a row is at the end, of length {bytes}"),
            Self::TrailingBytes { after, bytes } => {
                write!(f, "{bytes} bytes follow the array, which ends at byte {after}; they may be another array")
            }
        }
    }
}

/// What was done about a file.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Bytes were copied into a file beside it, an `.npy` file of the rows that they hold.
    Kept {
        /// That file.
        path: PathBuf,
    },
    /// Bytes were cut off its end.
    Cut {
        /// How many.
        bytes: u64,
    },
    /// Its header was made to count other rows than before.
    Counted {
        /// So many before, or `None` if the change of the count was not finished.
        from: Option<u64>,
        /// So many now.
        to: u64,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept { path } => write!(f, "kept what is cut off in {}", path.display()),
            Self::Cut { bytes } => write!(f, "cut {bytes} bytes off the end"),
            Self::Counted { from: Some(from), to } => write!(f, "counted {to} rows in the header instead of {from}"),
            Self::Counted { from: None, to } => write!(f, "counted {to} rows in the header"),
        }
    }
}

/// Looks whether a file holds what its header says, no less and no more. Nothing is changed.
///
/// # Errors
///
/// [`Error::Io`], and the errors of a header that can't be read; [`Error::Object`].
///
/// # Example
///
/// ```
/// use npymap::{Problem, save, verify};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("x.npy");
/// save(&path, [10, 2], &[1.0_f64; 20])?;
/// assert!(verify(&path)?.is_sound());
///
/// std::fs::File::options().write(true).open(&path).and_then(|file| file.set_len(128 + 40)).expect("it is cut");
/// let found = verify(&path)?;
/// assert_eq!(found.problems, [Problem::HeaderAhead { header: 10, file: 2 }, Problem::PartialRow { bytes: 8 }]);
/// # Ok::<(), npymap::Error>(())
/// ```
pub fn verify(path: impl AsRef<Path>) -> Result<Findings> {
    let path = path.as_ref();
    let file = std::fs::File::open(path).map_err(io_error("open", Some(path)))?;
    let file = WritableFile::new(file, path.to_path_buf());
    let look = || find(&file, is_locked(file.file(), APPEND_LOCK)).map(|(findings, _)| findings);
    let mut findings = look()?;
    // Whoever appends may have begun just after the lock was asked for: what is wrong is so however often one looks.
    for _ in 0..2 {
        if findings.problems.is_empty() {
            break;
        }
        findings = look()?;
    }
    Ok(findings)
}

/// Puts a file right that its writer, or the power, has left in the middle; says what was wrong, and what was done.
///
/// A count whose change was not finished is finished. A header that counts more rows than the file holds is made to count
/// those. Whole rows that aren't counted are counted, if they were written since this machine was started, and else kept
/// in a file of their own and cut, for a power cut may have left zeros. A part of a row is cut; where the header was
/// ahead, it is kept as well. Bytes that may be another array stay.
///
/// # Errors
///
/// As [`verify`]; [`Error::DataTruncated`] for a 0-d array that was cut; [`Error::Locked`] if somebody appends to the file; [`Error::NoHeaderRoom`], [`Error::NoSpace`].
///
/// # Example
///
/// ```
/// use npymap::{NpyAny, Repair, repair, save};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("x.npy");
/// save(&path, [10, 2], &[1.0_f64; 20])?;
/// std::fs::File::options().write(true).open(&path).and_then(|file| file.set_len(128 + 32)).expect("it is cut");
/// assert!(NpyAny::read(&path).is_err());
///
/// assert_eq!(repair(&path)?.done, [Repair::Counted { from: Some(10), to: 2 }]);
/// assert_eq!(NpyAny::read(&path)?.shape(), [2, 2]);
/// # Ok::<(), npymap::Error>(())
/// ```
pub fn repair(path: impl AsRef<Path>) -> Result<Findings> {
    let path = path.as_ref();
    let file = WritableFile::open_locked(path, Duration::ZERO)?;
    let (mut findings, state) = find(&file, false)?;
    let is_harmless = |problem: &Problem| matches!(problem, Problem::TrailingBytes { .. });
    if findings.problems.iter().all(is_harmless) {
        return Ok(findings);
    }
    let (header, found) = (findings.header.clone(), findings.rows_in_header);
    if header.growth_axis().is_none() {
        // No count can be lowered for it.
        return Err(header.truncated(findings.file_size.saturating_sub(header.data_offset() as u64)));
    }
    match found {
        Some(counted) if state.held < counted => {
            let prepared = Counter::prepare(&header, rows(state.held)?)?;
            if state.partial > 0 {
                findings.done.push(Repair::Kept { path: keep(&file, &header, &state, state.held)? });
            }
            // It counts less before there is less, whatever happens in between.
            prepared.set(&file, rows(state.held)?)?;
            file.sync_data()?;
            findings.done.push(Repair::Counted { from: found, to: state.held });
            if state.partial > 0 {
                file.set_len(state.end_of(state.held))?;
                findings.done.push(Repair::Cut { bytes: state.partial });
            }
        }
        _ => {
            let mut recovery = Recovery { rows: found.unwrap_or(state.held), ..Recovery::default() };
            let plan = Plan::new(&file, &header, &state, false)?;
            let prepared = Counter::prepare(&header, rows(plan.rows)?)?;
            plan.carry_out(&file, &header, &state, &mut recovery)?;
            prepared.set(&file, rows(plan.rows)?)?;
            findings.done.extend(recovery.kept_in.map(|path| Repair::Kept { path }));
            let cut = recovery.cut_bytes;
            findings.done.extend((cut > 0).then_some(Repair::Cut { bytes: cut }));
            let counted = found != Some(plan.rows);
            findings.done.extend(counted.then_some(Repair::Counted { from: found, to: plan.rows }));
        }
    }
    file.sync_data()?;
    Ok(findings)
}

fn rows(rows: u64) -> Result<usize> {
    usize::try_from(rows).map_err(|_| Error::Dimension { axis: 0, found: rows.to_string() })
}

/// Compares a file with its header.
fn find(file: &WritableFile, in_use: bool) -> Result<(Findings, State)> {
    let options = ReadOptions::new();
    // A change that is under way ends soon, and one that doesn't is a problem.
    let (header, file_size) = match options.header_of(file.file(), Some(file.path())) {
        Err(Error::UnfinishedPublish { .. }) => options.unsettled_header_of(file.file(), Some(file.path()))?,
        settled => settled?,
    };
    header.refuse_objects()?;
    let state = State::of(&header, file_size);
    let mut problems = Vec::new();
    match state.counted {
        None => problems.push(Problem::UnfinishedPublish),
        Some(counted) if state.held < counted => {
            problems.push(Problem::HeaderAhead { header: counted, file: state.held });
        }
        Some(counted) => {
            let after = state.end_of(counted);
            let tail = Plan::new(file, &header, &state, false);
            if let Err(Error::TrailingBytes { after, bytes }) = tail {
                problems.push(Problem::TrailingBytes { after, bytes });
            } else if !in_use && state.size() > after {
                let rows = state.held - counted;
                problems.extend((rows > 0).then_some(Problem::UncountedRows { rows }));
            }
        }
    }
    let is_trailing = problems.iter().any(|problem| matches!(problem, Problem::TrailingBytes { .. }));
    if state.partial > 0 && !is_trailing && !in_use {
        problems.push(Problem::PartialRow { bytes: state.partial });
    }
    let (rows_in_header, rows_in_file) = (state.counted, state.held);
    let findings = Findings { header, file_size, rows_in_header, rows_in_file, in_use, problems, done: Vec::new() };
    Ok((findings, state))
}
