//! Random arrays of every dtype, shape and order, written in every way there is: each file is the one that `np.save`
//! wrote.

use std::fmt::Debug;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use npymap::{
    Aligned, ByteOrder, DType, Datetime64, Draft, DraftAny, ElementMut, Error, FixedBytes, Header, Npy, NpyAny, Order,
    RowWriter, Timedelta64, Void, WriteOptions, be, le,
};
use serde_json::Value;

use crate::{numpys, support};

/// A file that NumPy wrote, and the texts that it was made of if it was made of any.
struct Case {
    file: Vec<u8>,
    texts: Option<Vec<String>>,
}

impl Case {
    fn array(&self) -> NpyAny<Aligned> {
        NpyAny::from_bytes(Aligned::copy_of(&self.file).unwrap()).unwrap()
    }
}

/// The cases of this run: one Python for all tests.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let [seed, cases] = support::seed_and_cases(600);
        let printed = support::python("saved_arrays", &[&seed, &cases]);
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).map(|case| case_of(&case)).collect()
    })
}

fn case_of(json: &Value) -> Case {
    let texts = json.get("texts").map(|texts| {
        texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    });
    Case { file: BASE64.decode(json["npy_b64"].as_str().unwrap()).unwrap(), texts }
}

/// What to do with an array, as the type that its elements have.
trait Visit {
    fn visit<T: ElementMut + Debug>(&mut self);
}

/// Calls `visit` with the native type of a dtype; strings and raw bytes have one at two lengths here.
fn with_type(dtype: &DType, visitor: &mut impl Visit) {
    match dtype {
        DType::Bool => visitor.visit::<bool>(),
        DType::Int8 => visitor.visit::<i8>(),
        DType::UInt8 => visitor.visit::<u8>(),
        DType::Int16(_) => visitor.visit::<i16>(),
        DType::UInt16(_) => visitor.visit::<u16>(),
        DType::Int32(_) => visitor.visit::<i32>(),
        DType::UInt32(_) => visitor.visit::<u32>(),
        DType::Int64(_) => visitor.visit::<i64>(),
        DType::UInt64(_) => visitor.visit::<u64>(),
        DType::Float16(_) => visitor.visit::<le::F16>(),
        DType::Float32(_) => visitor.visit::<f32>(),
        DType::Float64(_) => visitor.visit::<f64>(),
        DType::LongDouble(_) => visitor.visit::<le::LongDouble>(),
        DType::Complex64(_) => visitor.visit::<le::Complex64>(),
        DType::Complex128(_) => visitor.visit::<be::Complex128>(),
        DType::ComplexLongDouble(_) => visitor.visit::<be::ComplexLongDouble>(),
        DType::Datetime64(..) => visitor.visit::<Datetime64>(),
        DType::Timedelta64(..) => visitor.visit::<Timedelta64>(),
        DType::Bytes(2) => visitor.visit::<FixedBytes<2>>(),
        DType::Bytes(5) => visitor.visit::<FixedBytes<5>>(),
        DType::Void(2) => visitor.visit::<Void<2>>(),
        DType::Void(5) => visitor.visit::<Void<5>>(),
        DType::Str(_, 2) => visitor.visit::<le::Str<2>>(),
        DType::Str(_, 5) => visitor.visit::<be::Str<5>>(),
        _ => {}
    }
}

fn assert_same(way: &str, ours: &[u8], case: &NpyAny<Aligned>, numpys: &[u8]) {
    let start = |file: &[u8]| String::from_utf8_lossy(&file[..file.len().min(600)]).into_owned();
    assert!(ours == numpys, "{way} of {:?}: {:?} for {:?}", case.header(), start(ours), start(numpys));
}

