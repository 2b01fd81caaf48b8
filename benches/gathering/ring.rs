//! The fastest that Linux reads scattered rows: io_uring, with many reads under way.

use std::fs::File;
use std::os::fd::AsRawFd;

use io_uring::{IoUring, opcode, types};

/// Reads under way.
const DEPTH: usize = 256;

/// Reads rows of `row_bytes` bytes, which start at byte `offset`, into `out`.
pub fn read(file: &File, offset: u64, row_bytes: usize, rows: &[usize], out: &mut [u8]) {
    let mut ring = IoUring::new(DEPTH as u32).expect("a ring");
    let file = types::Fd(file.as_raw_fd());
    let mut left = rows.iter().zip(out.chunks_exact_mut(row_bytes));
    let mut under_way = 0;
    loop {
        while under_way < DEPTH
            && let Some((row, slot)) = left.next()
        {
            let at = offset + (row * row_bytes) as u64;
            let entry = opcode::Read::new(file, slot.as_mut_ptr(), row_bytes as u32).offset(at).build();
            // SAFETY: the file is open and the slot borrowed until every read is done, which the loop waits for; each
            // read has a slot of its own, as long as it says.
            unsafe { ring.submission().push(&entry) }.expect("as many entries as are under way");
            under_way += 1;
        }
        if under_way == 0 {
            return;
        }
        ring.submit_and_wait(1).expect("a ring");
        for done in ring.completion() {
            assert_eq!(done.result(), row_bytes as i32, "a whole row");
            under_way -= 1;
        }
    }
}
