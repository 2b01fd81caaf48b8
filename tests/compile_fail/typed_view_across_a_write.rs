//! A typed view of an untyped array ends where the array is written to.

use npymap::NpyAny;

fn stale(any: &mut NpyAny<Vec<u8>>) -> bool {
    let view = any.typed::<bool>().unwrap();
    any.bytes_mut()[0] = 2; //~ E0502
    view[[0]]
}

fn main() {
    stale(&mut NpyAny::from_bytes(Vec::new()).unwrap());
}
