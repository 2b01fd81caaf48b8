//! `info`: what the header of a file says, for people and for programs.

use std::io::Write;
use std::path::Path;

use npymap::{DType, Header};
use serde_json::{Map, Value, json};

use super::each;
use crate::arguments::Info;
use crate::escape;
use crate::output::Output;
use crate::source::{Inspection, inspect, shape_text};
use crate::trouble::{Result, Trouble};

pub fn info(arguments: &Info) -> Result<u8> {
    let mut output = Output::stdout()?;
    let mut first = true;
    let code = each(
        &arguments.paths,
        |path| path.to_string_lossy().into_owned(),
        &mut output,
        |path, output| {
            if arguments.json {
                return json_line(path, output);
            }
            let Inspection { header, size, trouble } = inspect(path)?;
            if !std::mem::take(&mut first) {
                output.write_all(b"\n")?;
            }
            let text = human(path, &header, size, output.is_terminal());
            output.write_all(text.as_bytes())?;
            trouble.map_or(Ok(()), |error| Err(error.into()))
        },
    )?;
    output.finish()?;
    Ok(code)
}

/// One line for every file, good or bad; the error is in the line and is returned.
fn json_line(path: &Path, output: &mut Output) -> Result<()> {
    let mut line = Map::new();
    line.insert("path".into(), path.to_string_lossy().into());
    let trouble = match inspect(path) {
        Ok(Inspection { header, size, trouble }) => {
            if let Ok(Value::Object(fields)) = serde_json::to_value(&header) {
                for (key, value) in fields {
                    let after = key == "nbytes";
                    line.insert(key, value);
                    if after {
                        line.insert("file_size".into(), size.into());
                    }
                }
            }
            trouble.map(Trouble::Npy)
        }
        Err(trouble @ (Trouble::Closed | Trouble::Output(..))) => return Err(trouble),
        Err(trouble) => Some(trouble),
    };
    if let Some(trouble) = &trouble {
        line.insert("error".into(), json!({"kind": trouble.kind(), "message": trouble.message()}));
    }
    writeln!(output, "{}", Value::Object(line))?;
    trouble.map_or(Ok(()), Err)
}

/// A line for each fact, their values below each other.
fn human(path: &Path, header: &Header, size: u64, terminal: bool) -> String {
    let shown = |text: &str| if terminal { escape::for_terminal(text).into_owned() } else { text.to_owned() };
    let (major, minor) = header.version();
    let order = if header.fortran_order() { "Fortran (the first index runs fastest)" } else { "C" };
    let fields = match header.dtype() {
        DType::Struct(record) => record.fields.as_slice(),
        _ => &[],
    };
    let dtype = match header.dtype() {
        DType::Struct(_) => format!("record of {} fields", fields.len()),
        plain => plain.to_string(),
    };
    let growth = match header.growth_axis() {
        Some(axis) => format!("{} more digits for axis {axis}", header.spare()),
        None => "none: the array has no axis".into(),
    };
    let mut facts = vec![
        ("path", shown(&path.to_string_lossy())),
        ("version", format!("{major}.{minor}")),
        ("dtype", shown(&dtype)),
        ("shape", shape_text(header.shape())),
        ("order", order.into()),
        ("itemsize", header.itemsize().to_string()),
        ("data offset", header.data_offset().to_string()),
        ("nbytes", sized(header.nbytes() as u64)),
        ("file size", sized(size)),
        ("spare", growth),
        ("appendable", if header.appendable() { "yes" } else { "no" }.into()),
    ];
    let width = fields.iter().map(|field| shown(&field.name).chars().count()).max().unwrap_or(0);
    for (at, field) in fields.iter().enumerate() {
        let name = shown(&field.name);
        let padding = " ".repeat(width - name.chars().count());
        let title = field.title.as_ref().map_or(String::new(), |title| format!(", title {title:?}"));
        let descr = field.dtype.to_string();
        let text = shown(&format!("{name}{padding}  {descr} at byte {}{title}", field.offset));
        facts.push((if at == 0 { "fields" } else { "" }, text));
    }
    facts.iter().map(|(key, value)| format!("{key:<11}  {value}\n")).collect()
}

/// `12000 bytes (11.7 KiB)`
fn sized(bytes: u64) -> String {
    let mut unit = 1;
    for name in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        unit *= 1024;
        if bytes >= unit && (bytes / unit < 1024 || name == "EiB") {
            let tenths = u128::from(bytes) * 10 / u128::from(unit);
            return format!("{bytes} bytes ({}.{} {name})", tenths / 10, tenths % 10);
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::sized;

    #[test]
    fn sizes_have_a_unit_that_people_read() {
        assert_eq!(sized(1023), "1023 bytes");
        assert_eq!(sized(1024), "1024 bytes (1.0 KiB)");
        assert_eq!(sized(12_000), "12000 bytes (11.7 KiB)");
        assert_eq!(sized(1 << 40), "1099511627776 bytes (1.0 TiB)");
        assert_eq!(sized(u64::MAX), "18446744073709551615 bytes (15.9 EiB)");
    }
}
