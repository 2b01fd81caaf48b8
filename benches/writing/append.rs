//! Rows to a file, through a buffer and into the page cache.

use std::fs::File;
use std::io::{BufWriter, Write};

use npymap::{AppendOptions, Appender};
use npymap_benches::Setting;
use npymap_benches::files::folder;
use npymap_benches::race::{Race, Verdict, each, once};

/// 100 MiB of rows of 512 bytes.
const ROWS: usize = 200_000;

type Row = [u64; 64];

pub fn append(setting: &Setting) -> Vec<Verdict> {
    let row = |i: usize| [i as u64; 64];
    let npymap = |commit: Option<u64>| {
        move || {
            let folder = folder();
            let options = AppendOptions::new();
            let options = commit.map_or(options.clone(), |rows| options.commit_every_rows(rows));
            let mut log: Appender<Row> = options.create(folder.path().join("log.npy")).expect("a new file");
            (0..ROWS).for_each(|i| log.push(&row(i)).expect("room"));
            log.close().expect("room");
            folder
        }
    };
    let at_once = || {
        let folder = folder();
        let mut log = Appender::<Row>::create(folder.path().join("log.npy")).expect("a new file");
        let mut rows = Vec::with_capacity(1000);
        for first in (0..ROWS).step_by(1000) {
            rows.clear();
            rows.extend((first..first + 1000).map(row));
            log.extend(&rows).expect("room");
        }
        log.close().expect("room");
        folder
    };
    // What the appender's header is: the same bytes are the same file.
    let head = [b' '; 4096];
    let buffered = |capacity: usize| {
        move || {
            let folder = folder();
            let file = File::create(folder.path().join("log.raw")).expect("a new file");
            let mut writer = BufWriter::with_capacity(capacity, file);
            writer.write_all(&head).expect("room");
            for i in 0..ROWS {
                let row = row(i);
                // SAFETY: the 512 bytes of 64 numbers, all initialized, borrowed for the call.
                let bytes = unsafe { std::slice::from_raw_parts(row.as_ptr().cast::<u8>(), size_of::<Row>()) };
                writer.write_all(bytes).expect("room");
            }
            writer.flush().expect("room");
            folder
        }
    };
    let python = folder();
    Race::new("append: rows of 512 bytes, one by one", "row")
        .lane("npymap Appender::push", each(ROWS, once(npymap(None))))
        .goal(1.15, "BufWriter of the same size, 256 KiB", each(ROWS, once(buffered(256 * 1024))))
        .numpy(setting, Some(0.04), "npy-append-array, row by row", "append", python.path())
        .lane("BufWriter of 8 KiB", each(ROWS, once(buffered(8 * 1024))))
        .lane("npymap, visible after every 1000 rows", each(ROWS, once(npymap(Some(1000)))))
        .lane("npymap, visible after every row", each(ROWS, once(npymap(Some(1)))))
        .lane("npymap Appender::extend, 1000 rows at once", each(ROWS, once(at_once)))
        .run(setting.rounds(15))
}
