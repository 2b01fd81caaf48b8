//! The `npymap` command.
fn main() {}
