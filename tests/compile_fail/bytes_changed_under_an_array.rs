//! Borrowed bytes cannot be changed while an array views them.

use npymap::Npy;

fn main() {
    let mut file = vec![0_u8; 100];
    let x = Npy::<bool>::from_bytes(file.as_slice()).unwrap();
    file[99] = 2; //~ E0502
    println!("{:?}", x.as_slice());
}
