//! Which bytes are a value of a type is nothing that safe code may say.

use npymap::__private::record::{Derived, InPlace, Padding};

#[derive(Clone, Copy)]
struct Mine(std::num::NonZero<u8>);

impl npymap::Element for Mine {
    fn name() -> String {
        "Mine".into()
    }
    fn dtype() -> npymap::DType {
        npymap::DType::UInt8
    }
    fn check(_: &npymap::DType) -> npymap::Result<()> {
        Ok(())
    }
    fn view(_: &[u8]) -> npymap::Result<&[Self]> {
        Ok(&[])
    }
    fn read(_: &[u8]) -> npymap::Result<Self> {
        Ok(Mine(std::num::NonZero::<u8>::MIN))
    }
    fn write(&self, _: &mut [u8]) {}
}

impl InPlace for Mine { //~ E0200
    const PADDED: bool = false;
    fn zero() -> Self {
        Mine(std::num::NonZero::<u8>::MIN)
    }
}

impl Derived for Mine { //~ E0200
    type Padding = Padding<false>;
}

fn main() {}
