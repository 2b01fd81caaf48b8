//! No safe code makes a mapping.

use npymap::Mapping;

fn main() {
    let _ = Mapping { map: None }; //~ E0451
}
