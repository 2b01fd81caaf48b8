//! Several that create one file at once: one wins, and nothing that is there is ever cut.

use std::fs;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use npymap::{AppendOptions, Appender, Error, Header};
use serde_json::json;

use crate::growing::{Process, names, orders, say};
use crate::support;
use crate::support::live::ask;

#[test]
fn creating_over_a_file_is_an_error_and_leaves_it() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    for bytes in [b"".as_slice(), b"something else"] {
        fs::write(&path, bytes).unwrap();
        let error = Appender::<f32>::create(&path).unwrap_err();
        assert!(matches!(&error, Error::AlreadyExists { path: named } if *named == path), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    assert_eq!(names(folder.path()), ["log.npy"]);
}

#[test]
fn of_threads_that_create_one_file_one_wins() {
    const THREADS: usize = 8;
    let folder = support::temp_dir();
    for round in 0..20 {
        let path = folder.path().join(format!("{round}.npy"));
        let barrier = Barrier::new(THREADS);
        let won: usize = thread::scope(|scope| {
            let create = || {
                barrier.wait();
                match Appender::<u64>::create(&path) {
                    Ok(mut log) => {
                        log.push(&7).unwrap();
                        log.close().unwrap();
                        1
                    }
                    Err(Error::AlreadyExists { .. }) => 0,
                    Err(error) => panic!("{error:?}"),
                }
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(create)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(won, 1);
        assert_eq!(ask("np.load(path).tolist()", &json!({"path": path})), json!([7]));
        assert_eq!(names(folder.path()).len(), round + 1);
    }
}

#[test]
fn threads_that_open_or_create_one_file_and_wait_lose_no_row() {
    const THREADS: u64 = 6;
    let folder = support::temp_dir();
    for round in 0..5 {
        let path = folder.path().join(format!("{round}.npy"));
        let barrier = Barrier::new(6);
        thread::scope(|scope| {
            for i in 0..THREADS {
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let options = AppendOptions::new().wait(Duration::from_secs(30));
                    let mut log = options.open_or_create::<u64>(path).unwrap();
                    log.push(&i).unwrap();
                    log.close().unwrap();
                });
            }
        });
        assert_eq!(ask("sorted(np.load(path).tolist())", &json!({"path": path})), json!([0, 1, 2, 3, 4, 5]));
    }
}

/// Opens or creates each of the files that it is told, and appends its number.
#[test]
#[ignore = "a process that another test starts"]
fn creator() {
    let Some(orders) = orders() else { return };
    let number: u64 = orders[0].parse().unwrap();
    say("ready");
    for path in std::io::stdin().lines() {
        let path = path.unwrap();
        match Appender::<u64>::create(&path) {
            Ok(mut log) => {
                log.push(&number).unwrap();
                log.close().unwrap();
                say("won");
            }
            Err(Error::AlreadyExists { .. }) => {
                let options = AppendOptions::new().wait(Duration::from_secs(30));
                let mut log = options.open::<u64>(&path).unwrap();
                log.push(&number).unwrap();
                log.close().unwrap();
                say("lost");
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[test]
fn of_processes_that_create_one_file_one_wins_and_all_append() {
    use std::io::Write;
    let folder = support::temp_dir();
    let mut processes: Vec<_> =
        (0..4).map(|number| Process::start("creating::creator", &[&number.to_string()])).collect();
    processes.iter_mut().for_each(|process| assert_eq!(process.line().as_deref(), Some("ready")));
    for round in 0..25 {
        let path = folder.path().join(format!("{round}.npy"));
        for process in &mut processes {
            writeln!(process.child.stdin.as_mut().unwrap(), "{}", path.display()).unwrap();
        }
        let said: Vec<_> = processes.iter_mut().map(|process| process.line().expect("the process lives")).collect();
        let won = said.iter().filter(|said| *said == "won").count();
        assert_eq!(won, 1);
        assert_eq!(ask("sorted(np.load(path).tolist())", &json!({"path": path})), json!([0, 1, 2, 3]));
    }
    processes.into_iter().for_each(|process| drop(process.finish()));
    assert_eq!(names(folder.path()).len(), 25);
}

/// A file that is being created has its name only when it is whole.
#[test]
fn file_that_appears_is_whole_at_once() {
    let folder = support::temp_dir();
    let folder = folder.path();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut seen = 0;
            while !stop.load(Ordering::Relaxed) {
                for name in names(folder).iter().filter(|name| name.ends_with(".npy")) {
                    let header = Header::parse(&fs::read(folder.join(name)).unwrap()).unwrap();
                    assert_eq!((header.shape(), header.data_offset()), (&[0, 3][..], 4096));
                    seen += 1;
                }
            }
            seen
        });
        for i in 0..100 {
            Appender::<[f32; 3]>::create(folder.join(format!("{i}.npy"))).unwrap().close().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        assert!(watcher.join().unwrap() > 0);
    });
}
