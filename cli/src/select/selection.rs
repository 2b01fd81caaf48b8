//! Elements of an array in a file: where the first is, and how far it is from one to the next, axis by axis.

use std::ops::Range;

use npymap::{DType, Header, StructField, StructType};

use super::parse::{Group, Index};

/// Elements of an array: a strided view of the bytes in a file, as NumPy's basic indexing gives one.
///
/// All numbers are bytes or counts that a checked header vouches for, so that no sum or product of them overflows.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The type of one element as it is stored.
    stored: DType,
    /// The fields taken of it, where not all are: in the order asked for, at their stored offsets.
    columns: Option<Vec<StructField>>,
    /// Bytes before the element that lies first in the file, counted from the start of the data.
    first: usize,
    axes: Vec<Axis>,
}

/// One axis of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Indices on it.
    pub len: usize,
    /// Bytes from one index to the next, or to the one before if `reversed`.
    pub stride: usize,
    /// Whether higher indices lie at lower bytes.
    pub reversed: bool,
}

impl Axis {
    /// How many strides from the axis's lowest byte index `index` lies.
    pub fn steps(&self, index: usize) -> usize {
        if self.reversed { self.len - 1 - index } else { index }
    }
}

impl Selection {
    /// All elements of an array.
    pub fn all(header: &Header) -> Self {
        let axis = |(&len, stride)| Axis { len, stride, reversed: false };
        let axes = header.shape().iter().zip(header.strides()).map(axis).collect();
        Self { stored: header.dtype().clone(), columns: None, first: 0, axes }
    }

    /// The elements that slices take, one group of brackets after the other.
    pub fn apply(mut self, groups: &[Group]) -> Result<Self, String> {
        for group in groups {
            match group {
                Group::Indices(indices) => self.index(indices)?,
                Group::Field(name) => self.field(name)?,
                Group::Fields(names) => self.fields(names)?,
            }
        }
        Ok(self)
    }

    /// The first rows.
    pub fn head(mut self, rows: usize) -> Self {
        if let Some(axis) = self.axes.first().copied() {
            self.narrow(0, 0..rows.min(axis.len));
        }
        self
    }

    /// The last rows.
    pub fn tail(mut self, rows: usize) -> Self {
        if let Some(axis) = self.axes.first().copied() {
            self.narrow(0, axis.len.saturating_sub(rows)..axis.len);
        }
        self
    }

    /// The type of one element as it is given out: of a list of fields a packed record of them, without the bytes that
    /// lie between.
    pub fn dtype(&self) -> DType {
        let Some(columns) = &self.columns else { return self.stored.clone() };
        let mut itemsize = 0;
        let pack = |field: &StructField| {
            let offset = itemsize;
            itemsize += field.dtype.itemsize();
            StructField { offset, ..field.clone() }
        };
        let fields = columns.iter().map(pack).collect();
        DType::Struct(StructType { fields, itemsize })
    }

    /// Bytes of one element as it is given out.
    pub fn itemsize(&self) -> usize {
        match &self.columns {
            None => self.stored.itemsize(),
            Some(columns) => columns.iter().map(|field| field.dtype.itemsize()).sum(),
        }
    }

    /// The parts of a stored element that are given out one after the other, where it isn't all of it; counted from
    /// the first byte of [`extent`](Self::extent).
    pub fn pieces(&self) -> Option<Vec<Range<usize>>> {
        let columns = self.columns.as_ref()?;
        let start = self.extent().start;
        let piece = |field: &StructField| field.offset - start..field.offset - start + field.dtype.itemsize();
        Some(columns.iter().map(piece).collect())
    }

    /// The bytes of a stored element that have to be read.
    fn extent(&self) -> Range<usize> {
        let Some(columns) = &self.columns else { return 0..self.stored.itemsize() };
        let start = columns.iter().map(|field| field.offset).min().unwrap_or(0);
        let end = columns.iter().map(|field| field.offset + field.dtype.itemsize()).max().unwrap_or(start);
        start..end
    }

    /// How many bytes of a stored element have to be read, from its first one that is needed on.
    pub fn extent_len(&self) -> usize {
        self.extent().len()
    }

