//! An element that may have padding is not given out for writing.

use npymap::{DType, Element, Npy, Result};

#[derive(Clone, Copy)]
struct Padded(#[allow(dead_code)] u8, #[allow(dead_code)] u32);

impl Element for Padded {
    fn name() -> String {
        "Padded".into()
    }
    fn dtype() -> DType {
        DType::Void(8)
    }
    fn check(_: &DType) -> Result<()> {
        Ok(())
    }
    fn view(_: &[u8]) -> Result<&[Self]> {
        Ok(&[])
    }
    fn read(_: &[u8]) -> Result<Self> {
        Ok(Padded(0, 0))
    }
    fn write(&self, _: &mut [u8]) {}
}

fn main() {
    let mut x = Npy::<Padded>::from_bytes(Vec::new()).unwrap();
    x.as_mut_slice(); //~ E0277
}
