//! A whole array to a file.

use std::fs::File;
use std::io::Write;

use npymap::WriteOptions;
use npymap_benches::Setting;
use npymap_benches::files::{folder, header};
use npymap_benches::race::{Race, Verdict, once, waited};

/// 1 GiB of f8.
const LEN: usize = 128 << 20;

pub fn save(setting: &Setting) -> Vec<Verdict> {
    let elements: Vec<f64> = (0..LEN).map(|i| i as f64).collect();
    // SAFETY: the bytes of the numbers, all initialized, borrowed as long as they are.
    let bytes = unsafe { std::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), LEN * 8) };
    let head = header("<f8", &format!("({LEN},)"));
    let ours = |durable: bool| {
        let elements = &elements;
        move || {
            let folder = folder();
            let options = WriteOptions::new().durable(durable);
            options.save(folder.path().join("x.npy"), [LEN], elements).expect("room");
            folder
        }
    };
    let bare = |durable: bool| {
        let head = &head;
        move || {
            let folder = folder();
            let mut file = File::create(folder.path().join("x.npy")).expect("a new file");
            file.write_all(head).and_then(|()| file.write_all(bytes)).expect("room");
            if durable {
                file.sync_all().expect("a disk");
            }
            folder
        }
    };
    let python = folder();
    let races = [
        Race::new("save: 1 GiB into the page cache", "file")
            .lane("npymap save, durable(false)", once(ours(false)))
            .goal(1.05, "write of the same bytes", once(bare(false)))
            .numpy(setting, None, "np.save", "save", python.path()),
        Race::new("save: 1 GiB onto the disk, by the time of day", "file")
            .lane("npymap save", waited(ours(true)))
            .goal(1.05, "write and fsync of the same bytes", waited(bare(true))),
    ];
    races.into_iter().flat_map(|race| race.run(setting.rounds(7))).collect()
}
