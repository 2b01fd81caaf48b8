//! Only elements are written, whatever writes them.

use std::io::Cursor;

use npymap::{AppendOptions, Appender, Draft, RowWriter, WriteOptions, save, save_iter, write_to};

fn main() {
    let _ = save("x.npy", [1], &["text"]); //~ E0277
    let _ = save("x.npy", [1], &[String::new()]); //~ E0277
    let _ = write_to(Vec::new(), [1], &[Some(1)]); //~ E0277
    let _ = save_iter("x.npy", ['a']); //~ E0277
    let _ = WriteOptions::new().draft::<(u8, u8)>("x.npy", [1]); //~ E0277
    let _ = Draft::<usize>::new("x.npy", [1]); //~ E0599 usize: npymap::Element //~ E0277
    let _ = RowWriter::<&f32, _>::new(Cursor::new(Vec::new())); //~ E0599 &f32: npymap::Element
    let _ = Appender::<Vec<f32>>::create("x.npy"); //~ E0599 Vec<f32>: npymap::Element
    let _ = AppendOptions::new().open::<char>("x.npy"); //~ E0277
    let _ = Appender::<isize>::open("x.npy"); //~ E0599 isize: npymap::Element
}
