//! Records: opened as structs, and one field of them read out of the file's bytes, beside the same loop over a slice of
//! structs.

use npymap::{Element, Field, Npy, NpyAny};

use npymap_benches::Setting;
use npymap_benches::files::Sample;
use npymap_benches::race::{Race, Verdict, once, repeated};

/// Sixteen numbers of eight bytes, every other one an integer.
#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Record {
    a: f64,
    b: i64,
    c: f64,
    d: i64,
    e: f64,
    f: i64,
    g: f64,
    h: i64,
    i: f64,
    j: i64,
    k: f64,
    l: i64,
    m: f64,
    n: i64,
    o: f64,
    p: i64,
}

const SIZE: usize = size_of::<Record>();

pub fn records(setting: &Setting) -> Vec<Verdict> {
    let [few, many] = [16, 1 << 20].map(sample);
    let open = |sample: &Sample| {
        // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
        unsafe { Npy::<Record>::map(sample.path()) }.expect("the sample")
    };
    let file = open(&many);
    let structs: Vec<Record> = (0..1 << 20).map(record).collect();
    let sum = |records: &[Record]| records.iter().map(|record| record.g).sum::<f64>();
    assert_eq!(sum(file.as_slice()).to_bits(), sum(&structs).to_bits());
    let mut verdicts = Race::new("records: open as structs of 16 fields", "file")
        .lane("npymap, 1048576 records", repeated(|| open(&many).as_slice().len()))
        .goal(1.05, "npymap, 16 records", repeated(|| open(&few).as_slice().len()))
        .numpy(setting, None, "NumPy np.load(mmap_mode='r'), 1048576 records", "open", many.path())
        .run(setting.rounds(401));
    verdicts.extend(
        Race::new("records: sum of an f8 of 1048576 structs of 16 fields", "pass")
            .lane("npymap as_slice()", repeated(|| sum(file.as_slice())))
            .goal(1.02, "the same over a Vec of structs", repeated(|| sum(&structs)))
            .numpy(setting, None, "NumPy a['g'].sum()", "field_sum", many.path())
            .run(setting.rounds(31)),
    );
    verdicts
}

pub fn field(setting: &Setting) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (mib, cached) in [(128, "beyond the cache"), (1, "in the cache")] {
        let records = (mib << 20) / SIZE;
        let sample = sample(records);
        // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
        let array = unsafe { NpyAny::map(sample.path()) }.expect("the sample");
        let structs: Vec<Record> = (0..records).map(record).collect();
        let (floats, integers) = (array.field::<f64>(&["g"]).expect("f8"), array.field::<i64>(&["h"]).expect("i8"));
        assert_eq!(sum(&floats).to_bits(), structs.iter().map(|record| record.g).sum::<f64>().to_bits());
        let integer = || structs.iter().fold(0_i64, |sum, record| sum.wrapping_add(record.h));
        assert_eq!(wrapping_sum(&integers), integer());

        let rounds = if mib == 1 { 301 } else { 31 };
        let what = format!("{records} records of 16 fields, {cached}");
        let float = || structs.iter().map(|record| record.g).sum::<f64>();
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
                    once(|| structs.iter().map(|record| record.g).collect::<Vec<_>>()),
                )
                .numpy(setting, None, "NumPy a['g'].copy()", "field_copy", sample.path())
                .run(setting.rounds(rounds)),
        );
    }
    verdicts
}

fn record(index: usize) -> Record {
    let integer = |field: usize| (index * 16 + field) as i64;
    let float = |field: usize| 1.0 / (integer(field) as f64 + 3.0);
    Record {
        a: float(0),
        b: integer(1),
        c: float(2),
        d: integer(3),
        e: float(4),
        f: integer(5),
        g: float(6),
        h: integer(7),
        i: float(8),
        j: integer(9),
        k: float(10),
        l: integer(11),
        m: float(12),
        n: integer(13),
        o: float(14),
        p: integer(15),
    }
}

/// A file of so many records.
fn sample(records: usize) -> Sample {
    let descr = Record::dtype().descr();
    Sample::write(&descr, &format!("({records},)"), records * SIZE, |index| {
        let mut bytes = [0; SIZE];
        record(index).write(&mut bytes);
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
