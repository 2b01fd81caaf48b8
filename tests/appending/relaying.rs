//! Files whose headers have no room to grow in, laid out anew so that they do.

use npymap::{AppendOptions, Appender, Error, WriteOptions, relayout};
use serde_json::json;

use crate::foreign::{grows, numpy_1_13, numpys};
use crate::growing::names;
use crate::support;

#[test]
fn files_of_numpy_1_13_grow_once_they_are_laid_out_anew() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut laid_out = 0;
    for name in 1..=33 {
        let field = "f".repeat(name);
        numpy_1_13(&path, &field);
        if grows(&path) {
            continue;
        }
        laid_out += 1;
        relayout(&path, &WriteOptions::new().appendable(true)).unwrap();
        assert_eq!(numpys(&path).3, [7; 12]);
        let mut log = AppendOptions::new().open_any(&path).unwrap();
        assert!(log.recovery().is_clean() && !log.recovery().relaid, "{:?}", log.recovery());
        log.extend_bytes(&[8; 8]).unwrap();
        log.close().unwrap();
        assert_eq!(numpys(&path), (vec![5], false, json!([[field, "<f4"]]), [[7; 12].as_slice(), &[8; 8]].concat()));
    }
    assert!(laid_out > 20, "{laid_out}");
    assert_eq!(names(folder.path()), ["x.npy"]);
}

/// Rows that are appended meanwhile would go into a file that nobody finds any more.
#[test]
fn file_that_is_appended_to_is_not_laid_out_anew() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let log = Appender::<f64>::create(&path).unwrap();
    let error = relayout(&path, &WriteOptions::new()).unwrap_err();
    assert!(matches!(error, Error::Locked { .. }), "{error:?}");
    log.close().unwrap();
    relayout(&path, &WriteOptions::new()).unwrap();
    assert_eq!(numpys(&path).0, [0]);
}
