//! The count of rows in a file's header, and how it is changed. Knows headers and positioned writes, not rows.

use std::thread;
use std::time::Duration;

use crate::format::{FIELD_LEN, PublishField, stores};
use crate::storage::{WritableFile, io_error, read_up_to_at};
use crate::{Error, Header, Result};

/// How long readers that take the two words one by one are given, once in a file's life.
const PAUSE: Duration = Duration::from_millis(1);

/// The count of rows in the header of a file that one alone may change.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    header: Header,
    /// Where the publish field is, and what stands in it. Without one, the header is written anew.
    field: Option<(usize, [u8; FIELD_LEN])>,
}

impl Counter {
    /// Takes a header as it is in the file.
    pub(crate) fn new(header: Header) -> Self {
        Self { field: header.field(), header }
    }

    /// Finds what it takes to give a header without a publish field one, in the length that it has.
    ///
    /// # Errors
    ///
    /// [`Error::NoHeaderRoom`].
    pub(crate) fn with_publish_field(header: &Header) -> Result<Relaid> {
        let head = header.relaid(header.layout().rows(), true)?;
        let header = Header::parse_within(&head, usize::MAX)?;
        Ok(Relaid { head, header })
    }

    /// The header as it is in the file.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Finds a way to count `rows` rows in a header: in its publish field, in one that it is given, or where there is no
    /// room for that, by writing it anew.
    ///
    /// # Errors
    ///
    /// [`Error::NoHeaderRoom`] if there is none.
    pub(crate) fn prepare(header: &Header, rows: usize) -> Result<Prepared> {
        let fits = spelled(rows).map(drop);
        let relaid = if header.appendable() { None } else { Self::with_publish_field(header).ok() };
        let relaid = relaid.filter(|_| fits.is_ok());
        if header.appendable() {
            fits?;
        } else if relaid.is_none() {
            header.relaid(rows, false)?;
        }
        Ok(Prepared { counter: Self::new(header.clone()), relaid })
    }

    /// Changes the count; returns whether anything was written.
    ///
    /// With a publish field, whatever is in the file meanwhile parses, and whoever dies meanwhile leaves what can be
    /// finished. After an error the file holds such a state too.
    pub(crate) fn set(&mut self, file: &WritableFile, rows: usize) -> Result<bool> {
        let header = self.header.clone().with_rows(rows)?;
        let Some((at, field)) = &mut self.field else {
            let changed = write_changes(file, &self.header.relaid(rows, false)?)?;
            self.header = header;
            return Ok(changed.is_some());
        };
        let mut changed = false;
        for store in stores(*field, spelled(rows)?) {
            if store.after_pause {
                thread::sleep(PAUSE);
            }
            file.write_all_at(&store.word, (*at + store.at) as u64)?;
            field[store.at..][..store.word.len()].copy_from_slice(&store.word);
            changed = true;
        }
        self.header = header;
        Ok(changed)
    }
}

/// A way to count rows that nothing was written for yet.
pub(crate) struct Prepared {
    counter: Counter,
    relaid: Option<Relaid>,
}

impl Prepared {
    /// Gives the header its publish field, if it is to have one; returns what it was before then.
    pub(crate) fn lay_out(self, file: &WritableFile) -> Result<(Counter, Option<Overwritten>)> {
        let Some(Relaid { head, header }) = self.relaid else { return Ok((self.counter, None)) };
        let old = write_changes(file, &head)?;
        Ok((Counter::new(header), old))
    }

    /// Counts so many rows.
    pub(crate) fn set(self, file: &WritableFile, rows: usize) -> Result<Counter> {
        let (mut counter, _) = self.lay_out(file)?;
        counter.set(file, rows)?;
        Ok(counter)
    }
}

/// Bytes of a header that others have taken the place of.
pub(crate) struct Overwritten {
    at: u64,
    bytes: Vec<u8>,
}

impl Overwritten {
    pub(crate) fn put_back(&self, file: &WritableFile) -> Result<()> {
        file.write_all_at(&self.bytes, self.at)
    }
}

/// A header laid out anew, to be written over the one in the file.
pub(crate) struct Relaid {
    head: Vec<u8>,
    header: Header,
}

impl Relaid {
    pub(crate) fn write(self, file: &WritableFile) -> Result<Counter> {
        write_changes(file, &self.head)?;
        Ok(Counter::new(self.header))
    }
}

/// Writes what differs of a header, at once: mostly a few bytes, within a page. Returns what they were.
fn write_changes(file: &WritableFile, head: &[u8]) -> Result<Option<Overwritten>> {
    let mut old = vec![0; head.len()];
    let n = read_up_to_at(file.file(), &mut old, 0).map_err(io_error("read", Some(file.path())))?;
    if n < old.len() {
        return Err(Error::HeaderTruncated { part: "header", needed: old.len() as u64, held: n as u64 });
    }
    let differs = |&at: &usize| old[at] != head[at];
    let (Some(first), Some(last)) = ((0..head.len()).find(differs), (0..head.len()).rfind(differs)) else {
        return Ok(None);
    };
    let old = Overwritten { at: first as u64, bytes: old[first..=last].to_vec() };
    if let Err(error) = file.write_all_at(&head[first..=last], old.at) {
        // Half of it may have been written; the old one fits where it was.
        old.put_back(file)?;
        return Err(error);
    }
    Ok(Some(old))
}

fn spelled(rows: usize) -> Result<[u8; FIELD_LEN]> {
    let field = u64::try_from(rows).ok().and_then(PublishField::spell);
    field.ok_or_else(|| Error::NoHeaderRoom { needed: rows.to_string().len(), spare: FIELD_LEN })
}
