//! `verify` and `repair`: whether files hold what their headers say.

use std::io::Write;
use std::path::{Path, PathBuf};

use npymap::{Findings, Repair};
use serde_json::json;

use super::each;
use crate::arguments::{RepairFiles, Verify};
use crate::escape;
use crate::output::Output;
use crate::trouble::Result;

/// The exit code when the answer is no.
const UNSOUND: u8 = 1;

pub fn verify(arguments: &Verify) -> Result<u8> {
    look(&arguments.paths, arguments.json, |path| npymap::verify(path))
}

pub fn repair(arguments: &RepairFiles) -> Result<u8> {
    let act = |path: &Path| if arguments.dry_run { npymap::verify(path) } else { npymap::repair(path) };
    look(&arguments.paths, arguments.json, act)
}

/// Prints what there is to say of each file: 0 if all are sound in the end, 1 if one isn't, 2 if one cannot be told.
fn look(paths: &[PathBuf], json: bool, act: impl Fn(&Path) -> npymap::Result<Findings>) -> Result<u8> {
    let mut output = Output::stdout()?;
    let mut sound = true;
    let name = |path: &PathBuf| path.to_string_lossy().into_owned();
    let code = each(paths, name, &mut output, |path, output| {
        let found = act(path);
        if json {
            return json_line(path, found, &mut sound, output);
        }
        let found = found?;
        sound &= found.is_sound();
        let shown = path.to_string_lossy();
        let use_note = if found.in_use { ", and is being appended to" } else { "" };
        let sound = found.problems.is_empty().then(|| format!("sound{use_note}"));
        let problems = found.problems.iter().map(ToString::to_string);
        let told = sound.into_iter().chain(problems).chain(found.done.iter().map(ToString::to_string));
        for told in told {
            let line = format!("{shown}: {told}");
            let line = if output.is_terminal() { escape::for_terminal(&line) } else { line.into() };
            writeln!(output, "{line}")?;
        }
        Ok(())
    })?;
    output.finish()?;
    Ok(if code == 0 && !sound { UNSOUND } else { code })
}

fn json_line(path: &Path, found: npymap::Result<Findings>, sound: &mut bool, output: &mut Output) -> Result<()> {
    let path = path.to_string_lossy();
    match found {
        Ok(found) => {
            *sound &= found.is_sound();
            let line = json!({
                "path": path,
                "sound": found.is_sound(),
                "rows_in_header": found.rows_in_header,
                "rows_in_file": found.rows_in_file,
                "file_size": found.file_size,
                "in_use": found.in_use,
                "problems": found.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "done": found.done.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "kept_in": found.done.iter().find_map(|done| match done {
                    Repair::Kept { path } => Some(path.to_string_lossy()),
                    _ => None,
                }),
            });
            Ok(writeln!(output, "{line}")?)
        }
        Err(error) => {
            let error = crate::trouble::Trouble::from(error);
            let told = json!({"kind": error.kind(), "message": error.message()});
            writeln!(output, "{}", json!({"path": path, "error": told}))?;
            Err(error)
        }
    }
}
