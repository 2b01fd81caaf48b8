//! `append`: rows from elsewhere to a file that grows.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use npymap::{AppendOptions, AppenderAny, NpyFile, Order, Recovery};

use super::about;
use super::rows::{Input, Kind, Rows};
use crate::arguments::{Append, Every};
use crate::arrivals::{Arrival, Arrivals};
use crate::trouble::{Result, Trouble, note};

/// How much later than asked for rows may become visible, at least.
const PATIENCE: Duration = Duration::from_millis(5);

pub fn append(arguments: &Append) -> Result<u8> {
    about(&arguments.path, || {
        let input = Input::open(&arguments.input, arguments.from).map_err(|trouble| of_input(arguments, &trouble))?;
        if arguments.dry_run { dry_run(arguments, input) } else { pour(arguments, input) }
    })
}

/// Appends all of the input; what came before something wrong in it stays.
fn pour(arguments: &Append, input: Input) -> Result<()> {
    let mut log = open(arguments, &input)?;
    if !arguments.quiet {
        tell(arguments, log.recovery());
    }
    let before = log.committed();
    let kind = Kind::of(log.header());
    let outcome = each_rows(arguments, input, &kind, |rows| push(arguments, &mut log, &kind, rows));
    let committed = if arguments.sync { log.sync() } else { log.commit() };
    if !arguments.quiet {
        note(&arguments.path, &format!("{} appended", count(log.committed().saturating_sub(before))));
    }
    outcome?;
    committed?;
    Ok(log.close()?)
}

/// Hands out the rows of the input as they arrive. While `act` says that there is something to do, it is called without
/// rows too, when some of the time between two commits has gone by.
fn each_rows(arguments: &Append, input: Input, kind: &Kind, mut act: impl FnMut(&[u8]) -> Result<bool>) -> Result<()> {
    let row_bytes = kind.row_bytes();
    if row_bytes == 0 {
        return Err(Trouble::Said("its rows take no bytes; grow adds such".into()));
    }
    let of_input = |trouble: Trouble| of_input(arguments, &trouble);
    let cannot_read = |error| of_input(Trouble::Said(format!("cannot read: {error}")));
    let mut rows = Rows::new(&input, kind).map_err(of_input)?;
    let bar = progress(arguments, &input);
    let arrivals = Arrivals::of(input.reader).map_err(cannot_read)?;
    let mut stored = Vec::new();
    let mut waits = false;
    loop {
        let patience = match arguments.every {
            Some(Every::Time(time)) if waits => Some((time / 8).max(PATIENCE)),
            _ => None,
        };
        let (taken, is_end) = match arrivals.next(patience).map_err(cannot_read)? {
            Arrival::Bytes(bytes) => {
                bar.inc(bytes.len() as u64);
                (rows.take(bytes, &mut stored), false)
            }
            Arrival::Nothing => {
                waits = act(&[])?;
                continue;
            }
            Arrival::End => (rows.end(&mut stored), true),
        };
        let whole = stored.len() - stored.len() % row_bytes;
        if whole > 0 {
            waits = act(&stored[..whole])?;
            stored.drain(..whole);
        }
        taken.map_err(of_input)?;
        if is_end {
            bar.finish_and_clear();
            let is_whole = stored.is_empty();
            return if is_whole { Ok(()) } else { Err(of_input(rows.ended_within(stored.len(), row_bytes))) };
        }
    }
}

/// Appends rows, in parts if they are to become visible so often, and does what is due; returns whether some of them wait
/// to become visible.
fn push(arguments: &Append, log: &mut AppenderAny, kind: &Kind, mut rows: &[u8]) -> Result<bool> {
    while !rows.is_empty() {
        let part = match arguments.every {
            Some(Every::Rows(every)) => {
                let waiting = log.rows() - log.committed();
                usize::try_from(every).unwrap_or(usize::MAX).saturating_sub(waiting).max(1)
            }
            _ => usize::MAX,
        };
        let (now, later) = rows.split_at(part.saturating_mul(kind.row_bytes()).min(rows.len()));
        log.extend_bytes(now)?;
        rows = later;
    }
    log.poll()?;
    Ok(log.rows() > log.committed())
}

