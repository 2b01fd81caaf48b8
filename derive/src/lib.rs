//! The derive macro of `npymap`, which re-exports and documents it (feature `derive`).

mod attributes;
mod expand;
mod input;
mod unit;

use proc_macro::TokenStream;

/// Implements `npymap::Element` for a struct; documented where `npymap` re-exports it.
#[proc_macro_derive(Element, attributes(npymap))]
pub fn derive_element(tokens: TokenStream) -> TokenStream {
    let parsed = syn::parse(tokens).and_then(|input: syn::DeriveInput| input::Struct::parse(&input));
    parsed.map(|input| expand::expand(&input)).unwrap_or_else(|error| error.into_compile_error()).into()
}
