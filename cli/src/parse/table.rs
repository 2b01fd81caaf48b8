//! Comma-separated values to elements, as the text arrives. Knows lines and columns; scalars are parsed next door.

use csv_core::{ReadRecordResult, Reader};
use npymap::DType;

use super::{Column, Unfit, columns, scalar};

/// The longest line, in bytes: what has no newline is no table, and must not fill the memory.
const LONGEST: usize = 256 << 20;

/// A table that `cat --csv` prints, which is read in pieces.
pub struct Table {
    reader: Reader,
    line: Line,
    /// Where the scalars of a line go; `None` before the line with their names.
    places: Option<Places>,
    dtype: DType,
}

/// A line that is being read: its cells, one after another.
struct Line {
    text: Vec<u8>,
    /// Where each cell ends.
    ends: Vec<usize>,
    /// What is filled of the two.
    len: usize,
    cells: usize,
}

/// What the columns of a line mean.
struct Places {
    /// Which cell of a line goes where in the elements that a line has.
    columns: Vec<(usize, Column)>,
    /// Cells of a line.
    width: usize,
    /// Bytes of the elements of a line.
    bytes: usize,
}

impl Table {
    /// A table of records, whose first line names its columns, or one of elements, so many a line.
    pub fn new(dtype: &DType, per_line: usize) -> Self {
        let itemsize = dtype.itemsize();
        let places = (!matches!(dtype, DType::Struct(_))).then(|| Places {
            columns: (0..per_line)
                .map(|at| (at, Column { name: String::new(), dtype: dtype.clone(), offset: at * itemsize }))
                .collect(),
            width: per_line,
            bytes: per_line * itemsize,
        });
        let line = Line { text: vec![0; 1 << 10], ends: vec![0; 1 << 6], len: 0, cells: 0 };
        Self { reader: Reader::new(), line, places, dtype: dtype.clone() }
    }

    /// Bytes of the elements that a line has.
    pub fn line_bytes(&self) -> usize {
        self.places.as_ref().map_or(self.dtype.itemsize(), |places| places.bytes)
    }

    /// Adds the elements of the lines that end in the next piece of text.
    pub fn take(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), Unfit> {
        if piece.is_empty() { Ok(()) } else { self.parse(piece, out) }
    }

    /// Adds the elements of a last line without a newline.
    pub fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Unfit> {
        self.parse(&[], out)
    }

    fn parse(&mut self, mut text: &[u8], out: &mut Vec<u8>) -> Result<(), Unfit> {
        loop {
            let Line { text: into, ends, len, cells } = &mut self.line;
            let (result, taken, written, ended) = self.reader.read_record(text, &mut into[*len..], &mut ends[*cells..]);
            let ends_with_newline = taken.checked_sub(1).is_some_and(|last| text[last] == b'\n');
            text = &text[taken..];
            *len += written;
            *cells += ended;
            match result {
                ReadRecordResult::InputEmpty | ReadRecordResult::End => return Ok(()),
                ReadRecordResult::OutputFull if into.len() >= LONGEST => {
                    return Err(Unfit(format!("line {} has more than {LONGEST} bytes", self.reader.line())));
                }
                ReadRecordResult::OutputFull => into.resize(into.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => ends.resize(ends.len() * 2, 0),
                ReadRecordResult::Record => {
                    let cells = Cells { text: &into[..*len], ends: &ends[..*cells] };
                    // The reader counts newlines, also those within quotes.
                    let within = cells.text.iter().filter(|&&byte| byte == b'\n').count() as u64;
                    let number = self.reader.line().saturating_sub(within + u64::from(ends_with_newline));
                    match &self.places {
                        Some(places) => places.put(&cells, number, out)?,
                        None => self.places = Some(Places::named(&cells, &self.dtype)?),
                    }
                    (self.line.len, self.line.cells) = (0, 0);
                }
            }
        }
    }
}

/// The cells of one line.
struct Cells<'a> {
    text: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Cells<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        let text = self.text;
        self.ends.iter().scan(0, move |start, &end| Some(&text[std::mem::replace(start, end)..end]))
    }

    fn get(&self, at: usize) -> &'a [u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[at]]
    }
}

impl Places {
    /// The places of the columns that a line names; of several of the same name, one after another.
    fn named(names: &Cells, dtype: &DType) -> Result<Self, Unfit> {
        let columns = columns(dtype);
        let mut left: Vec<Option<&Column>> = columns.iter().map(Some).collect();
        let mut places = Vec::new();
        // Most tables have the columns in order, and some have very many.
        let mut next = 0;
        for (at, name) in names.iter().enumerate() {
            let is_it = |column: &Option<&Column>| column.is_some_and(|column| column.name.as_bytes() == name);
            let found = left[next..].iter().position(is_it).map(|found| next + found);
            let Some(found) = found.or_else(|| left[..next].iter().position(is_it)) else {
                return Err(no_column(name, &columns));
            };
            next = found + 1;
            places.extend(left[found].take().map(|column| (at, column.clone())));
        }
        Ok(Self { columns: places, width: names.ends.len(), bytes: dtype.itemsize() })
    }

