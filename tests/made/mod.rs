//! Files made by hand, byte for byte. It knows nothing of npymap's API, and needs no file system.

#![allow(dead_code, reason = "each test binary compiles this module and uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test reports trouble by panicking")]

/// A file of version `major`.0 with this header text.
pub fn version(major: u8, text: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend_from_slice(&[major, 0]);
    match major {
        1 => file.extend_from_slice(&u16::try_from(text.len()).unwrap().to_le_bytes()),
        _ => file.extend_from_slice(&u32::try_from(text.len()).unwrap().to_le_bytes()),
    }
    [file.as_slice(), text.as_bytes(), data].concat()
}

/// A version 1.0 file as NumPy pads it: the data start at a multiple of 64, short headers at byte 128.
pub fn npy(descr: &str, fortran_order: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran_order = if fortran_order { "True" } else { "False" };
    let text = format!("{{'descr': {descr}, 'fortran_order': {fortran_order}, 'shape': {shape}, }}");
    let len = (text.len() + 11).next_multiple_of(64).max(128) - 11;
    version(1, &format!("{text:<len$}\n"), data)
}

/// The same in C order.
pub fn c_npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy(descr, false, shape, data)
}
