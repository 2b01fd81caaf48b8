//! The command line: what can be said, and the help that tells it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use npymap::DType;

use crate::schema;

const SLICES: &str = "\
Slices are NumPy's: '[10:20, ::2, 3]', '[-1]', '[..., 0]', '[\"name\"]', '[[\"a\", \"b\"]]', '[:5][\"name\"]'. An argument that \
starts with [ after a path, and is no file, is a slice of that path; -s needs no brackets.";

/// Looks into NumPy .npy files, makes them and lets them grow.
#[derive(Debug, Parser)]
#[command(name = "npymap", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Arguments {
    /// What is to be done.
    #[command(subcommand)]
    pub command: Command,
}

/// What the command can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Tells what files hold: dtype, shape, order, sizes.
    ///
    /// A file that cannot be read is told on standard error (with --json in its line, as "error"), and the exit code is
    /// 2. Of a file whose header is fine but whose data are cut or are Python objects, the header is told too.
    #[command(after_help = "\
Examples:
  npymap info train.npy events.npy
  npymap info --json *.npy | sort")]
    Info(Info),

    /// Prints an array as NumPy does: long ones abridged, whatever the size of the file.
    #[command(after_help = format!("{SLICES}

Examples:
  npymap show train.npy
  npymap show --precision 3 train.npy '[:, 0]'"))]
    Show(Show),

    /// Prints the first rows: records as a table, other arrays as NumPy does.
    ///
    /// A row is one index along the first axis. All rows asked for are printed; long rows are abridged.
    #[command(after_help = format!("{SLICES}

Examples:
  npymap head events.npy
  npymap head -n 3 --csv events.npy '[[\"time\", \"value\"]]'"))]
    Head(Head),

    /// Prints the last rows: records as a table, other arrays as NumPy does.
    ///
    /// A row is one index along the first axis. All rows asked for are printed; long rows are abridged. With -f it goes on
    /// with rows that are appended to the file, as cat prints them, until it is interrupted or its reader has left; also
    /// when relayout has put another file in the place of that one.
    #[command(after_help = format!("{SLICES}

Examples:
  npymap tail -n 5 events.npy
  npymap tail -n 1 --jsonl train.npy"))]
    Tail(Tail),

    /// Prints everything, in C order, with a memory that doesn't grow with the file.
    ///
    /// Without one of the formats: one element of a 1-d array a line, of n-d arrays one row of the last axis, of records
    /// one record, its columns separated by spaces. Numbers are printed as NumPy prints scalars, strings as they are;
    /// --csv and --jsonl quote them.
    ///
    /// --csv: the same lines with commas; records have a header line (a.b for nested fields, a[0] for subarrays). It is
    /// what append reads. In bytes that aren't UTF-8, and voids, \xe9 is a byte.
    /// --jsonl: one value a line for each index of the first axis; records are objects, complex numbers [re, im],
    /// NaN, infinities and NaT null, bytes that aren't UTF-8 and voids {"base64": ...}, timedeltas counts of their unit.
    #[command(after_help = format!("{SLICES}

Examples:
  npymap cat --csv events.npy > events.csv
  npymap cat --rows 5,17,3 --npy -o three.npy train.npy '[:, ::2]'"))]
    Cat(Cat),

    /// Prints some rows chosen at random, in random order and none twice, as cat prints them.
    #[command(after_help = format!("{SLICES}

Examples:
  npymap sample -n 3 --jsonl events.npy
  npymap sample -n 1000 --seed 1 --npy -o some.npy train.npy"))]
    Sample(Sample),

    /// Makes a file of zeros, whose space is really allocated.
    #[command(after_help = "\
Examples:
  npymap create zeros.npy --dtype float32 --shape 1000,3
  npymap create log.npy --dtype \"[('time', '<M8[ms]'), ('value', '<f8')]\" --shape 0 --appendable")]
    Create(Create),

    /// Appends rows to a file that others may read meanwhile, from another .npy file, CSV or raw bytes.
    ///
    /// What a writer before left half done is put right first, and told. Rows are taken as they arrive, and are visible to
    /// readers when all of them are appended, or as often as --every says. Before something wrong in the input, what came
    /// before it is appended; --dry-run looks first.
    ///
    /// Rows of .npy input must have the dtype and shape of the file's, but may be of the other byte order or have other
    /// padding. CSV is what cat --csv prints: of records with a header line, whose columns may come in any order, or be
    /// missing, which are zeros then; else one row of the last axis a line, without a header line. Raw input is rows as
    /// they are stored.
    ///
    /// In Fortran order, rows are columns: the last axis grows.
    #[command(after_help = "\
