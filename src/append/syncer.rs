//! Waiting for the disk on a thread of its own. Knows a file and its counter, and not the rows.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::counter::Counter;
use crate::storage::{WritableFile, io_error};
use crate::{Error, Result};

/// Makes rows that are written durable, then their count: rows, `fdatasync`, header, `fdatasync`.
///
/// Whoever loses power meanwhile finds the old count or the new one, and the rows of either.
pub(super) fn sync(file: &WritableFile, counter: &mut Counter, rows: usize) -> Result<()> {
    sync_data(file, counter)?;
    if counter.set(file, rows)? { sync_data(file, counter) } else { Ok(()) }
}

/// Waits until the disk has everything. If it refuses, the rows that aren't counted are cut: the system may have dropped
/// them, and whoever opens the file next would take what is there for what was written.
fn sync_data(file: &WritableFile, counter: &Counter) -> Result<()> {
    file.sync_data().inspect_err(|_| {
        // Where that fails too, the error that there is says enough.
        let _ = file.set_len(counter.header().data_end());
    })
}

/// What the thread is given, and gives back.
struct Job {
    counter: Counter,
    rows: usize,
    outcome: Result<()>,
}

/// A thread that syncs, and what it is doing.
pub(super) struct Syncer {
    jobs: Option<Sender<Job>>,
    /// Behind a lock for being shared, which a receiver can't be by itself.
    done: Mutex<Receiver<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    pub(super) fn start(file: Arc<WritableFile>) -> Result<Self> {
        let path = file.path().to_path_buf();
        let (jobs, work) = channel::<Job>();
        let (results, done) = channel();
        let run = move || {
            for mut job in work {
                job.outcome = sync(&file, &mut job.counter, job.rows);
                if results.send(job).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("npymap sync".into()).spawn(run);
        let thread = thread.map_err(io_error("start a thread for", Some(&path)))?;
        Ok(Self { jobs: Some(jobs), done: Mutex::new(done), thread: Some(thread) })
    }

    /// Begins to sync; the counter comes back when it is done. Returns whether the thread is there to do it.
    pub(super) fn begin(&self, counter: Counter, rows: usize) -> bool {
        let job = Job { counter, rows, outcome: Ok(()) };
        self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok())
    }

    /// Returns what has been done; waits for it if asked to, else `None` if it isn't yet.
    pub(super) fn finish(&self, wait: bool) -> Option<(Option<Counter>, usize, Result<()>)> {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let job = if wait { done.recv().map_err(|_| TryRecvError::Disconnected) } else { done.try_recv() };
        match job {
            Ok(Job { counter, rows, outcome }) => Some((Some(counter), rows, outcome)),
            Err(TryRecvError::Empty) => None,
            // It panicked, and took the counter with it.
            Err(TryRecvError::Disconnected) => {
                let source = std::io::Error::other("the thread that syncs is gone");
                Some((None, 0, Err(Error::Io { operation: "sync", path: None, source })))
            }
        }
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // Whatever it has to say was asked for before.
            let _ = thread.join();
        }
    }
}
