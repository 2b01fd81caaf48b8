//! What the others do to write, without the fault: it compiles.

use npymap::{Appender, Draft, DraftAny, DType, Element, MappingMut, Npy, NpyFile, Result, RowWriter, save};

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Padded {
    a: u8,
    b: u32,
}

fn mapped(x: &mut Npy<f32, MappingMut>) -> Result<()> {
    let first = x.as_slice()[0];
    x.grow(1)?;
    x[0][0] = first;
    x.rows_mut()?.for_each(|row| row[0] = 1.0);
    std::thread::scope(|scope| {
        for chunk in x.chunks_mut(2)? {
            scope.spawn(move || chunk.fill(2.0));
        }
        Ok::<(), npymap::Error>(())
    })?;
    x.flush()?;
    x.shrink_to(0)
}

fn main() -> Result<()> {
    let mut draft = Draft::<f32>::new("x.npy", [3])?;
    draft.as_mut_slice()[0] = 1.0;
    let first = draft[0][0];
    draft.copy_rows_from(1, &[first])?;
    draft.publish()?;
    let mut padded = Draft::<Padded>::new("x.npy", [3])?;
    padded.copy_rows_from(0, &[Padded { a: 1, b: 2 }])?;
    println!("{}", padded.as_slice()[0].b);
    padded.publish_over()?;
    let mut any = DraftAny::new("x.npy", DType::Bool, [3])?;
    any.bytes_mut()[0] = 1;
    any.publish()?;
    // SAFETY: nobody else uses it.
    mapped(&mut unsafe { Npy::<f32>::map_mut("x.npy")? })?;
    let mut file = NpyFile::open("x.npy")?;
    let rows = file.refresh()?;
    println!("{rows} {}", file.header().size());
    save("x.npy", [2], &[1.0_f32, 2.0])?;
    RowWriter::<[f32; 2], _>::new(std::io::Cursor::new(Vec::new()))?.push(&[1.0, 2.0])?;
    Appender::<[f32; 2]>::create("x.npy")?.close()
}