    /// The first byte needed of the element that lies first in the file, counted from the start of the data.
    pub fn first(&self) -> usize {
        self.first + self.extent().start
    }

    /// The axes, of which the last runs fastest.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The lengths of the axes.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.len).collect()
    }

    /// How many elements there are.
    pub fn size(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }

    /// The first byte needed of the element at `index`, counted from the start of the data.
    pub fn position(&self, index: &[usize]) -> usize {
        self.first() + self.axes.iter().zip(index).map(|(axis, &index)| axis.steps(index) * axis.stride).sum::<usize>()
    }

    fn index(&mut self, indices: &[Index]) -> Result<(), String> {
        let given = indices.iter().filter(|&&index| index != Index::Ellipsis).count();
        let missing = self.axes.len().checked_sub(given).ok_or_else(|| {
            format!("too many indices: the array is {}-dimensional, but {given} were indexed", self.axes.len())
        })?;
        let mut axis = 0;
        // The axis as the user counts it: those that vanish have their number too.
        let mut number = 0;
        for &index in indices {
            match index {
                Index::Ellipsis => (axis, number) = (axis + missing, number + missing),
                Index::At(at) => {
                    let len = self.axes[axis].len;
                    let out = || format!("index {at} is out of bounds for axis {number} with size {len}");
                    self.narrow(axis, resolved(at, len).map(|at| at..at + 1).ok_or_else(out)?);
                    self.axes.remove(axis);
                    number += 1;
                }
                Index::Range { start, stop, step } => {
                    self.step(axis, start, stop, step);
                    (axis, number) = (axis + 1, number + 1);
                }
            }
        }
        Ok(())
    }

    /// Takes a range of one axis, which is within it.
    fn narrow(&mut self, axis: usize, range: Range<usize>) {
        let old = self.axes[axis];
        self.axes[axis].len = range.len();
        if let Some(last) = range.clone().next_back() {
            self.first += old.stride * old.steps(range.start).min(old.steps(last));
        }
    }

    /// Takes what Python's `slice(start, stop, step)` takes of one axis.
    fn step(&mut self, axis: usize, start: Option<i64>, stop: Option<i64>, step: i64) {
        let old = self.axes[axis];
        let len = i128::try_from(old.len).unwrap_or(i128::MAX);
        let step = i128::from(step);
        // Python's slice.indices(): where a negative step ends is before the first index.
        let (lowest, highest) = if step > 0 { (0, len) } else { (-1, len - 1) };
        let clamp = |bound: i64| {
            let bound = i128::from(bound);
            (if bound < 0 { bound + len } else { bound }).clamp(lowest, highest)
        };
        let start = start.map_or(if step > 0 { lowest } else { highest }, clamp);
        let stop = stop.map_or(if step > 0 { highest } else { lowest }, clamp);
        let distance = if step > 0 { stop - start } else { start - stop };
        let count = if distance > 0 { (distance - 1) / step.abs() + 1 } else { 0 };
        let count = usize::try_from(count).unwrap_or(0);
        let at = |index: i128| usize::try_from(index).unwrap_or(0);
        let new = &mut self.axes[axis];
        new.len = count;
        match count {
            0 => {}
            1 => self.first += old.stride * old.steps(at(start)),
            _ => {
                let last = start + step * (i128::try_from(count).unwrap_or(0) - 1);
                let (from, to) = (old.steps(at(start)), old.steps(at(last)));
                new.reversed = to < from;
                new.stride = old.stride * at(step.abs());
                self.first += old.stride * from.min(to);
            }
        }
    }

    fn field(&mut self, name: &str) -> Result<(), String> {
        let field = self.find(name)?;
        self.first += field.offset;
        self.columns = None;
        self.stored = field.dtype;
        // A subarray's dimensions become axes.
        while let DType::Subarray(base, shape) = &self.stored {
            let mut stride = base.itemsize();
            let mut axes = Vec::with_capacity(shape.len());
            for &len in shape.iter().rev() {
                axes.push(Axis { len, stride, reversed: false });
                stride *= len;
            }
            self.axes.extend(axes.into_iter().rev());
            self.stored = DType::clone(base);
        }
        Ok(())
    }

    fn fields(&mut self, names: &[String]) -> Result<(), String> {
        let mut columns: Vec<StructField> = Vec::with_capacity(names.len());
        for name in names {
            let field = self.find(name)?;
            if columns.iter().any(|column| column.offset == field.offset && column.name == field.name) {
                return Err(format!("field {name:?} is asked for twice"));
            }
            columns.push(field);
        }
        self.columns = Some(columns);
        Ok(())
    }

    /// The field of a name, or of a title, as in NumPy.
    fn find(&self, name: &str) -> Result<StructField, String> {
        let fields = match (&self.columns, &self.stored) {
            (Some(columns), _) => columns.as_slice(),
            (None, DType::Struct(record)) => record.fields.as_slice(),
            (None, other) => return Err(format!("no field {name:?}: elements are {other}, which has no fields")),
        };
        let found = fields.iter().find(|field| field.name == name);
        let found = found.or_else(|| fields.iter().find(|field| field.title.as_deref() == Some(name)));
        found.cloned().ok_or_else(|| {
            let names: Vec<String> = fields.iter().take(20).map(|field| format!("{:?}", field.name)).collect();
            let more = if fields.len() > names.len() { ", ..." } else { "" };
            format!("no field {name:?}; the fields are {}{more}", names.join(", "))
        })
    }
}

