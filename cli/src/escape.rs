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
///
/// Text that looks as if it had such escapes gets `\x5c` for its backslashes, so that [`unescaped`] gives it back.
pub fn bytes(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if unescaped(bytes).is_some() => text.replace('\\', "\\x5c").into(),
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

/// The bytes behind a text with `\x` escapes: one of them at least, and no backslash that isn't of one or doubled.
pub fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut parts = text.split(|&byte| byte == b'\\');
    let mut bytes = parts.next()?.to_vec();
    let mut is_escaped = false;
    while let Some(part) = parts.next() {
        if part.is_empty() {
            // Two in a row; what follows the second is text.
            bytes.push(b'\\');
            bytes.extend_from_slice(parts.next()?);
            continue;
        }
        let (digits, rest) = part.strip_prefix(b"x")?.split_at_checked(2)?;
        let [high, low] = [digits[0], digits[1]].map(|digit| char::from(digit).to_digit(16));
        bytes.push(u8::try_from(high? * 16 + low?).ok()?);
        bytes.extend_from_slice(rest);
        is_escaped = true;
    }
    is_escaped.then_some(bytes)
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
        assert_eq!(bytes(b"C:\\temp\\x41"), "C:\\temp\\x41");
        assert_eq!(bytes(b"\\\\x41"), "\\\\x41");
        assert_eq!(bytes(b"\\x4"), "\\x4");
        assert_eq!(bytes(b"\\x41"), "\\x5cx41");
    }

    #[test]
    fn bytes_come_back_from_their_text() {
        let alphabet = b"\\x4Fg\xe9\xc3\xa9";
        for (length, number) in (0..6_u32).flat_map(|n| (0..alphabet.len().pow(n)).map(move |number| (n, number))) {
            let place = |at: u32| alphabet[number / alphabet.len().pow(at) % alphabet.len()];
            let text: Vec<u8> = (0..length).map(place).collect();
            let shown = bytes(&text);
            assert_eq!(unescaped(shown.as_bytes()).unwrap_or(shown.as_bytes().to_vec()), text, "{shown}");
        }
    }
}
