//! Bytes that arrive when they do, read on a thread of its own so that who waits for them can do something else
//! meanwhile. Knows no format.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Bytes that are read at a time, at most.
const AT_ONCE: usize = 256 << 10;

/// Reads that are done before somebody takes the first: one while another is looked at.
const AHEAD: usize = 1;

/// What a reader gives, piece by piece.
pub struct Arrivals {
    receiver: Receiver<io::Result<Vec<u8>>>,
}

/// What has come of waiting.
pub enum Arrival {
    /// Some bytes, one at least.
    Bytes(Vec<u8>),
    /// Nothing: the time is up.
    Nothing,
    /// The end.
    End,
}

impl Arrivals {
    /// Begins to read.
    pub fn of(reader: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(AHEAD);
        let read = move || {
            let mut reader = reader;
            let mut buffer = vec![0; AT_ONCE];
            loop {
                let outcome = match reader.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    other => other.map(|n| buffer[..n].to_vec()),
                };
                // An empty piece is the end.
                let is_last = outcome.as_ref().map_or(true, Vec::is_empty);
                if sender.send(outcome).is_err() || is_last {
                    return;
                }
            }
        };
        // It is never waited for: a read of a terminal or a pipe may take for ever.
        thread::Builder::new().name("input".into()).spawn(read)?;
        Ok(Self { receiver })
    }

    /// Waits for the next bytes, as long as it takes or as long as is said.
    pub fn next(&self, at_most: Option<Duration>) -> io::Result<Arrival> {
        let arrived = match at_most {
            Some(time) => self.receiver.recv_timeout(time),
            None => self.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match arrived {
            Ok(Ok(bytes)) if !bytes.is_empty() => Ok(Arrival::Bytes(bytes)),
            Ok(Err(error)) => Err(error),
            Err(RecvTimeoutError::Timeout) => Ok(Arrival::Nothing),
            Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected) => Ok(Arrival::End),
        }
    }
}
