//! `[T; N]`: the last axes of an array whose length the compiler then knows, or a subarray field.

use alloc::format;
use alloc::string::String;

use super::{Element, ElementMut, at_element, partial};
use crate::{DType, Result};

impl<T: Element, const N: usize> Element for [T; N] {
    fn name() -> String {
        format!("[{}; {N}]", T::name())
    }

    fn dtype() -> DType {
        const { assert!(N > 0, "an array of no elements takes no bytes: there is no telling how many a file holds") };
        match T::dtype() {
            DType::Subarray(base, mut shape) => {
                shape.insert(0, N);
                DType::Subarray(base, shape)
            }
            base => DType::Subarray(base.into(), [N].into()),
        }
    }

    fn check(dtype: &DType) -> Result<()> {
        T::check_array(N, dtype)
    }

    fn view(bytes: &[u8]) -> Result<&[Self]> {
        match T::view(bytes)?.as_chunks() {
            (arrays, []) => Ok(arrays),
            _ => Err(partial::<Self>(bytes)),
        }
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        if bytes.len() != size_of::<Self>() {
            return Err(partial::<Self>(bytes));
        }
        let (first, rest) = bytes.split_at(size_of::<T>());
        let mut array = [T::read(first)?; N];
        for (index, (slot, bytes)) in array.iter_mut().skip(1).zip(rest.chunks_exact(size_of::<T>())).enumerate() {
            *slot = T::read(bytes).map_err(|error| at_element::<T>(error, index + 1))?;
        }
        Ok(array)
    }

    fn write(&self, out: &mut [u8]) {
        assert_eq!(out.len(), size_of::<Self>(), "the buffer has the size of the array");
        self.iter().zip(out.chunks_exact_mut(size_of::<T>())).for_each(|(element, out)| element.write(out));
    }

    fn decode(dtype: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
        T::decode_array(N, dtype, bytes, out.as_flattened_mut())
    }

    #[expect(unsafe_code, reason = "hands the caller's proof on to the elements")]
    unsafe fn view_again(bytes: &[u8]) -> &[Self] {
        // SAFETY: the caller guarantees that `view` has succeeded on these bytes and that they haven't changed;
        // `view` calls `T::view` on the same bytes.
        let elements = unsafe { T::view_again(bytes) };
        elements.as_chunks().0
    }
}

impl<T: ElementMut, const N: usize> ElementMut for [T; N] {
    fn view_mut(bytes: &mut [u8]) -> Result<&mut [Self]> {
        if !bytes.len().is_multiple_of(size_of::<Self>()) {
            return Err(partial::<Self>(bytes));
        }
        Ok(T::view_mut(bytes)?.as_chunks_mut().0)
    }
}
