//! Text of strangers, made harmless for a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// Replaces what a terminal would obey (control characters, among them ESC, newlines and C1, and characters that turn
/// the direction of writing) by Rust's escapes of it: `\n`, `\x1b`, `\u{202e}`.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            // Writing to a String cannot fail.
            _ if character.is_ascii_control() => drop(write!(escaped, "\\x{:02x}", u32::from(character))),
            _ if is_obeyed(character) => drop(write!(escaped, "\\u{{{:x}}}", u32::from(character))),
            _ => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// Whether a terminal does something else than show the character.
pub fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Bytes as text if they are UTF-8; else with `\x` escapes for what isn't, and a doubled backslash.
pub fn bytes(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let mut text = String::with_capacity(bytes.len() * 2);
            for chunk in bytes.utf8_chunks() {
                text.push_str(&chunk.valid().replace('\\', "\\\\"));
                text.push_str(&hexadecimal(chunk.invalid()));
            }
            Cow::Owned(text)
        }
    }
}

/// Every byte as `\x1b`.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "\\x{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_spelled_out() {
        assert_eq!(for_terminal("naïve 整形 😀"), "naïve 整形 😀");
        assert_eq!(for_terminal("\x1b[2J\x07"), "\\x1b[2J\\x07");
        assert_eq!(for_terminal("a\nb\t\u{9b}31m\u{202e}x\x7f"), "a\\nb\\t\\u{9b}31m\\u{202e}x\\x7f");
    }

    #[test]
    fn bytes_are_text_where_they_can_be() {
        assert_eq!(bytes(b"caf\xc3\xa9"), "café");
        assert_eq!(bytes(b"caf\xe9\\x"), "caf\\xe9\\\\x");
        assert_eq!(hexadecimal(b"\x00A"), "\\x00\\x41");
    }
}
