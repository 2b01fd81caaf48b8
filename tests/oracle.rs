//! The oracle itself: the installed NumPy still gives the verdicts that `tests/corpus/npy.json` records.

mod support;

use serde_json::Value;
use support::{Loaded, Refusal};

#[test]
fn manifest_agrees_with_the_installed_numpy() {
    let printed = support::python("corpus_verdicts", &[support::corpus_folder().to_str().unwrap()]);
    let verdicts: Value = serde_json::from_str(&printed).unwrap();
    let cases = support::corpus();

    let mut wrong = Vec::new();
    for case in &cases {
        let verdict = &verdicts[&case.name];
        for (way, recorded) in [("load", &case.load), ("mmap_r", &case.mmap_r)] {
            if !agrees(recorded, &verdict[way]) {
                wrong.push(format!("{} {way}: {recorded:?} is recorded, NumPy says {}", case.name, verdict[way]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(cases.len(), verdicts.as_object().unwrap().len(), "files without a case, or cases without a file");
}

/// Same verdict, and the same array where there is one. Messages differ between Python versions.
fn agrees(recorded: &Result<Loaded, Refusal>, verdict: &Value) -> bool {
    match recorded {
        Ok(array) => verdict["ok"] == true && *array == support::loaded(verdict),
        Err(_) => verdict["ok"] == false,
    }
}

#[test]
fn sha256_is_that_of_the_standard() {
    // FIPS 180-2, appendix B.1
    assert_eq!(support::sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
