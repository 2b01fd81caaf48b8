//! Random sequences of what can happen to a file that grows: pushes, commits, syncs, clean ends and sudden ones, cuts at
//! any byte, bytes from elsewhere. A model says what must be there.
#![no_main]

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use npymap::{AppendOptions, AppenderAny, DType, Error, NpyFile, Order, Problem, repair, verify};
use tempfile::TempDir;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let mut run = Run::new(&mut input);
    for _ in 0..40 {
        let Some(step) = input.byte() else { break };
        run.step(step, &mut input);
        run.check();
    }
});

/// The bytes that decide.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn below(&mut self, n: usize) -> usize {
        (usize::from(self.byte().unwrap_or(0)) * 256 + usize::from(self.byte().unwrap_or(0))) % n.max(1)
    }
}

struct Run {
    _folder: TempDir,
    path: PathBuf,
    options: AppendOptions,
    row_bytes: usize,
    log: Option<AppenderAny>,
    /// Every row that was pushed, and how many of them are acknowledged.
    rows: Vec<u8>,
    acknowledged: usize,
    filler: u8,
}

impl Run {
    fn new(input: &mut Input) -> Self {
        let memory = Path::new("/dev/shm");
        let folder = if memory.exists() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
        let path = folder.path().join("log.npy");
        let row_bytes = [1, 3, 8, 16, 100, 5000][input.below(6)];
        let order = [Order::C, Order::Fortran][input.below(2)];
        let options =
            AppendOptions::new().row_shape([row_bytes]).order(order).buffer_size([0, 64, 10_000][input.below(3)]);
        let options = match input.below(4) {
            0 => options.commit_every_rows(3),
            1 => options.commit_every_bytes(200),
            2 => options.preallocate(true),
            _ => options,
        };
        let log = options.create_any(&path, DType::UInt8).unwrap();
        let (rows, acknowledged, filler) = (Vec::new(), 0, 0);
        Self { _folder: folder, path, options, row_bytes, log: Some(log), rows, acknowledged, filler }
    }

    /// How many rows were pushed.
    fn pushed(&self) -> usize {
        self.rows.len() / self.row_bytes
    }

    fn step(&mut self, step: u8, input: &mut Input) {
        match step % 14 {
            0..=3 => {
                let count = input.below(40);
                let rows: Vec<u8> = (0..count * self.row_bytes)
                    .map(|_| {
                        self.filler = self.filler.wrapping_add(7);
                        self.filler
                    })
                    .collect();
                let log = self.log.as_mut().unwrap();
                log.extend_bytes(&rows).unwrap();
                assert!(rows.is_empty() || log.extend_bytes(&rows[1..]).is_err() || self.row_bytes == 1);
                if self.row_bytes == 1 && !rows.is_empty() {
                    self.rows.extend(&rows);
                    self.rows.extend(&rows[1..]);
                } else {
                    self.rows.extend(&rows);
                }
                self.acknowledged = self.log.as_ref().unwrap().committed();
            }
            4 => {
                self.log.as_mut().unwrap().commit().unwrap();
                self.acknowledged = self.pushed();
            }
            5 => {
                self.log.as_mut().unwrap().sync().unwrap();
                self.acknowledged = self.pushed();
                assert_eq!(self.log.as_ref().unwrap().synced(), self.pushed());
            }
            6 => self.log.as_mut().unwrap().sync_async().unwrap(),
            7 => {
                self.log.as_mut().unwrap().poll().unwrap();
                self.acknowledged = self.log.as_ref().unwrap().committed();
            }
            8 => {
                self.end(input.below(2) == 0);
                let log = self.options.open_any(&self.path).unwrap();
                assert!(log.recovery().is_clean());
                self.log = Some(log);
            }
            9 => self.kill(),
            10 => self.cut(input),
            11 => self.foreign_bytes(input),
            12 => self.resize(input),
            _ => self.hostile_header(input),
        }
        if let Some(log) = &self.log {
            assert_eq!(log.rows(), self.pushed());
        }
    }

    /// Closes the log, or drops it.
    fn end(&mut self, close: bool) {
        let log = self.log.take().unwrap();
        if close {
            log.close().unwrap()
        } else {
            drop(log)
        }
        self.acknowledged = self.pushed();
    }

    /// What a dead writer leaves: the file as it is now.
    fn kill(&mut self) {
        let dead = self.path.with_file_name("dead.npy");
        fs::copy(&self.path, &dead).unwrap();
        drop(self.log.take());
        fs::rename(&dead, &self.path).unwrap();
        self.reopen_after_kill();
    }

    fn reopen_after_kill(&mut self) {
        let log = self.options.open_any(&self.path).unwrap();
        assert!(log.rows() >= self.acknowledged, "{} of {} acknowledged", log.rows(), self.acknowledged);
        assert_eq!(log.recovery().adopted + log.recovery().rows, log.rows() as u64);
        self.rows.truncate(log.rows() * self.row_bytes);
        self.acknowledged = log.rows();
        self.log = Some(log);
    }

