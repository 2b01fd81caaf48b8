//! Drafts: nameless until they are published, whole when they are, gone without a trace when they aren't.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::thread;

use npymap::{ByteOrder, DType, Draft, DraftAny, Error, Npy, NpyAny, WriteOptions};

use crate::{names, numpys, support};

#[test]
fn a_draft_starts_as_zeros_has_no_name_and_is_an_array() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut draft = Draft::<f64>::new(&path, [1000, 3]).unwrap();
    assert!(draft.as_slice().iter().all(|&number| number == 0.0));
    assert_eq!(
        (draft.shape(), draft.rows().unwrap().len(), draft.strides()),
        ([1000, 3].as_slice(), 1000, vec![24, 8])
    );
    draft[17].copy_from_slice(&[1.0, 2.0, 3.0]);
    draft[[18, 2]] = 4.0;
    assert_eq!(draft.as_slice()[51..57], [1.0, 2.0, 3.0, 0.0, 0.0, 4.0]);
    assert!(!path.exists());
    draft.publish().unwrap();
    assert_eq!(names(folder.path()), ["x.npy"]);
    let wanted = numpys("np.concatenate([np.zeros(51), [1, 2, 3, 0, 0, 4], np.zeros(3000 - 57)]).reshape(1000, 3)");
    assert_eq!(fs::read(&path).unwrap(), wanted);
}

#[test]
fn a_draft_can_be_filled_by_threads_and_published_by_another() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut draft = Draft::<u32>::new(&path, [1000, 7]).unwrap();
    thread::scope(|scope| {
        for (first, chunk) in (0..).step_by(70).zip(draft.as_mut_slice().chunks_mut(70)) {
            scope.spawn(move || chunk.iter_mut().zip(first..).for_each(|(element, number)| *element = number));
        }
    });
    thread::spawn(move || draft.publish()).join().unwrap().unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(7000, dtype='u4').reshape(1000, 7)"));
}

#[test]
fn drafts_without_bytes_and_without_axes_are_published_too() {
    let folder = support::temp_dir();
    let path = |name: &str| folder.path().join(name);
    Draft::<f32>::new(path("empty"), [0, 3]).unwrap().publish().unwrap();
    assert_eq!(fs::read(path("empty")).unwrap(), numpys("np.zeros((0, 3), 'f4')"));
    let mut zero = Draft::<f32>::new(path("zero"), []).unwrap();
    zero.as_mut_slice()[0] = 1.5;
    zero.publish().unwrap();
    assert_eq!(fs::read(path("zero")).unwrap(), numpys("np.array(1.5, 'f4')"));
    DraftAny::new(path("void"), DType::Void(0), [1_000_000_000]).unwrap().publish().unwrap();
    assert_eq!(fs::read(path("void")).unwrap(), numpys("np.zeros(1_000_000_000, 'V0')"));
    DraftAny::new(path("bool"), DType::Bool, [3]).unwrap().publish().unwrap();
    assert_eq!(Npy::<bool>::read(path("bool")).unwrap().as_slice(), [false; 3]);
}

#[test]
fn a_draft_that_is_dropped_leaves_nothing() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut draft = Draft::<u8>::new(&path, [100_000]).unwrap();
    draft.as_mut_slice().fill(1);
    drop(draft);
    drop(DraftAny::new(&path, DType::Bool, [0]).unwrap());
    assert!(names(folder.path()).is_empty());
    fs::write(&path, b"older").unwrap();
    drop(Draft::<u8>::new(&path, [100_000]).unwrap());
    assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["x.npy".to_owned()], b"older".to_vec()));
}

