//! The elements of a selection in C order, some at a time: long reads, bounded memory. Knows bytes and no values.
//!
//! C order decides which elements are given out together: a *box*, as many indices of the outer axes as fit into the
//! budget, with all of the inner ones. Within a box the file decides: the axes whose steps are small are read in one
//! *span*, gaps included as long as a gap costs less than another read, and what is wanted of a span goes to its places
//! in the box. In C order that is one long read a box; in Fortran order, one for each index of the last axis.

use std::ops::Range;

use crate::select::{Axis, Selection};
use crate::source::Source;
use crate::trouble::Result;

/// What a block may cost, in bytes.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Given out at a time where the file has the elements in about the order in which they are wanted.
    forward: usize,
    /// Where it hasn't: the larger the box, the longer the reads.
    scattered: usize,
    /// Read at once at most, but for a single element.
    span: usize,
    /// What costs about as much to read in vain as another system call.
    gap: usize,
}

const LIMITS: Limits = Limits { forward: 1 << 20, scattered: 64 << 20, span: 4 << 20, gap: 8 << 10 };

/// Gives out all elements of a selection in C order: how many, and their bytes, packed.
pub fn each_block(
    source: &mut Source,
    selection: &Selection,
    consume: impl FnMut(usize, &[u8]) -> Result<()>,
) -> Result<()> {
    each_block_within(source, selection, LIMITS, consume)
}

fn each_block_within(
    source: &mut Source,
    selection: &Selection,
    limits: Limits,
    mut consume: impl FnMut(usize, &[u8]) -> Result<()>,
) -> Result<()> {
    let size = selection.size();
    let itemsize = selection.itemsize();
    if itemsize == 0 {
        return counts(size, 1 << 16).try_for_each(|count| consume(count, &[]));
    }
    if size == 0 {
        return Ok(());
    }
    let axes = merged(selection);
    let forward = reads_forward(&axes, selection.extent_len());
    if !forward {
        source.rewindable()?;
    }
    let budget = if forward { limits.forward } else { limits.scattered };
    if selection.pieces().is_none() && axes.iter().all(|axis| axis.stride == itemsize && !axis.reversed) {
        let mut buffer = Vec::new();
        let mut at = selection.first();
        return counts(size, (budget / itemsize).max(1)).try_for_each(|count| {
            buffer.resize(count * itemsize, 0);
            source.read(at, &mut buffer)?;
            at += buffer.len();
            consume(count, &buffer)
        });
    }
    let mut reader = Reader::new(source, selection, axes, limits);
    let mut boxes = Boxes::new(&reader.axes, itemsize, budget);
    while let Some(ranges) = boxes.next() {
        let count = ranges.iter().map(ExactSizeIterator::len).product();
        reader.read(&ranges)?;
        consume(count, &reader.out)?;
    }
    Ok(())
}

/// `total` in parts of `most`.
fn counts(total: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..total.div_ceil(most)).map(move |part| most.min(total - part * most))
}

/// The axes, those of one index left out, and each two in one that together step evenly.
fn merged(selection: &Selection) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for &axis in selection.axes().iter().filter(|axis| axis.len != 1) {
        match axes.last_mut() {
            Some(outer) if outer.stride == axis.len * axis.stride && outer.reversed == axis.reversed => {
                *outer = Axis { len: outer.len * axis.len, stride: axis.stride, ..*outer };
            }
            _ => axes.push(axis),
        }
    }
    axes
}

/// Whether the elements, in C order, lie in the file one after the other, with or without gaps.
fn reads_forward(axes: &[Axis], extent: usize) -> bool {
    let mut span = extent;
    axes.iter().rev().all(|axis| {
        let after = axis.stride >= span && !axis.reversed;
        span += axis.stride * (axis.len - 1);
        after
    })
}

