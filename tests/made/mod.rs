//! Files made by hand, byte for byte. It knows nothing of npymap's API, and needs no file system.

#![allow(dead_code, reason = "each test binary compiles this module and uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test reports trouble by panicking")]

/// A file of version `major`.0 with this header text, in UTF-8.
pub fn version(major: u8, text: &str, data: &[u8]) -> Vec<u8> {
    encoded(major, text.as_bytes(), data)
}

fn encoded(major: u8, text: &[u8], data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend_from_slice(&[major, 0]);
    match major {
        1 => file.extend_from_slice(&u16::try_from(text.len()).unwrap().to_le_bytes()),
        _ => file.extend_from_slice(&u32::try_from(text.len()).unwrap().to_le_bytes()),
    }
    [file.as_slice(), text, data].concat()
}

/// A file as NumPy pads it: the data start at a multiple of 64, short headers at byte 128. The version is 1.0 where the
/// text is Latin-1 and short, 3.0 where it isn't Latin-1, 2.0 otherwise.
pub fn npy(descr: &str, fortran_order: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran_order = if fortran_order { "True" } else { "False" };
    let text = format!("{{'descr': {descr}, 'fortran_order': {fortran_order}, 'shape': {shape}, }}");
    let latin1: Option<Vec<u8>> = text.chars().map(|char| u8::try_from(char).ok()).collect();
    let (is_latin1, text) = (latin1.is_some(), latin1.unwrap_or(text.into_bytes()));
    let version = match (is_latin1, text.len()) {
        (false, _) => 3,
        (true, 0..65_000) => 1,
        (true, _) => 2,
    };
    let preamble = if version == 1 { 10 } else { 12 };
    let len = (text.len() + 1 + preamble).next_multiple_of(64).max(128) - 1 - preamble;
    encoded(version, &[text.as_slice(), &vec![b' '; len - text.len()], b"\n"].concat(), data)
}

/// The same in C order.
pub fn c_npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy(descr, false, shape, data)
}
