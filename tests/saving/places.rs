//! Where files are saved to: links, folders that aren't there, devices, pipes, files that are in use.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::thread;

use npymap::{Draft, Error, Npy, NpyAny, NpyFile, WriteOptions};

use crate::{names, numpys, support};

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).unwrap().is_symlink()
}

#[test]
fn saving_through_a_link_writes_the_file_that_it_leads_to() {
    let folder = support::temp_dir();
    let (deep, link) = (folder.path().join("deep"), folder.path().join("link.npy"));
    fs::create_dir(&deep).unwrap();
    fs::write(deep.join("x.npy"), b"older").unwrap();
    symlink("deep/x.npy", &link).unwrap();
    let wanted = numpys("np.array([1, 2], 'u1')");
    npymap::save(&link, [2], &[1_u8, 2]).unwrap();
    assert!(is_link(&link));
    assert_eq!(fs::read(deep.join("x.npy")).unwrap(), wanted);

    fs::write(deep.join("x.npy"), b"older").unwrap();
    let second = folder.path().join("second.npy");
    symlink(&link, &second).unwrap();
    let mut draft = Draft::<u8>::new(&second, [2]).unwrap();
    draft.as_mut_slice().copy_from_slice(&[1, 2]);
    draft.publish_over().unwrap();
    assert!(is_link(&link) && is_link(&second));
    assert_eq!(fs::read(deep.join("x.npy")).unwrap(), wanted);
    assert_eq!(
        (names(folder.path()), names(&deep)),
        (["deep", "link.npy", "second.npy"].map(String::from).to_vec(), vec!["x.npy".to_owned()])
    );
}

#[test]
fn saving_through_a_link_to_nothing_makes_the_file_that_it_names() {
    let folder = support::temp_dir();
    let link = folder.path().join("link.npy");
    symlink("later.npy", &link).unwrap();
    npymap::save(&link, [2], &[1_u8, 2]).unwrap();
    assert!(is_link(&link));
    assert_eq!(fs::read(folder.path().join("later.npy")).unwrap(), numpys("np.array([1, 2], 'u1')"));
}

#[test]
fn links_that_lead_to_themselves_are_an_error() {
    let folder = support::temp_dir();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    symlink(&a, &b).unwrap();
    symlink(&b, &a).unwrap();
    assert!(matches!(npymap::save(&a, [1], &[1_u8]), Err(Error::Io { .. })));
    assert!(is_link(&a) && is_link(&b));
}

#[test]
fn a_folder_that_is_not_there_is_an_error_with_the_path() {
    let folder = support::temp_dir();
    let path = folder.path().join("none/x.npy");
    let any = NpyAny::from_bytes(numpys("np.arange(3)")).unwrap();
    for refused in [
        npymap::save(&path, [1], &[1_u8]),
        npymap::save_iter(&path, [1_u8]).map(drop),
        npymap::save_text(&path, [1], &["a"]),
        Draft::<u8>::new(&path, [1]).and_then(Draft::publish),
        any.save(&path),
    ] {
        let error = refused.unwrap_err();
        let Error::Io { path: Some(named), source, .. } = &error else { panic!("{error}") };
        assert_eq!((named.starts_with(folder.path()), source.kind()), (true, std::io::ErrorKind::NotFound), "{error}");
    }
    assert!(names(folder.path()).is_empty());
    // A folder, and a file as a folder.
    fs::create_dir(folder.path().join("none")).unwrap();
    assert!(matches!(npymap::save(folder.path().join("none"), [1], &[1_u8]), Err(Error::Io { .. })));
    npymap::save(&path, [1], &[1_u8]).unwrap();
    assert!(matches!(npymap::save(path.join("y.npy"), [1], &[1_u8]), Err(Error::Io { .. })));
    for nowhere in ["", "/", ".", ".."] {
        assert!(npymap::save(nowhere, [1], &[1_u8]).is_err(), "{nowhere:?}");
    }
    assert_eq!(names(&folder.path().join("none")), ["x.npy"]);
}

