//! Growing files: what opening them for appending does to each state they can be in, what NumPy makes of them, and who
//! may write.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod creating;
mod following;
mod foreign;
#[path = "../growing/mod.rs"]
mod growing;
mod locks;
mod numpy;
mod opening;
mod refused;
mod relaying;
#[path = "../support/mod.rs"]
mod support;
