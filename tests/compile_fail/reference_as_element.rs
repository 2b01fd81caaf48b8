//! A file holds no references.

fn element<T: npymap::Element>() {}

fn main() {
    element::<&'static u8>(); //~ E0277
    element::<[&'static str; 2]>(); //~ E0277
}
