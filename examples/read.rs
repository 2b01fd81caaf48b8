//! Reads files of any dtype into memory, without `unsafe`.
//!
//! ```sh
//! cargo run --example read
//! ```
#![forbid(unsafe_code)]

use npymap::{DType, NpyAny, Value};

fn main() -> npymap::Result<()> {
    let x = NpyAny::read("examples/data/measurements.npy")?;
    match x.dtype() {
        DType::Float32(_) => println!("{} floats, the first {}", x.size(), x.typed::<f32>()?.as_slice()[0]),
        DType::Float64(_) => println!("{} doubles, the first {}", x.size(), x.typed::<f64>()?.as_slice()[0]),
        other => println!("{} elements of {other}", x.size()),
    }

    // Records: each is a list of names and values.
    let events = NpyAny::read("examples/data/events.npy")?;
    println!("{}", events.dtype());
    for i in 0..3 {
        if let Value::Record(fields) = events.value(&[i])? {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name} {value}")).collect();
            println!("{}", fields.join(", "));
        }
    }
    Ok(())
}
