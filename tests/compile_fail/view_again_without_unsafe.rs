//! Skipping the check of values takes a proof.

use npymap::Element;

fn main() {
    let _ = <bool as Element>::view_again(&[2]); //~ E0133
}
