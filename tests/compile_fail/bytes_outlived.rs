//! An array does not outlive the bytes that it borrows.

use npymap::Npy;

fn main() {
    let x = {
        let file = vec![0_u8; 100];
        Npy::<f32>::from_bytes(file.as_slice()).unwrap() //~ E0597
    };
    println!("{:?}", x.as_slice());
}
