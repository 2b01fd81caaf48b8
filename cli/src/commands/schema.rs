//! `schema`: the Rust struct that fits the dtype of a file.

use std::io::Write;
use std::path::Path;

use super::each;
use crate::arguments::Schema;
use crate::output::Output;
use crate::schema;
use crate::source::Source;
use crate::trouble::{Result, Trouble};

pub fn schema(arguments: &Schema) -> Result<u8> {
    let mut output = Output::stdout()?;
    let code = each(
        &[&arguments.path],
        |path| path.to_string_lossy().into_owned(),
        &mut output,
        |path, output| {
            let source = Source::open(path)?;
            let dtype = source.header().dtype();
            let text = schema::source(dtype, arguments.name.as_deref()).ok_or_else(|| {
                let descr = dtype.descr();
                Trouble::Said(format!(
                    "elements of {descr} take no bytes, and a Rust type cannot tell how many there are"
                ))
            })?;
            // Debug escapes the ends of lines and whatever turns their direction.
            let name =
                if *path == Path::new("-") { "standard input".into() } else { format!("{:?}", path.to_string_lossy()) };
            Ok(write!(output, "// Elements of {name}: {}\n{text}", dtype.descr())?)
        },
    )?;
    output.finish()?;
    Ok(code)
}
