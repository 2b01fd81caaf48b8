//! Rows that a power cut spares, by the time of day.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use npymap::Appender;
use npymap_benches::Setting;
use npymap_benches::files::folder;
use npymap_benches::race::{Race, Verdict, timed, waited};

type Row = [u64; 64];

/// Rows of a batch: 512 KB.
const BATCH: usize = 1_000;

pub fn durable(setting: &Setting) -> Vec<Verdict> {
    let (ours, theirs) = (folder(), folder());
    let log = RefCell::new(Appender::<Row>::create(ours.path().join("log.npy")).expect("a new file"));
    let batch = || {
        let mut log = log.borrow_mut();
        (0..BATCH).for_each(|i| log.push(&[i as u64; 64]).expect("room"));
        log.sync().expect("a disk");
    };
    let file = File::create(theirs.path().join("log.raw")).expect("a new file");
    let mut end = 4096;
    let rows = vec![7; BATCH * size_of::<Row>()];
    let bare = || {
        file.write_all_at(&rows, end).expect("room");
        file.sync_data().expect("a disk");
        file.write_all_at(b"12345678", 72).expect("room");
        file.sync_data().expect("a disk");
        end += rows.len() as u64;
    };
    let one = File::create(theirs.path().join("one.raw")).expect("a new file");
    let mut one_end = 4096;
    let single = || {
        one.write_all_at(&rows, one_end).expect("room");
        one.sync_data().expect("a disk");
        one_end += rows.len() as u64;
    };
    Race::new("durable: 1000 rows of 512 bytes, and their count", "batch")
        .lane("npymap push x 1000, sync", waited(batch))
        .goal(1.2, "write, fdatasync, write, fdatasync", waited(bare))
        .lane("write, fdatasync", waited(single))
        .run(setting.rounds(201))
}

/// How long the slowest of many pushes takes, while the disk is being waited for.
pub fn push(setting: &Setting) -> Vec<Verdict> {
    let worst = |sync: fn(&mut Appender<Row>)| {
        move || {
            let folder = folder();
            let mut log = Appender::<Row>::create(folder.path().join("log.npy")).expect("a new file");
            let mut worst = Duration::ZERO;
            // A row each 10 us or so, a sync each 100 rows.
            for i in 0..5_000 {
                let start = Instant::now();
                log.push(&[i; 64]).expect("room");
                worst = worst.max(start.elapsed());
                if i % 100 == 99 {
                    let start = Instant::now();
                    sync(&mut log);
                    worst = worst.max(start.elapsed());
                }
                let next = Instant::now() + Duration::from_micros(10);
                while Instant::now() < next {
                    std::hint::spin_loop();
                }
            }
            log.close().expect("a disk");
            worst
        }
    };
    Race::new("push: the slowest of 5000 calls, a sync begun after every 100", "run")
        .lane("npymap sync_async", timed(worst(|log| log.sync_async().expect("a disk"))))
        .lane("npymap sync", timed(worst(|log| log.sync().expect("a disk"))))
        .lane("npymap commit", timed(worst(|log| log.commit().expect("room"))))
        .run(setting.rounds(21))
}
