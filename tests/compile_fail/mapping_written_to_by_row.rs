//! The rows of a read-only mapping are not written to.

use npymap::Npy;

fn write(mapped: &mut Npy<f32>) {
    mapped[0][0] = 1.0; //~ E0594
}

fn main() {
    let _ = write;
}