Examples:
  npymap append train.npy train.npy
  npymap append --every 100 events.npy events.csv")]
    Append(Append),

    /// Adds rows of zeros to a file, in place.
    #[command(after_help = "\
Examples:
  npymap grow train.npy --by 10
  npymap grow train.npy --to 5000 --dry-run")]
    Grow(Grow),

    /// Lays a file out anew, with room in its header to grow, and takes its place at once.
    ///
    /// The new header has 4096 bytes and a field for the count of rows that readers never see half written. With --align
    /// it is as NumPy writes it, but for where the data start.
    #[command(after_help = "\
Examples:
  npymap relayout train.npy
  npymap relayout --align 64 train.npy -o compact.npy")]
    Relayout(Relayout),

    /// Looks whether files hold what their headers say; the exit code is 1 if one doesn't.
    #[command(after_help = "\
Examples:
  npymap verify train.npy events.npy
  npymap verify --json *.npy")]
    Verify(Verify),

    /// Puts files right that a writer, or the power, has left in the middle.
    ///
    /// Rows that are cut are kept in a file beside. What may be another array in the same file is left alone; the exit
    /// code is 1 if such remains.
    #[command(after_help = "\
Examples:
  npymap repair train.npy
  npymap repair --dry-run *.npy")]
    Repair(RepairFiles),

    /// Prints the Rust struct that the records of a file fit, to open it in place.
    ///
    /// With it in a program, Npy::<Record>::map(path) views the file without a copy. The derive macro that it uses is of
    /// the crate npymap, feature derive. Byte order and alignment are those of the machine that this is run on. Where
    /// elements are no records, a type alias is printed.
    #[command(after_help = "\
Examples:
  npymap schema events.npy > record.rs
  npymap schema --name Sample train.npy")]
    Schema(Schema),

    /// Prints the completions for a shell.
    #[command(after_help = "\
Examples:
  npymap completions bash > npymap.bash
  npymap completions fish > npymap.fish")]
    Completions {
        /// The shell.
        shell: Shell,
    },

    /// Prints the manual page of the command, or of one of its subcommands.
    #[command(after_help = "\
Examples:
  npymap man > npymap.1
  npymap man cat > npymap-cat.1")]
    Man {
        /// A subcommand.
        command: Option<String>,
    },
}

/// `info`
#[derive(Debug, Args)]
pub struct Info {
    /// Files; - is standard input.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Prints one JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// `show`
#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub printing: Printing,
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub force: Force,
}

/// `head`
#[derive(Debug, Args)]
pub struct Head {
    #[command(flatten)]
    pub input: Input,
    /// How many rows.
    #[arg(short = 'n', long = "rows", default_value_t = 10)]
    pub rows: usize,
    #[command(flatten)]
    pub printing: Printing,
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub force: Force,
}

/// `tail`
#[derive(Debug, Args)]
pub struct Tail {
    #[command(flatten)]
    pub input: Input,
    /// How many rows.
    #[arg(short = 'n', long = "rows", default_value_t = 10)]
    pub rows: usize,
    #[command(flatten)]
    pub printing: Printing,
    #[command(flatten)]
    pub format: Format,
    /// Goes on with rows that are appended, as cat prints them; of one file, in C order.
    #[arg(short, long)]
    pub follow: bool,
    /// Writes raw bytes to a terminal.
    // No -f: that follows.
    #[arg(long)]
    pub force: bool,
}

/// `cat`
#[derive(Debug, Args)]
pub struct Cat {
    #[command(flatten)]
    pub pour: Pour,
    /// Rows by their numbers, in this order and as often as they are named: 5,17,3. Slices are of these.
    #[arg(long, value_name = "ROWS", value_delimiter = ',', group = "which")]
    pub rows: Option<Vec<usize>>,
    /// The same, from a 1-d .npy file of integers.
    #[arg(long, value_name = "FILE", group = "which")]
    pub rows_from: Option<PathBuf>,
}

