//! `show`, `head`, `tail`, `cat`: elements of files, in one form or another.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use npymap::Header;

use super::each;
use crate::arguments::{Cat, Format, Head, Input, Pour, Printing, Sample, Show, Tail};
use crate::formats::{self, Stream, Style};
use crate::output::Output;
use crate::select::{Group, Selection, parse};
use crate::source::Source;
use crate::trouble::{Result, Trouble};

pub fn show(arguments: &Show) -> Result<u8> {
    let view = View {
        input: &arguments.input,
        format: &arguments.format,
        printing: &arguments.printing,
        force: arguments.force.force,
    };
    view.print(
        |selection| selection,
        |source, selection, output| {
            formats::whole(source, selection, &Style::new(&arguments.printing, output.is_terminal()))
        },
    )
}

pub fn head(arguments: &Head) -> Result<u8> {
    let view = View {
        input: &arguments.input,
        format: &arguments.format,
        printing: &arguments.printing,
        force: arguments.force.force,
    };
    view.print_rows(|selection| selection.head(arguments.rows))
}

/// How long `tail -f` waits before it looks whether there is still somebody to print for.
const PATIENCE: Duration = Duration::from_secs(1);

pub fn tail(arguments: &Tail) -> Result<u8> {
    if arguments.follow {
        return follow(arguments);
    }
    let view = View {
        input: &arguments.input,
        format: &arguments.format,
        printing: &arguments.printing,
        force: arguments.force,
    };
    view.print_rows(|selection| selection.tail(arguments.rows))
}

/// Prints the last rows, and then those that are appended.
fn follow(arguments: &Tail) -> Result<u8> {
    let targets = targets(&arguments.input)?;
    let [target] = targets.as_slice() else {
        return Err(Trouble::Said(format!("-f follows one file, and {} are given", targets.len())));
    };
    let mut output = Output::stdout()?;
    let mut stream = Stream::new(&arguments.format, &output).unwrap_or_else(|| Stream::text(&output));
    refuse_terminal(&stream, &output, arguments.force)?;
    super::about(&target.path, || {
        // Before the file is opened: of a change in between, the next look takes note.
        let mut file = identity(&target.path);
        let mut source = Source::open(&target.path)?;
        let header = source.header();
        if header.fortran_order() && header.shape().len() > 1 {
            return Err(Trouble::Said("-f follows rows, and this file grows by columns (Fortran order)".into()));
        }
        let mut seen = match header.shape() {
            [] => return Err(Trouble::Said("-f follows rows, and a 0-d array has none".into())),
            [rows, ..] => rows.saturating_sub(arguments.rows),
        };
        let rows = |source: &Source, from: usize, to: usize| {
            let rows = parse(&format!("{from}:{to}")).map_err(Trouble::Said)?;
            let selection = Selection::all(source.header()).apply(&rows).map_err(Trouble::Said)?;
            selection.apply(&target.slice).map_err(Trouble::Said)
        };
        stream.begin(&rows(&source, seen, seen)?, &mut output)?;
        output.flush()?;
        loop {
            let Some(now) = source.wait(seen, PATIENCE)? else {
                return Err(Trouble::Said("-f follows files, and this is none".into()));
            };
            if now > seen {
                let selection = rows(&source, seen, now)?;
                stream.write(&mut source, &selection, &mut output)?;
                output.flush()?;
                seen = now;
            } else if output.is_abandoned() {
                return Err(Trouble::Closed);
            } else if let other @ Some(_) = identity(&target.path)
                && other != file
            {
                file = other;
                source = successor(&source, &target.path, seen)?;
            }
        }
    })
}

/// What tells a file from others that have had its name; `None` of one that isn't there.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|there| (there.dev(), there.ino()))
}

/// Nothing: here a file that is open isn't replaced.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// The file that has taken the place of one that is followed, as `npymap relayout` lets one do: it must go on with it.
fn successor(before: &Source, path: &Path, seen: usize) -> Result<Source> {
    let source = Source::open(path)?;
    let (old, new) = (before.header(), source.header());
    let goes_on = old.dtype() == new.dtype()
        && old.shape().get(1..) == new.shape().get(1..)
        && (new.shape().len() < 2 || !new.fortran_order())
        && new.shape().first().is_some_and(|&rows| rows >= seen);
    if goes_on { Ok(source) } else { Err(Trouble::Said(format!("was replaced by another array, after {seen} rows"))) }
}

pub fn cat(arguments: &Cat) -> Result<u8> {
    let named = match (&arguments.rows, &arguments.rows_from) {
        (Some(rows), _) => Some(rows.clone()),
        (None, Some(path)) => Some(
            numbers(path)
                .map_err(|trouble| Trouble::Said(format!("{}: {}", path.to_string_lossy(), trouble.message())))?,
        ),
        (None, None) => None,
    };
    pour(&arguments.pour, |_| named.clone())
}

pub fn sample(arguments: &Sample) -> Result<u8> {
    let Sample { pour: what, rows, seed } = arguments;
    let mut random = seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
    pour(what, |header| {
        let all = header.shape().first().copied().unwrap_or(0);
        Some(distinct(&mut random, all, *rows))
    })
}

/// So many different numbers below `all`, in random order, or all of them: by Floyd's algorithm, whatever `all` is.
fn distinct(random: &mut fastrand::Rng, all: usize, count: usize) -> Vec<usize> {
    let mut taken = HashSet::new();
    let mut chosen = Vec::new();
    for last in all.saturating_sub(count)..all {
        let any = random.usize(..=last);
        let number = if taken.insert(any) { any } else { last };
        taken.insert(number);
        chosen.push(number);
    }
    random.shuffle(&mut chosen);
    chosen
}