/// Cuts a selection into boxes, in C order.
struct Boxes {
    lens: Vec<usize>,
    /// The axis that is cut; axes before it go one index at a time, axes after it are whole.
    cut: usize,
    /// Indices of the axis that is cut in one box.
    step: usize,
    /// Where the next box begins; `None` after the last one.
    next: Option<Vec<usize>>,
}

impl Boxes {
    fn new(axes: &[Axis], itemsize: usize, budget: usize) -> Self {
        let lens: Vec<usize> = axes.iter().map(|axis| axis.len).collect();
        let (mut cut, mut step, mut inner) = (0, 1, itemsize);
        for (axis, &len) in lens.iter().enumerate().rev() {
            (cut, step) = (axis, (budget / inner).clamp(1, len));
            if step < len {
                break;
            }
            inner *= len;
        }
        Self { next: Some(vec![0; lens.len()]), lens, cut, step }
    }

    fn next(&mut self) -> Option<Vec<Range<usize>>> {
        let starts = self.next.take()?;
        let range = |(axis, (&start, &len)): (usize, (&usize, &usize))| match axis {
            _ if axis < self.cut => start..start + 1,
            _ if axis == self.cut => start..len.min(start + self.step),
            _ => 0..len,
        };
        let ranges = starts.iter().zip(&self.lens).enumerate().map(range).collect();
        self.next = self.after(starts);
        Some(ranges)
    }

    fn after(&self, mut starts: Vec<usize>) -> Option<Vec<usize>> {
        for axis in (0..starts.len().min(self.cut + 1)).rev() {
            starts[axis] += if axis == self.cut { self.step } else { 1 };
            if starts[axis] < self.lens[axis] {
                return Some(starts);
            }
            starts[axis] = 0;
        }
        None
    }
}

/// Reads boxes of a selection.
struct Reader<'a> {
    source: &'a mut Source,
    axes: Vec<Axis>,
    limits: Limits,
    first: usize,
    item: Item,
    span: Vec<u8>,
    /// The last box, packed in C order.
    out: Vec<u8>,
}

/// What one element is made of.
struct Item {
    /// Bytes that are read of it.
    extent: usize,
    /// Bytes that are given out.
    size: usize,
    /// The parts that are given out, if it isn't all that is read.
    pieces: Option<Vec<Range<usize>>>,
}

/// One axis of a box: how far from one index to the next in a span, and in the box.
#[derive(Clone, Copy, Debug)]
struct Step {
    len: usize,
    from: usize,
    to: usize,
    reversed: bool,
}

impl<'a> Reader<'a> {
    fn new(source: &'a mut Source, selection: &Selection, axes: Vec<Axis>, limits: Limits) -> Self {
        let item = Item { extent: selection.extent_len(), size: selection.itemsize(), pieces: selection.pieces() };
        Self { source, axes, limits, first: selection.first(), item, span: Vec::new(), out: Vec::new() }
    }

    fn read(&mut self, ranges: &[Range<usize>]) -> Result<()> {
        let mut first = self.first;
        let mut steps = Vec::with_capacity(ranges.len());
        let mut to = self.item.size;
        for (axis, range) in self.axes.iter().zip(ranges).rev() {
            first += axis.stride * if axis.reversed { axis.len - range.end } else { range.start };
            steps.push(Step { len: range.len(), from: axis.stride, to, reversed: axis.reversed });
            to *= range.len();
        }
        self.out.resize(to, 0);
        steps.retain(|step| step.len > 1);
        steps.sort_by_key(|step| step.from);
        let (inner, outer) = self.spans(steps);
        self.walk(&outer, &inner, first, 0)
    }