#[test]
fn an_array_of_any_dtype_is_saved_as_numpy_saves_it() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for (number, case) in cases().iter().enumerate() {
        let any = case.array();
        let mut stream = Vec::new();
        any.write_to(&mut stream).unwrap();
        assert_same("write_to", &stream, &any, &case.file);
        // A view of borrowed bytes, at an odd address.
        let odd = [&[0], case.file.as_slice()].concat();
        stream.clear();
        NpyAny::from_bytes(&odd[1..]).unwrap().write_to(&mut stream).unwrap();
        assert_same("write_to from odd bytes", &stream, &any, &case.file);
        // Durable, which takes its time.
        if number % 4 == 0 {
            any.save(&path).unwrap();
            assert_same("save", &fs::read(&path).unwrap(), &any, &case.file);
        }
    }
    assert_eq!(crate::names(folder.path()), ["x.npy"]);
}

#[test]
fn a_draft_of_any_dtype_is_published_as_numpy_saves_it() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for case in cases() {
        let any = case.array();
        let options = WriteOptions::new().order(any.order()).durable(false);
        let mut draft = options.draft_any(&path, any.dtype().clone(), any.shape()).unwrap();
        assert_eq!(
            (draft.shape(), draft.dtype(), draft.header().version()),
            (any.shape(), any.dtype(), any.header().version())
        );
        assert!(draft.bytes().iter().all(|&byte| byte == 0));
        draft.bytes_mut().copy_from_slice(any.bytes());
        draft.publish_over().unwrap();
        assert_same("draft", &fs::read(&path).unwrap(), &any, &case.file);
    }
    assert_eq!(crate::names(folder.path()), ["x.npy"]);
}

/// Writes an array in the ways that take elements of a type, native whatever the file's byte order.
struct Typed<'a> {
    case: &'a Case,
    any: NpyAny<Aligned>,
    path: &'a Path,
    /// How often each way was taken.
    taken: &'a mut [usize; 4],
}

impl Typed<'_> {
    fn assert_same(&self, way: &str) {
        assert_same(way, &fs::read(self.path).unwrap(), &self.any, &self.case.file);
    }
}

impl Visit for Typed<'_> {
    fn visit<T: ElementMut + Debug>(&mut self) {
        let elements = self.any.to_vec::<T>().unwrap();
        let (shape, dtype) = (self.any.shape(), self.any.dtype().clone());
        let options = WriteOptions::new().dtype(dtype).order(self.any.order()).durable(false);
        options.save(self.path, shape, &elements).unwrap();
        self.assert_same("save");
        let mut stream = Vec::new();
        options.write_to(&mut stream, shape, &elements).unwrap();
        assert_same("write_to", &stream, &self.any, &self.case.file);
        self.taken[0] += 1;

        if T::check(self.any.dtype()).is_ok() {
            let mut draft = options.draft::<T>(self.path, shape).unwrap();
            assert_eq!(draft.as_slice().len(), elements.len());
            draft.as_mut_slice().copy_from_slice(&elements);
            draft.publish_over().unwrap();
            self.assert_same("draft");
            self.taken[1] += 1;
        }
        // A header that says nothing about the order is C's.
        let is_c = !self.any.header().fortran_order() && !shape.is_empty();
        if shape.len() == 1 {
            let rows = options.save_iter(self.path, elements.iter().copied()).unwrap();
            assert_eq!(rows, elements.len());
            self.assert_same("save_iter");
            self.taken[2] += 1;
        }
        let row_len: usize = shape.iter().skip(1).product();
        if is_c && (row_len > 0 || shape[0] == 0) {
            let mut rows = options.order(Order::C).row_writer::<T, _>(Cursor::new(Vec::new()), &shape[1..]).unwrap();
            // In uneven pieces.
            for piece in elements.chunks((row_len * 2).max(1)) {
                rows.extend(piece).unwrap();
            }
            assert_eq!(rows.rows(), shape[0]);
            let written = rows.finish().unwrap().into_inner();
            assert_same("row_writer", &written, &self.any, &self.case.file);
            self.taken[3] += 1;
        }
    }
}

#[test]
fn typed_elements_are_saved_in_the_dtype_and_order_asked_for() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut taken = [0; 4];
    for case in cases() {
        let any = case.array();
        let dtype = any.dtype().clone();
        with_type(&dtype, &mut Typed { case, any, path: &path, taken: &mut taken });
    }
    assert_eq!(crate::names(folder.path()), ["x.npy"]);
    let least = cases().len() / 30;
    assert!(taken.iter().all(|&count| count > least), "{taken:?} of {}", cases().len());
}