/// The numbers in an `.npy` file.
fn numbers(path: &Path) -> Result<Vec<usize>> {
    let list = npymap::NpyAny::read(path)?;
    if list.ndim() != 1 {
        return Err(Trouble::Said(format!("a list of rows has one axis, and this has {}", list.ndim())));
    }
    list.iter()
        .map(|number| {
            let shown = number?.to_string();
            shown.parse().map_err(|_| Trouble::Said(format!("{shown} is the number of no row")))
        })
        .collect()
}

/// Prints everything of some files, or the rows that are chosen once the header is known.
fn pour(arguments: &Pour, mut choose: impl FnMut(&Header) -> Option<Vec<usize>>) -> Result<u8> {
    let targets = targets(&arguments.input)?;
    if arguments.npy && targets.len() > 1 {
        let paths = targets.len();
        return Err(Trouble::Said(format!("--npy writes one array, and {paths} paths are given")));
    }
    let mut output = match &arguments.output {
        Some(path) => Output::file(path, arguments.force.force)?,
        None => Output::stdout()?,
    };
    let mut stream = match Stream::new(&arguments.format, &output) {
        _ if arguments.npy => Stream::Npy,
        Some(stream) => stream,
        None => Stream::text(&output),
    };
    refuse_terminal(&stream, &output, arguments.force.force)?;
    let code = each(&targets, Target::name, &mut output, |target, output| {
        let mut source = Source::open(&target.path)?;
        if let Some(rows) = choose(source.header()) {
            source = source.of_rows(rows)?;
        }
        let selection = target.of(&source)?;
        stream.write(&mut source, &selection, output)
    })?;
    // A file that is written appears whole or not at all.
    if code == 0 || arguments.output.is_none() {
        output.finish()?;
    }
    Ok(code)
}

/// What `show`, `head` and `tail` have in common.
struct View<'a> {
    input: &'a Input,
    format: &'a Format,
    printing: &'a Printing,
    force: bool,
}

impl View<'_> {
    /// Prints rows: records as a table, other arrays as NumPy does.
    fn print_rows(&self, narrow: impl Fn(Selection) -> Selection) -> Result<u8> {
        self.print(narrow, |source, selection, output| {
            if formats::is_table(selection) {
                formats::table(source, selection, self.printing, output.is_terminal())
            } else {
                formats::rows(source, selection, &Style::new(self.printing, output.is_terminal()))
            }
        })
    }

    /// Prints what `narrow` leaves of each file: as `text` does, unless another form was asked for.
    fn print(
        &self,
        narrow: impl Fn(Selection) -> Selection,
        text: impl Fn(&mut Source, &Selection, &Output) -> Result<String>,
    ) -> Result<u8> {
        let targets = targets(self.input)?;
        let mut output = Output::stdout()?;
        let mut stream = Stream::new(self.format, &output);
        if let Some(stream) = &stream {
            refuse_terminal(stream, &output, self.force)?;
        }
        let mut first = true;
        let code = each(&targets, Target::name, &mut output, |target, output| {
            let (mut source, selection) = target.open()?;
            let selection = narrow(selection);
            if let Some(stream) = &mut stream {
                return stream.write(&mut source, &selection, output);
            }
            let text = text(&mut source, &selection, output)?;
            if targets.len() > 1 {
                let gap = if first { "" } else { "\n" };
                writeln!(output, "{gap}==> {} <==", target.shown_name(output))?;
                first = false;
            }
            Ok(writeln!(output, "{text}")?)
        })?;
        output.finish()?;
        Ok(code)
    }
}

fn refuse_terminal(stream: &Stream, output: &Output, force: bool) -> Result<()> {
    if stream.is_binary() && output.is_terminal() && !force {
        let told = "standard output is a terminal, and the output is binary; --force writes it anyway";
        return Err(Trouble::Said(told.into()));
    }
    Ok(())
}

/// A file and what is to be taken of it.
struct Target {
    path: PathBuf,
    slice: Vec<Group>,
}

impl Target {
    fn open(&self) -> Result<(Source, Selection)> {
        let source = Source::open(&self.path)?;
        let selection = self.of(&source)?;
        Ok((source, selection))
    }

    fn of(&self, source: &Source) -> Result<Selection> {
        Selection::all(source.header()).apply(&self.slice).map_err(Trouble::Said)
    }

    fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    fn shown_name(&self, output: &Output) -> String {
        let name = self.name();
        if output.is_terminal() { crate::escape::for_terminal(&name).into_owned() } else { name }
    }
}

/// Tells paths from slices: what starts with a bracket, stands after a path and is no file is a slice of it.
fn targets(input: &Input) -> Result<Vec<Target>> {
    let slice = |text: &str| parse(text).map_err(Trouble::Said);
    let common = input.slice.as_deref().map(slice).transpose()?;
    let mut targets: Vec<(PathBuf, Option<Vec<Group>>)> = Vec::new();
    for word in &input.words {
        match targets.last_mut() {
            Some((_, own)) if is_slice(word) => own.get_or_insert_default().extend(slice(&word.to_string_lossy())?),
            _ => targets.push((word.into(), None)),
        }
    }
    let target = |(path, own): (PathBuf, Option<Vec<Group>>)| Target {
        path,
        slice: own.or_else(|| common.clone()).unwrap_or_default(),
    };
    Ok(targets.into_iter().map(target).collect())
}

fn is_slice(word: &OsString) -> bool {
    word.as_encoded_bytes().starts_with(b"[") && !Path::new(word).exists()
}