    /// Adds the elements of a line, with zeros where no column goes; none of them, if one cell is wrong.
    fn put(&self, cells: &Cells, line: u64, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let (found, wanted) = (cells.ends.len(), self.width);
        if found != wanted {
            return Err(Unfit(format!("line {line} has {found} columns, where {wanted} are wanted")));
        }
        let start = out.len();
        out.resize(start + self.bytes, 0);
        let put = self.columns.iter().try_for_each(|(at, column)| {
            let place = start + column.offset;
            let out = &mut out[place..place + column.dtype.itemsize()];
            scalar(&column.dtype, cells.get(*at), out).map_err(|Unfit(why)| {
                let name = match column.name.as_str() {
                    "" => (at + 1).to_string(),
                    name => format!("{name:?}"),
                };
                Unfit(format!("line {line}, column {name}: {why}"))
            })
        });
        if put.is_err() {
            out.truncate(start);
        }
        put
    }
}

fn no_column(name: &[u8], columns: &[Column]) -> Unfit {
    const SHOWN: usize = 20;
    let shown = String::from_utf8_lossy(name);
    if columns.iter().any(|column| column.name.as_bytes() == name) {
        return Unfit(format!("the column {shown:?} is named twice"));
    }
    let mut names: Vec<String> = columns.iter().take(SHOWN).map(|column| format!("{:?}", column.name)).collect();
    if columns.len() > SHOWN {
        names.push("...".into());
    }
    Unfit(format!("the file has no column {shown:?}; its columns are {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(dtype: &str, per_line: usize, pieces: &[&str]) -> Result<Vec<u8>, String> {
        let mut table = Table::new(&dtype.parse().unwrap(), per_line);
        let mut out = Vec::new();
        let parsed = pieces.iter().try_for_each(|piece| table.take(piece.as_bytes(), &mut out));
        parsed.and_then(|()| table.end(&mut out)).map_err(|Unfit(why)| why)?;
        Ok(out)
    }

    #[test]
    fn a_line_is_there_as_soon_as_its_newline_is() {
        let mut table = Table::new(&"u1".parse().unwrap(), 2);
        let mut out = Vec::new();
        for (piece, there) in [("1,", &[][..]), ("2", &[]), ("\n", &[1, 2]), ("3,4\r\n5", &[1, 2, 3, 4])] {
            table.take(piece.as_bytes(), &mut out).unwrap();
            assert_eq!(out, there, "{piece:?}");
        }
        table.take(b",6", &mut out).unwrap();
        table.end(&mut out).unwrap();
        assert_eq!(out, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn text_means_the_same_in_any_pieces() {
        let text = "\"a,\"\"b\"\r\n\n\"x\ny\"\nzzzzz";
        let whole = table("S6", 1, &[text]).unwrap();
        assert_eq!(whole, b"a,\"b\0\0x\ny\0\0\0zzzzz\0");
        for at in 0..=text.len() {
            let (first, second) = text.split_at(at);
            assert_eq!(table("S6", 1, &[first, second]).unwrap(), whole, "{at}");
        }
    }

    #[test]
    fn errors_name_the_line_where_a_record_begins() {
        let dtype = "[('a', 'S9'), ('b', 'i1')]";
        for (text, wrong) in [
            ("a,b\nx,1\nx,y\n", "line 3, column \"b\": \"y\" is no |i1"),
            ("a,b\r\nx,1\r\nx,y\r\n", "line 3, column \"b\": \"y\" is no |i1"),
            ("a,b\n\"x\n\n\",y", "line 2, column \"b\": \"y\" is no |i1"),
            ("a,b\n\n\nx\n", "line 4 has 1 columns, where 2 are wanted"),
            ("b,c\n", "the file has no column \"c\"; its columns are \"a\", \"b\""),
            ("b,b\n", "the column \"b\" is named twice"),
        ] {
            assert_eq!(table(dtype, 1, &[text]).unwrap_err(), wrong, "{text:?}");
        }
    }

    #[test]
    fn columns_of_one_name_are_filled_in_turn() {
        let dtype = "[('a.b', 'u1'), ('a', [('b', 'u1')])]";
        assert_eq!(table(dtype, 1, &["a.b,a.b\n1,2\n"]).unwrap(), [1, 2]);
        assert_eq!(table(dtype, 1, &["a.b\n1\n"]).unwrap(), [1, 0]);
    }

    #[test]
    fn lines_of_many_columns_and_long_cells_are_read() {
        let cells = vec!["7"; 1000].join(",");
        assert_eq!(table("u1", 1000, &[&cells]).unwrap(), [7; 1000]);
        let long = "y".repeat(5000);
        assert_eq!(table("S5000", 1, &[&long]).unwrap(), long.as_bytes());
    }
}
