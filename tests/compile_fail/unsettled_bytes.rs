//! Bytes whose address is not settled when their owner moves are no storage.

fn storage<B: npymap::Bytes>() {}

fn main() {
    storage::<Box<[u8]>>(); //~ E0277
    storage::<[u8; 100]>(); //~ E0277
    storage::<std::rc::Rc<[u8]>>(); //~ E0277
}
