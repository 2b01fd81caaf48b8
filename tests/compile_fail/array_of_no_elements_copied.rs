//! `[T; 0]` is no element of a copy either. //~ above E0080

use npymap::NpyAny;

fn main() {
    let _ = NpyAny::from_bytes(Vec::new()).unwrap().to_vec::<[f32; 0]>();
}
