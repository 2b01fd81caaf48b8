//! Races: contenders that take turns on the same bytes, round by round, so that whatever else the machine does hits
//! all of them. What counts is the ratio within a round, and of the rounds the median.
//!
//! The clock is that of the thread's CPU time: on a machine with other things to do, the time of day would mostly say
//! how often they had their turn. Where the disk is waited for it is the time of day.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long a batch of a quick operation runs: so long that the clock does not count, so short that few are interrupted.
const BATCH: Duration = Duration::from_micros(250);

/// Contenders, of which the first is held against the others.
pub struct Race<'a> {
    title: String,
    per: &'static str,
    lanes: Vec<Lane<'a>>,
}

struct Lane<'a> {
    name: String,
    goal: Option<f64>,
    lap: Box<dyn FnMut() -> f64 + 'a>,
    /// Nanoseconds, a round each.
    times: Vec<f64>,
}

/// Whether a goal was met.
pub struct Verdict {
    race: String,
    lane: String,
    ratio: f64,
    goal: f64,
}

impl<'a> Race<'a> {
    /// A race whose laps are nanoseconds `per` something.
    pub fn new(title: impl Into<String>, per: &'static str) -> Self {
        Self { title: title.into(), per, lanes: Vec::new() }
    }

    /// Adds a contender: `lap` returns nanoseconds.
    pub fn lane(self, name: impl Into<String>, lap: impl FnMut() -> f64 + 'a) -> Self {
        self.add(name, None, lap)
    }

    /// Adds a contender of whose time the first may take at most `goal`.
    pub fn goal(self, goal: f64, name: impl Into<String>, lap: impl FnMut() -> f64 + 'a) -> Self {
        self.add(name, Some(goal), lap)
    }

    fn add(mut self, name: impl Into<String>, goal: Option<f64>, lap: impl FnMut() -> f64 + 'a) -> Self {
        self.lanes.push(Lane { name: name.into(), goal, lap: Box::new(lap), times: Vec::new() });
        self
    }

    /// Runs a round to warm up and `rounds` that count, and prints the table.
    pub fn run(mut self, rounds: usize) -> Vec<Verdict> {
        let count = self.lanes.len();
        for round in 0..=rounds {
            // Nobody always comes after the same contender, with what that leaves in the caches.
            for turn in 0..count {
                let lane = &mut self.lanes[(round + turn) % count];
                let time = (lane.lap)();
                if round > 0 {
                    lane.times.push(time);
                }
            }
        }
        self.print(rounds);
        self.lanes.iter().filter_map(|lane| self.verdict(lane)).collect()
    }

    /// The first contender's time over another's.
    fn ratio(&self, lane: &Lane) -> f64 {
        let first = &self.lanes[0];
        median(first.times.iter().zip(&lane.times).map(|(first, other)| first / other).collect())
    }

    fn verdict(&self, lane: &Lane) -> Option<Verdict> {
        let (race, name) = (self.title.clone(), lane.name.clone());
        lane.goal.map(|goal| Verdict { race, lane: name, ratio: self.ratio(lane), goal })
    }

    fn print(&self, rounds: usize) {
        println!("\n{} ({rounds} rounds, time per {})", self.title, self.per);
        println!("  {:<44} {:>10} {:>10} {:>9}  {:>7}", "", "median", "least", "first is", "goal");
        for (index, lane) in self.lanes.iter().enumerate() {
            let least = lane.times.iter().copied().fold(f64::INFINITY, f64::min);
            let ratio = if index == 0 { String::new() } else { times(self.ratio(lane)) };
            let goal = lane.goal.map(times).unwrap_or_default();
            let (median, least) = (duration(median(lane.times.clone())), duration(least));
            let line = format!("  {:<44} {median:>10} {least:>10} {ratio:>9}  {goal:>7}", lane.name);
            println!("{}", line.trim_end());
        }
    }
}

/// Prints which goals were met, over all races.
pub fn print_verdicts(verdicts: &[Verdict]) {
    if verdicts.is_empty() {
        return;
    }
    println!("\ngoals");
    for Verdict { race, lane, ratio, goal } in verdicts {
        let met = if ratio <= goal { "met" } else { "MISSED" };
        println!("  {met:<7} {:>8} of {:>7}  {race} / {lane}", times(*ratio), times(*goal));
    }
}

/// A lap of many calls, as many as fill a batch.
pub fn repeated<R>(mut operation: impl FnMut() -> R) -> impl FnMut() -> f64 {
    let mut count: u32 = 1;
    move || {
        loop {
            let start = cpu_time();
            for _ in 0..count {
                black_box(operation());
            }
            let elapsed = cpu_time() - start;
            if elapsed >= BATCH || count >= 1 << 24 {
                return nanoseconds(elapsed) / f64::from(count);
            }
            count *= 2;
        }
    }
}

/// A lap of one call. What it makes is dropped off the clock.
pub fn once<R>(mut operation: impl FnMut() -> R) -> impl FnMut() -> f64 {
    move || {
        let start = cpu_time();
        let made = black_box(operation());
        let elapsed = cpu_time() - start;
        drop(made);
        nanoseconds(elapsed)
    }
}

/// A lap of one call that waits for the disk, by the time of day. What it makes is dropped off the clock.
pub fn waited<R>(mut operation: impl FnMut() -> R) -> impl FnMut() -> f64 {
    move || {
        let start = Instant::now();
        let made = black_box(operation());
        let elapsed = start.elapsed();
        drop(made);
        nanoseconds(elapsed)
    }
}

/// A lap that takes its own time.
pub fn timed(mut operation: impl FnMut() -> Duration) -> impl FnMut() -> f64 {
    move || nanoseconds(operation())
}

/// Scales the laps of `lap` to one of `parts` parts.
pub fn each(parts: usize, mut lap: impl FnMut() -> f64) -> impl FnMut() -> f64 {
    move || lap() / parts as f64
}

/// What the thread has used of its processor, kernel included.
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a timespec for the call to write to.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0, "the thread has a clock");
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("less than a second"))
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len().is_multiple_of(2) { (values[half - 1] + values[half]) / 2.0 } else { values[half] }
}

/// A ratio: `1.25 x`, or `1/100` where that is easier to grasp.
fn times(ratio: f64) -> String {
    match 1.0 / ratio {
        inverse if inverse >= 100.0 => format!("1/{inverse:.0}"),
        inverse if inverse >= 2.0 => format!("1/{inverse:.1}"),
        _ => format!("{ratio:.3} x"),
    }
}

/// Three or four digits and a unit.
fn duration(ns: f64) -> String {
    match ns {
        ns if ns < 10.0 => format!("{ns:.3} ns"),
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}