    /// Cuts the closed file at any byte of its rows.
    fn cut(&mut self, input: &mut Input) {
        self.end(true);
        let at = 4096 + input.below(self.rows.len() + 1);
        File::options().write(true).open(&self.path).unwrap().set_len(at as u64).unwrap();
        let whole = (at - 4096) / self.row_bytes;
        if whole < self.pushed() {
            match self.options.open_any(&self.path) {
                Err(Error::HeaderAhead { header, file }) => {
                    assert_eq!((header, file), (self.pushed() as u64, whole as u64))
                }
                other => panic!("{other:?}"),
            }
            assert!(NpyFile::open(&self.path).is_err());
            assert!(matches!(verify(&self.path).unwrap().problems[0], Problem::HeaderAhead { .. }));
            assert!(repair(&self.path).unwrap().is_sound());
        }
        self.rows.truncate(whole * self.row_bytes);
        self.acknowledged = whole;
        self.reopen_after_kill();
    }

    /// Appends bytes from elsewhere to the closed file.
    fn foreign_bytes(&mut self, input: &mut Input) {
        self.end(true);
        let mut bytes: Vec<u8> = (0..input.below(3 * self.row_bytes)).map(|_| input.byte().unwrap_or(1)).collect();
        let array = input.below(4) == 0;
        if array {
            bytes.splice(0..0, *b"\x93NUMPY\x01\x00");
        }
        let end = 4096 + self.rows.len() as u64;
        let file = File::options().write(true).open(&self.path).unwrap();
        file.write_all_at(&bytes, end).unwrap();
        if bytes.starts_with(b"\x93NUMPY") {
            assert!(matches!(self.options.open_any(&self.path), Err(Error::TrailingBytes { .. })));
            assert!(repair(&self.path).unwrap().done.is_empty());
            assert_eq!(fs::metadata(&self.path).unwrap().len(), end + bytes.len() as u64);
            file.set_len(end).unwrap();
        } else {
            // They were written in this boot, and look like rows of a writer that died.
            self.rows.extend(&bytes[..bytes.len() / self.row_bytes * self.row_bytes]);
        }
        if input.below(2) == 0 && !verify(&self.path).unwrap().is_sound() {
            assert!(repair(&self.path).unwrap().is_sound());
        }
        self.reopen_after_kill();
    }

    fn resize(&mut self, input: &mut Input) {
        assert!(matches!(npymap::grow(&self.path, 1), Err(Error::Locked { .. }) | Err(Error::TrailingBytes { .. })));
        self.end(true);
        let more = input.below(20);
        npymap::grow(&self.path, more).unwrap();
        self.rows.resize(self.rows.len() + more * self.row_bytes, 0);
        let fewer = input.below(self.pushed() + 1);
        npymap::shrink_to(&self.path, fewer).unwrap();
        self.rows.truncate(fewer * self.row_bytes);
        assert!(npymap::shrink_to(&self.path, fewer + 1).is_err());
        self.acknowledged = fewer;
        self.reopen_after_kill();
    }

    /// Whatever stands in the header, nothing panics, and nothing but the header is wrong after it is put back.
    fn hostile_header(&mut self, input: &mut Input) {
        self.end(true);
        let mut head = vec![0; 4096];
        let file = File::options().read(true).write(true).open(&self.path).unwrap();
        file.read_exact_at(&mut head, 0).unwrap();
        // A mark that was left in the middle of a change is as good as the count.
        // Latin-1, each byte a character.
        let text: String = head.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { '_' }).collect();
        let shape = text.find('(').unwrap();
        // The count ends where the tuple goes on, or where it ends.
        let mark = if text.contains("'fortran_order': True") { ')' } else { ',' };
        let end = shape + text[shape..].find(mark).unwrap();
        assert_eq!(end % 8, 0);
        let field = (input.below(2) == 0).then_some(end);
        if let Some(end) = field {
            file.write_all_at(b"0000000 ", end as u64 - 8).unwrap();
            assert!(matches!(NpyFile::open(&self.path), Err(Error::UnfinishedPublish { .. })));
            self.reopen_after_kill();
            assert!(self.log.as_ref().unwrap().recovery().finished_publish);
            return;
        }
        let copy = self.path.with_file_name("hostile.npy");
        fs::copy(&self.path, &copy).unwrap();
        let hostile = File::options().write(true).open(&copy).unwrap();
        for _ in 0..=input.below(4) {
            let byte = input.byte().unwrap_or(b'9');
            hostile.write_all_at(&[byte], input.below(140) as u64).unwrap();
        }
        let _ = verify(&copy).map(|found| format!("{:?} {}", found.problems, found.is_sound()));
        let _ = NpyFile::open(&copy).and_then(|mut file| file.refresh());
        let opened = self.options.open_any(&copy).map(|mut log| log.commit());
        let _ = (opened.map(drop), repair(&copy).map(drop));
        fs::remove_file(&copy).unwrap();
        self.reopen_after_kill();
    }

    /// Readers see what is acknowledged, or more of what was pushed, and the right bytes.
    fn check(&self) {
        let file = NpyFile::open(&self.path).unwrap();
        let seen = file.rows();
        assert!(
            (self.acknowledged..=self.pushed()).contains(&seen),
            "{seen}, {}, {}",
            self.acknowledged,
            self.pushed()
        );
        let mut bytes = vec![0; seen * self.row_bytes];
        file.read_bytes(0, &mut bytes).unwrap();
        assert!(bytes == self.rows[..bytes.len()]);
        let found = verify(&self.path).unwrap();
        assert!(found.is_sound(), "{:?}", found.problems);
    }
}
