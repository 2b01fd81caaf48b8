//! What the integration tests share: NumPy as the oracle, the corpus of files it has judged, digests and temporary folders.
//!
//! It knows nothing of npymap's API.

#![allow(dead_code, reason = "each test binary compiles this module and uses a part of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

pub mod live;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Runs `tests/python/<script>.py` with `args` and returns what it printed.
///
/// Panics, with what the script wrote to stderr, when it fails; and with advice when there is no Python with the pinned NumPy.
pub fn python(script: &str, args: &[&str]) -> String {
    run(python_command(script).args(args)).unwrap_or_else(|trouble| panic!("{script}.py: {trouble}"))
}

/// As [`python`], with text on standard input.
pub fn python_with_input(script: &str, args: &[&str], input: &str) -> String {
    let mut child =
        python_command(script).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("Python ends");
    writer.join().expect("no panic").expect("Python reads");
    assert!(output.status.success(), "{script}.py: {}", output.status);
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// The command that runs `tests/python/<script>.py`.
pub fn python_command(script: &str) -> Command {
    let path = root().join("tests/python").join(script).with_extension("py");
    let mut command = Command::new(interpreter());
    command.arg(path);
    command
}

/// A command that runs this test binary with a system call forbidden, as `tests/python/forbid.py` is told; `None`, and
/// said so, where the system lets nobody do that.
#[cfg(target_os = "linux")]
pub fn forbidding(what: &[&str]) -> Option<Command> {
    let forbidding = |command: &Path| {
        let mut python = python_command("forbid");
        python.args(what).arg("--").arg(command);
        python
    };
    if let Err(trouble) = run(&mut forbidding(Path::new("/bin/true"))) {
        writeln!(std::io::stderr().lock(), "\n!!!! SKIPPED: no system call can be forbidden here: {trouble}\n")
            .unwrap();
        return None;
    }
    Some(forbidding(&std::env::current_exe().expect("this binary has a path")))
}

/// `NPYMAP_SEED` for other random cases than every run has, `NPYMAP_CASES` for more of them than the `default`.
pub fn seed_and_cases(default: u64) -> [String; 2] {
    let number = |name: &str, default: u64| match std::env::var(name) {
        Ok(text) => text.parse::<u64>().unwrap_or_else(|error| panic!("{name}={text}: {error}")),
        Err(_) => default,
    };
    [number("NPYMAP_SEED", 20_261_130).to_string(), number("NPYMAP_CASES", default).to_string()]
}

/// The Python that has the pinned NumPy: `NPYMAP_PYTHON`, or the one in `.venv`. Checked once a process.
fn interpreter() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| {
        let venv = root().join(if cfg!(windows) { ".venv/Scripts/python.exe" } else { ".venv/bin/python" });
        let python = match std::env::var_os("NPYMAP_PYTHON") {
            Some(python) => PathBuf::from(python),
            None if venv.exists() => venv,
            None => panic!("these tests ask NumPy: run scripts/test, which installs it, or set NPYMAP_PYTHON"),
        };
        let version = run(Command::new(&python).args(["-c", "import numpy; print(numpy.__version__)"]))
            .unwrap_or_else(|trouble| panic!("{}: no NumPy here, run scripts/test: {trouble}", python.display()));
        let pinned = include_str!("../python/requirements.txt").lines().find_map(|line| line.strip_prefix("numpy=="));
        assert_eq!(Some(version.trim()), pinned, "{}: the wrong NumPy, run scripts/test", python.display());
        python
    })
}

/// Standard output of a command that succeeds, or what went wrong.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8(output.stdout).expect("output is UTF-8"))
}

/// A file of the corpus and NumPy's verdict on it; `tests/corpus/README.md` describes the fields.
pub struct Case {
    pub name: String,
    pub path: PathBuf,
    pub group: String,
    pub note: String,
    /// NumPy accepts it, but nothing writes such files, and npymap may refuse them.
    pub accident: bool,
    pub header: Result<Header, Refusal>,
    /// `np.load(path)`
    pub load: Result<Loaded, Refusal>,
    /// `np.load(path, mmap_mode='r')`
    pub mmap_r: Result<Loaded, Refusal>,
}

