//! Bytes from outside: who owns them, where they come from. Knows no headers.

mod aligned;
#[cfg(feature = "std")]
mod file;
mod mapping;
#[cfg(feature = "std")]
mod new_file;
#[cfg(feature = "std")]
mod os;
#[cfg(feature = "std")]
mod unnamed;
#[cfg(feature = "std")]
mod writable;

pub use aligned::Aligned;
pub use bytes::{Bytes, BytesClone, BytesMut};
pub use mapping::Mapping;
#[cfg(feature = "mmap")]
pub use mapping::{Advice, Mapped, MappingMut};
#[cfg(feature = "std")]
pub use unnamed::Unnamed;

#[cfg(feature = "std")]
pub(crate) use file::{io_error, read_up_to_at};
#[cfg(feature = "std")]
pub(crate) use new_file::{NewFile, Taken, is_descriptor};
#[cfg(feature = "std")]
pub(crate) use os::{APPEND_LOCK, Watch, is_cached, is_locked, is_same_file, modified_since_boot, will_need};
#[cfg(feature = "std")]
pub(crate) use writable::{WritableFile, write_error};

mod bytes;