#[test]
fn texts_are_saved_as_numpy_saves_them() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut saved = 0;
    for case in cases() {
        let Some(texts) = &case.texts else { continue };
        let any = case.array();
        let options = WriteOptions::new().durable(false);
        // A dtype that is as long as its longest text is what is found without being told.
        let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        let found = *any.dtype() == DType::Str(ByteOrder::NATIVE, longest);
        if found {
            options.save_text(&path, any.shape(), texts).unwrap();
            assert_same("save_text", &fs::read(&path).unwrap(), &any, &case.file);
        }
        options.dtype(any.dtype().clone()).save_text(&path, any.shape(), texts).unwrap();
        assert_same("save_text of a dtype", &fs::read(&path).unwrap(), &any, &case.file);
        saved += usize::from(found);
    }
    assert!(saved > cases().len() / 50, "{saved}");
}

#[test]
fn texts_that_do_not_fit_are_errors_and_nothing_is_written() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let with = |dtype: DType| WriteOptions::new().dtype(dtype);
    let refused = with(DType::Bytes(3)).save_text(&path, [2], &["abc", "Zoë"]);
    assert!(matches!(refused, Err(Error::TextTooLong { length: 4, room: 3, .. })), "{refused:?}");
    let refused = with(DType::Str(ByteOrder::Big, 2)).save_text(&path, [2], &["ab", "abc"]);
    assert!(matches!(refused, Err(Error::TextTooLong { length: 3, room: 2, .. })), "{refused:?}");
    let refused = npymap::save_text(&path, [1], &["a\0"]);
    assert!(matches!(refused, Err(Error::TextEndsInNul { .. })), "{refused:?}");
    let refused = with(DType::Float64(ByteOrder::Little)).save_text(&path, [1], &["a"]);
    assert!(matches!(refused, Err(Error::NotText { .. })), "{refused:?}");
    let refused = npymap::save_text(&path, [3], &["a", "b"]);
    assert!(matches!(refused, Err(Error::BufferLength { found: 2, wanted: 3 })), "{refused:?}");
    assert!(crate::names(folder.path()).is_empty());
}

#[test]
fn the_shorthands_save_what_the_default_options_save() {
    let folder = support::temp_dir();
    let path = |name: &str| folder.path().join(name);
    let numbers = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5];
    npymap::save(path("save"), [2, 3], &numbers).unwrap();
    assert_eq!(fs::read(path("save")).unwrap(), numpys("np.arange(6).reshape(2, 3) + 0.5"));
    let mut stream = Vec::new();
    npymap::write_to(&mut stream, vec![6], &numbers).unwrap();
    assert_eq!(stream, numpys("np.arange(6) + 0.5"));
    assert_eq!(npymap::save_iter(path("iter"), numbers).unwrap(), 6);
    assert_eq!(fs::read(path("iter")).unwrap(), stream);
    npymap::save_text(path("text"), [1, 2], &["Zoë", "日本語x"]).unwrap();
    assert_eq!(fs::read(path("text")).unwrap(), numpys("np.array([['Zoë', '日本語x']])"));
    npymap::save(path("zero"), [], &[7_u8]).unwrap();
    assert_eq!(fs::read(path("zero")).unwrap(), numpys("np.array(7, 'u1')"));
    npymap::save::<f64>(path("empty"), [0, 3], &[]).unwrap();
    assert_eq!(fs::read(path("empty")).unwrap(), numpys("np.zeros((0, 3))"));
    assert_eq!(npymap::save_iter::<f64>(path("none"), []).unwrap(), 0);
    assert_eq!(fs::read(path("none")).unwrap(), numpys("np.zeros(0)"));
    let mut draft = Draft::<f64>::new(path("draft"), [6]).unwrap();
    draft.as_mut_slice().copy_from_slice(&numbers);
    draft.publish().unwrap();
    assert_eq!(fs::read(path("draft")).unwrap(), stream);
    let mut draft = DraftAny::new(path("any"), DType::Float64(ByteOrder::NATIVE), [6]).unwrap();
    draft.copy_rows_from(0, &numbers).unwrap();
    draft.publish().unwrap();
    assert_eq!(fs::read(path("any")).unwrap(), stream);
    let mut rows = RowWriter::<f64, _>::new(Cursor::new(Vec::new())).unwrap();
    numbers.iter().for_each(|number| rows.push(number).unwrap());
    assert_eq!(rows.finish().unwrap().into_inner(), stream);
}

