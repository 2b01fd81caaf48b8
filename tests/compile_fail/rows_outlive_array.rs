//! Rows do not outlive their array.

use npymap::Npy;

fn main() {
    let x = Npy::<f32>::from_bytes(Vec::new()).unwrap();
    let rows = x.rows().unwrap();
    drop(x); //~ E0505
    println!("{}", rows.count());
}
