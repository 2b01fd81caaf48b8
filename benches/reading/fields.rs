//! One field of records: read out of the file's bytes, beside the same loop over a slice of structs.

use npymap::{Field, NpyAny};

use crate::Setting;
use crate::files::Sample;
use crate::race::{Race, Verdict, once, repeated};

/// Sixteen numbers of eight bytes, every other one an integer.
#[derive(Clone, Copy)]
struct Record {
    floats: [(f64, i64); 8],
}

const SIZE: usize = size_of::<Record>();
const NAMES: [&str; 16] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"];

pub fn field(setting: &Setting) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (mib, cached) in [(128, "beyond the cache"), (1, "in the cache")] {
        let records = (mib << 20) / SIZE;
        let sample = sample(records);
        // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
        let array = unsafe { NpyAny::map(sample.path()) }.expect("the sample");
        let structs: Vec<Record> = (0..records).map(record).collect();
        let (floats, integers) = (array.field::<f64>(&["g"]).expect("f8"), array.field::<i64>(&["h"]).expect("i8"));
        assert_eq!(sum(&floats).to_bits(), structs.iter().map(|record| record.floats[3].0).sum::<f64>().to_bits());
        let integer = || structs.iter().fold(0_i64, |sum, record| sum.wrapping_add(record.floats[3].1));
        assert_eq!(wrapping_sum(&integers), integer());

        let rounds = if mib == 1 { 301 } else { 31 };
        let what = format!("{records} records of 16 fields, {cached}");
        let float = || structs.iter().map(|record| record.floats[3].0).sum::<f64>();
        verdicts.extend(
            Race::new(format!("field: sum of an f8 of {what}"), "pass")
                .lane("npymap field::<f64>().iter().sum()", repeated(|| sum(&floats)))
                .goal(1.05, "the same over a slice of structs", repeated(float))
                .numpy(setting, None, "NumPy a['g'].sum()", "field_sum", sample.path())
                .run(setting.rounds(rounds)),
        );
        verdicts.extend(
            Race::new(format!("field: sum of an i8 of {what}"), "pass")
                .lane("npymap field::<i64>()", repeated(|| wrapping_sum(&integers)))
                .goal(1.05, "the same over a slice of structs", repeated(integer))
                .run(setting.rounds(rounds)),
        );
        verdicts.extend(
            Race::new(format!("field: an f8 of {what}, copied"), "pass")
                .lane("npymap to_vec", once(|| floats.to_vec().expect("memory")))
                .lane(
                    "collect() over a slice of structs",
                    once(|| structs.iter().map(|record| record.floats[3].0).collect::<Vec<_>>()),
                )
                .numpy(setting, None, "NumPy a['g'].copy()", "field_copy", sample.path())
                .run(setting.rounds(rounds)),
        );
    }
    verdicts
}

fn record(index: usize) -> Record {
    let number = |field: usize| (index * 16 + field) as i64;
    Record { floats: std::array::from_fn(|pair| (1.0 / (number(2 * pair) as f64 + 3.0), number(2 * pair + 1))) }
}

fn sample(records: usize) -> Sample {
    let fields: Vec<String> =
        NAMES.iter().enumerate().map(|(at, name)| format!("('{name}', '{}')", ["<f8", "<i8"][at % 2])).collect();
    let descr = format!("[{}]", fields.join(", "));
    Sample::write(&descr, &format!("({records},)"), records * SIZE, |index| {
        let mut bytes = [0; SIZE];
        for (pair, (float, integer)) in bytes.chunks_exact_mut(16).zip(record(index).floats) {
            pair[..8].copy_from_slice(&float.to_le_bytes());
            pair[8..].copy_from_slice(&integer.to_le_bytes());
        }
        bytes
    })
}

#[inline(never)]
fn sum(field: &Field<'_, f64>) -> f64 {
    field.iter().sum()
}

#[inline(never)]
fn wrapping_sum(field: &Field<'_, i64>) -> i64 {
    field.iter().fold(0, i64::wrapping_add)
}