#[test]
fn types_are_saved_as_their_own_dtype() {
    fn check<T: npymap::Element>(elements: &[T], expression: &str) {
        let mut stream = Vec::new();
        npymap::write_to(&mut stream, [elements.len()], elements).unwrap();
        assert_eq!(stream, numpys(expression));
    }
    check(&[true, false], "np.array([True, False])");
    check(&[i8::MIN, 1], "np.array([-128, 1], 'i1')");
    check(&[be::I32::new(-2)], "np.array([-2], '>i4')");
    check(&[le::F16::new(1.5)], "np.array([1.5], 'f2')");
    check(&[be::Complex128::new([1.5, -2.5])], "np.array([1.5 - 2.5j], '>c16')");
    check(&[FixedBytes::<4>::new("ab").unwrap()], "np.array([b'ab'], 'S4')");
    check(&[Void::<3>::from([1, 2, 3])], "np.array([b'\\1\\2\\3'], 'V3')");
    check(&[be::Str::<3>::new("é日").unwrap()], "np.array(['é日'], '>U3')");
    check(&[Datetime64(-1), Datetime64(i64::MIN)], "np.array([-1, -2**63]).view('M8')");
    check(&[Timedelta64(7)], "np.array([7]).view('m8')");
    check(&[[1_u8, 2], [3, 4]], "np.array([[1, 2], [3, 4]], 'u1')");
    #[cfg(feature = "half")]
    check(&[half::f16::from_f32(0.5)], "np.array([0.5], 'f2')");
    #[cfg(feature = "num-complex")]
    check(&[num_complex::Complex::new(0.5_f32, 1.0)], "np.array([0.5 + 1j], 'c8')");
    // Nothing is converted but byte order, and times are given their unit.
    let with = |dtype: DType| WriteOptions::new().dtype(dtype);
    let unit = DType::from_descr(">m8[25s]").unwrap();
    let mut stream = Vec::new();
    with(unit.clone()).write_to(&mut stream, [1], &[Timedelta64(7)]).unwrap();
    assert_eq!(stream, numpys("np.array([7], '>i8').view('>m8[25s]')"));
    for refused in [
        with(DType::Float64(ByteOrder::Little)).write_to(Vec::new(), [1], &[1.5_f32]),
        with(DType::Bytes(5)).write_to(Vec::new(), [1], &[FixedBytes::<4>::new("ab").unwrap()]),
        with(DType::UInt8).write_to(Vec::new(), [1], &[true]),
        with(unit).write_to(Vec::new(), [1], &[Datetime64(7)]),
    ] {
        assert!(matches!(refused, Err(Error::DType { .. })), "{refused:?}");
    }
}

#[test]
fn a_part_of_an_array_is_saved_as_numpy_saves_that_part() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let whole =
        NpyAny::from_bytes(Aligned::copy_of(&numpys("np.arange(24, dtype='>i4').reshape(6, 4)")).unwrap()).unwrap();
    let mut part = whole.slice_rows(2..5).unwrap();
    part.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(24, dtype='>i4').reshape(6, 4)[2:5]"));
    part.copy_rows_from(1, &[[0_i32; 4]]).unwrap();
    let mut stream = Vec::new();
    part.write_to(&mut stream).unwrap();
    assert_eq!(stream, numpys("np.array([[8, 9, 10, 11], [0, 0, 0, 0], [16, 17, 18, 19]], '>i4')"));
    assert!(part.copy_rows_from(3, &[[0_i32; 4]]).is_err());
    whole.slice_rows(1..1).unwrap().save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.zeros((0, 4), '>i4')"));
    let whole = NpyAny::from_bytes(numpys("np.arange(24, dtype='i2').reshape(6, 4).T")).unwrap();
    let shared: std::sync::Arc<[u8]> = numpys("np.arange(24, dtype='i2').reshape(6, 4).T").into();
    let part = NpyAny::from_bytes(shared).unwrap().slice_cols(1..3).unwrap();
    part.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(24, dtype='i2').reshape(6, 4).T[:, 1:3]"));
    whole.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(24, dtype='i2').reshape(6, 4).T"));
    let opened = npymap::NpyFile::open(&path).unwrap();
    opened.read_cols_any(3..6).unwrap().save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(24, dtype='i2').reshape(6, 4).T[:, 3:6]"));
}

