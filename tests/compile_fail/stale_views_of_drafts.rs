//! A view of a draft ends where it is published or written to.

use npymap::{Draft, DraftAny, Npy};

fn published(x: Draft<f32>) -> f32 {
    let view = x.as_slice();
    let _ = x.publish(); //~ E0505
    view[0]
}

fn published_over(mut x: Draft<f32>) {
    let row = &mut x[0];
    let _ = x.publish_over(); //~ E0505
    row[0] = 1.0;
}

fn untyped(x: DraftAny) -> u8 {
    let bytes = x.bytes();
    let _ = x.publish(); //~ E0505
    bytes[0]
}

fn copied_over(x: &mut Draft<f32>) -> f32 {
    let view = x.as_slice();
    let _ = x.copy_rows_from(0, &[1.0]); //~ E0502
    view[0]
}

fn copied_over_in_memory(x: &mut Npy<bool, Vec<u8>>) -> bool {
    let view = &x[0];
    let _ = x.copy_rows_from(0, &[true]); //~ E0502
    view[0]
}

fn twice(x: Draft<f32>) {
    let _ = x.publish();
    let _ = x.publish(); //~ E0382
}

fn main() {
    let _ = (published, published_over, untyped, copied_over, copied_over_in_memory, twice);
}
