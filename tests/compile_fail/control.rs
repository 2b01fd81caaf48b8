//! What the others do, without the fault: it compiles.

use std::sync::Arc;

use npymap::{Npy, NpyAny, Result};

fn main() -> Result<()> {
    let file = std::fs::read("x.npy").unwrap();
    let mut x = Npy::<bool>::from_bytes(file.clone())?;
    x.as_mut_slice()[0] = true;
    x[0][0] = x[[0, 0]];
    let shared = Npy::<f32>::from_bytes(Arc::<[u8]>::from(file.clone()))?;
    let part = shared.clone().slice_rows(0..1)?;
    let row = { &part[0] };
    let any: &NpyAny<_> = &shared;
    println!("{row:?} {:?}", any.typed::<[f32; 2]>()?.as_slice());
    let mut owned = Npy::<f64>::read_from(file.as_slice())?.clone().into_any();
    owned.bytes_mut()[0] = 1;
    // SAFETY: nobody else writes to it.
    let mapped = unsafe { Npy::<f32>::map("x.npy")? };
    println!("{:?}", mapped.as_slice());
    Ok(())
}