#[test]
fn publishing_over_a_file_is_an_error_and_leaves_the_file() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    fs::write(&path, b"older").unwrap();
    // The error may come as early as it is known.
    let refused = Draft::<u8>::new(&path, [3]).and_then(Draft::publish).unwrap_err();
    assert!(matches!(&refused, Error::AlreadyExists { path: named } if *named == path), "{refused}");
    let refused = DraftAny::new(&path, DType::Bool, [3]).and_then(DraftAny::publish).unwrap_err();
    assert!(matches!(refused, Error::AlreadyExists { .. }), "{refused}");
    let create_new = WriteOptions::new().create_new(true);
    for refused in [
        create_new.save(&path, [1], &[1_u8]),
        create_new.save_iter(&path, [1_u8]).map(drop),
        create_new.save_text(&path, [1], &["a"]),
    ] {
        assert!(matches!(refused, Err(Error::AlreadyExists { .. })), "{refused:?}");
    }
    assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["x.npy".to_owned()], b"older".to_vec()));

    // Made after the draft was begun.
    let other = folder.path().join("y.npy");
    let draft = Draft::<u8>::new(&other, [3]).unwrap();
    fs::write(&other, b"newer").unwrap();
    assert!(matches!(draft.publish(), Err(Error::AlreadyExists { .. })));
    assert_eq!((names(folder.path()).len(), fs::read(&other).unwrap()), (2, b"newer".to_vec()));
    // What a link leads to counts.
    let link = folder.path().join("z.npy");
    std::os::unix::fs::symlink("y.npy", &link).unwrap();
    assert!(matches!(Draft::<u8>::new(&link, [3]).and_then(Draft::publish), Err(Error::AlreadyExists { .. })));
    fs::remove_file(&other).unwrap();
    Draft::<u8>::new(&link, [3]).and_then(Draft::publish).unwrap();
    assert_eq!(Npy::<u8>::read(&other).unwrap().as_slice(), [0; 3]);
    // Where nothing is there, create_new makes it.
    create_new.save(folder.path().join("new.npy"), [1], &[1_u8]).unwrap();
}

#[test]
fn of_drafts_that_race_one_wins_and_the_others_are_told() {
    let folder = support::temp_dir();
    for round in 0..20 {
        let path = folder.path().join(format!("{round}.npy"));
        let start = Barrier::new(4);
        let won: Vec<u8> = thread::scope(|scope| {
            let racers: Vec<_> = (0..4_u8)
                .map(|racer| {
                    let (path, start) = (&path, &start);
                    scope.spawn(move || {
                        let mut draft = Draft::<u8>::new(path, [5000]).unwrap();
                        draft.as_mut_slice().fill(racer);
                        start.wait();
                        match draft.publish() {
                            Ok(()) => Some(racer),
                            Err(Error::AlreadyExists { .. }) => None,
                            Err(error) => panic!("{error}"),
                        }
                    })
                })
                .collect();
            racers.into_iter().filter_map(|racer| racer.join().unwrap()).collect()
        });
        assert_eq!(won.len(), 1);
        assert_eq!(Npy::<u8>::read(&path).unwrap().as_slice(), vec![won[0]; 5000]);
    }
    assert_eq!(names(folder.path()).len(), 20);
}

#[test]
fn saves_that_race_each_replace_the_whole_file() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    npymap::save(&path, [1], &[0_u32]).unwrap();
    let options = WriteOptions::new().durable(false);
    thread::scope(|scope| {
        for racer in 1..4_u32 {
            let (path, options) = (&path, &options);
            scope.spawn(move || {
                for round in 1..40 {
                    let len = usize::try_from(racer * 1000 + round).unwrap();
                    options.save(path, [len], &vec![racer; len]).unwrap();
                }
            });
        }
        for _ in 0..200 {
            let x = Npy::<u32>::read(&path).unwrap();
            let racer = x.as_slice()[0];
            assert!(x.as_slice().iter().all(|&number| number == racer), "a mix");
            assert!(racer == 0 || x.size() / 1000 == usize::try_from(racer).unwrap());
        }
    });
    assert_eq!(names(folder.path()), ["x.npy"]);
}

