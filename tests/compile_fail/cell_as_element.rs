//! What changes behind a shared reference is no element.

use std::cell::Cell;

fn element<T: npymap::Element>() {}

fn main() {
    element::<Cell<u32>>(); //~ E0277
}
