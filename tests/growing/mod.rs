//! Growing files made and read by hand, byte for byte, and the processes that write them. It knows nothing of npymap's API.

#![allow(dead_code, reason = "each test binary compiles this module and uses a part of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime};

/// Rows that the low word of a publish field can count.
pub const CARRY: u64 = 100_000_000;

/// Where the data of a file made for appending start.
pub const DATA: u64 = 4096;

/// A row: three numbers, so that rows and pages don't end together.
pub type Row = [u64; 3];

/// The bytes of a [`Row`].
pub const ROW: u64 = 24;

/// A row that tells which one it is.
pub fn row(i: u64) -> Row {
    [i + 1, (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), !i]
}

/// Rows one after another, as they are stored.
pub fn rows(range: std::ops::Range<u64>) -> Vec<Row> {
    range.map(row).collect()
}

/// The stored bytes of such rows.
pub fn bytes(rows: &[Row]) -> Vec<u8> {
    rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
}

/// What a publish field holds when `rows` are counted and nothing is under way.
pub fn field(rows: u64) -> [u8; 16] {
    let (high, low) = (rows / CARRY, rows % CARRY);
    let text = if high == 0 { format!("{low:>16}") } else { format!("{high:>8}{low:08}") };
    text.into_bytes().try_into().unwrap()
}

/// What a publish field holds while a carry is under way: the high word is that of `rows`.
pub fn carry_mark(rows: u64) -> [u8; 16] {
    let mut mark = field(rows);
    mark[8..].copy_from_slice(b"0000000 ");
    mark
}

/// The header of a file made for appending: 4096 bytes, in which the count of rows fills bytes 64 to 80, or the next
/// two 8-byte words of one 64-byte line. `before` and `after` are the dimensions around the growing one: `"3, "` and
/// `", 3"`.
pub fn header(descr: &str, fortran: bool, before: &str, count: [u8; 16], after: &str) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut head = b"\x93NUMPY\x01\x00\xf6\x0f".to_vec();
    write!(head, "{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': ({before}").unwrap();
    let place = (head.len().max(64)..).find(|at| at % 8 == 0 && at % 64 <= 48).unwrap();
    head.resize(place, b' ');
    head.extend_from_slice(&count);
    // A tuple of one needs its comma.
    let comma = if before.is_empty() && after.is_empty() { "," } else { "" };
    write!(head, "{comma}{after}), }}").unwrap();
    head.resize(4095, b' ');
    head.push(b'\n');
    head
}

/// The header of a file of [`row`]s.
pub fn row_header(count: [u8; 16]) -> Vec<u8> {
    header("'<u8'", false, "", count, ", 3")
}

/// A file of [`row`]s that counts `counted` and holds `held`, the last of them at most 64 and the others a hole of zeros.
pub fn sparse_log(path: &Path, counted: u64, held: u64) {
    let mut file = File::create_new(path).unwrap();
    file.write_all(&row_header(field(counted))).unwrap();
    let first = held.saturating_sub(64);
    file.seek(SeekFrom::Start(DATA + ROW * first)).unwrap();
    file.write_all(&bytes(&rows(first..held))).unwrap();
}

/// What a file of [`row`]s says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The publish field.
    pub field: [u8; 16],
    /// The count in it, if it is finished.
    pub counted: Option<u64>,
    /// Whole rows by the file's size.
    pub held: u64,
    /// Bytes of a partial row behind them.
    pub partial: u64,
}

/// Reads the publish field and the size of a file of [`row`]s. Panics if neither a count nor a carry is in the field.
pub fn state(path: &Path) -> State {
    let mut file = File::open(path).unwrap();
    let mut head = vec![0; 4096];
    file.read_exact(&mut head).unwrap();
    let field: [u8; 16] = head[64..80].try_into().unwrap();
    let counted = count(&field);
    let mark = field[8..] == *b"0000000 " && high_word(&field).is_some();
    assert!(counted.is_some() || mark, "{:?} in the publish field", String::from_utf8_lossy(&field));
    let mut expected = row_header(field);
    expected[64..80].copy_from_slice(&field);
    assert_eq!(head, expected, "the rest of the header");
    let size = file.metadata().unwrap().len() - DATA;
    State { field, counted, held: size / ROW, partial: size % ROW }
}