    /// Divides axes, smallest steps first, into those of one span and those that lead from span to span.
    fn spans(&self, steps: Vec<Step>) -> (Vec<Step>, Vec<Outer>) {
        let mut inner = Vec::new();
        let mut outer = Vec::new();
        let mut span = self.item.extent;
        for step in steps {
            let near = step.from.saturating_sub(span) <= self.limits.gap;
            if !outer.is_empty() || !near {
                outer.push(Outer { step, at_once: 1 });
                continue;
            }
            let at_once = (self.limits.span.saturating_sub(span) / step.from + 1).min(step.len);
            if at_once > 1 {
                inner.push(Step { len: at_once, ..step });
                span += step.from * (at_once - 1);
            }
            if at_once < step.len {
                outer.push(Outer { step, at_once });
            }
        }
        outer.reverse();
        (inner, outer)
    }

    /// Reads span after span: `first` is the first byte in the file, `to` the place in the box.
    fn walk(&mut self, outer: &[Outer], inner: &[Step], first: usize, to: usize) -> Result<()> {
        let Some((&Outer { step, at_once }, outer)) = outer.split_first() else {
            let len = self.item.extent + inner.iter().map(|step| step.from * (step.len - 1)).sum::<usize>();
            self.span.resize(len, 0);
            self.source.read(first, &mut self.span)?;
            self.item.scatter(inner, &self.span, &mut self.out, to);
            return Ok(());
        };
        if at_once == 1 {
            for index in 0..step.len {
                self.walk(outer, inner, first + step.from * index, to + step.place(index))?;
            }
            return Ok(());
        }
        // The axis goes on in the span: it is the last of the inner axes.
        let mut inner = inner.to_vec();
        for index in (0..step.len).step_by(at_once) {
            let len = at_once.min(step.len - index);
            let place = if step.reversed { step.place(index + len - 1) } else { step.place(index) };
            if let Some(cut) = inner.last_mut() {
                cut.len = len;
            }
            self.walk(outer, &inner, first + step.from * index, to + place)?;
        }
        Ok(())
    }
}

/// An axis that leads from span to span.
#[derive(Clone, Copy, Debug)]
struct Outer {
    step: Step,
    /// How many of its indices one span covers.
    at_once: usize,
}

impl Step {
    /// Where the box has what is at `index` in the order of the file.
    fn place(&self, index: usize) -> usize {
        self.to * if self.reversed { self.len - 1 - index } else { index }
    }
}

impl Item {
    /// Puts the elements of a span where they belong in the box.
    fn scatter(&self, steps: &[Step], span: &[u8], out: &mut [u8], to: usize) {
        let mut steps = steps.to_vec();
        if let Some(pieces) = &self.pieces {
            each(&steps, 0, to, &mut |from, mut to| {
                for piece in pieces {
                    out[to..to + piece.len()].copy_from_slice(&span[from + piece.start..from + piece.end]);
                    to += piece.len();
                }
            });
            return;
        }
        // Neighbours in both are one piece.
        let mut size = self.size;
        while let Some(step) = steps.first().filter(|step| step.from == size && step.to == size && !step.reversed) {
            size *= step.len;
            steps.remove(0);
        }
        match size {
            1 => copies::<1>(&steps, span, out, to),
            2 => copies::<2>(&steps, span, out, to),
            4 => copies::<4>(&steps, span, out, to),
            8 => copies::<8>(&steps, span, out, to),
            16 => copies::<16>(&steps, span, out, to),
            _ => each(&steps, 0, to, &mut |from, to| out[to..to + size].copy_from_slice(&span[from..from + size])),
        }
    }
}

/// Copies elements whose size the compiler knows.
fn copies<const N: usize>(steps: &[Step], span: &[u8], out: &mut [u8], to: usize) {
    each(steps, 0, to, &mut |from, to| {
        if let (Some(element), Some(place)) = (span[from..].first_chunk::<N>(), out[to..].first_chunk_mut::<N>()) {
            *place = *element;
        }
    });
}

