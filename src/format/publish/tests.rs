use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

/// How the count is spelled, said once more: sixteen characters, right-aligned with spaces.
fn spelled(rows: u64) -> [u8; FIELD_LEN] {
    format!("{rows:>16}").into_bytes().try_into().unwrap()
}

/// Applies a store.
fn apply(field: &mut [u8; FIELD_LEN], store: Store) {
    field[store.at..store.at + WORD_LEN].copy_from_slice(&store.word);
}

/// Every field that is in the file at some time while `from` becomes `to`, the first and the last included.
fn states(from: u64, to: u64) -> Vec<[u8; FIELD_LEN]> {
    let mut field = spelled(from);
    let mut states = alloc::vec![field];
    for store in stores(field, spelled(to)) {
        apply(&mut field, store);
        states.push(field);
    }
    states
}

/// What Python makes of the field within a tuple: its digits, if there is one group of them that it takes for a number.
fn python(field: &[u8; FIELD_LEN]) -> Option<u64> {
    let text = str::from_utf8(field).ok()?.trim_matches(' ');
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.starts_with('0') && text.bytes().any(|byte| byte != b'0');
    (digits && !leading_zero).then(|| text.parse().ok()).flatten()
}

/// What must hold of every state of a change, whoever looks and whoever dies.
fn check(from: u64, to: u64) {
    let states = states(from, to);
    assert_eq!(*states.last().unwrap(), spelled(to), "{from} -> {to} ends there");
    assert!(states.len() <= 4, "{from} -> {to} takes at most three stores");
    for (k, state) in states.iter().enumerate() {
        let text = String::from_utf8_lossy(state);
        // Growing, the rows of `to` are written before; shrinking, those of `from` are cut after.
        let seen = python(state).unwrap_or_else(|| panic!("{from} -> {to} passes through {text:?}: no number"));
        assert!(seen <= from.max(to), "{from} -> {to} passes through {text:?}: more rows than there are");
        match PublishField::parse(state).unwrap() {
            // A reader of ours, or whoever opens the file after a crash here, takes it for finished.
            PublishField::Rows(rows) => assert!(rows == from || rows == to, "{from} -> {to} passes through {text:?}"),
            PublishField::Carry => {
                assert!(k > 0 && k + 1 < states.len(), "{from} -> {to}: only what lies between is a carry");
            }
        }
    }
    // After a crash at a mark the count is what the file's size says, `from` or `to`, and that ends the carry.
    for state in &states {
        for rows in [from, to] {
            let mut field = *state;
            for store in stores(field, spelled(rows)) {
                apply(&mut field, store);
                assert!(python(&field).is_some_and(|seen| seen <= from.max(to)));
            }
            assert_eq!(field, spelled(rows));
        }
    }
}

/// Reads that take one word from one state and the other from a later one, high first, and high once more at the end:
/// what our readers of mappings, and foreign ones that copy the header by words, can see.
fn check_split_reads(history: &[u64]) {
    let mut times: Vec<[u8; FIELD_LEN]> = alloc::vec![spelled(history[0])];
    for pair in history.windows(2) {
        times.extend(states(pair[0], pair[1]).into_iter().skip(1));
    }
    for (first, early) in times.iter().enumerate() {
        for (second, late) in times.iter().enumerate().skip(first) {
            let mut field = *early;
            field[WORD_LEN..].copy_from_slice(&late[WORD_LEN..]);
            // High, low, high: taken if the high words agree and it is no carry.
            for last in &times[second..] {
                if last[..WORD_LEN] == early[..WORD_LEN]
                    && let Some(PublishField::Rows(rows)) = PublishField::parse(&field)
                {
                    assert!(history.contains(&rows), "{history:?}: {:?}", String::from_utf8_lossy(&field));
                }
            }
            // High, then low, as a foreign reader does that copies once: never more than there is.
            if let Some(rows) = python(&field) {
                assert!(rows <= *history.iter().max().unwrap(), "{history:?}: {rows}");
            }
        }
    }
}

