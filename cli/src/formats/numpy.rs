//! Arrays as NumPy prints them: all of one abridged, or whole rows of which only what is long is abridged.

use npymap::{DType, Error, PrintOptions, Value, array2string};

use crate::arguments::Printing;
use crate::escape;
use crate::select::Selection;
use crate::source::Source;
use crate::trouble::Result;

/// Bytes that are read at once where single elements are asked for: the next one is often near.
const WINDOW: usize = 16 << 10;

/// Items at each end of an abridged axis, NumPy's `edgeitems`.
const EDGE: usize = 3;

/// How arrays are printed.
#[derive(Clone, Debug)]
pub struct Style {
    options: PrintOptions,
    terminal: bool,
}

impl Style {
    pub fn new(printing: &Printing, terminal: bool) -> Self {
        let mut options = PrintOptions::default();
        (options.precision, options.threshold) = (printing.precision, printing.threshold);
        Self { options, terminal }
    }

    /// The same, with nothing abridged.
    fn unabridged(&self) -> PrintOptions {
        PrintOptions { threshold: usize::MAX, ..self.options.clone() }
    }

    fn shown(&self, text: String, shape: &[usize]) -> String {
        // A string that is no array's element is printed without quotes and escapes.
        if self.terminal && shape.is_empty() { escape::for_terminal(&text).into_owned() } else { text }
    }
}

/// Prints a selection as NumPy prints an array, abridged where it has many elements.
pub fn whole(source: &mut Source, selection: &Selection, style: &Style) -> Result<String> {
    print(source, selection, style, &style.options)
}

/// Prints all rows of a selection, abridging those that have many elements.
pub fn rows(source: &mut Source, selection: &Selection, style: &Style) -> Result<String> {
    let shape = selection.shape();
    let inner = shape.get(1..).unwrap_or_default();
    let long = inner.iter().product::<usize>() > style.options.threshold;
    let edges: Vec<Edges> = shape.iter().enumerate().map(|(axis, &len)| Edges::new(len, long && axis > 0)).collect();
    if selection.size() == 0 || selection.itemsize() == 0 || !edges.iter().any(|axis| axis.elided) {
        return print(source, selection, style, &style.unabridged());
    }
    let mut elements = Elements::new(source, selection)?;
    let mut values = Vec::new();
    each_index(&edges, &mut Vec::new(), &mut |index| {
        values.push(elements.value(index)?);
        Ok(())
    })?;
    let mut layout = Layout { texts: texts(&selection.dtype(), values, style)?.into_iter(), out: String::new() };
    layout.axis(&edges, 1, style.options.linewidth);
    Ok(layout.out)
}

/// The texts of elements, formatted together as those of one array and padded to one width.
pub fn texts(dtype: &DType, values: Vec<Value>, style: &Style) -> Result<Vec<String>> {
    let count = values.len();
    if count == 0 {
        return Ok(Vec::new());
    }
    let mut values = values.into_iter();
    // In lines of no width every element has its own.
    let options = PrintOptions { linewidth: 0, ..style.unabridged() };
    let text = array2string(dtype, &[count], &options, |_| {
        values.next().ok_or(Error::BufferLength { found: 0, wanted: count })
    })?;
    let text = text.strip_prefix('[').unwrap_or(&text);
    let text = text.strip_suffix(']').unwrap_or(text);
    // Lines after the first are indented by the width of the bracket, and have lost the spaces at their end.
    let line =
        |(at, line): (usize, &str)| if at == 0 { line } else { line.strip_prefix(' ').unwrap_or(line) }.to_owned();
    let mut texts: Vec<String> = text.split('\n').enumerate().map(line).collect();
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    if matches!(dtype.kind(), 'f' | 'c') {
        for text in &mut texts {
            text.extend(std::iter::repeat_n(' ', width - text.chars().count()));
        }
    }
    Ok(texts)
}

fn print(source: &mut Source, selection: &Selection, style: &Style, options: &PrintOptions) -> Result<String> {
    let shape = selection.shape();
    let mut elements = Elements::new(source, selection)?;
    let text = array2string(&selection.dtype(), &shape, options, |index| elements.value(index))?;
    Ok(style.shown(text, &shape))
}

