//! `<UN` and `>UN`: text in UCS-4 of a stated byte order.
#![expect(unsafe_code, reason = "says of wrapped bytes that they are plain")]

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use core::str::FromStr;

use zerocopy::IntoBytes;

use crate::element::bytewise::bytewise;
use crate::element::text;
use crate::{ByteOrder, DType, Error, Result};

/// Writes the characters, U+FFFD for units that are none.
fn display(bytes: &[u8], units: impl Iterator<Item = u32>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut chars = units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
    if f.width().is_none() && f.precision().is_none() {
        return chars.try_for_each(|char| f.write_char(char));
    }
    let mut text = String::with_capacity(bytes.len());
    text.extend(chars);
    f.pad(&text)
}

/// Writes the characters between quotes, escaped as in a `str`, and units that are none by their numbers.
fn debug(units: impl Iterator<Item = u32>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for unit in units {
        match char::from_u32(unit) {
            // Escaped by itself, but not between double quotes.
            Some('\'') => f.write_char('\'')?,
            Some(char) => write!(f, "{}", char.escape_debug())?,
            None => write!(f, "\\u{{{unit:x}}}")?,
        }
    }
    f.write_char('"')
}

macro_rules! string {
    ($module:literal, $order:ident, $endian:ident, $letter:literal) => {
        #[doc = concat!("Text of at most `N` characters, `", $letter, "UN`: a code unit of four bytes each, ")]
        #[doc = "NULs after the end, which belong to no text."]
        ///
        /// The units come from a file, and may be no characters: methods that need characters say so in an error,
        /// `Display` shows U+FFFD. Strings compare and order by code point, as in NumPy and as `str` does.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("use npymap::", $module, "::Str;")]
        ///
        /// let name = Str::<8>::new("Zoë")?;
        /// assert_eq!(name.to_text()?, "Zoë");
        /// assert_eq!(name, "Zoë");
        /// assert_eq!(name.len(), 3);
        /// assert!(Str::<2>::new("Zoë").is_err());
        /// # Ok::<(), npymap::Error>(())
        /// ```
        #[doc(alias = "str_")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct Str<const N: usize>([zerocopy::$endian::U32; N]);

        impl<const N: usize> Str<N> {
            /// Makes a string of a text.
            ///
            /// # Errors
            ///
            /// [`TextTooLong`](Error::TextTooLong) beyond `N` characters; [`TextEndsInNul`](Error::TextEndsInNul).
            pub fn new(text: &str) -> Result<Self> {
                let mut own = Self::default();
                text::encode_ucs4(text, ByteOrder::$order, own.0.as_mut_bytes())?;
                Ok(own)
            }

            /// Returns the code units without the NULs at their end.
            #[must_use]
            pub fn units(&self) -> &[zerocopy::$endian::U32] {
                let len = text::trim_ucs4(self.0.as_bytes()).len();
                self.0.get(..len).unwrap_or(&self.0)
            }

            /// Returns the number of characters.
            #[must_use]
            pub fn len(&self) -> usize {
                self.units().len()
            }

            /// Returns whether there are no characters.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Iterates over the characters.
            ///
            /// Units that are none come as [`InvalidChar`](Error::InvalidChar), of element 0, each.
            pub fn chars(&self) -> impl DoubleEndedIterator<Item = Result<char>> + Clone {
                self.units().iter().enumerate().map(|(character, unit)| {
                    let code = unit.get();
                    let invalid = || Error::InvalidChar { field: Vec::new(), index: 0, character, code };
                    char::from_u32(code).ok_or_else(invalid)
                })
            }

            /// Returns the text, a `String` of its own.
            ///
            /// # Errors
            ///
            /// [`InvalidChar`](Error::InvalidChar), of element 0.
            pub fn to_text(&self) -> Result<String> {
                let mut text = String::new();
                self.append_to(&mut text)?;
                Ok(text)
            }

            /// Appends the text to a `String`, for one to be used again and again.
            ///
            /// # Errors
            ///
            /// [`InvalidChar`](Error::InvalidChar), of element 0; `text` is then as it was.
            pub fn append_to(&self, text: &mut String) -> Result<()> {
                text::decode_ucs4(self.0.as_bytes(), ByteOrder::$order, text)
            }
        }

        bytewise!([const N: usize] Str<N>, [zerocopy::$endian::U32; N],
            name: format!(concat!("npymap::", $module, "::Str<{N}>"), N = N),
            dtype: DType::Str(ByteOrder::$order, N),
            order: |dtype| match *dtype {
                DType::Str(order, length) if length == N => Some(order),
                _ => None,
            },
            own: ByteOrder::$order,
            width: 4);

        impl<const N: usize> TryFrom<&str> for Str<N> {
            type Error = Error;

            fn try_from(text: &str) -> Result<Self> {
                Self::new(text)
            }
        }

        impl<const N: usize> FromStr for Str<N> {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                Self::new(text)
            }
        }

        impl<const N: usize> PartialEq<str> for Str<N> {
            fn eq(&self, other: &str) -> bool {
                self.units().iter().map(|unit| unit.get()).eq(other.chars().map(u32::from))
            }
        }

        impl<const N: usize> PartialEq<&str> for Str<N> {
            fn eq(&self, other: &&str) -> bool {
                *self == **other
            }
        }

        impl<const N: usize> PartialEq<String> for Str<N> {
            fn eq(&self, other: &String) -> bool {
                *self == **other
            }
        }

        impl<const N: usize> fmt::Display for Str<N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                display(self.0.as_bytes(), self.units().iter().map(|unit| unit.get()), f)
            }
        }

        impl<const N: usize> fmt::Debug for Str<N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                debug(self.units().iter().map(|unit| unit.get()), f)
            }
        }
    };
}

pub mod big {
    //! Big-endian.
    use super::*;
    string!("be", Big, big_endian, ">");
}

pub mod little {
    //! Little-endian.
    use super::*;
    string!("le", Little, little_endian, "<");
}
