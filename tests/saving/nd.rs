//! Arrays of the `ndarray` crate, however they lie in memory: each file is the one that `np.save` writes for the same
//! array.

use std::fs;

use ndarray::{Array, ArrayD, ArrayViewD, Axis, IxDyn, ShapeBuilder, arr0, s};
use npymap::{ByteOrder, DType, Error, Npy, WriteOptions, save_ndarray};

use crate::{names, numpys, support};

/// Saves a view and compares it with what `np.save` writes for the expression, in which `a` is
/// `np.arange(24.).reshape(2, 3, 4)`.
fn assert_saved(view: ArrayViewD<'_, f64>, expression: &str) {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    save_ndarray(&path, &view).unwrap();
    let wanted = numpys(&format!("(lambda a: {expression})(np.arange(24.).reshape(2, 3, 4))"));
    let ours = fs::read(&path).unwrap();
    assert!(
        ours == wanted,
        "{expression}: {:?}, {:?}",
        Npy::<f64>::read(&path),
        String::from_utf8_lossy(&wanted[..128])
    );
}

fn numbers() -> ArrayD<f64> {
    Array::range(0.0, 24.0, 1.0).into_shape_with_order(IxDyn(&[2, 3, 4])).unwrap()
}

#[test]
fn arrays_in_c_and_fortran_order_are_saved_as_they_lie() {
    let a = numbers();
    assert_saved(a.view(), "a");
    assert_saved(a.t(), "a.T");
    let mut fortran = Array::zeros(IxDyn(&[2, 3, 4]).f());
    fortran.assign(&a);
    assert_saved(fortran.view(), "np.asfortranarray(a)");
    assert_saved(fortran.t(), "np.asfortranarray(a).T");
    assert_saved(arr0(1.5).into_dyn().view(), "np.array(1.5)");
    for shape in [vec![24], vec![1, 24], vec![24, 1], vec![1, 1, 24]] {
        let flat = a.view().into_shape_with_order(IxDyn(&shape)).unwrap();
        assert_saved(flat.clone(), &format!("a.reshape({shape:?})"));
        assert_saved(flat.t(), &format!("a.reshape({shape:?}).T"));
    }
}

#[test]
fn arrays_that_lie_in_neither_order_are_saved_in_c_order() {
    let a = numbers();
    let view = || a.view().into_dimensionality::<ndarray::Ix3>().unwrap();
    assert_saved(view().slice(s![.., .., ..;2]).into_dyn(), "a[:, :, ::2]");
    assert_saved(view().slice(s![..;-1, .., ..]).into_dyn(), "a[::-1]");
    assert_saved(view().slice(s![.., ..;-1, ..;-2]).into_dyn(), "a[:, ::-1, ::-2]");
    assert_saved(view().slice(s![1, .., 1..3]).into_dyn(), "a[1, :, 1:3]");
    assert_saved(view().slice(s![.., 1..1, ..]).into_dyn(), "a[:, 1:1]");
    assert_saved(view().slice(s![.., .., 2]).into_dyn(), "a[:, :, 2]");
    assert_saved(view().slice(s![.., .., 2]).reversed_axes().into_dyn(), "a[:, :, 2].T");
    assert_saved(view().permuted_axes([1, 2, 0]).into_dyn(), "a.transpose(1, 2, 0)");
    assert_saved(view().permuted_axes([1, 0, 2]).into_dyn(), "a.transpose(1, 0, 2)");
    assert_saved(
        view().index_axis(Axis(0), 0).broadcast((5, 3, 4)).unwrap().into_dyn(),
        "np.broadcast_to(a[0], (5, 3, 4))",
    );
    assert_saved(view().slice(s![0, 0, ..]).broadcast((3, 4)).unwrap().into_dyn(), "np.broadcast_to(a[0, 0], (3, 4))");
}

#[test]
fn an_array_is_saved_in_the_dtype_asked_for_and_with_arrays_as_elements() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let a = numbers();
    WriteOptions::new().dtype(DType::Float64(ByteOrder::Big)).save_ndarray(&path, &a.t()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(24, dtype='>f8').reshape(2, 3, 4).T"));
    save_ndarray(&path, &ndarray::arr1(&[[1_u8, 2], [3, 4], [5, 6]])).unwrap();
    assert_eq!(fs::read(&path).unwrap(), numpys("np.arange(1, 7, dtype='u1').reshape(3, 2)"));
    let refused = WriteOptions::new().dtype(DType::Bool).save_ndarray(&path, &a);
    assert!(matches!(refused, Err(Error::DType { .. })), "{refused:?}");
    let refused = WriteOptions::new().create_new(true).save_ndarray(&path, &a);
    assert!(matches!(refused, Err(Error::AlreadyExists { .. })), "{refused:?}");
    assert_eq!(names(folder.path()), ["x.npy"]);
}

#[test]
fn an_array_comes_back_as_it_was() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let a = numbers();
    for view in [a.view(), a.t()] {
        save_ndarray(&path, &view).unwrap();
        let read = Npy::<f64>::read(&path).unwrap();
        assert_eq!(read.ndarray::<IxDyn>().unwrap(), view);
    }
}
