//! stub
use super::Value;
use crate::*;
/// x
#[derive(Default)]
pub struct PrintOptions {}
/// x
pub fn array2string(
    _: &DType,
    _: &[usize],
    _: &PrintOptions,
    _: impl FnMut(&[usize]) -> Result<Value>,
) -> Result<alloc::string::String> {
    Err(crate::Error::NotImmutable)
}
