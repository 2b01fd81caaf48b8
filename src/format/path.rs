//! Fields within fields: what a path of names leads to. Knows offsets within one element, not arrays.

use alloc::string::String;
use alloc::vec::Vec;

use super::DType;
use crate::{Error, Result, StructField, StructType};

/// How many names an error lists.
const NAMES: usize = 20;

/// A field as [`DType::fields`] lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldPath<'a> {
    /// The names from the outermost field to this one.
    pub path: Vec<&'a str>,
    /// The second name of the field, NumPy's title.
    pub title: Option<&'a str>,
    /// The type, a [`DType::Subarray`] if it has dimensions of its own.
    pub dtype: &'a DType,
}

/// Where in an element a path leads: to a type, once for every index of the subarrays on the way.
#[derive(Debug)]
pub(crate) struct Located<'a> {
    pub(crate) dtype: &'a DType,
    /// Bytes from the start of the element to the first of them.
    pub(crate) offset: usize,
    /// The dimensions of the subarrays on the way, and bytes from one index to the next.
    pub(crate) steps: Vec<(usize, usize)>,
}

impl DType {
    /// Lists the fields of a structured type, those within fields after the field that they are in: NumPy's
    /// `dtype.fields`, all the way down.
    ///
    /// Each path can be given to [`NpyAny::field`](crate::NpyAny::field). A type without fields has none.
    ///
    /// ```
    /// use npymap::DType;
    ///
    /// let dtype = DType::from_descr("[('time', '<M8[ns]'), ('position', [('x', '<f4'), ('y', '<f4')], (2,))]")?;
    /// let paths: Vec<_> = dtype.fields().into_iter().map(|field| field.path).collect();
    /// assert_eq!(paths, [vec!["time"], vec!["position"], vec!["position", "x"], vec!["position", "y"]]);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "names")]
    pub fn fields(&self) -> Vec<FieldPath<'_>> {
        let mut listed = Vec::new();
        // Fields still to be listed, the next one last, each with the length of the path that it extends.
        let mut path: Vec<&str> = Vec::new();
        let mut pending: Vec<(usize, &StructField)> = Vec::new();
        push(&mut pending, 0, self);
        while let Some((depth, field)) = pending.pop() {
            path.truncate(depth);
            path.push(&field.name);
            listed.push(FieldPath { path: path.clone(), title: field.title.as_deref(), dtype: &field.dtype });
            push(&mut pending, depth + 1, &field.dtype);
        }
        listed
    }

    /// Follows a path of names or titles.
    pub(crate) fn locate(&self, path: &[&str]) -> Result<Located<'_>> {
        let mut at = Located { dtype: self, offset: 0, steps: Vec::new() };
        for (depth, &name) in path.iter().enumerate() {
            at.enter_subarrays();
            let field = match at.dtype {
                Self::Struct(record) => find(record, name),
                _ => None,
            };
            let Some(field) = field else { return Err(no_field(at.dtype, &path[..=depth])) };
            at.offset += field.offset;
            at.dtype = &field.dtype;
        }
        Ok(at)
    }
}

impl Located<'_> {
    /// Goes on to the elements of a subarray.
    pub(crate) fn enter_subarrays(&mut self) {
        while let DType::Subarray(base, shape) = self.dtype {
            self.dtype = base;
            let first = self.steps.len();
            let mut stride = base.itemsize();
            for &dim in shape.iter().rev() {
                self.steps.insert(first, (dim, stride));
                stride = stride.saturating_mul(dim);
            }
        }
    }
}

/// Adds a record's fields, the first one last.
fn push<'a>(pending: &mut Vec<(usize, &'a StructField)>, depth: usize, dtype: &'a DType) {
    if let Some(record) = record(dtype) {
        pending.extend(record.fields.iter().rev().map(|field| (depth, field)));
    }
}

/// The record that a type is, or that its subarrays are of.
fn record(mut dtype: &DType) -> Option<&StructType> {
    loop {
        match dtype {
            DType::Subarray(base, _) => dtype = base,
            DType::Struct(record) => return Some(record),
            _ => return None,
        }
    }
}

/// Names and titles are unique among each other.
fn find<'a>(record: &'a StructType, name: &str) -> Option<&'a StructField> {
    record.fields.iter().find(|field| field.name == name || field.title.as_deref() == Some(name))
}

fn no_field(dtype: &DType, path: &[&str]) -> Error {
    let fields = record(dtype).map_or(&[] as &[StructField], |record| &record.fields);
    Error::NoField {
        field: path.iter().map(|&name| String::from(name)).collect(),
        names: fields.iter().take(NAMES).map(|field| field.name.clone()).collect(),
        omitted: fields.len().saturating_sub(NAMES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dtype(descr: &str) -> DType {
        DType::from_descr(descr).unwrap()
    }

    #[test]
    fn a_path_leads_through_subarrays_by_names_and_titles() {
        let outer =
            dtype("[('a', '|u1'), (('Title', 'b'), [('', '|V2'), ('c.d', '<f4', (5,))], (2, 3)), ('e', '<i2')]");
        let at = outer.locate(&["Title", "c.d"]).unwrap();
        assert_eq!((at.dtype, at.offset), (&dtype("[('x', '<f4', (5,))]").fields()[0].dtype.clone(), 3));
        assert_eq!(at.steps, [(2, 66), (3, 22)]);
        let mut at = outer.locate(&["b", "c.d"]).unwrap();
        at.enter_subarrays();
        assert_eq!((at.dtype.descr().as_str(), at.steps.as_slice()), ("'<f4'", [(2, 66), (3, 22), (5, 4)].as_slice()));
        let whole = outer.locate(&[]).unwrap();
        assert_eq!((whole.dtype, whole.offset, whole.steps.len()), (&outer, 0, 0));
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error_with_those_that_are() {
        let outer = dtype("[('a', '|u1'), ('b', [('c', '<f4')])]");
        let text = |path: &[&str]| outer.locate(path).unwrap_err().to_string();
        assert_eq!(text(&["x"]), "no field 'x'; there are 'a', 'b'");
        assert_eq!(text(&["b", "a", "q"]), "no field 'b' 'a'; there are 'c'");
        assert_eq!(text(&["a", "c"]), "no field 'a' 'c'; it has no fields");
        let many = DType::Struct(StructType {
            fields: (0..30)
                .map(|n| StructField { name: alloc::format!("{n}"), title: None, offset: n, dtype: DType::Int8 })
                .collect(),
            itemsize: 30,
        });
        let Err(Error::NoField { names, omitted: 10, .. }) = many.locate(&["x"]) else { panic!("found or not cut") };
        assert_eq!(names.len(), 20);
    }

    #[test]
    fn fields_are_listed_all_the_way_down_with_their_titles() {
        let outer = dtype("[('a', [(('T', 'b'), [('c', '|u1')], (2,)), ('d', '|S3')]), ('e', '<f8')]");
        let listed = outer.fields();
        let paths: Vec<_> = listed.iter().map(|field| field.path.join("/")).collect();
        assert_eq!(paths, ["a", "a/b", "a/b/c", "a/d", "e"]);
        assert_eq!(listed.iter().map(|field| field.title).collect::<Vec<_>>(), [None, Some("T"), None, None, None]);
        assert_eq!(listed[3].dtype, &DType::Bytes(3));
        assert!(DType::Bool.fields().is_empty());
    }
}