#[test]
fn arrays_as_elements_are_the_last_axes() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let rows: Vec<[f32; 3]> = (0..10_u8).map(|i| [3 * i, 3 * i + 1, 3 * i + 2].map(f32::from)).collect();
    let wanted = numpys("np.arange(30, dtype='f4').reshape(10, 3)");
    npymap::save(&path, [10], &rows).unwrap();
    assert_eq!(fs::read(&path).unwrap(), wanted);
    assert_eq!(npymap::save_iter(&path, rows.iter().copied()).unwrap(), 10);
    assert_eq!(fs::read(&path).unwrap(), wanted);
    let mut writer = RowWriter::<[f32; 3], _>::new(Cursor::new(Vec::new())).unwrap();
    writer.extend(&rows).unwrap();
    assert_eq!(writer.finish().unwrap().into_inner(), wanted);
    let mut draft = Draft::<[f32; 3]>::new(&path, [10]).unwrap();
    draft.as_mut_slice().copy_from_slice(&rows);
    draft.publish_over().unwrap();
    assert_eq!(fs::read(&path).unwrap(), wanted);
    let big = WriteOptions::new().dtype(DType::Float32(ByteOrder::Big));
    big.save(&path, [10], &rows).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(30, dtype='>f4').reshape(10, 3)"));
    npymap::save(&path, [], &[[[1_i16, 2], [3, 4], [5, 6]]]).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(1, 7, dtype='i2').reshape(3, 2)"));
}

#[test]
fn elements_that_do_not_fill_the_shape_are_errors_and_nothing_is_written() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for (shape, found, wanted) in [(vec![2, 3], 5, 6), (vec![2, 3], 7, 6), (vec![], 0, 1), (vec![0, 3], 1, 0)] {
        let refused = npymap::save(&path, shape.clone(), &vec![0_u16; found]).unwrap_err();
        let numbers = |error: &Error| match *error {
            Error::BufferLength { found, wanted } => Some((found, wanted)),
            _ => None,
        };
        assert_eq!(numbers(&refused), Some((found, wanted)), "{shape:?}: {refused}");
        let mut stream = Vec::new();
        let refused = npymap::write_to(&mut stream, shape.clone(), &vec![0_u16; found]).unwrap_err();
        assert_eq!((numbers(&refused), stream.len()), (Some((found, wanted)), 0), "{shape:?}: {refused}");
    }
    let refused = |shape: &[usize]| npymap::save(&path, shape, &[0_u16]).unwrap_err();
    assert!(matches!(refused(&[usize::MAX, 2]), Error::ShapeTooLarge { .. }));
    assert!(matches!(refused(&[1; 65]), Error::TooManyDimensions { found: 65, .. }));
    assert!(Draft::<u8>::new(&path, [usize::MAX]).is_err());
    assert!(DraftAny::new(&path, DType::Object, [1]).is_err());
    let other = WriteOptions::new().dtype(DType::Float64(ByteOrder::Little)).save(&path, [1], &[0_u16]);
    assert!(matches!(other, Err(Error::DType { .. })), "{other:?}");
    assert!(crate::names(folder.path()).is_empty());
}

