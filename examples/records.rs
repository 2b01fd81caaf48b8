//! Records: as structs in place, field by field without a struct, and fields written several at once.
//!
//! ```sh
//! cargo run --features derive --example records
//! ```
#![forbid(unsafe_code)]

use npymap::{Npy, NpyAny, Result, le};

/// What `npymap schema examples/data/events.npy` prints.
#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C, packed)]
struct Event {
    #[npymap(unit = "ms")]
    time: npymap::Datetime64,
    sensor: le::Str<8>,
    value: f64,
    valid: bool,
}

fn main() -> Result<()> {
    let path = "examples/data/events.npy";

    // Every field was checked when the file was opened; from here on they are structs. Where a promise that nobody
    // changes the file can be given, `map` does the same without reading it.
    let events = Npy::<Event>::read(path)?;
    let unit = npymap::DatetimeUnit::Millisecond.into();
    for event in events.as_slice().iter().take(3) {
        // The fields of a packed struct are copied out of it before they are borrowed.
        let Event { time, sensor, value, valid } = *event;
        println!("{} {sensor:8} {value:7.3} {valid}", time.display(unit));
    }

    // The same without a struct.
    let mut any = NpyAny::read(path)?;
    for field in any.dtype().fields() {
        println!("{:?}: {}", field.path, field.dtype);
    }
    let values = any.field::<f64>(&["value"])?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    println!("mean of {} values: {mean:.3}", values.len());

    let fields = any.fields_mut();
    let (value, sensor) = (fields.field::<f64>(&["value"])?, fields.strings(&["sensor"])?);
    for i in 0..value.len() {
        if sensor.get(i)? == "café" {
            value.set(i, value.get(i)? - mean)?;
            sensor.set(i, "kitchen")?;
        }
    }
    println!("{:?}", any.value(&[2])?.to_string());
    Ok(())
}
