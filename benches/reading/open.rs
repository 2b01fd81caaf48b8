//! From a path to a typed view and back, against the system calls that this takes.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use npymap::{Npy, NpyFile};

use npymap_benches::Setting;
use npymap_benches::files::Sample;
use npymap_benches::race::{Race, Verdict, repeated};

pub fn open(setting: &Setting) -> Vec<Verdict> {
    let sample = Sample::write("<f4", "(1000, 3)", 12_000, |index| (index as f32).to_le_bytes());
    let path = sample.path();
    let c_path = CString::new(path.as_os_str().as_bytes()).expect("a path without NUL");
    let npymap = || {
        // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
        let x = unsafe { Npy::<f32>::map(path) }.expect("the sample");
        x.as_slice().len()
    };
    Race::new("open: open, map, view, drop a file of (1000, 3) <f4", "file")
        .lane("npymap Npy::<f32>::map", repeated(npymap))
        .goal(1.25, "open fstat pread mmap munmap close", repeated(|| bare(&c_path, 12_000)))
        .numpy(setting, Some(0.05), "NumPy np.load(mmap_mode='r')", "open", path)
        .lane("npymap NpyFile::open (no mapping)", repeated(|| NpyFile::open(path).expect("the sample")))
        .run(setting.rounds(401))
}

/// The system calls alone, with a pread of 128 bytes.
fn bare(path: &CString, len: usize) -> u8 {
    let mut head = [0_u8; 128];
    // SAFETY: `path` ends in NUL, and `head` and `stat` are as large as the calls are told. All zeros is a `stat`.
    // The mapping is private to this function, is not touched, and is unmapped once, by its own address and length.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        assert!(file >= 0, "the sample opens");
        let mut stat: libc::stat = std::mem::zeroed();
        assert_eq!(libc::fstat(file, &mut stat), 0);
        assert_eq!(libc::pread(file, head.as_mut_ptr().cast(), head.len(), 0), 128);
        let map = libc::mmap(ptr::null_mut(), len + 128, libc::PROT_READ, libc::MAP_SHARED, file, 0);
        assert_ne!(map, libc::MAP_FAILED);
        assert_eq!(libc::munmap(map, len + 128), 0);
        assert_eq!(libc::close(file), 0);
    }
    head[127]
}