#[test]
fn arrays_longer_than_any_buffer_are_saved_whole() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let numbers: Vec<f64> = (0..300_000).map(f64::from).collect();
    for (order, dtype) in [(ByteOrder::Big, "'>f8'"), (ByteOrder::Little, "'<f8'")] {
        let wanted = numpys(&format!("np.arange(300_000, dtype={dtype})"));
        let options = WriteOptions::new().dtype(DType::Float64(order)).durable(false);
        options.save(&path, [300_000], &numbers).unwrap();
        assert!(fs::read(&path).unwrap() == wanted, "save {dtype}");
        options.save_iter(&path, numbers.iter().copied()).unwrap();
        assert!(fs::read(&path).unwrap() == wanted, "save_iter {dtype}");
        let mut rows = options.row_writer::<f64, _>(Cursor::new(Vec::new()), []).unwrap();
        numbers.chunks(777).for_each(|chunk| rows.extend(chunk).unwrap());
        assert!(rows.finish().unwrap().into_inner() == wanted, "row_writer {dtype}");
        let mut any = options.draft_any(&path, DType::Float64(order), [300_000]).unwrap();
        any.copy_rows_from(0, &numbers).unwrap();
        any.publish_over().unwrap();
        assert!(fs::read(&path).unwrap() == wanted, "copy_rows_from {dtype}");
    }
    let texts: Vec<String> = (0..30_000).map(|number| format!("{number:>7} é")).collect();
    npymap::save_text(&path, [100, 300], &texts).unwrap();
    assert!(fs::read(&path).unwrap() == numpys("np.array([f'{n:>7} é' for n in range(30_000)]).reshape(100, 300)"));
}

#[test]
#[cfg(feature = "derive")]
fn records_are_saved_with_zeros_between_their_fields() {
    #[derive(Clone, Copy, npymap::Element)]
    #[repr(C)]
    struct Aligned {
        a: u8,
        b: f64,
        #[npymap(title = "third")]
        c: [u16; 3],
    }
    #[derive(Clone, Copy, npymap::Element)]
    #[repr(C, packed)]
    struct Packed {
        a: u8,
        b: be::F64,
        ok: bool,
    }
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let records = [Aligned { a: 1, b: 2.5, c: [3, 4, 5] }, Aligned { a: 6, b: 7.5, c: [8, 9, 10] }];
    let made = "(lambda a: [a.__setitem__(0, (1, 2.5, (3, 4, 5))), a.__setitem__(1, (6, 7.5, (8, 9, 10)))] and a)\
                (np.zeros(2, np.dtype([('a', 'u1'), ('b', 'f8'), (('third', 'c'), 'u2', (3,))], align=True)))";
    let wanted = numpys(made);
    npymap::save(&path, [2], &records).unwrap();
    assert_eq!(fs::read(&path).unwrap(), wanted);
    npymap::save_iter(&path, records).unwrap();
    assert_eq!(fs::read(&path).unwrap(), wanted);
    let mut rows = RowWriter::<Aligned, _>::new(Cursor::new(Vec::new())).unwrap();
    records.iter().for_each(|record| rows.push(record).unwrap());
    assert_eq!(rows.finish().unwrap().into_inner(), wanted);
    let mut draft = Draft::<Aligned>::new(&path, [2]).unwrap();
    draft.copy_rows_from(1, &records[1..]).unwrap();
    draft.copy_rows_from(0, &records[..1]).unwrap();
    assert_eq!(draft.as_slice()[1].c, [8, 9, 10]);
    draft.publish_over().unwrap();
    assert_eq!(fs::read(&path).unwrap(), wanted);
    // Into a packed file of the same fields.
    let packed = "[('a', '|u1'), ('b', '>f8'), ('c', '<u2', (3,))]";
    let mut draft = DraftAny::new(&path, DType::from_descr(packed).unwrap(), [2]).unwrap();
    draft.copy_rows_from(0, &records).unwrap();
    draft.publish_over().unwrap();
    assert_eq!(
        fs::read(&path).unwrap(),
        numpys(&format!("np.array([(1, 2.5, (3, 4, 5)), (6, 7.5, (8, 9, 10))], {packed})"))
    );

    let one = Packed { a: 1, b: be::F64::new(1.5), ok: true };
    npymap::save(&path, [1, 2], &[one, Packed { ok: false, ..one }]).unwrap();
    let wanted = numpys("np.array([[(1, 1.5, True), (1, 1.5, False)]], [('a', 'u1'), ('b', '>f8'), ('ok', '?')])");
    assert_eq!(fs::read(&path).unwrap(), wanted);
}