/// The elements of a selection, one by one and in any order.
struct Elements<'a> {
    source: &'a mut Source,
    selection: &'a Selection,
    dtype: DType,
    window: Vec<u8>,
    /// Where the window begins, counted from the start of the data.
    start: usize,
}

impl<'a> Elements<'a> {
    fn new(source: &'a mut Source, selection: &'a Selection) -> Result<Self> {
        source.rewindable()?;
        Ok(Self { source, selection, dtype: selection.dtype(), window: Vec::new(), start: 0 })
    }

    fn value(&mut self, index: &[usize]) -> npymap::Result<Value> {
        let len = self.selection.extent_len();
        let first = self.selection.position(index);
        let held = first.checked_sub(self.start).is_some_and(|at| at + len <= self.window.len());
        if !held {
            let rest = self.source.header().nbytes().saturating_sub(first);
            self.window.resize(WINDOW.min(rest).max(len), 0);
            self.start = first;
            if let Err(error) = self.source.read(first, &mut self.window) {
                self.window.clear();
                return Err(error);
            }
        }
        let stored = &self.window[first - self.start..first - self.start + len];
        match self.selection.pieces() {
            None => self.dtype.value(stored),
            Some(pieces) => {
                let packed: Vec<u8> = pieces.into_iter().flat_map(|piece| &stored[piece]).copied().collect();
                self.dtype.value(&packed)
            }
        }
    }
}

/// What is printed of an axis.
#[derive(Clone, Copy, Debug)]
struct Edges {
    len: usize,
    elided: bool,
}

impl Edges {
    fn new(len: usize, long: bool) -> Self {
        Self { len, elided: long && len > 2 * EDGE }
    }

    fn indices(self) -> impl Iterator<Item = usize> {
        let (head, tail) = if self.elided { (EDGE, self.len - EDGE) } else { (self.len, self.len) };
        (0..head).chain(tail..self.len)
    }
}

/// Calls `visit` with the index of every element printed, in C order.
fn each_index(axes: &[Edges], index: &mut Vec<usize>, visit: &mut impl FnMut(&[usize]) -> Result<()>) -> Result<()> {
    let Some((axis, inner)) = axes.split_first() else { return visit(index) };
    axis.indices().try_for_each(|at| {
        index.push(at);
        each_index(inner, index, visit)?;
        index.pop();
        Ok(())
    })
}

/// Brackets, lines and dots, as NumPy sets them, around texts that are made already.
struct Layout {
    texts: std::vec::IntoIter<String>,
    out: String,
}

impl Layout {
    /// Prints one axis; its lines after the first have `indent` spaces before them, and all have `width` characters.
    fn axis(&mut self, axes: &[Edges], indent: usize, width: usize) {
        let Some((axis, inner)) = axes.split_first() else { return };
        let width = width.saturating_sub(1);
        self.out.push('[');
        let mut line = indent;
        for (count, _) in axis.indices().enumerate() {
            let dots = axis.elided && count == EDGE;
            if inner.is_empty() {
                if dots {
                    self.word(" ...", indent, width, &mut line);
                }
                let text = self.texts.next().unwrap_or_default();
                self.word(&if count == 0 { text } else { format!(" {text}") }, indent, width, &mut line);
            } else {
                let separator = format!("{}{}", "\n".repeat(inner.len()), " ".repeat(indent));
                if dots {
                    self.out.push_str(&format!("{separator}..."));
                }
                if count > 0 {
                    self.out.push_str(&separator);
                }
                self.axis(inner, indent + 1, width);
            }
        }
        self.out.push(']');
    }

    /// Adds a word, and the space before it unless it starts a new line.
    fn word(&mut self, word: &str, indent: usize, width: usize, line: &mut usize) {
        let mut word = word;
        let mut length = word.chars().count();
        if *line + length > width && *line > indent {
            self.out.truncate(self.out.trim_end_matches(' ').len());
            self.out.push('\n');
            self.out.push_str(&" ".repeat(indent));
            word = word.strip_prefix(' ').unwrap_or(word);
            length = word.chars().count();
            *line = indent;
        }
        self.out.push_str(word);
        *line += length;
    }
}
