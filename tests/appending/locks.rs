//! One appender at a time: in one process, in two, while the file is replaced, and what readers notice of the lock.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use npymap::{AppendOptions, Appender, Error, NpyFile};
use serde_json::json;

use crate::growing::{Process, orders, say};
use crate::support;
use crate::support::live::ask;

fn numpys(path: &Path) -> serde_json::Value {
    ask("np.load(path).tolist()", &json!({"path": path}))
}

fn is_locked(path: &Path) -> Duration {
    let start = Instant::now();
    let error = Appender::<u64>::open(path).unwrap_err();
    assert!(matches!(&error, Error::Locked { path: named, .. } if named == path), "{error:?}");
    start.elapsed()
}

#[test]
fn second_appender_of_this_process_is_refused_until_the_first_is_gone() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = Appender::<u64>::create(&path).unwrap();
    assert!(is_locked(&path) < Duration::from_secs(1));
    log.push(&1).unwrap();
    log.commit().unwrap();
    assert!(is_locked(&path) < Duration::from_secs(1));
    // Another name is the same file.
    let link = folder.path().join("link.npy");
    fs::hard_link(&path, &link).unwrap();
    is_locked(&link);
    let error = AppendOptions::new().open_or_create::<u64>(&path).unwrap_err();
    assert!(matches!(error, Error::Locked { .. }), "{error:?}");
    log.close().unwrap();
    let log = Appender::<u64>::open(&path).unwrap();
    assert_eq!(log.rows(), 1);
    is_locked(&path);
    drop(log);
    assert_eq!(Appender::<u64>::open(&path).unwrap().rows(), 1);
}

#[test]
fn opening_and_closing_the_file_otherwise_does_not_release_the_lock() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let log = Appender::<u64>::create(&path).unwrap();
    drop(fs::File::open(&path).unwrap());
    drop(NpyFile::open(&path).unwrap());
    let _ = Appender::<u64>::open(&path);
    let mut other = Process::start("locks::holder", &[path.to_str().unwrap(), "0"]);
    assert!(other.line().unwrap().contains("Locked"));
    drop(log);
}

#[test]
fn waiting_for_the_lock_ends_in_time() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let _log = Appender::<u64>::create(&path).unwrap();
    for wait in [0, 30, 200] {
        let start = Instant::now();
        let error = AppendOptions::new().wait(Duration::from_millis(wait)).open::<u64>(&path).unwrap_err();
        let took = start.elapsed();
        let Error::Locked { waited_ms, .. } = error else { panic!("{error:?}") };
        assert!(waited_ms >= wait && took >= Duration::from_millis(wait), "{waited_ms} {took:?}");
        assert!(took < Duration::from_millis(wait + 2000), "{took:?}");
    }
}

#[test]
fn appender_that_waited_sees_the_rows_of_the_one_before() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = Appender::<u64>::create(&path).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut log = AppendOptions::new().wait(Duration::from_secs(30)).open::<u64>(&path).unwrap();
            log.push(&100).unwrap();
            log.close().unwrap();
        });
        thread::sleep(Duration::from_millis(100));
        log.extend(&[1, 2, 3]).unwrap();
        log.close().unwrap();
        waiting.join().unwrap();
    });
    assert_eq!(numpys(&path), json!([1, 2, 3, 100]));
}

/// The file is another one once the lock is had: rows go where the name leads now.
#[test]
fn file_that_was_replaced_while_an_appender_waited_is_opened_anew() {
    let folder = support::temp_dir();
    let [path, next] = ["log.npy", "next.npy"].map(|name| folder.path().join(name));
    for _ in 0..3 {
        let _ = fs::remove_file(&path);
        let mut log = Appender::<u64>::create(&path).unwrap();
        log.push(&1).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut log = AppendOptions::new().wait(Duration::from_secs(30)).open::<u64>(&path).unwrap();
                log.push(&100).unwrap();
                log.close().unwrap();
            });
            thread::sleep(Duration::from_millis(50));
            let mut other = Appender::<u64>::create(&next).unwrap();
            other.extend(&[5, 6]).unwrap();
            other.close().unwrap();
            fs::rename(&next, &path).unwrap();
            log.close().unwrap();
            waiting.join().unwrap();
        });
        assert_eq!(numpys(&path), json!([5, 6, 100]));
    }
}

/// What was waited for is gone: a new file is made where that was asked for, and else it is an error.
#[test]
fn file_that_was_removed_while_an_appender_waited_is_made_anew_or_missed() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    for create in [false, true] {
        let mut log = Appender::<u64>::create(&path).unwrap();
        log.push(&1).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let options = AppendOptions::new().wait(Duration::from_secs(30));
                if create { options.open_or_create::<u64>(&path) } else { options.open(&path) }
            });
            thread::sleep(Duration::from_millis(50));
            fs::remove_file(&path).unwrap();
            log.close().unwrap();
            match waiting.join().unwrap() {
                Ok(mut log) => {
                    assert!(create);
                    log.push(&2).unwrap();
                    log.close().unwrap();
                    assert_eq!(numpys(&path), json!([2]));
                }
                Err(Error::Io { source, .. }) => {
                    assert!(!create && source.kind() == std::io::ErrorKind::NotFound, "{source}");
                    assert!(!path.exists());
                }
                Err(error) => panic!("{error:?}"),
            }
        });
    }
}

