//! Slices of random arrays in every form, against NumPy.

use serde_json::Value;

use super::{python, run_ok, support};

const FORMS: [(&str, &str); 5] =
    [("--raw", "raw"), ("--npy", "npy"), ("--csv", "csv"), ("--jsonl", "jsonl"), ("--", "txt")];

#[test]
fn slices_of_random_arrays_are_numpys_in_every_form() {
    let folder = support::temp_dir();
    let path = folder.path().to_str().unwrap();
    let cases: Value = serde_json::from_str(&python("slices", &["make", path])).unwrap();
    let cases = cases.as_array().unwrap();
    assert!(cases.len() > 200);
    for (number, case) in cases.iter().enumerate() {
        let file = folder.path().join(case["file"].as_str().unwrap());
        for (option, ending) in FORMS {
            let out = run_ok(["cat", option, file.to_str().unwrap(), case["slice"].as_str().unwrap()]);
            std::fs::write(folder.path().join(format!("{number}.{ending}")), out).unwrap();
        }
    }
    let wrong: Vec<String> = serde_json::from_str(&python("slices", &["check", path])).unwrap();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