#[test]
fn the_version_asked_for_is_written_as_numpy_writes_it() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for version in [(1, 0), (2, 0), (3, 0)] {
        let options = WriteOptions::new().version(version);
        options.save(&path, [3], &[1_i64, 2, 3]).unwrap();
        let file = fs::read(&path).unwrap();
        let wanted = Header::new(DType::Int64(ByteOrder::NATIVE), [3], Order::C).unwrap();
        let header = wanted.with_version(version).unwrap().to_bytes().unwrap();
        assert_eq!(file[..header.len()], header, "{version:?}");
        let mut stream = Vec::new();
        options.write_to(&mut stream, [3], &[1_i64, 2, 3]).unwrap();
        assert_eq!(stream, file);
        let mut rows = options.row_writer::<i64, _>(Cursor::new(Vec::new()), []).unwrap();
        rows.extend(&[1, 2, 3]).unwrap();
        assert_eq!(rows.finish().unwrap().into_inner(), file);
    }
    let refused = WriteOptions::new().version((4, 0)).save(&path, [1], &[1_u8]);
    assert!(matches!(refused, Err(Error::Version { major: 4, minor: 0 })), "{refused:?}");
}

#[test]
fn data_start_where_they_are_asked_to_and_numpy_reads_them() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let names = serde_json::json!({"path": path});
    for align in [64, 128, 256, 512, 1024, 2048, 4096] {
        let options = WriteOptions::new().align(align);
        options.save(&path, [2, 2], &[1_u16, 2, 3, 4]).unwrap();
        let file = fs::read(&path).unwrap();
        let offset = Header::parse(&file).unwrap().data_offset();
        assert_eq!((offset % align, file.len()), (0, offset + 8), "{align}");
        assert!(offset <= align.max(128), "{align}: {offset}");
        assert_eq!(support::live::ask("np.load(path).tolist()", &names), serde_json::json!([[1, 2], [3, 4]]));
        let mut stream = Vec::new();
        options.write_to(&mut stream, [2, 2], &[1_u16, 2, 3, 4]).unwrap();
        assert_eq!(stream, file);
        let mut draft = options.draft::<u16>(&path, [2, 2]).unwrap();
        assert_eq!(draft.header().data_offset(), offset);
        draft.as_mut_slice().copy_from_slice(&[1, 2, 3, 4]);
        draft.publish_over().unwrap();
        assert_eq!(fs::read(&path).unwrap(), file);
    }
    // Others are rounded up, to a page at most.
    for (align, taken) in [(0, 64), (3, 64), (63, 64), (65, 128), (4095, 4096), (8192, 4096), (usize::MAX, 4096)] {
        let mut stream = Vec::new();
        WriteOptions::new().align(align).write_to(&mut stream, [1], &[1_u8]).unwrap();
        let mut wanted = Vec::new();
        WriteOptions::new().align(taken).write_to(&mut wanted, [1], &[1_u8]).unwrap();
        assert!(stream == wanted, "{align}");
    }
}

#[test]
fn an_appendable_file_has_its_publish_field_and_pages_and_numpy_reads_it() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let options = WriteOptions::new().appendable(true);
    let check = |shape: &[usize], way: &str| {
        let header = npymap::NpyFile::read_header(&path).unwrap();
        assert_eq!((header.appendable(), header.data_offset(), header.shape()), (true, 4096, shape), "{way}");
        let told = support::live::ask(
            "[np.load(path).shape, np.load(path).ravel('K').tolist()]",
            &serde_json::json!({"path": path}),
        );
        assert_eq!(told, serde_json::json!([shape, [1, 2, 3, 4, 5, 6]]), "{way}");
    };
    let numbers = [1_i32, 2, 3, 4, 5, 6];
    options.save(&path, [6], &numbers).unwrap();
    check(&[6], "save");
    options.clone().order(Order::Fortran).save(&path, [2, 3], &numbers).unwrap();
    check(&[2, 3], "save in Fortran order");
    options.save_iter(&path, numbers).unwrap();
    check(&[6], "save_iter");
    let mut rows = options.row_writer::<i32, _>(fs::File::create(&path).unwrap(), [3]).unwrap();
    rows.extend(&numbers).unwrap();
    rows.finish().unwrap();
    check(&[2, 3], "row_writer");
    let mut draft = options.draft::<i32>(&path, [6]).unwrap();
    draft.as_mut_slice().copy_from_slice(&numbers);
    draft.publish_over().unwrap();
    check(&[6], "draft");
    // A 0-d array has nothing that could grow.
    let zero = options.save(&path, [], &[1_i32]);
    assert!(zero.is_err() || !npymap::NpyFile::read_header(&path).unwrap().appendable(), "{zero:?}");
}

