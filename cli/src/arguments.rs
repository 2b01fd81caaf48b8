//! The command line: what can be said, and the help that tells it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::schema;

const SLICES: &str = "\
Slices are NumPy's: '[10:20, ::2, 3]', '[-1]', '[..., 0]', '[\"name\"]', '[[\"a\", \"b\"]]', '[:5][\"name\"]'. An argument that \
starts with [ after a path, and is no file, is a slice of that path; -s needs no brackets.";

/// Looks into NumPy .npy files.
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
    /// A row is one index along the first axis. All rows asked for are printed; long rows are abridged.
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
    /// --csv: the same lines with commas; records have a header line (a.b for nested fields, a[0] for subarrays).
    /// --jsonl: one value a line for each index of the first axis; records are objects, complex numbers [re, im],
    /// NaN, infinities and NaT null, bytes that aren't UTF-8 and voids {"base64": ...}, timedeltas counts of their unit.
    #[command(after_help = format!("{SLICES}

Examples:
  npymap cat --csv events.npy > events.csv
  npymap cat --npy -o half.npy train.npy '[::2]'"))]
    Cat(Cat),

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
    /// Writes raw bytes to a terminal.
    // No -f: that is going to follow a growing file, as in `tail -f`.
    #[arg(long)]
    pub force: bool,
}

/// `cat`
#[derive(Debug, Args)]
pub struct Cat {
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