fn open(arguments: &Append, input: &Input) -> Result<AppenderAny> {
    let Append { path, every, wait, discard_tail, .. } = arguments;
    let mut options = AppendOptions::new().wait(Duration::from_secs(*wait)).discard_tail(*discard_tail);
    options = match *every {
        Some(Every::Rows(rows)) => options.commit_every_rows(rows),
        Some(Every::Time(time)) => options.commit_every(time),
        None => options,
    };
    match wanted(arguments, input)? {
        Some(kind) => {
            options = options.row_shape(kind.row_shape);
            // Other input than .npy goes to a file of either order.
            if input.header.is_some() {
                options = options.order(if kind.fortran_order { Order::Fortran } else { Order::C });
            }
            Ok(options.open_or_create_any(path, kind.dtype)?)
        }
        None => {
            if let Some(shape) = &arguments.row_shape {
                options = options.row_shape(shape.0.clone());
            }
            Ok(options.open_any(path)?)
        }
    }
}

/// What the rows of a file that is made are, or what they must be; `None` to take a file as it is.
fn wanted(arguments: &Append, input: &Input) -> Result<Option<Kind>> {
    if !arguments.create || (arguments.dtype.is_none() && arguments.path.exists()) {
        return Ok(None);
    }
    let like = input.header.as_ref().map(Kind::of);
    let fortran_order = like.as_ref().is_some_and(|kind| kind.fortran_order);
    let (dtype, row_shape) = like.map(|kind| (kind.dtype, kind.row_shape)).unzip();
    let row_shape = arguments.row_shape.as_ref().map(|shape| shape.0.clone()).or(row_shape).unwrap_or_default();
    match arguments.dtype.clone().or(dtype) {
        Some(dtype) => Ok(Some(Kind { dtype, row_shape, fortran_order })),
        None => Err(Trouble::Said("--create needs --dtype, unless the input is .npy".into())),
    }
}

/// Reads all of the input and says what would be done.
fn dry_run(arguments: &Append, input: Input) -> Result<()> {
    let path = &arguments.path;
    let kind = match wanted(arguments, &input)? {
        Some(kind) if !path.exists() => kind,
        wanted => {
            let found = npymap::verify(path)?;
            let header = NpyFile::open(path)?.header().clone();
            if header.growth_axis().is_none() {
                return Err(Trouble::Said("a 0-d array has no axis to grow along".into()));
            }
            let kind = Kind::of(&header);
            let row_shape = arguments.row_shape.as_ref().map(|shape| &shape.0);
            if wanted.is_some_and(|wanted| wanted.dtype != kind.dtype || wanted.row_shape != kind.row_shape)
                || row_shape.is_some_and(|shape| *shape != kind.row_shape)
            {
                return Err(Trouble::Said(format!("its rows are {:?} of {}", kind.row_shape, kind.dtype)));
            }
            found.problems.iter().for_each(|problem| note(path, &problem.to_string()));
            kind
        }
    };
    let mut bytes = 0;
    each_rows(arguments, input, &kind, |rows| {
        bytes += rows.len();
        Ok(false)
    })?;
    let rows = count(bytes / kind.row_bytes());
    note(path, &format!("would append {rows}, {bytes} bytes"));
    Ok(())
}

/// Says what a writer before has left, and what was done about it.
fn tell(arguments: &Append, recovery: &Recovery) {
    let say = |text: String| note(&arguments.path, &text);
    let rows = |rows: u64| count(usize::try_from(rows).unwrap_or(usize::MAX));
    if recovery.finished_publish {
        say(format!("its writer died while it changed the count of rows; it holds {}", rows(recovery.rows)));
    }
    if recovery.adopted > 0 {
        say(format!("{} from a writer that died before it counted them, counted now", rows(recovery.adopted)));
    }
    if recovery.cut_bytes > 0 {
        let kept = recovery.kept_in.as_ref().map_or(String::new(), |kept| format!(", kept in {}", kept.display()));
        say(format!("{} bytes that were not counted were cut{kept}", recovery.cut_bytes));
    }
}

fn count(rows: usize) -> String {
    if rows == 1 { "1 row".into() } else { format!("{rows} rows") }
}

/// A bar on a terminal, of the input's size if that is known.
fn progress(arguments: &Append, input: &Input) -> ProgressBar {
    if arguments.quiet {
        return ProgressBar::hidden();
    }
    let (bar, template) = match input.size {
        Some(size) => (ProgressBar::new(size), "{wide_bar} {bytes} of {total_bytes}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{bytes} read, {elapsed}"),
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