/// The count in a publish field: `None` while a carry is under way, and for what is no count at all.
pub fn count(field: &[u8; 16]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_start_matches(' ');
    // Python refuses leading zeros, which a blank high word above a full low word would make.
    let ok = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (ok && (digits == "0" || !digits.starts_with('0'))).then(|| digits.parse().unwrap())
}

fn high_word(field: &[u8; 16]) -> Option<&str> {
    let text = std::str::from_utf8(&field[..8]).ok()?.trim_start_matches(' ');
    text.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}

/// The bytes of rows `first` to `stop`.
pub fn stored(path: &Path, first: u64, stop: u64) -> Vec<u8> {
    let mut file = File::open(path).unwrap();
    file.seek(SeekFrom::Start(DATA + ROW * first)).unwrap();
    let mut bytes = vec![0; usize::try_from(ROW * (stop - first)).unwrap()];
    file.read_exact(&mut bytes).unwrap();
    bytes
}

/// Makes a file look as if it had last been written long before this boot.
pub fn make_old(path: &Path) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// The names in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// This test binary once more, as another process: it runs the ignored test `role`, which finds its orders in the
/// environment and speaks by lines that start with `>>`.
pub struct Process {
    pub child: Child,
    lines: BufReader<ChildStdout>,
}

/// The variable whose presence says that a test is such a process.
const ORDERS: &str = "NPYMAP_TEST_ORDERS";

/// The orders of this process, if it was started by [`Process::start`]: an ignored test ends at once where it wasn't.
pub fn orders() -> Option<Vec<String>> {
    Some(std::env::var(ORDERS).ok()?.split('\n').map(str::to_owned).collect())
}

/// Says a line to the process that started this one.
pub fn say(line: impl std::fmt::Display) {
    let mut stdout = std::io::stdout().lock();
    // One write, so that a kill leaves no half line that looks whole.
    stdout.write_all(format!(">>{line}\n").as_bytes()).unwrap();
    stdout.flush().unwrap();
}

impl Process {
    pub fn start(role: &str, orders: &[&str]) -> Self {
        Self::start_by(Command::new(std::env::current_exe().unwrap()), role, orders)
    }

    /// As [`start`](Self::start), by a command that runs this binary with the arguments it is given.
    pub fn start_by(mut command: Command, role: &str, orders: &[&str]) -> Self {
        command.args(["--exact", role, "--ignored", "--nocapture", "--test-threads=1"]);
        command.env(ORDERS, orders.join("\n")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the test binary starts");
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The next line it says; `None` when it has ended.
    pub fn line(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            // What the harness prints stands before the first mark, on the same line.
            if self.lines.read_line(&mut line).expect("UTF-8") == 0 || !line.ends_with('\n') {
                return None;
            }
            if let Some((_, said)) = line.trim_end().split_once(">>") {
                return Some(said.to_owned());
            }
        }
    }

    /// All it says until it ends well. Panics if it doesn't.
    pub fn finish(mut self) -> Vec<String> {
        drop(self.child.stdin.take());
        let said = std::iter::from_fn(|| self.line()).collect();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {said:?}");
        said
    }

    /// Kills it where it stands, and returns what it had said.
    pub fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        let said = std::iter::from_fn(|| self.line()).collect();
        self.child.wait().unwrap();
        said
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A test that fails leaves no writer behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A small generator of numbers for choices that a seed can repeat (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Where files can be made on memory, if there is such a place.
pub fn memory_folder() -> Option<PathBuf> {
    let folder = PathBuf::from("/dev/shm");
    folder.is_dir().then_some(folder)
}

/// Says something that a passing test would otherwise keep to itself.
pub fn loudly(what: impl std::fmt::Display) {
    writeln!(std::io::stderr().lock(), "\n!!!! {what}\n").unwrap();
}
