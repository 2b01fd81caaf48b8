//! Files that grow by rows, for months: the layer between positioned writes and typed rows. No mapping, no unsafe.
//!
//! `counter.rs` changes the count of rows, `recovery.rs` opens what others have left, `rows.rs` buffers and writes bytes
//! of rows, `syncer.rs` waits for the disk on a thread of its own, `appender.rs` gives rows their type, `options.rs`
//! says how.

mod appender;
mod counter;
mod options;
mod recovery;
mod resize;
mod rows;
mod syncer;

pub use appender::Appender;
pub use options::AppendOptions;
pub use recovery::Recovery;
pub use resize::{grow, shrink_to};
pub use rows::AppenderAny;

pub(crate) use counter::Counter;
#[cfg(feature = "mmap")]
pub(crate) use recovery::check_can_grow;
pub(crate) use recovery::{Plan, State, copy, keep};
#[cfg(feature = "mmap")]
pub(crate) use resize::{check_shrinks, grown, resize, whole_array};
