//! `create`, `grow`, `relayout`: files whose shape or layout is new.

use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;
use npymap::{DraftAny, Header, NpyFile, Order, WriteOptions};

use super::about;
use crate::arguments::{Create, Grow, Relayout};
use crate::source::shape_text;
use crate::trouble::{Result, Trouble, note};

/// How often a terminal is shown that something is being done.
const TICK: Duration = Duration::from_millis(100);

pub fn create(arguments: &Create) -> Result<u8> {
    about(&arguments.path, || {
        let Create { path, dtype, shape, fortran, appendable, align, force, dry_run } = arguments;
        let order = if *fortran { Order::Fortran } else { Order::C };
        let options = WriteOptions::new().order(order).appendable(*appendable).align(*align);
        refuse_existing(path, *force)?;
        if *dry_run {
            let header = Header::new(dtype.clone(), shape.0.clone(), order)?;
            if let Some(object) = dtype.object_path() {
                return Err(Trouble::Said(format!("Python objects cannot be stored ({object:?})")));
            }
            let (shape, nbytes) = (shape_text(header.shape()), header.nbytes());
            note(path, &format!("would make {shape} of {dtype}, {nbytes} bytes of data"));
            return Ok(());
        }
        let draft: DraftAny = options.draft_any(path, dtype.clone(), shape.0.clone())?;
        Ok(if *force { draft.publish_over() } else { draft.publish() }?)
    })
}

pub fn grow(arguments: &Grow) -> Result<u8> {
    about(&arguments.path, || {
        let Grow { path, by, to, dry_run } = arguments;
        let header = NpyFile::open(path)?.header().clone();
        let axis = header.growth_axis().ok_or_else(|| Trouble::Said("a 0-d array has no axis to grow along".into()))?;
        let now = header.shape()[axis];
        let by = match (by, to) {
            (Some(by), _) => *by,
            (None, Some(to)) => to.checked_sub(now).ok_or_else(|| {
                Trouble::Said(format!("axis {axis} has {now} already, more than {to}; grow does not shrink"))
            })?,
            (None, None) => 0,
        };
        if *dry_run {
            let grown = header.shape().iter().enumerate().map(|(at, &len)| if at == axis { by } else { len });
            let bytes = grown.fold(header.itemsize(), usize::saturating_mul);
            note(path, &format!("would grow axis {axis} from {now} to {}, by {bytes} bytes", now.saturating_add(by)));
            return Ok(());
        }
        Ok(npymap::grow(path, by)?)
    })
}

pub fn relayout(arguments: &Relayout) -> Result<u8> {
    about(&arguments.path, || {
        let Relayout { path, output, align, force, dry_run, quiet } = arguments;
        let options = match align {
            Some(align) => WriteOptions::new().align(*align),
            None => WriteOptions::new().appendable(true),
        };
        if let Some(output) = output {
            refuse_existing(output, *force)?;
        }
        if *dry_run {
            let header = NpyFile::open(path)?.header().clone();
            let (bytes, from, to) = (header.nbytes(), header.data_offset(), offset(&header, *align)?);
            let target = output.as_ref().unwrap_or(path);
            note(target, &format!("would write {bytes} bytes of data at byte {to}; they start at byte {from} now"));
            return Ok(());
        }
        let bar = if *quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        bar.set_message(format!("copying {} bytes", std::fs::metadata(path).map_or(0, |there| there.len())));
        bar.enable_steady_tick(TICK);
        let copied = match output {
            Some(output) => options.create_new(!force).relayout_to(path, output),
            None => options.relayout(path),
        };
        bar.finish_and_clear();
        Ok(copied?)
    })
}

/// Where the data start after a header laid out anew.
fn offset(header: &Header, align: Option<usize>) -> Result<usize> {
    let (dtype, shape) = (header.dtype().clone(), header.shape());
    Ok(match align {
        Some(align) => Header::new(dtype, shape, header.order())?.data_offset().next_multiple_of(align),
        None => Header::new_appendable(dtype, shape, header.order())?.data_offset(),
    })
}

fn refuse_existing(path: &Path, force: bool) -> Result<()> {
    if !force && path.symlink_metadata().is_ok() {
        return Err(Trouble::Said("is there already; -f overwrites it".into()));
    }
    Ok(())
}
