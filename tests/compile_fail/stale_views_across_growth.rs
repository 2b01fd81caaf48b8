//! A view of a mapping ends where the mapping changes its length.

use npymap::{MappingMut, Npy, NpyAny, NpyFile};

fn grown(x: &mut Npy<f32, MappingMut>) -> f32 {
    let view = x.as_slice();
    let _ = x.grow(1); //~ E0502
    view[0]
}

fn shrunk(x: &mut Npy<f32, MappingMut>) -> f32 {
    let row = &x[0];
    let _ = x.shrink_to(0); //~ E0502
    row[0]
}

fn row_for_writing(x: &mut Npy<f32, MappingMut>) {
    let row = &mut x[0];
    let _ = x.grow(1); //~ E0499
    row[0] = 1.0;
}

fn rows(x: &mut Npy<f32, MappingMut>) {
    let rows = x.rows().unwrap();
    let _ = x.shrink_to(0); //~ E0502
    rows.for_each(drop);
}

fn chunks(x: &mut Npy<f32, MappingMut>) {
    let chunks = x.chunks_mut(1).unwrap();
    let _ = x.grow(1); //~ E0499
    chunks.for_each(drop);
}

fn field(x: &mut NpyAny<MappingMut>) {
    let field = x.field::<f32>(&["a"]).unwrap();
    let _ = x.grow(1); //~ E0502
    drop(field.get(0));
}

fn bytes(x: &mut NpyAny<MappingMut>) -> u8 {
    let bytes = x.bytes();
    let _ = x.shrink_to(0); //~ E0502
    bytes[0]
}

fn shape_is_no_view_of_the_mapping_but_of_the_array(x: &mut NpyAny<MappingMut>) -> usize {
    let shape = x.shape();
    let _ = x.grow(1); //~ E0502
    shape[0]
}

fn header(file: &mut NpyFile) -> usize {
    let header = file.header();
    let _ = file.refresh(); //~ E0502
    header.size()
}

fn main() {
    let _ = (grown, shrunk, row_for_writing, rows, chunks, field, bytes);
    let _ = (shape_is_no_view_of_the_mapping_but_of_the_array, header);
}
