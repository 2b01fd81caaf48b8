//! There is no mapping but of a file.

use npymap::Mapping;

fn main() {
    let _: Mapping = Default::default(); //~ E0277
}