/// The index that is meant on an axis of `len`, if it is on it.
fn resolved(at: i64, len: usize) -> Option<usize> {
    let index = match usize::try_from(at) {
        Ok(at) => at,
        Err(_) => len.checked_sub(usize::try_from(at.unsigned_abs()).ok()?)?,
    };
    (index < len).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    const FILE: &[u8] = b"\x93NUMPY\x01\x00\x3b\x00{'descr': '<i2', 'fortran_order': False, 'shape': (4, 5)}  \n";

    fn selected(slice: &str) -> Result<Vec<usize>, String> {
        let header = Header::parse(FILE).unwrap();
        let selection = Selection::all(&header).apply(&parse(slice).unwrap())?;
        let mut positions = Vec::new();
        let shape = selection.shape();
        let mut index = vec![0; shape.len()];
        for mut n in 0..selection.size() {
            for (index, len) in index.iter_mut().zip(&shape).rev() {
                (*index, n) = (n % len, n / len);
            }
            positions.push(selection.position(&index) / 2);
        }
        Ok(positions)
    }

    #[test]
    fn slices_find_the_elements_that_numpys_do() {
        assert_eq!(selected("[1]").unwrap(), [5, 6, 7, 8, 9]);
        assert_eq!(selected("[-1, ::2]").unwrap(), [15, 17, 19]);
        assert_eq!(selected("[::-2, 0]").unwrap(), [15, 5]);
        assert_eq!(selected("[..., -1]").unwrap(), [4, 9, 14, 19]);
        assert_eq!(selected("[::-1][0][3:0:-2]").unwrap(), [18, 16]);
        assert!(selected("[3:1]").unwrap().is_empty());
        assert_eq!(selected("[2:99, 4:]").unwrap(), [14, 19]);
        assert_eq!(selected("[1:2][::-1][0, 0]").unwrap(), [5]);
        assert_eq!(selected("[-99:99:99]").unwrap(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn an_index_beyond_its_axis_is_an_error_with_both_numbers() {
        assert_eq!(selected("[4]").unwrap_err(), "index 4 is out of bounds for axis 0 with size 4");
        assert_eq!(selected("[0, -6]").unwrap_err(), "index -6 is out of bounds for axis 1 with size 5");
        assert_eq!(selected("[..., 5]").unwrap_err(), "index 5 is out of bounds for axis 1 with size 5");
        assert_eq!(
            selected("[0, 0, 0]").unwrap_err(),
            "too many indices: the array is 2-dimensional, but 3 were indexed"
        );
        assert_eq!(selected("['a']").unwrap_err(), "no field \"a\": elements are <i2, which has no fields");
    }
}
