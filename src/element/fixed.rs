//! `|SN` and `|VN`: byte strings and raw bytes of a fixed size.
#![expect(unsafe_code, reason = "says of wrapped bytes that they are plain")]

use alloc::format;
use alloc::string::String;
use core::borrow::Borrow;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};
use core::str::FromStr;

use super::bytewise::bytewise;
use super::text;
use crate::{ByteOrder, DType, Error, Result};

/// A byte string of at most `N` bytes, `|SN`: NULs fill the rest, and those at the end belong to no string.
///
/// It is a `[u8]` without these, by [`Deref`] and in comparisons and hashes, so that a map with such keys can be asked
/// for a `&[u8]`. `Display` shows the text, with U+FFFD for what is no UTF-8; `Debug` shows `b"abc"`.
///
/// # Examples
///
/// ```
/// use npymap::{Element, FixedBytes};
///
/// let names = FixedBytes::<4>::view(b"anna\0\0\0\0bob\0")?;
/// assert_eq!(names[0], "anna");
/// assert!(names[1].is_empty());
/// assert_eq!(names[2].to_str()?, "bob");
/// assert_eq!(names[2].as_array(), b"bob\0");
/// assert!(FixedBytes::<4>::new("barbara").is_err());
/// # Ok::<(), npymap::Error>(())
/// ```
#[doc(alias = "bytes_")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct FixedBytes<const N: usize>([u8; N]);

impl<const N: usize> FixedBytes<N> {
    /// Makes a string of bytes, or of a text's UTF-8.
    ///
    /// # Errors
    ///
    /// [`TextTooLong`](Error::TextTooLong) beyond `N` bytes; [`TextEndsInNul`](Error::TextEndsInNul).
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Self> {
        let mut own = [0; N];
        text::encode_bytes(bytes.as_ref(), &mut own)?;
        Ok(Self(own))
    }

    /// Returns the bytes without the NULs at their end.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        text::trim(&self.0)
    }

    /// Returns all bytes, NULs included.
    #[must_use]
    pub const fn as_array(&self) -> &[u8; N] {
        &self.0
    }

    /// Returns the text.
    ///
    /// # Errors
    ///
    /// [`InvalidUtf8`](Error::InvalidUtf8), of element 0.
    pub fn to_str(&self) -> Result<&str> {
        text::utf8(self.as_bytes())
    }
}

bytewise!([const N: usize] FixedBytes<N>, [u8; N],
    name: format!("npymap::FixedBytes<{N}>"),
    dtype: DType::Bytes(N),
    order: |dtype| (*dtype == DType::Bytes(N)).then_some(ByteOrder::NATIVE),
    own: ByteOrder::NATIVE,
    width: 1);

impl<const N: usize> Deref for FixedBytes<N> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<const N: usize> AsRef<[u8]> for FixedBytes<N> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<const N: usize> Borrow<[u8]> for FixedBytes<N> {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// As `[u8]` does.
impl<const N: usize> Hash for FixedBytes<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

/// Takes all bytes, of which NULs at the end are no part of the string.
impl<const N: usize> From<[u8; N]> for FixedBytes<N> {
    fn from(bytes: [u8; N]) -> Self {
        Self(bytes)
    }
}

impl<const N: usize> TryFrom<&str> for FixedBytes<N> {
    type Error = Error;

    fn try_from(text: &str) -> Result<Self> {
        Self::new(text)
    }
}

impl<const N: usize> TryFrom<&[u8]> for FixedBytes<N> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self> {
        Self::new(bytes)
    }
}

impl<const N: usize> FromStr for FixedBytes<N> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text)
    }
}

macro_rules! equal {
    ($([$($generics:tt)*] $other:ty),+) => {$(
        impl<const N: usize, $($generics)*> PartialEq<$other> for FixedBytes<N> {
            fn eq(&self, other: &$other) -> bool {
                let other: &[u8] = other.as_ref();
                self.as_bytes() == other
            }
        }
    )+};
}
equal!([] [u8], [] &[u8], [const M: usize] [u8; M], [const M: usize] &[u8; M], [] str, [] &str, [] String);

impl<const N: usize> fmt::Debug for FixedBytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.escape_ascii())
    }
}

impl<const N: usize> fmt::Display for FixedBytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(self))
    }
}

/// Raw bytes, `|VN`, whose meaning the file doesn't tell.
///
/// # Examples
///
/// ```
/// use npymap::{Element, Void};
///
/// let opaque = Void::<2>::view(&[1, 0, 0, 2])?;
/// assert_eq!(opaque, [Void([1, 0]), Void([0, 2])]);
/// assert_eq!(u16::from_be_bytes(*opaque[1]), 2);
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Void<const N: usize>(pub [u8; N]);

bytewise!([const N: usize] Void<N>, [u8; N],
    name: format!("npymap::Void<{N}>"),
    dtype: DType::Void(N),
    order: |dtype| (*dtype == DType::Void(N)).then_some(ByteOrder::NATIVE),
    own: ByteOrder::NATIVE,
    width: 1);

impl<const N: usize> Deref for Void<N> {
    type Target = [u8; N];

    fn deref(&self) -> &[u8; N] {
        &self.0
    }
}

impl<const N: usize> DerefMut for Void<N> {
    fn deref_mut(&mut self) -> &mut [u8; N] {
        &mut self.0
    }
}

impl<const N: usize> AsRef<[u8]> for Void<N> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> From<[u8; N]> for Void<N> {
    fn from(bytes: [u8; N]) -> Self {
        Self(bytes)
    }
}

impl<const N: usize> From<Void<N>> for [u8; N] {
    fn from(void: Void<N>) -> Self {
        void.0
    }
}