#[test]
fn a_name_is_taken_as_it_is_without_an_ending_and_whatever_its_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = support::temp_dir();
    let longest = [b'n'; 255];
    for name in [b"x".as_slice(), b"x.npz", b"\xff\xfe", b" ", b"a\nb", "ünïcödé".as_bytes(), &longest] {
        let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
        npymap::save(&path, [1], &[1_u8]).unwrap();
        npymap::save(&path, [1], &[2_u8]).unwrap();
        assert_eq!(Npy::<u8>::read(&path).unwrap().as_slice(), [2]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 7);
}

#[test]
fn a_file_that_is_open_stays_what_it_was_when_another_is_saved_in_its_place() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let old: Vec<u32> = (0..100_000).collect();
    npymap::save(&path, [old.len()], &old).unwrap();
    let opened = NpyFile::open(&path).unwrap();
    npymap::save(&path, [1], &[7_u8]).unwrap();
    assert_eq!(opened.read_all::<u32>().unwrap(), old);
    assert_eq!(Npy::<u8>::read(&path).unwrap().as_slice(), [7]);
}

#[test]
#[cfg(feature = "mmap")]
#[expect(unsafe_code, reason = "maps")]
fn a_file_can_be_saved_from_its_own_mapping_and_the_mapping_stays() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let old: Vec<u32> = (0..100_000).collect();
    npymap::save(&path, [old.len()], &old).unwrap();
    // SAFETY: nothing writes to this file: saving replaces it.
    let mapped = unsafe { Npy::<u32>::map(&path) }.unwrap();
    npymap::save(&path, [50_000], &mapped.as_slice()[50_000..]).unwrap();
    assert_eq!(mapped.as_slice(), old);
    assert_eq!(Npy::<u32>::read(&path).unwrap().as_slice(), &old[50_000..]);
    mapped.save(&path).unwrap();
    npymap::save(&path, [1], &[7_u8]).unwrap();
    assert_eq!(mapped.as_slice(), old);
}

/// The null device under a name in this folder: never by its own, which a mistake would take from the whole system.
fn null_device(folder: &Path) -> Option<std::path::PathBuf> {
    use rustix::fs::{Access, CWD, FileType, Mode, access, makedev, mknodat};
    let path = folder.join("null");
    let made = mknodat(CWD, &path, FileType::CharacterDevice, Mode::RUSR | Mode::WUSR, makedev(1, 3));
    if made.is_ok() {
        return fs::File::options().write(true).open(&path).is_ok().then_some(path);
    }
    // Whoever may not make one may not take the system's away.
    access("/dev", Access::WRITE_OK).is_err().then(|| symlink("/dev/null", &path).unwrap())?;
    Some(path)
}

#[test]
fn a_device_is_written_to_and_stays_a_device() {
    let folder = support::temp_dir();
    let Some(path) = null_device(folder.path()) else { return };
    let is_device = || fs::metadata(&path).unwrap().file_type().is_char_device();
    npymap::save(&path, [3], &[1_u8, 2, 3]).unwrap();
    assert!(is_device(), "save");
    npymap::save_text(&path, [1], &["a"]).unwrap();
    assert!(is_device(), "save_text");
    // What cannot be done to a device is an error.
    let _ = npymap::save_iter(&path, [1_u8, 2, 3]);
    assert!(is_device(), "save_iter");
    let _ = Draft::<u8>::new(&path, [3]).and_then(Draft::publish_over);
    assert!(is_device(), "publish_over");
    assert!(WriteOptions::new().create_new(true).save(&path, [1], &[1_u8]).is_err());
    assert!(is_device(), "create_new");
}

