//! Nobody else vouches for an owner of bytes.

use npymap::Bytes;

struct Changing;

unsafe impl Bytes for Changing { //~ E0277
    fn as_bytes(&self) -> &[u8] {
        &[]
    }
}

fn main() {}
