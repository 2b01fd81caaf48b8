//! Linux.

use std::fs::{self, File, Metadata};
use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Advice, AtFlags, CWD, FallocateFlags, Mode, OFlags, inotify};
use rustix::io::{Errno, ReadWriteFlags};

/// Makes a file without a name in a folder; `None` where the file system has no such.
pub(crate) fn unnamed(folder: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666)) {
        Ok(file) => {
            let file = File::from(file);
            // It gets its name through here.
            Ok(by_descriptor(&file).exists().then_some(file))
        }
        // Kernels and file systems that don't know the flag say the first three.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Gives a file without a name one that is not taken.
pub(crate) fn link(file: &File, path: &Path) -> io::Result<()> {
    Ok(rustix::fs::linkat(CWD, by_descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

fn by_descriptor(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Allocates blocks, of zeros, and makes the file reach to their end unless its size is to be kept.
///
/// Returns whether the file system knows how to.
pub(crate) fn allocate(file: &File, from: u64, len: u64, keep_size: bool) -> io::Result<bool> {
    let mode = if keep_size { FallocateFlags::KEEP_SIZE } else { FallocateFlags::empty() };
    loop {
        match rustix::fs::fallocate(file, mode, from, len) {
            Ok(()) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether a byte of a file is in memory: it can be read without waiting. Where the system can't tell, it isn't.
pub(crate) fn is_cached(file: &File, at: u64) -> bool {
    let mut byte = [0];
    rustix::io::preadv2(file, &mut [io::IoSliceMut::new(&mut byte)], at, ReadWriteFlags::NOWAIT).is_ok()
}

/// Begins to read bytes of a file into memory.
pub(crate) fn will_need(file: &File, from: u64, len: u64) {
    // Advice that isn't taken leaves things as they are.
    let _ = rustix::fs::fadvise(file, from, NonZeroU64::new(len), Advice::WillNeed);
}

/// Bytes that the file's file system has left for this user.
pub(crate) fn available(file: &File) -> io::Result<u64> {
    let space = rustix::fs::fstatvfs(file)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// File systems that other machines write to: what happened there, this machine's clocks don't know.
const REMOTE: [u64; 18] = [
    0x6969,      // NFS
    0x517b,      // SMB
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x6573_5546, // FUSE
    0x0102_1997, // 9p
    0x0bd0_0bd0, // Lustre
    0x5346_414f, // AFS
    0x00c3_6400, // Ceph
    0x7375_7245, // Coda
    0x564c,      // NCP
    0x7461_636f, // OCFS2
    0x0116_1970, // GFS2
    0x1983_0326, // BeeGFS
    0x4750_4653, // GPFS
    0x2003_0528, // OrangeFS
    0x786f_4256, // VirtualBox's shared folders
    0xbacb_acbc, // VMware's
];

/// Whether it is certain that a file was last written while this machine was running as it is now.
pub(crate) fn modified_since_boot(file: &File, metadata: &Metadata) -> bool {
    let on_this_machine = rustix::fs::fstatfs(file).is_ok_and(|system| {
        // Magic numbers are 32 bits wide, whatever the type, which is another on other machines.
        #[allow(clippy::useless_conversion, reason = "an i32 on some machines")]
        let kind = u64::from_ne_bytes(i64::from(system.f_type).to_ne_bytes()) & 0xffff_ffff;
        !REMOTE.contains(&kind)
    });
    let (Some(boot), Ok(modified)) = (boot_time(), metadata.modified()) else { return false };
    // A machine without a clock may think that it is earlier than when the file was written.
    on_this_machine && boot <= modified && modified <= SystemTime::now()
}

fn boot_time() -> Option<SystemTime> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let seconds = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    // Given in whole seconds, rounded down.
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds) + Duration::from_secs(1))
}

/// Notices that a file is written to.
#[derive(Debug)]
pub(crate) struct Watch {
    /// `None` where the system has no watch left to give.
    queue: Option<OwnedFd>,
}

impl Watch {
    pub(crate) fn new(file: &File) -> Self {
        let queue = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).ok();
        let flags = inotify::WatchFlags::MODIFY | inotify::WatchFlags::CLOSE_WRITE;
        // The file itself, whatever its name leads to by now.
        let watched = queue.filter(|queue| inotify::add_watch(queue, by_descriptor(file), flags).is_ok());
        Self { queue: watched }
    }

    /// Waits for a change, or for so long; without a watch only for the time.
    pub(crate) fn wait(&self, at_most: Duration) {
        let Some(queue) = &self.queue else { return std::thread::sleep(at_most) };
        let timeout = Timespec::try_from(at_most).ok();
        // Whatever ends it, its caller looks at the file.
        let _ = poll(&mut [PollFd::new(queue, PollFlags::IN)], timeout.as_ref());
        while rustix::io::read(queue, &mut [0; 1024]).is_ok_and(|n| n > 0) {}
    }
}
