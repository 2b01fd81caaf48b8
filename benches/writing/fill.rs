//! New arrays, filled in place.

use npymap::{Draft, Npy, save};
use npymap_benches::Setting;
use npymap_benches::files::folder;
use npymap_benches::race::{Race, Verdict, once};

/// 256 MiB of f4.
const LEN: usize = 64 << 20;

pub fn fill(setting: &Setting) -> Vec<Verdict> {
    let fill = |elements: &mut [f32]| elements.iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
    let draft = || {
        let folder = folder();
        let mut draft = Draft::<f32>::new(folder.path().join("x.npy"), [LEN]).expect("room");
        fill(draft.as_mut_slice());
        (draft, folder)
    };
    let vec = || {
        let mut elements = vec![0.0; LEN];
        fill(&mut elements);
        elements
    };
    let home = folder();
    let path = home.path().join("x.npy");
    save(&path, [LEN], &vec![0.0_f32; LEN]).expect("room");
    // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody else accesses it.
    let mut mapped = unsafe { Npy::<f32>::map_mut(&path) }.expect("the file");
    let mut warm = vec![0.0; LEN];
    let races = [
        Race::new("fill: 256 MiB of f4 in new memory", "array")
            .lane("npymap Draft, as_mut_slice", once(draft))
            .lane("Vec of zeros", once(vec)),
        Race::new("fill: 256 MiB of f4 in memory that is there", "array")
            .lane("npymap map_mut, as_mut_slice", once(|| fill(mapped.as_mut_slice())))
            .lane("Vec", once(|| fill(&mut warm))),
    ];
    races.into_iter().flat_map(|race| race.run(setting.rounds(15))).collect()
}
