//! `append`: rows from elsewhere to a file that grows.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use npymap::{AppendOptions, AppenderAny, NpyFile, Order, Recovery};

use super::about;
use super::rows::{self, Kind, Rows};
use crate::arguments::{Append, Every, From};
use crate::source::Source;
use crate::trouble::{Result, Trouble};

pub fn append(arguments: &Append) -> Result<u8> {
    about(&arguments.path, || {
        let from = form(arguments)?;
        let source = match from {
            From::Npy => Some(Source::open(&arguments.input).map_err(|trouble| of_input(arguments, &trouble))?),
            From::Csv | From::Raw => None,
        };
        if arguments.dry_run {
            return dry_run(arguments, from, source);
        }
        let mut log = open(arguments, source.as_ref())?;
        if !arguments.quiet {
            tell(arguments, log.recovery());
        }
        let kind = Kind::of(log.header());
        let mut input = input(arguments, from, source, &kind)?;
        let before = log.rows();
        let bar = progress(arguments);
        let mut block = Vec::new();
        let outcome = loop {
            if let Err(trouble) = input.next(&kind, &mut block) {
                break Err(trouble);
            }
            if block.is_empty() {
                break Ok(());
            }
            push(&mut log, &block, kind.row_bytes(), arguments.every)?;
            bar.inc(block.len() as u64);
        };
        bar.finish_and_clear();
        // What came before a line that is wrong is there.
        let appended = log.rows() - before;
        if arguments.sync {
            log.sync()?;
        }
        log.close()?;
        if !arguments.quiet {
            eprintln!("npymap: {}: {appended} rows appended", arguments.path.display());
        }
        outcome.map_err(|trouble| of_input(arguments, &trouble))
    })
}

/// Appends a block: in parts, if they are to become visible so often.
fn push(log: &mut AppenderAny, block: &[u8], row_bytes: usize, every: Option<Every>) -> Result<()> {
    let part = match every {
        Some(Every::Rows(rows)) => usize::try_from(rows).unwrap_or(usize::MAX).saturating_mul(row_bytes),
        _ => block.len(),
    };
    block.chunks(part.max(1)).try_for_each(|part| log.extend_bytes(part))?;
    Ok(log.poll()?)
}

fn open(arguments: &Append, source: Option<&Source>) -> Result<AppenderAny> {
    let mut options =
        AppendOptions::new().wait(Duration::from_secs(arguments.wait)).discard_tail(arguments.discard_tail);
    options = match arguments.every {
        Some(Every::Rows(rows)) => options.commit_every_rows(rows),
        Some(Every::Time(time)) => options.commit_every(time),
        None => options,
    };
    if !arguments.create || arguments.path.exists() {
        return Ok(options.open_any(&arguments.path)?);
    }
    let input = source.map(|source| Kind::of(source.header()));
    let row_shape = match (&arguments.row_shape, &input) {
        (Some(shape), _) => shape.0.clone(),
        (None, Some(kind)) => kind.row_shape.clone(),
        (None, None) => Vec::new(),
    };
    let order = if input.as_ref().is_some_and(|kind| kind.fortran_order) { Order::Fortran } else { Order::C };
    let dtype = arguments.dtype.clone().or(input.map(|kind| kind.dtype));
    let dtype = dtype.ok_or_else(|| Trouble::Said("--create needs --dtype, unless the input is .npy".into()))?;
    Ok(options.row_shape(row_shape).order(order).open_or_create_any(&arguments.path, dtype)?)
}

fn form(arguments: &Append) -> Result<From> {
    let extension = arguments.input.extension().and_then(std::ffi::OsStr::to_str);
    match (arguments.from, extension) {
        (Some(from), _) => Ok(from),
        (None, Some("npy")) => Ok(From::Npy),
        (None, Some("csv")) => Ok(From::Csv),
        _ => Err(Trouble::Said("say what the input is: --from npy, csv or raw".into())),
    }
}

fn input(arguments: &Append, from: From, source: Option<Source>, kind: &Kind) -> Result<Rows> {
    if kind.row_bytes() == 0 {
        return Err(Trouble::Said("its rows take no bytes; grow adds such".into()));
    }
    let rows = match (from, source) {
        (From::Npy, Some(source)) => Rows::of_npy(source, kind),
        (From::Csv, _) => rows::open(&arguments.input).and_then(|reader| Rows::of_csv(reader, kind)),
        _ => rows::open(&arguments.input).map(Rows::Raw),
    };
    rows.map_err(|trouble| of_input(arguments, &trouble))
}

/// Reads all of the input and says what would be done.
fn dry_run(arguments: &Append, from: From, source: Option<Source>) -> Result<()> {
    let kind = if arguments.create && !arguments.path.exists() {
        let input = source.as_ref().map(|source| Kind::of(source.header()));
        let dtype = arguments.dtype.clone().or(input.as_ref().map(|kind| kind.dtype.clone()));
        let dtype = dtype.ok_or_else(|| Trouble::Said("--create needs --dtype, unless the input is .npy".into()))?;
        let row_shape = arguments.row_shape.as_ref().map(|shape| shape.0.clone());
        let row_shape = row_shape.or(input.as_ref().map(|kind| kind.row_shape.clone())).unwrap_or_default();
        Kind { dtype, row_shape, fortran_order: input.is_some_and(|kind| kind.fortran_order) }
    } else {
        Kind::of(NpyFile::open(&arguments.path)?.header())
    };
    let mut input = input(arguments, from, source, &kind)?;
    let (mut block, mut bytes) = (Vec::new(), 0);
    loop {
        input.next(&kind, &mut block).map_err(|trouble| of_input(arguments, &trouble))?;
        if block.is_empty() {
            break;
        }
        bytes += block.len();
    }
    let rows = bytes / kind.row_bytes();
    eprintln!("npymap: {}: would append {rows} rows, {bytes} bytes", arguments.path.display());
    Ok(())
}

/// Says what a writer before has left, and what was done about it.
fn tell(arguments: &Append, recovery: &Recovery) {
    let path = arguments.path.display();
    if recovery.finished_publish {
        eprintln!("npymap: {path}: its writer died while it changed the count of rows; {} are there", recovery.rows);
    }
    if recovery.adopted > 0 {
        eprintln!("npymap: {path}: {} rows were whole and not counted, and are now", recovery.adopted);
    }
    if recovery.cut_bytes > 0 {
        let kept = recovery.kept_in.as_ref().map_or(String::new(), |kept| format!(", kept in {}", kept.display()));
        eprintln!("npymap: {path}: {} bytes that were not counted were cut{kept}", recovery.cut_bytes);
    }
}

/// A bar on a terminal, of the input's size if that is known.
fn progress(arguments: &Append) -> ProgressBar {
    if arguments.quiet {
        return ProgressBar::hidden();
    }
    let size = std::fs::metadata(&arguments.input).ok().filter(std::fs::Metadata::is_file);
    let (bar, template) = match size {
        Some(metadata) => (ProgressBar::new(metadata.len()), "{wide_bar} {bytes} of {total_bytes}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{bytes} appended, {elapsed}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Names the input, where it is what is wrong.
fn of_input(arguments: &Append, trouble: &Trouble) -> Trouble {
    let input = match arguments.input.to_str() {
        Some("-") => "standard input".into(),
        _ => arguments.input.to_string_lossy(),
    };
    Trouble::Said(format!("{input}: {}", trouble.message()))
}
