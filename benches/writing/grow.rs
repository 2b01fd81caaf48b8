//! What growth costs, whatever the size of the file.

use std::fs::File;
use std::path::Path;

use npymap::{Appender, Npy, WriteOptions, shrink_to};
use npymap_benches::Setting;
use npymap_benches::files::folder;
use npymap_benches::race::{Race, Verdict, each, once};

type Row = [u64; 64];

/// Rows of 1 MiB, and of 10 GiB.
const SMALL: usize = 2 << 10;
const LARGE: usize = 20 << 20;

/// Growths, or commits, of one lap.
const LAP: usize = 200;

pub fn grow(setting: &Setting) -> Vec<Verdict> {
    let home = folder();
    let (small, large) = (home.path().join("small.npy"), home.path().join("large.npy"));
    sparse(&small, SMALL);
    sparse(&large, LARGE);
    let grown = |path: &Path| {
        // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody else accesses it.
        let mut x = unsafe { Npy::<u64>::map_mut(path) }.expect("the file");
        let rows = x.shape()[0];
        move || {
            (0..LAP).for_each(|_| x.grow(1).expect("room"));
            x.shrink_to(rows).expect("the same again");
        }
    };
    let committed = |path: &Path, rows: usize| {
        let path = path.to_path_buf();
        move || {
            let mut log = Appender::<Row>::open(&path).expect("the file");
            for _ in 0..LAP {
                log.push(&[1; 64]).and_then(|()| log.commit()).expect("room");
            }
            log.close().expect("room");
            shrink_to(&path, rows).expect("the same again");
        }
    };
    let races = [
        Race::new("grow: by a row of 512 bytes, mapped", "growth")
            .lane("npymap grow(1), 10 GiB", each(LAP, once(grown(&large))))
            .lane("npymap grow(1), 1 MiB", each(LAP, once(grown(&small)))),
        Race::new("grow: push and commit a row of 512 bytes", "commit")
            .lane("npymap push, commit, 10 GiB", each(LAP, once(committed(&large, LARGE))))
            .lane("npymap push, commit, 1 MiB", each(LAP, once(committed(&small, SMALL)))),
    ];
    races.into_iter().flat_map(|race| race.run(setting.rounds(21))).collect()
}

/// A file of so many rows of zeros, most of which the disk doesn't hold.
fn sparse(path: &Path, rows: usize) {
    let options = WriteOptions::new().appendable(true);
    options.save::<Row>(path, [0], &[]).expect("room");
    let header = npymap::Header::new_appendable(<u64 as npymap::Element>::dtype(), [rows, 64], npymap::Order::C);
    let header = header.and_then(|header| header.to_bytes()).expect("a header");
    let file = File::options().write(true).open(path).expect("the file");
    std::os::unix::fs::FileExt::write_all_at(&file, &header, 0).expect("room");
    file.set_len(4096 + (rows * size_of::<Row>()) as u64).expect("a sparse file");
}
