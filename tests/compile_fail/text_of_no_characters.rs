//! `Str<0>` is no element, as `[T; 0]` is none. //~ above E0080

use npymap::{Npy, le};

fn main() {
    let _ = Npy::<le::Str<0>>::from_bytes(Vec::new());
}
