//! How the count of rows in a header is changed under the eyes of readers. Knows sixteen characters, and no files.
//!
//! The picture is in `header.rs`. The low word covers 99,999,999 rows: a count within them is changed by one store of
//! eight bytes, which no reader sees in part. A count that changes the high word needs more than one. Whatever stands
//! between the stores must parse, in Python too, and must not say more rows than are written; and whoever opens the
//! file after the writer died there must be able to tell. So the low word becomes a mark first, `"0000000 "`, which no
//! finished count has: it ends in a space.

#![cfg_attr(not(feature = "std"), allow(dead_code, reason = "only files change their count"))]

use core::str;

/// Characters of the publish field.
pub(crate) const FIELD_LEN: usize = 16;

/// Characters of each of its words.
pub(crate) const WORD_LEN: usize = FIELD_LEN / 2;

/// The low word while the high word is being changed.
const CARRY: [u8; WORD_LEN] = *b"0000000 ";

/// What the sixteen characters of a publish field say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PublishField {
    /// So many rows.
    Rows(u64),
    /// A change is under way.
    Carry,
}

impl PublishField {
    /// Reads a field: a count as [`spell`](Self::spell) spells it, or a carry. `None` for anything else, for the stores
    /// that change a field are derived from what it says: leading zeros, or tabs, would be left standing.
    pub(crate) fn parse(field: &[u8; FIELD_LEN]) -> Option<Self> {
        let [high, low] = words(*field);
        let blanks = high.iter().take_while(|&&byte| byte == b' ').count();
        let is_spelled = high[blanks..].iter().all(u8::is_ascii_digit) && high.get(blanks) != Some(&b'0');
        if low == CARRY && is_spelled {
            return Some(Self::Carry);
        }
        let rows = str::from_utf8(field).ok()?.trim_start_matches(' ').parse().ok()?;
        (Self::spell(rows).as_ref() == Some(field)).then_some(Self::Rows(rows))
    }

    /// Spells a count; `None` where it has more than sixteen digits.
    pub(crate) fn spell(mut rows: u64) -> Option<[u8; FIELD_LEN]> {
        let mut field = [b' '; FIELD_LEN];
        for character in field.iter_mut().rev() {
            *character = b'0' + u8::try_from(rows % 10).ok()?;
            rows /= 10;
            if rows == 0 {
                return Some(field);
            }
        }
        None
    }
}

/// One aligned store of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Store {
    /// Where the word starts within the field.
    pub(crate) at: usize,
    pub(crate) word: [u8; WORD_LEN],
    /// Whether readers that take the words one by one are to be given time before it: one that took the blank high
    /// word must not come to see this low word, whose zeros a blank cannot precede.
    pub(crate) after_pause: bool,
}

/// The stores, in this order, that turn one field into another.
///
/// None where they are equal, one where the high words are, else three. `from` may be a carry that was not finished.
pub(crate) fn stores(from: [u8; FIELD_LEN], to: [u8; FIELD_LEN]) -> impl Iterator<Item = Store> {
    let ([old_high, old_low], [high, low]) = (words(from), words(to));
    let store = |at, word| Store { at, word, after_pause: false };
    let carries = old_high != high;
    let mark = (carries && old_low != CARRY).then(|| store(WORD_LEN, CARRY));
    let carry = carries.then(|| store(0, high));
    let leaves_blank = carries && old_high == [b' '; WORD_LEN];
    let finish = (carries || old_low != low).then(|| Store { after_pause: leaves_blank, ..store(WORD_LEN, low) });
    [mark, carry, finish].into_iter().flatten()
}

fn words(field: [u8; FIELD_LEN]) -> [[u8; WORD_LEN]; 2] {
    let (mut high, mut low) = ([0; WORD_LEN], [0; WORD_LEN]);
    high.copy_from_slice(&field[..WORD_LEN]);
    low.copy_from_slice(&field[WORD_LEN..]);
    [high, low]
}

// No unsafe code, and minutes under Miri.
#[cfg(test)]
#[cfg(not(miri))]
mod tests;