#[test]
fn replacing_a_file_keeps_its_mode_and_a_new_one_has_that_of_any_new_file() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let ordinary = folder.path().join("ordinary");
    fs::File::create(&ordinary).unwrap();

    npymap::save(&path, [1], &[1_u8]).unwrap();
    assert_eq!(mode(&path), mode(&ordinary), "save");
    fs::remove_file(&path).unwrap();
    Draft::<u8>::new(&path, [1]).unwrap().publish().unwrap();
    assert_eq!(mode(&path), mode(&ordinary), "publish");

    for wanted in [0o640, 0o600, 0o664, 0o444] {
        fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
        let before = fs::File::open(&path).unwrap();
        npymap::save(&path, [2], &[1_u8, 2]).unwrap();
        assert_eq!(mode(&path), wanted, "save");
        Draft::<u8>::new(&path, [1]).unwrap().publish_over().unwrap();
        assert_eq!(mode(&path), wanted, "publish_over");
        npymap::save_iter(&path, [1_u8]).unwrap();
        assert_eq!(mode(&path), wanted, "save_iter");
        let [before, after] = [before.metadata(), fs::metadata(&path)].map(|metadata| metadata.unwrap().ino());
        assert_ne!(before, after, "another file took its place");
    }
}

#[test]
fn a_published_file_is_really_allocated() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    Draft::<u8>::new(&path, [4 << 20]).unwrap().publish().unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert!(metadata.blocks() * 512 >= 4 << 20, "{} blocks", metadata.blocks());
}

#[test]
fn a_draft_has_room_only_where_there_is_room() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let refused = Draft::<u8>::new(&path, [1 << 55]).unwrap_err();
    assert!(matches!(refused, Error::NoSpace { .. } | Error::Io { .. } | Error::OutOfMemory { .. }), "{refused}");
    let refused = WriteOptions::new().draft_any(&path, DType::Float64(ByteOrder::Little), [1 << 52]).unwrap_err();
    assert!(matches!(refused, Error::NoSpace { .. } | Error::Io { .. } | Error::OutOfMemory { .. }), "{refused}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn rows_that_panic_leave_nothing() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let rows = (0..200_000_u32).map(|number| if number < 150_000 { number } else { panic!("no more") });
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| npymap::save_iter(&path, rows)));
    assert!(panicked.is_err());
    assert!(names(folder.path()).is_empty());
}

/// Where the process that is to be killed leaves its draft.
const KILLED: &str = "NPYMAP_TEST_KILLED_DRAFT";

#[test]
fn a_process_killed_over_its_draft_leaves_nothing() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program)
        .args(["--exact", "drafts::the_process_that_is_killed", "--nocapture", "--include-ignored"])
        .env(KILLED, &path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // It says that it is ready by a file of its own.
    let ready = folder.path().join("ready");
    for _ in 0..1000 {
        if ready.exists() || child.try_wait().unwrap().is_some() {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(ready.exists(), "{:?}", child.wait());
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(ready).unwrap();
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
}

#[test]
#[ignore = "run by a_process_killed_over_its_draft_leaves_nothing"]
fn the_process_that_is_killed() {
    let Some(path) = std::env::var_os(KILLED) else { return };
    let mut draft = Draft::<u64>::new(&path, [100_000]).unwrap();
    draft.as_mut_slice().fill(1);
    fs::write(Path::new(&path).with_file_name("ready"), b"").unwrap();
    thread::sleep(std::time::Duration::from_secs(60));
    draft.publish().unwrap();
}

#[test]
fn an_untyped_draft_is_written_by_fields_and_bytes() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let dtype = DType::from_descr("[('a', '|u1'), ('', '|V3'), ('b', '>f4')]").unwrap();
    let mut draft = DraftAny::new(&path, dtype, [3]).unwrap();
    {
        let fields = draft.fields_mut();
        let (a, b) = (fields.field::<u8>(&["a"]).unwrap(), fields.field::<f32>(&["b"]).unwrap());
        (0..3).for_each(|i| a.set(i, u8::try_from(i).unwrap()).unwrap());
        b.fill(1.5).unwrap();
    }
    draft.publish().unwrap();
    let made = "np.array([(i, 1.5) for i in range(3)], \
                np.dtype({'names': ['a', 'b'], 'formats': ['u1', '>f4'], 'offsets': [0, 4], 'itemsize': 8}))";
    let same = support::live::ask(
        &format!("bool((np.load(path) == {made}).all()) and np.load(path).dtype == {made}.dtype"),
        &serde_json::json!({"path": path}),
    );
    assert_eq!(same, true);
    assert_eq!(NpyAny::read(&path).unwrap().bytes()[..8], [0, 0, 0, 0, 0x3f, 0xc0, 0, 0]);
}
