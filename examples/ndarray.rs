//! Views a file as an `ndarray` array, in place.
//!
//! ```sh
//! cargo run --example ndarray --features ndarray
//! ```

use ndarray::{ArrayView2, Axis};
use npymap::Npy;

fn main() -> npymap::Result<()> {
    let x = Npy::<f32>::read("examples/data/measurements.npy")?;
    let view: ArrayView2<f32> = x.ndarray()?;
    println!("means of the columns: {:?}", view.mean_axis(Axis(0)));
    println!("every hundredth row:\n{:.2}", view.slice(ndarray::s![..;100, ..]));
    Ok(())
}
