//! `[T; N]`: the last axes of an array whose length the compiler then knows, or a subarray field.

use alloc::format;
use alloc::string::String;

use super::record::{InPlace, check_size};
use super::{Element, ElementMut, at_element, partial};
use crate::{DType, Result};

impl<T: Element, const N: usize> Element for [T; N] {
    const ANY_BYTES: bool = T::ANY_BYTES;

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

    fn encode(dtype: &DType, elements: &[Self], out: &mut [u8]) -> Result<()> {
        T::encode_array(N, dtype, elements.as_flattened(), out)
    }

    fn as_stored(elements: &[Self]) -> Option<&[u8]> {
        T::as_stored(elements.as_flattened())
    }

    #[expect(unsafe_code, reason = "hands the caller's proof on to the elements")]
    unsafe fn view_again(bytes: &[u8]) -> &[Self] {
        // SAFETY: the caller guarantees that `view` has succeeded on these bytes and that they haven't changed;
        // `view` calls `T::view` on the same bytes.
        let elements = unsafe { T::view_again(bytes) };
        elements.as_chunks().0
    }
}

// SAFETY: an array is its elements one after another, without padding between them: what holds for each of them holds
// for it, and `check_bytes` looks at each.
#[expect(unsafe_code, reason = "what holds for the elements holds for the array")]
unsafe impl<T: InPlace, const N: usize> InPlace for [T; N] {
    const PADDED: bool = T::PADDED;

    fn zero() -> Self {
        [T::zero(); N]
    }

    fn check_bytes(bytes: &[u8]) -> Result<()> {
        check_size::<Self>(bytes)?;
        if T::ANY_BYTES {
            return Ok(());
        }
        let mut elements = bytes.chunks_exact(size_of::<T>().max(1)).enumerate();
        elements.try_for_each(|(index, bytes)| T::check_bytes(bytes).map_err(|error| at_element::<T>(error, index)))
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