impl Case {
    /// Whether `np.load(path)` gives an array.
    pub fn accepted(&self) -> bool {
        self.load.is_ok()
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }
}

/// What NumPy reads from a header.
pub struct Header {
    pub version: (u8, u8),
    /// `None` where a dimension is negative or has no place in 64 bits.
    pub shape: Option<Vec<u64>>,
    pub fortran_order: bool,
    /// `str kind itemsize`, and `fields` or `subarray`: the tree that `npymap info --json` prints as `dtype`.
    pub dtype: Value,
    pub data_offset: u64,
}

/// An array as NumPy loaded it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    pub shape: Vec<u64>,
    /// SHA-256 of the element bytes in C order, as stored.
    pub sha256_c: String,
}

/// NumPy's exception.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub exception: String,
    /// Cut at 200 characters.
    pub message: String,
}

/// All cases of `tests/corpus/npy.json`, in its order.
///
/// Miri takes ten minutes to read the manifest: a test for Miri reads single files of [`corpus_folder`].
pub fn corpus() -> Vec<Case> {
    let folder = corpus_folder();
    let path = folder.with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let manifest: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    array(&manifest["cases"]).iter().map(|case| read_case(case, &folder)).collect()
}

/// The folder that holds the corpus's `.npy` files.
pub fn corpus_folder() -> PathBuf {
    root().join("tests/corpus/npy")
}

fn read_case(case: &Value, folder: &Path) -> Case {
    let load = outcome(&case["load"], loaded);
    let mmap_r = case.get("mmap_r").map_or_else(|| load.clone(), |differs| outcome(differs, loaded));
    let accepted = text(&case["verdict"]) == "accept";
    assert_eq!(accepted, load.is_ok(), "{}: the verdict is not that of load", case["name"]);
    Case {
        name: text(&case["name"]),
        path: folder.join(text(&case["file"])),
        group: text(&case["group"]),
        note: text(&case["note"]),
        accident: boolean(&case["accident"]),
        header: outcome(&case["header"], header),
        load,
        mmap_r,
    }
}

fn header(value: &Value) -> Header {
    let version: Vec<u8> = array(&value["version"]).iter().map(|part| number(part).try_into().unwrap()).collect();
    Header {
        version: (version[0], version[1]),
        shape: array(&value["shape"]).iter().map(Value::as_u64).collect(),
        fortran_order: boolean(&value["fortran_order"]),
        dtype: value["dtype"].clone(),
        data_offset: number(&value["data_offset"]),
    }
}

/// An outcome of loading, in the form the manifest and `corpus_verdicts.py` share.
pub fn loaded(value: &Value) -> Loaded {
    Loaded { shape: array(&value["shape"]).iter().map(number).collect(), sha256_c: text(&value["sha256_c"]) }
}

fn outcome<T>(value: &Value, accepted: impl Fn(&Value) -> T) -> Result<T, Refusal> {
    if boolean(&value["ok"]) {
        return Ok(accepted(value));
    }
    Err(Refusal { exception: text(&value["exception"]), message: text(&value["message"]) })
}

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is not an array"))
}

fn boolean(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| panic!("{value} is not a boolean"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number of 64 bits"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

/// Puts elements into C order, by walking all indices: slow and obvious.
pub fn c_order(bytes: &[u8], shape: &[usize], strides: &[usize], itemsize: usize) -> Vec<u8> {
    let mut ordered = Vec::with_capacity(bytes.len());
    let mut index = vec![0; shape.len()];
    for _ in 0..shape.iter().product() {
        let first: usize = index.iter().zip(strides).map(|(i, stride)| i * stride).sum();
        ordered.extend_from_slice(&bytes[first..first + itemsize]);
        if let Some(axis) = (0..shape.len()).rev().find(|&axis| index[axis] + 1 < shape[axis]) {
            index[axis] += 1;
            index[axis + 1..].fill(0);
        }
    }
    ordered
}

/// SHA-256 in lower-case hexadecimal, as the manifest writes it.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder that is removed when the value is dropped.
pub fn temp_dir() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("npymap-").tempdir().expect("a temporary folder")
}

/// The root of the repository, also for the tests of the other packages of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find(|folder| folder.join("tests/corpus/npy.json").exists())
        .expect("tests/corpus above the package")
}