/// `sample`
#[derive(Debug, Args)]
pub struct Sample {
    #[command(flatten)]
    pub pour: Pour,
    /// How many rows, or all if there are fewer.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub rows: usize,
    /// The same number gives the same rows; without it, every run gives others.
    #[arg(long)]
    pub seed: Option<u64>,
}

/// What is printed, in which form, and where to.
#[derive(Debug, Args)]
pub struct Pour {
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub format: Format,
    /// Writes an .npy file, as NumPy would save the selected elements; of one path.
    #[arg(long, group = "form")]
    pub npy: bool,
    /// Writes to a file instead of standard output: all of it or nothing.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
}

/// `create`
#[derive(Debug, Args)]
pub struct Create {
    /// The file to make.
    pub path: PathBuf,
    /// The dtype: a name (float32, f4, >i8, M8[ms], U10), or a list of fields as NumPy prints it.
    #[arg(long, value_parser = dtype)]
    pub dtype: DType,
    /// The lengths of the axes: 1000,3 or (1000, 3); () is a single element.
    #[arg(long, value_parser = shape)]
    pub shape: Shape,
    /// Stores the elements in Fortran order; the last axis is the one that grows then.
    #[arg(long)]
    pub fortran: bool,
    /// Makes the header for appending: 4096 bytes, with a field for the count of rows.
    #[arg(long)]
    pub appendable: bool,
    /// What the offset of the data is a multiple of, in bytes.
    #[arg(long, default_value_t = 64, conflicts_with = "appendable", value_parser = alignment)]
    pub align: usize,
    /// Replaces a file that is there.
    #[arg(short, long)]
    pub force: bool,
    /// Says what would be made, and makes nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `append`
#[derive(Debug, Args)]
pub struct Append {
    /// The file to append to.
    pub path: PathBuf,
    /// Where the rows come from; - is standard input.
    #[arg(default_value = "-")]
    pub input: PathBuf,
    /// What they are; without it, .npy or .csv by the name of the input, and .npy by how it begins.
    #[arg(long)]
    pub from: Option<From>,
    /// Makes them visible after so many rows, or so much time: 100, 500ms, 2s.
    #[arg(long, value_parser = every)]
    pub every: Option<Every>,
    /// Waits for the disk in the end: they are there after a power cut.
    #[arg(long)]
    pub sync: bool,
    /// Makes the file if it isn't there, with the dtype and row shape of .npy input, or those given, which are those that
    /// a file that is there must have.
    #[arg(long)]
    pub create: bool,
    /// The dtype of a file that is made.
    #[arg(long, requires = "create", value_parser = dtype)]
    pub dtype: Option<DType>,
    /// The shape of a row of a file that is made; without it, a row is one element.
    #[arg(long, requires = "create", value_parser = shape)]
    pub row_shape: Option<Shape>,
    /// Waits so many seconds for another writer to end.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub wait: u64,
    /// Cuts off what follows the array in the file, whatever it is.
    #[arg(long)]
    pub discard_tail: bool,
    /// Reads the input and says what would be appended, and appends nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Says nothing but what goes wrong.
    #[arg(short, long)]
    pub quiet: bool,
}

/// What rows are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum From {
    /// An .npy file.
    Npy,
    /// Comma-separated values.
    Csv,
    /// Rows as they are stored.
    Raw,
}

/// How often rows become visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After so many.
    Rows(u64),
    /// After so long.
    Time(Duration),
}

