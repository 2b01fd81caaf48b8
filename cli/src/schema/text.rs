//! Lines of a struct, as rustfmt would leave them by default.

use std::fmt::Write;

use super::{Field, spelled};

/// What stands between the braces.
pub enum Line {
    Field(Field),
    /// One line of text without line ends.
    Comment(String),
}

/// rustfmt's `max_width`.
const WIDTH: usize = 100;

/// rustfmt's `attr_fn_like_width`.
const ATTRIBUTE_WIDTH: usize = 70;

/// Returns a whole struct.
pub fn of_struct(name: &str, lines: &[Line], packed: bool, is_snake_case: bool) -> String {
    let mut text = String::new();
    if !is_snake_case {
        text.push_str("#[allow(non_snake_case)]\n");
    }
    text.push_str("#[derive(Clone, Copy, Debug, npymap::Element)]\n");
    text.push_str(if packed { "#[repr(C, packed)]\n" } else { "#[repr(C)]\n" });
    // Writing to a String cannot fail.
    let _ = writeln!(text, "pub struct {name} {{");
    for line in lines {
        match line {
            Line::Comment(comment) => {
                let _ = writeln!(text, "    // {comment}");
            }
            Line::Field(field) => {
                attribute(&mut text, &field.attributes);
                let start = format!("    pub {}:", spelled(&field.identifier));
                let element = &field.element.name;
                let fits = start.chars().count() + element.len() + 2 <= WIDTH;
                let _ = writeln!(text, "{start}{}{element},", if fits { " " } else { "\n        " });
            }
        }
    }
    text.push_str("}\n");
    text
}

fn attribute(text: &mut String, arguments: &[String]) {
    let inline = arguments.join(", ");
    let _ = match arguments {
        [] => Ok(()),
        _ if inline.len() <= ATTRIBUTE_WIDTH => writeln!(text, "    #[npymap({inline})]"),
        _ => writeln!(text, "    #[npymap(\n        {}\n    )]", arguments.join(",\n        ")),
    };
}