/// Calls `copy` with the places of every element: in the span, and in the box.
#[inline]
fn each(steps: &[Step], from: usize, to: usize, copy: &mut impl FnMut(usize, usize)) {
    match steps {
        [] => copy(from, to),
        [step] if step.reversed => {
            (0..step.len).for_each(|index| copy(from + step.from * index, to + step.place(index)))
        }
        [step] => (0..step.len).for_each(|index| copy(from + step.from * index, to + step.to * index)),
        [inner @ .., step] => {
            for index in 0..step.len {
                each(inner, from + step.from * index, to + step.place(index), copy);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::parse;

    /// A file of two-byte numbers 0, 1, 2… in the order of the file.
    fn numbered(shape: &[usize], order: &str) -> Vec<u8> {
        let dims: String = shape.iter().map(|len| format!("{len},")).collect();
        let text = format!("{{'descr': '<u2', 'fortran_order': {order}, 'shape': ({dims})}}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        file.extend(text.as_bytes());
        for number in 0..u16::try_from(shape.iter().product::<usize>()).unwrap() {
            file.extend(number.to_le_bytes());
        }
        file
    }

    /// A generator of numbers that look random (Knuth's MMIX).
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % n
        }
    }

    /// Where every element is, one by one.
    fn slowly(selection: &Selection) -> Vec<usize> {
        let shape = selection.shape();
        let mut index = vec![0; shape.len()];
        let mut positions = Vec::new();
        for mut n in 0..selection.size() {
            for (index, len) in index.iter_mut().zip(&shape).rev() {
                (*index, n) = (n % len, n / len);
            }
            positions.push(selection.position(&index) / 2);
        }
        positions
    }

    #[test]
    fn blocks_of_any_size_hold_what_single_elements_do() {
        let mut random = Random(1);
        for round in 0..4000 {
            let shape: Vec<usize> = (0..random.below(5)).map(|_| 1 + random.below(9)).collect();
            let file = numbered(&shape, ["False", "True"][random.below(2)]);
            let mut source = Source::from_stream(Box::new(std::io::Cursor::new(file))).unwrap();
            let step = |random: &mut Random| ["::", "::2", "1::3", "::-1", ":3:", ":0:-2", "2"][random.below(7)];
            let indices: Vec<&str> = shape.iter().map(|&len| if len < 3 { ":" } else { step(&mut random) }).collect();
            let slice = if indices.is_empty() { "...".into() } else { indices.join(",") };
            let selection = Selection::all(source.header()).apply(&parse(&slice).unwrap()).unwrap();
            let limit = |random: &mut Random| 1 << random.below(10);
            let limits = Limits {
                forward: limit(&mut random),
                scattered: limit(&mut random),
                span: limit(&mut random),
                gap: limit(&mut random) / 4,
            };
            let mut numbers = Vec::new();
            each_block_within(&mut source, &selection, limits, |count, bytes| {
                assert_eq!(bytes.len(), 2 * count);
                assert!(count == 1 || bytes.len() <= limits.forward.max(limits.scattered));
                numbers.extend(bytes.chunks(2).map(|pair| usize::from(u16::from_le_bytes([pair[0], pair[1]]))));
                Ok(())
            })
            .unwrap();
            assert_eq!(numbers, slowly(&selection), "round {round}: {shape:?} [{slice}] {limits:?}");
        }
    }

    #[test]
    fn fortran_order_is_read_in_long_runs() {
        let selection = |shape: &[usize]| {
            let source = Source::from_stream(Box::new(std::io::Cursor::new(numbered(shape, "True")))).unwrap();
            Selection::all(source.header())
        };
        let axes = merged(&selection(&[100, 50]));
        assert!(!reads_forward(&axes, 2));
        let limits = Limits { forward: 64, scattered: 4000, span: 1000, gap: 0 };
        let mut boxes = Boxes::new(&axes, 2, limits.scattered);
        assert_eq!(boxes.next().unwrap(), [0..40, 0..50]);
        assert_eq!(boxes.next().unwrap(), [40..80, 0..50]);
        assert_eq!(boxes.next().unwrap(), [80..100, 0..50]);
        assert!(boxes.next().is_none());
    }
}
