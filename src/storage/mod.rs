//! Bytes from outside: who owns them, where they come from. Knows no headers.

mod aligned;
#[cfg(feature = "std")]
mod file;
mod mapping;

pub use aligned::Aligned;
pub use bytes::{Bytes, BytesClone, BytesMut};
pub use mapping::Mapping;

#[cfg(feature = "std")]
pub(crate) use file::{io_error, read_up_to_at};

mod bytes;