#[test]
fn a_pipe_gets_the_file_and_stays_a_pipe() {
    let folder = support::temp_dir();
    let path = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    let numbers: Vec<u32> = (0..100_000).collect();
    let wanted = numpys("np.arange(100_000, dtype='u4')");
    let read = |write: &(dyn Fn() + Sync)| {
        thread::scope(|scope| {
            scope.spawn(write);
            let mut bytes = Vec::new();
            fs::File::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        })
    };
    assert!(read(&|| npymap::save(&path, [numbers.len()], &numbers).unwrap()) == wanted);
    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
    let any = NpyAny::from_bytes(wanted.as_slice()).unwrap();
    assert!(read(&|| any.save(&path).unwrap()) == wanted);
    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
    assert_eq!(names(folder.path()), ["pipe"]);
}

#[test]
fn what_a_descriptor_leads_to_is_written_to_at_its_end_and_stays_the_file_that_it_is() {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;
    let folder = support::temp_dir();
    let (path, link) = (folder.path().join("out"), folder.path().join("stdout"));
    let mut file = fs::File::create_new(&path).unwrap();
    file.write_all(b"older").unwrap();
    let descriptor = std::path::PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    symlink(&descriptor, &link).unwrap();
    let mut wanted = b"older".to_vec();
    for name in [descriptor, link, format!("/dev/fd/{}", file.as_raw_fd()).into()] {
        npymap::save(&name, [2], &[1_u8, 2]).unwrap();
        wanted.extend(numpys("np.array([1, 2], 'u1')"));
        assert_eq!(npymap::save_iter(&name, [3_u8]).unwrap(), 1);
        wanted.extend(numpys("np.array([3], 'u1')"));
        assert!(fs::read(&path).unwrap() == wanted, "{}", name.display());
        assert_eq!(fs::metadata(&path).unwrap().ino(), file.metadata().unwrap().ino());
        // A draft has no place for its own bytes there.
        assert!(matches!(Draft::<u8>::new(&name, [2]), Err(Error::Io { .. })));
    }
    assert_eq!(names(folder.path()), ["out", "stdout"]);
}

/// Rows that are appended afterwards would go into a file that nobody finds any more.
#[test]
fn a_file_that_is_appended_to_is_not_replaced() {
    let folder = support::temp_dir();
    let (path, other) = (folder.path().join("log.npy"), folder.path().join("x.npy"));
    npymap::save(&other, [1], &[1.0]).unwrap();
    let mut log = npymap::Appender::<f64>::create(&path).unwrap();
    log.push(&7.0).unwrap();
    log.commit().unwrap();
    let before = fs::read(&path).unwrap();
    let any = NpyAny::read(&other).unwrap();
    for refused in [
        npymap::save(&path, [1], &[1_u8]),
        npymap::save_iter(&path, [1_u8]).map(drop),
        npymap::save_text(&path, [1], &["a"]),
        Draft::<u8>::new(&path, [1]).and_then(Draft::publish_over),
        any.save(&path),
        WriteOptions::new().relayout_to(&other, &path),
    ] {
        let Err(Error::Locked { path: named, waited_ms: 0 }) = refused else { panic!("{refused:?}") };
        assert_eq!(named, path);
        assert!(fs::read(&path).unwrap() == before);
    }
    assert_eq!(names(folder.path()), ["log.npy", "x.npy"]);
    log.close().unwrap();
    npymap::save(&path, [1], &[1_u8]).unwrap();
    assert_eq!(Npy::<u8>::read(&path).unwrap().as_slice(), [1]);
}

#[test]
fn text_is_never_dropped_where_strings_have_no_room_at_all() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for dtype in [npymap::DType::Bytes(0), npymap::DType::Str(npymap::ByteOrder::Little, 0)] {
        let options = WriteOptions::new().dtype(dtype);
        let refused = options.save_text(&path, [2], &["", "a"]);
        assert!(matches!(refused, Err(Error::TextTooLong { length: 1, room: 0, .. })), "{refused:?}");
        assert!(names(folder.path()).is_empty());
        options.save_text(&path, [2], &["", ""]).unwrap();
        assert_eq!(NpyAny::read(&path).unwrap().shape(), [2]);
        fs::remove_file(&path).unwrap();
    }
}
