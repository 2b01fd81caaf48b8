//! A row does not outlive its array.

use npymap::Npy;

fn main() {
    let row = {
        let x = Npy::<f32>::from_bytes(Vec::new()).unwrap();
        &x[0] //~ E0597
    };
    println!("{row:?}");
}