/// `grow`
#[derive(Debug, Args)]
pub struct Grow {
    /// The file.
    pub path: PathBuf,
    /// How many rows to add (columns in Fortran order).
    #[arg(long, required_unless_present = "to", conflicts_with = "to")]
    pub by: Option<usize>,
    /// How many rows to have in the end.
    #[arg(long)]
    pub to: Option<usize>,
    /// Says what would be done, and does nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `relayout`
#[derive(Debug, Args)]
pub struct Relayout {
    /// The file.
    pub path: PathBuf,
    /// Writes the new layout to another file.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// As NumPy writes it, with data at a multiple of so many bytes: 64 to 4096.
    #[arg(long, value_parser = alignment)]
    pub align: Option<usize>,
    /// Replaces an output file that is there.
    #[arg(short, long, requires = "output")]
    pub force: bool,
    /// Says what would be done, and does nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Shows no progress.
    #[arg(short, long)]
    pub quiet: bool,
}

/// `verify`
#[derive(Debug, Args)]
pub struct Verify {
    /// Files.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Prints one JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// `repair`
#[derive(Debug, Args)]
pub struct RepairFiles {
    /// Files.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Prints one JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// Says what is wrong, and does nothing about it.
    #[arg(long)]
    pub dry_run: bool,
}

/// The lengths of axes; a type of its own, for a list of arguments is another thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<usize>);

/// Reads a dtype by whatever name NumPy has for it.
fn dtype(text: &str) -> Result<DType, String> {
    text.parse().map_err(|error: npymap::Error| error.to_string())
}

/// Reads `1000,3`, `(1000, 3)`, `1000`, `()`.
fn shape(text: &str) -> Result<Shape, String> {
    let inner = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let inner = inner.trim().strip_suffix(',').unwrap_or(inner);
    if inner.trim().is_empty() {
        return Ok(Shape(Vec::new()));
    }
    let number = |part: &str| part.trim().parse().map_err(|_| format!("{:?} is no length of an axis", part.trim()));
    inner.split(',').map(number).collect::<Result<_, _>>().map(Shape)
}

/// Reads `100`, `500ms`, `2s`.
fn every(text: &str) -> Result<Every, String> {
    let wrong = || format!("{text:?} is neither a number of rows nor a time (500ms, 2s)");
    let number = |text: &str| text.parse::<u64>().ok().filter(|&number| number > 0).ok_or_else(wrong);
    if let Some(milliseconds) = text.strip_suffix("ms") {
        return number(milliseconds).map(|n| Every::Time(Duration::from_millis(n)));
    }
    match text.strip_suffix('s') {
        Some(seconds) => number(seconds).map(|n| Every::Time(Duration::from_secs(n))),
        None => number(text).map(Every::Rows),
    }
}

/// Reads a power of two from 64 to 4096.
fn alignment(text: &str) -> Result<usize, String> {
    let bytes = text.parse::<usize>().ok().filter(|bytes| bytes.is_power_of_two() && (64..=4096).contains(bytes));
    bytes.ok_or_else(|| "data can be aligned to 64, 128, 256, 512, 1024, 2048 or 4096 bytes".into())
}

/// `schema`
#[derive(Debug, Args)]
pub struct Schema {
    /// A file; - is standard input.
    pub path: PathBuf,
    /// The name of the struct, Record unless given; of the alias, Element.
    #[arg(long, value_parser = schema::type_name)]
    pub name: Option<String>,
}

/// Where elements come from.
#[derive(Debug, Args)]
pub struct Input {
    /// Files, each with a slice after it or none; - is standard input.
    #[arg(required = true, value_name = "PATH [SLICE]")]
    pub words: Vec<OsString>,
    /// The slice of every path that has none of its own.
    #[arg(short, long, allow_hyphen_values = true)]
    pub slice: Option<String>,
}

/// The forms that are not text.
#[derive(Clone, Copy, Debug, Args)]
pub struct Format {
    /// Writes the stored bytes of the elements in C order, and nothing else.
    #[arg(long, group = "form")]
    pub raw: bool,
    /// Writes comma-separated values.
    #[arg(long, group = "form")]
    pub csv: bool,
    /// Writes JSON, one value a line.
    #[arg(long, group = "form")]
    pub jsonl: bool,
    /// How --jsonl writes NaN and infinities: string is "NaN", "Infinity", "-Infinity".
    #[arg(long, requires = "jsonl", default_value = "null", value_name = "HOW")]
    pub nan: Nan,
}

/// How JSON tells what is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Nan {
    /// `null`
    Null,
    /// `"NaN"`, `"Infinity"`, `"-Infinity"`
    String,
}

/// How NumPy prints.
#[derive(Clone, Copy, Debug, Args)]
pub struct Printing {
    /// Digits after the point at most.
    #[arg(long, default_value_t = 8)]
    pub precision: usize,
    /// Arrays (in head and tail: rows) of more elements are abridged.
    #[arg(long, default_value_t = 1000)]
    pub threshold: usize,
}

/// Permission to do harm.
#[derive(Clone, Copy, Debug, Args)]
pub struct Force {
    /// Overwrites a file, writes raw bytes to a terminal.
    #[arg(short, long)]
    pub force: bool,
}
