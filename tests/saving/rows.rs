//! Rows written one after another to anything that seeks: an array at every moment, NumPy's file at the end.

use std::cell::Cell;
use std::fs;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::rc::Rc;

use npymap::{ByteOrder, DType, Error, Npy, NpyAny, Order, RowWriter, WriteOptions};
use serde_json::json;

use crate::{names, numpys, support};

/// Where the bytes go: looks at all of them after each write, and can fail at one.
struct Watched {
    inner: Cursor<Vec<u8>>,
    row_bytes: usize,
    writes: Rc<Cell<usize>>,
    /// Rows that were seen last.
    seen: usize,
    /// Bytes that can be written until writing fails.
    room: usize,
}

impl Watched {
    fn new(row_bytes: usize) -> Self {
        Self { inner: Cursor::new(Vec::new()), row_bytes, writes: Rc::default(), seen: 0, room: usize::MAX }
    }

    /// What somebody who opened the file now would find: an array of the rows that are written whole, and never fewer
    /// than before.
    fn look(&mut self) {
        let bytes = self.inner.get_ref().as_slice();
        let x = NpyAny::from_bytes(bytes).unwrap_or_else(|error| panic!("{error} after write {}", self.writes.get()));
        let rows = x.shape()[0];
        assert!(rows >= self.seen, "{rows} rows after {}", self.seen);
        assert!(x.header().data_offset() + rows * self.row_bytes <= bytes.len());
        // Each byte of row i is i + 1, below 256: nothing else is counted.
        for (row, number) in x.bytes().chunks(self.row_bytes).zip(1..=255) {
            assert!(row.iter().all(|&byte| byte == number), "row {number}");
        }
        self.seen = rows;
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let len = bytes.len().min(self.room);
        if len == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room -= len;
        let written = self.inner.write(&bytes[..len])?;
        self.writes.set(self.writes.get() + 1);
        self.look();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Watched {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

fn row(number: u8) -> [u8; 24] {
    [number + 1; 24]
}

#[test]
fn the_bytes_are_an_array_after_every_write() {
    for appendable in [false, true] {
        let watched = Watched::new(24);
        let writes = watched.writes.clone();
        let options = WriteOptions::new().appendable(appendable);
        let mut rows = options.row_writer::<[u8; 24], _>(watched, []).unwrap();
        for number in 0..200 {
            rows.push(&row(number)).unwrap();
            assert_eq!(rows.rows(), usize::from(number) + 1);
            if number % 7 == 0 {
                rows.flush().unwrap();
            }
        }
        let some: Vec<[u8; 24]> = (200..255).map(row).collect();
        rows.extend(&some).unwrap();
        let watched = rows.finish().unwrap();
        assert_eq!(watched.seen, 255);
        assert!(writes.get() > 50, "{}", writes.get());
        if !appendable {
            let wanted = numpys("np.repeat(np.arange(1, 256, dtype='u1'), 24).reshape(255, 24)");
            assert_eq!(watched.inner.into_inner(), wanted);
        }
    }
}

#[test]
fn after_flush_the_header_counts_all_rows() {
    let mut bytes = Cursor::new(Vec::new());
    let mut rows = RowWriter::<u16, _>::new(&mut bytes).unwrap();
    rows.extend(&[1, 2, 3]).unwrap();
    rows.flush().unwrap();
    rows.push(&4).unwrap();
    // Never finished: what was flushed is there.
    drop(rows);
    let x = Npy::<u16>::from_bytes(bytes.into_inner()).unwrap();
    assert!(x.as_slice().starts_with(&[1, 2, 3]) && x.size() <= 4, "{x}");
}

#[test]
fn a_write_that_fails_is_an_error_and_the_bytes_stay_an_array() {
    // The whole header must fit, or there is no array yet.
    for room in [128, 129, 128 + 24, 128 + 24 * 17 + 5, 128 + 24 * 20 + 128] {
        let mut watched = Watched::new(24);
        watched.room = room;
        let mut rows = WriteOptions::new().row_writer::<[u8; 24], _>(watched, []).unwrap();
        let failed = (0..200).find_map(|number| {
            let pushed = rows.push(&row(number)).and_then(|()| rows.flush());
            pushed.err()
        });
        let failed = failed.unwrap_or_else(|| panic!("no error with room for {room} bytes"));
        assert!(matches!(&failed, Error::Io { path: None, .. }), "{failed}");
        // It goes on failing, without a panic and without a count of rows that aren't there: `look` has checked.
        assert!(rows.push(&row(1)).and_then(|()| rows.finish().map(drop)).is_err());
    }
    let mut watched = Watched::new(24);
    watched.room = 0;
    let refused = WriteOptions::new().row_writer::<[u8; 24], _>(watched, []).and_then(RowWriter::finish).map(drop);
    assert!(refused.is_err());
}

#[test]
fn rows_may_have_any_shape_and_go_in_whole() {
    let open =
        |row_shape: &[usize]| WriteOptions::new().row_writer::<i32, _>(Cursor::new(Vec::new()), row_shape).unwrap();
    let mut rows = open(&[2, 3]);
    rows.extend(&(0..12).collect::<Vec<_>>()).unwrap();
    rows.extend(&[]).unwrap();
    for partial in [1, 5, 7, 11] {
        let refused = rows.extend(&vec![0; partial]).unwrap_err();
        assert!(
            matches!(refused, Error::BufferLength { .. } | Error::PartialElement { .. } | Error::RowShape { .. }),
            "{refused}"
        );
    }
    assert!(rows.push(&1).is_err(), "one element is no row");
    assert_eq!(rows.rows(), 2);
    assert_eq!(rows.finish().unwrap().into_inner(), numpys("np.arange(12, dtype='i4').reshape(2, 2, 3)"));

    let mut single = open(&[1]);
    single.extend(&[1, 2]).unwrap();
    assert_eq!(single.finish().unwrap().into_inner(), numpys("np.array([[1], [2]], 'i4')"));
    assert_eq!(open(&[4]).finish().unwrap().into_inner(), numpys("np.zeros((0, 4), 'i4')"));
    assert_eq!(open(&[]).finish().unwrap().into_inner(), numpys("np.zeros(0, 'i4')"));

    let mut fold = WriteOptions::new().row_writer::<[i32; 3], _>(Cursor::new(Vec::new()), [2]).unwrap();
    fold.extend(&[[0, 1, 2], [3, 4, 5]]).unwrap();
    assert_eq!(fold.finish().unwrap().into_inner(), numpys("np.arange(6, dtype='i4').reshape(1, 2, 3)"));
    for wrong in [vec![usize::MAX], vec![1; 64]] {
        assert!(WriteOptions::new().row_writer::<i32, _>(Cursor::new(Vec::new()), wrong).is_err());
    }
}

#[test]
fn rows_are_encoded_in_the_dtype_asked_for() {
    let options = WriteOptions::new().dtype(DType::Float64(ByteOrder::Big));
    let mut rows = options.row_writer::<f64, _>(Cursor::new(Vec::new()), []).unwrap();
    rows.push(&1.5).unwrap();
    rows.extend(&[2.5, 3.5]).unwrap();
    assert_eq!(rows.finish().unwrap().into_inner(), numpys("np.array([1.5, 2.5, 3.5], '>f8')"));
    let refused = options.row_writer::<f32, _>(Cursor::new(Vec::new()), []);
    assert!(matches!(refused.err(), Some(Error::DType { .. })));
}

#[test]
fn columns_are_written_like_rows_where_the_order_is_fortrans() {
    let options = WriteOptions::new().order(Order::Fortran);
    let opened = options.row_writer::<u8, _>(Cursor::new(Vec::new()), [2, 3]);
    // Either it grows along the last axis, or it says why it doesn't; never rows that are really columns.
    let Ok(mut columns) = opened else { return };
    columns.extend(&(0..24).collect::<Vec<_>>()).unwrap();
    let wanted = numpys("np.arange(24, dtype='u1').reshape(4, 3, 2).T");
    assert_eq!(columns.finish().unwrap().into_inner(), wanted);
    // NumPy reads columns of one element, a single one and none, whichever order they are said to be in.
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for (column, count, read) in
        [(1, 3, json!([[0, 1, 2]])), (3, 1, json!([[0], [1], [2]])), (3, 0, json!([[], [], []]))]
    {
        let file = fs::File::create(&path).unwrap();
        let mut columns = options.row_writer::<u8, _>(file, [usize::from(column)]).unwrap();
        columns.extend(&(0..column * count).collect::<Vec<u8>>()).unwrap();
        columns.finish().unwrap();
        assert_eq!(support::live::ask("np.load(path).tolist()", &json!({"path": path})), read);
    }
}

#[test]
fn a_writer_that_stands_within_a_stream_starts_there() {
    let mut bytes = Cursor::new(b"before".to_vec());
    bytes.seek(SeekFrom::End(0)).unwrap();
    let mut rows = RowWriter::<u8, _>::new(bytes).unwrap();
    rows.extend(&[1, 2, 3]).unwrap();
    let mut bytes = rows.finish().unwrap();
    // The next array can follow at once.
    let mut rows = RowWriter::<u8, _>::new(&mut bytes).unwrap();
    rows.extend(&[4, 5]).unwrap();
    rows.finish().unwrap();
    let bytes = bytes.into_inner();
    assert_eq!(bytes[..6], *b"before");
    let arrays = [numpys("np.array([1, 2, 3], 'u1')"), numpys("np.array([4, 5], 'u1')")].concat();
    assert_eq!(bytes[6..], arrays);
}

#[test]
fn rows_written_to_a_file_are_numpys_and_can_be_read_meanwhile() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut rows = WriteOptions::new().row_writer::<f64, _>(fs::File::create(&path).unwrap(), [3]).unwrap();
    for number in 0..1000_u32 {
        rows.extend(&[f64::from(3 * number), f64::from(3 * number + 1), f64::from(3 * number + 2)]).unwrap();
        if number % 100 == 99 {
            let read = Npy::<[f64; 3]>::read(&path).unwrap();
            assert!(read.size() / 3 <= rows.rows());
            rows.flush().unwrap();
            let read = Npy::<f64>::read(&path).unwrap();
            assert_eq!((read.shape()[0], read.as_slice().last()), (rows.rows(), Some(&f64::from(3 * number + 2))));
        }
    }
    rows.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(3000.).reshape(1000, 3)"));
    assert_eq!(names(folder.path()), ["x.npy"]);
}

#[test]
fn pushing_writes_now_and_then_and_counts_when_it_is_flushed() {
    let watched = Watched::new(1 << 16);
    let writes = watched.writes.clone();
    let mut rows = WriteOptions::new().row_writer::<[u8; 1 << 16], _>(watched, []).unwrap();
    (0..20).for_each(|number| rows.push(&[number + 1; 1 << 16]).unwrap());
    assert!((2..20).contains(&writes.get()), "{} writes of a megabyte", writes.get());
    let watched = rows.finish().unwrap();
    assert_eq!(watched.seen, 20);
    let wanted = numpys("np.repeat(np.arange(1, 21, dtype='u1'), 1 << 16).reshape(20, 1 << 16)");
    assert!(watched.inner.into_inner() == wanted);
}

#[test]
fn many_rows_cross_every_power_of_ten_in_the_header() {
    let mut rows = RowWriter::<u8, _>::new(Cursor::new(Vec::new())).unwrap();
    for length in [9, 1, 89, 1, 899, 1, 8999, 1, 89999, 1] {
        rows.extend(&vec![7; length]).unwrap();
        rows.flush().unwrap();
    }
    assert_eq!(rows.rows(), 100_000);
    assert_eq!(rows.finish().unwrap().into_inner(), numpys("np.full(100_000, 7, 'u1')"));
}