/// Opens or creates what it is told, and says what came of it.
#[test]
#[ignore = "a process that another test starts"]
fn opener() {
    let Some(orders) = orders() else { return };
    match Appender::<u64>::open_or_create(&orders[0]) {
        Ok(log) => say(format!("opened {}", log.rows())),
        Err(error) => say(format!("{error:?}")),
    }
}

/// A name that leads nowhere is there when it is to be made, and isn't when it is to be opened.
#[cfg(unix)]
#[test]
fn opening_or_creating_through_a_dangling_link_comes_to_an_end() {
    let folder = support::temp_dir();
    let link = folder.path().join("link.npy");
    std::os::unix::fs::symlink(folder.path().join("nowhere.npy"), &link).unwrap();
    let mut opener = Process::start("locks::opener", &[link.to_str().unwrap()]);
    let start = Instant::now();
    while opener.child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(10), "it goes on and on");
        thread::sleep(Duration::from_millis(10));
    }
    assert!(opener.line().is_some());
}

/// Opens the file that it is told, waiting so many milliseconds, and holds it until its input ends.
#[test]
#[ignore = "a process that another test starts"]
fn holder() {
    let Some(orders) = orders() else { return };
    let wait = Duration::from_millis(orders[1].parse().unwrap());
    let mut log = match AppendOptions::new().wait(wait).open::<u64>(&orders[0]) {
        Ok(log) => log,
        Err(error) => return say(format!("{error:?}")),
    };
    say(format!("holds {}", log.rows()));
    for line in std::io::stdin().lines() {
        log.push(&line.unwrap().parse().unwrap()).unwrap();
        log.commit().unwrap();
        say(log.committed());
    }
    log.close().unwrap();
}

#[test]
fn appender_of_another_process_is_refused_or_waits() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    Appender::<u64>::create(&path).unwrap().close().unwrap();
    let name = path.to_str().unwrap();
    let mut holder = Process::start("locks::holder", &[name, "0"]);
    assert_eq!(holder.line().unwrap(), "holds 0");
    is_locked(&path);
    let mut refused = Process::start("locks::holder", &[name, "20"]);
    assert!(refused.line().unwrap().contains("Locked"));
    let mut waiting = Process::start("locks::holder", &[name, "30000"]);
    writeln!(holder.child.stdin.as_mut().unwrap(), "11").unwrap();
    assert_eq!(holder.line().unwrap(), "1");
    // Readers are not held up.
    assert_eq!(numpys(&path), json!([11]));
    assert_eq!(NpyFile::open(&path).unwrap().read_all::<u64>().unwrap(), [11]);
    // A process that dies holds nothing.
    holder.kill();
    assert_eq!(waiting.line().unwrap(), "holds 1");
    writeln!(waiting.child.stdin.as_mut().unwrap(), "12").unwrap();
    assert_eq!(waiting.line().unwrap(), "2");
    waiting.finish();
    assert_eq!(numpys(&path), json!([11, 12]));
    assert!(Appender::<u64>::open(&path).unwrap().recovery().is_clean());
}

#[test]
fn file_that_may_not_be_written_is_refused() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    Appender::<u64>::create(&path).unwrap().close().unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    // The superuser may write it all the same.
    if let Err(error) = fs::File::options().write(true).open(&path) {
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
        assert!(matches!(Appender::<u64>::open(&path).unwrap_err(), Error::Io { .. }));
    }
}

/// Not a file to append to: what is written to a device or a pipe is gone.
#[cfg(unix)]
#[test]
fn devices_are_refused() {
    for path in ["/dev/null", "/dev/zero"] {
        assert!(Appender::<u64>::open(path).is_err());
        assert!(Appender::<u64>::open_or_create(path).is_err());
    }
}

/// Between fork and exec a child has all files of its parent open; a lock that ended with the last of them would outlive
/// its appender.
#[cfg(unix)]
#[test]
fn processes_that_are_started_meanwhile_do_not_hold_the_lock() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    Appender::<u64>::create(&path).unwrap().close().unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let starting = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                Command::new("true").status().unwrap();
            }
        });
        let start = Instant::now();
        let mut refused = 0;
        for turn in 0_usize.. {
            match Appender::<u64>::open(&path) {
                Ok(log) if turn.is_multiple_of(2) => log.close().unwrap(),
                Ok(log) => drop(log),
                Err(Error::Locked { .. }) => refused += 1,
                Err(error) => panic!("{error:?}"),
            }
            if start.elapsed() > Duration::from_millis(500) {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        starting.join().unwrap();
        assert_eq!(refused, 0, "the appender before was gone");
    });
}
