//! Waiting for the disk on a thread of its own. Knows a file and its counter, and not the rows.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};

use super::counter::Counter;
use crate::storage::{WritableFile, io_error};
use crate::{Error, Result};

/// What failed of a durable change of the count, and how.
pub(super) struct Failed {
    pub(super) operation: &'static str,
    pub(super) error: Error,
}

/// Makes rows that are written durable, then their count: rows, `fdatasync`, header, `fdatasync`.
///
/// Whoever loses power meanwhile finds the old count or the new one, and the rows of either.
pub(super) fn sync(file: &WritableFile, counter: &mut Counter, rows: usize) -> Result<(), Failed> {
    let failed = |operation| move |error| Failed { operation, error };
    file.sync_data().map_err(failed("fdatasync"))?;
    if counter.set(file, rows).map_err(failed("publish"))? {
        file.sync_data().map_err(failed("fdatasync"))?;
    }
    Ok(())
}

/// What the thread is given, and gives back.
struct Job {
    counter: Counter,
    rows: usize,
    outcome: Result<(), Failed>,
}

/// A thread that syncs, and what it is doing.
pub(super) struct Syncer {
    jobs: Option<Sender<Job>>,
    done: Receiver<Job>,
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
        Ok(Self { jobs: Some(jobs), done, thread: Some(thread) })
    }

    /// Begins to sync; the counter comes back when it is done. Gives it back at once if the thread is gone.
    pub(super) fn begin(&self, counter: Counter, rows: usize) -> Result<(), Counter> {
        let job = Job { counter, rows, outcome: Ok(()) };
        match &self.jobs {
            Some(jobs) => jobs.send(job).map_err(|unsent| unsent.0.counter),
            None => Err(job.counter),
        }
    }

    /// Returns what has been done; waits for it if asked to, else `None` if it isn't yet.
    pub(super) fn finish(&self, wait: bool) -> Option<(Option<Counter>, usize, Result<(), Failed>)> {
        let job = if wait { self.done.recv().map_err(|_| TryRecvError::Disconnected) } else { self.done.try_recv() };
        match job {
            Ok(Job { counter, rows, outcome }) => Some((Some(counter), rows, outcome)),
            Err(TryRecvError::Empty) => None,
            // It panicked, and took the counter with it.
            Err(TryRecvError::Disconnected) => {
                let source = std::io::Error::other("the thread that syncs is gone");
                let error = Error::Io { operation: "sync", path: None, source };
                Some((None, 0, Err(Failed { operation: "fdatasync", error })))
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