/// Changes of every kind: within the low word, over one carry, over several, from and to every number of digits.
const TRANSITIONS: [(u64, u64); 22] = [
    (0, 1),
    (9, 10),
    (0, 99_999_999),
    (99_999_999, 100_000_000),
    (99_999_990, 100_000_050),
    (5, 100_000_005),
    (0, 300_000_000),
    (99_999_999, 300_000_000),
    (99_999_999, 300_000_007),
    (199_999_999, 200_000_000),
    (199_999_990, 200_000_050),
    (150_000_000, 250_000_000),
    (100_000_000, 199_999_999),
    (999_999_999, 1_000_000_050),
    (9_999_999_999, 10_000_000_000),
    (12_345, 99_999_999_999),
    (99_999_999, 9_999_999_999_999_999),
    (9_999_999_899_999_999, 9_999_999_999_999_999),
    (0, 9_999_999_999_999_999),
    (100_000_000, 100_000_000),
    (0, 0),
    (1, 9_999_999_900_000_000),
];

#[test]
fn every_state_of_a_change_parses_says_no_more_than_is_written_and_can_be_finished() {
    for (from, to) in TRANSITIONS {
        check(from, to);
        check(to, from);
    }
}

#[test]
fn one_store_is_enough_within_the_low_word_and_three_make_a_carry() {
    let count = |from, to| stores(spelled(from), spelled(to)).count();
    assert_eq!((count(7, 7), count(7, 8), count(100_000_000, 199_999_999)), (0, 1, 1));
    assert_eq!((count(99_999_999, 100_000_000), count(199_999_990, 200_000_050), count(300_000_000, 5)), (3, 3, 3));
}

#[test]
fn readers_are_given_time_once_in_a_files_life() {
    let pauses = |from, to| stores(spelled(from), spelled(to)).map(|store| store.after_pause).collect::<Vec<_>>();
    assert_eq!(pauses(99_999_999, 100_000_000), [false, false, true]);
    assert_eq!(pauses(199_999_999, 200_000_000), [false, false, false]);
    assert_eq!(pauses(1, 2), [false]);
}

#[test]
fn words_read_apart_give_a_count_that_was_published() {
    check_split_reads(&[99_999_998, 99_999_999, 100_000_000, 100_000_001]);
    check_split_reads(&[5, 100_000_005, 300_000_000, 300_000_001]);
    check_split_reads(&[199_999_990, 200_000_050, 200_000_051, 400_000_000]);
    check_split_reads(&[100_000_000, 200_000_000, 300_000_000]);
    check_split_reads(&[99_999_999, 9_999_999_999, 10_000_000_000, 20_000_000_007]);
}

#[test]
fn counts_of_more_than_sixteen_digits_are_not_spelled() {
    assert_eq!(PublishField::spell(9_999_999_999_999_999), Some(*b"9999999999999999"));
    assert_eq!(PublishField::spell(10_000_000_000_000_000), None);
    assert_eq!(PublishField::spell(u64::MAX), None);
}

/// Counts of every length alike, and those next to a carry.
fn counts() -> impl Strategy<Value = u64> {
    let any_length = (0_u32..=16, 0_u64..10_000_000_000_000_000).prop_map(|(digits, n)| n % 10_u64.pow(digits));
    let near_carry =
        (0_u64..=99_999_999, 0_u64..200).prop_map(|(high, n)| (high * 100_000_000 + n).saturating_sub(100));
    prop_oneof![any_length, near_carry]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn spelling_is_right_aligned_and_read_back(rows in counts()) {
        prop_assert_eq!(PublishField::spell(rows), Some(spelled(rows)));
        prop_assert_eq!(PublishField::parse(&spelled(rows)), Some(PublishField::Rows(rows)));
    }

    #[test]
    fn changes_at_random_hold_to_the_rules(from in counts(), to in counts()) {
        check(from, to);
    }

    #[test]
    fn words_of_random_histories_read_apart_give_published_counts(mut history in proptest::collection::vec(counts(), 2..5)) {
        history.sort_unstable();
        check_split_reads(&history);
    }
}