#[test]
fn headers_of_any_length_and_version_are_appendable_where_numpy_reads_them() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for (fields, name) in
        [(1, "é"), (1, "日本"), (2, "a"), (100, "f"), (200, "f"), (340, "f"), (420, "f"), (455, "f"), (600, "f")]
    {
        let descr: Vec<String> = (0..fields).map(|number| format!("('{name}{number:04}', '|u1')")).collect();
        let dtype = DType::from_descr(&format!("[{}]", descr.join(", "))).unwrap();
        let shape = [3];
        let options = WriteOptions::new().durable(false);
        options.draft_any(&path, dtype.clone(), shape).unwrap().publish_over().unwrap();
        let names = serde_json::json!({"path": path, "n": fields, "name": name});
        let numpys = numpys(&format!("np.zeros(3, [('{name}%04d' % i, 'u1') for i in range({fields})])"));
        assert_eq!(fs::read(&path).unwrap(), numpys, "{fields}");
        let too_long = Header::parse(&numpys).is_err();

        let mut draft = options.appendable(true).draft_any(&path, dtype.clone(), shape).unwrap();
        draft.bytes_mut().fill(1);
        draft.publish_over().unwrap();
        let header =
            npymap::ReadOptions::new().max_header_size(1 << 20).parse_header(&fs::read(&path).unwrap()).unwrap();
        assert!(header.appendable(), "{fields}");
        if too_long {
            continue;
        }
        let sum = "(lambda a: [len(a), int(a.view('u1').sum())])(np.load(path))";
        assert_eq!(support::live::ask(sum, &names), serde_json::json!([3, 3 * fields]), "{fields}");
        let mut rows = npymap::AppendOptions::new().open_any(&path).unwrap();
        rows.extend_bytes(&vec![1; 2 * fields]).unwrap();
        rows.close().unwrap();
        assert_eq!(support::live::ask(sum, &names), serde_json::json!([5, 5 * fields]), "{fields}");
    }
}

#[test]
fn rows_are_copied_into_an_array_in_its_own_byte_order() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut draft = DraftAny::new(&path, DType::Int32(ByteOrder::Big), [4, 2]).unwrap();
    draft.copy_rows_from(1, &[1_i32, 2, 3, 4]).unwrap();
    draft.copy_rows_from(3, &[[5_i32, 6]]).unwrap();
    draft.copy_rows_from::<i32>(4, &[]).unwrap();
    let refusals = [
        draft.copy_rows_from(4, &[1_i32, 2]),
        draft.copy_rows_from(usize::MAX, &[1_i32, 2]),
        draft.copy_rows_from(3, &[1_i32, 2, 3, 4]),
        draft.copy_rows_from(0, &[1_i32]),
        draft.copy_rows_from(0, &[1_i64, 2]),
    ];
    assert!(matches!(refusals[0], Err(Error::OutOfBounds { start: 4, .. })), "{:?}", refusals[0]);
    assert!(refusals.iter().all(Result::is_err), "{refusals:?}");
    draft.publish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.array([[0, 0], [1, 2], [3, 4], [5, 6]], '>i4')"));
    let back = Npy::<be::I32>::read(&path).unwrap();
    assert_eq!(back[3], [be::I32::new(5), be::I32::new(6)]);
}
