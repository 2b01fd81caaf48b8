//! stub
/// x
pub enum Value {}
impl crate::DType {
    /// x
    pub fn value(&self, _: &[u8]) -> crate::Result<Value> {
        Err(crate::Error::NotImmutable)
    }
}
