//! The code that makes a struct an element. Whatever can be a function of `npymap` is one: here are names, types and
//! offsets, nothing that computes.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Type};

use crate::attributes::Repr;
use crate::input::{Field, Struct};

pub fn expand(input: &Struct) -> TokenStream {
    let body = match (input.repr, input.fields.as_slice()) {
        (Repr::Transparent, [field]) => transparent(input, field),
        _ => record(input),
    };
    let assertions = assertions(input);
    let allow = input.is_deprecated.then(|| quote!(#[allow(deprecated)]));
    // A block of its own, so that no name of it meets one of the caller's. Parameters begin with underscores: a constant
    // of the caller's would otherwise be a pattern in their place.
    quote! {
        #allow
        const _: () = {
            #assertions
            #body
        };
    }
}

/// What the compiler must find of the fields, each said where the field is.
fn assertions(input: &Struct) -> TokenStream {
    let npymap = &input.npymap;
    let fields = input.fields.iter().map(|field| {
        let (ty, span) = (&field.ty, field.ty.span());
        let empty = quote_spanned! {span=>
            const _: () = ::core::assert!(
                ::core::mem::size_of::<#ty>() != 0,
                "a field that takes no bytes is none of an element",
            );
        };
        let padding = field.named.is_none().then(|| {
            quote_spanned! {span=>
                const _: () = ::core::assert!(
                    <#ty as #npymap::Element>::ANY_BYTES,
                    "padding may be any bytes: write [u8; N]",
                );
            }
        });
        let unit = field.unit.is_some().then(|| {
            quote_spanned! {span=>
                const _: fn() = || {
                    fn takes_a_unit<T: #npymap::__private::record::Time>() {}
                    takes_a_unit::<#ty>();
                };
            }
        });
        quote!(#empty #padding #unit)
    });
    quote!(#(#fields)*)
}

/// A struct whose fields are those of a record.
fn record(input: &Struct) -> TokenStream {
    let Struct { name, npymap, fields, .. } = input;
    let record = quote!(#npymap::__private::record);
    let result = result(npymap);
    let text = Literal::string(&syn::ext::IdentExt::unraw(name).to_string());
    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
    let named: Vec<&Field> = fields.iter().filter(|field| field.named.is_some()).collect();
    let described = named.iter().map(|field| describe(npymap, name, field));
    let read = fields.iter().map(|field| {
        let (member, ty) = (&field.member, &field.ty);
        match &field.named {
            Some((file_name, _)) => quote! {
                #member: #record::read_field::<#ty>(__bytes, ::core::mem::offset_of!(#name, #member), #file_name)?
            },
            None => zero(npymap, field),
        }
    });
    let stored = fields.iter().map(|field| {
        let (member, ty) = (&field.member, &field.ty);
        if field.named.is_some() { quote!(#member: __fields.read::<#ty>()?) } else { zero(npymap, field) }
    });
    let zeros = fields.iter().map(|field| zero(npymap, field));
    // Padding is written as zeros, whatever a value has there.
    let as_stored = if named.len() == fields.len() {
        quote! {
            if #(<#types as #npymap::Element>::as_stored(&[]).is_none())||* {
                return ::core::option::Option::None;
            }
            #record::as_stored(__elements)
        }
    } else {
        quote!(::core::option::Option::None)
    };
    let (named_members, named_types): (Vec<_>, Vec<_>) = named.iter().map(|field| (&field.member, &field.ty)).unzip();

    quote! {
        #[automatically_derived]
        impl #npymap::Element for #name {
            const ANY_BYTES: ::core::primitive::bool = true #(&& <#types as #npymap::Element>::ANY_BYTES)*;

            fn name() -> #npymap::__private::String {
                <#npymap::__private::String as ::core::convert::From<&::core::primitive::str>>::from(#text)
            }

            fn dtype() -> #npymap::DType {
                #record::dtype::<Self>()
            }

            fn check(__dtype: &#npymap::DType) -> #result<()> {
                #record::check::<Self>(__dtype)
            }

            #[inline]
            fn view(__bytes: &[::core::primitive::u8]) -> #result<&[Self]> {
                #record::view::<Self>(__bytes)
            }

            #[inline]
            fn read(__bytes: &[::core::primitive::u8]) -> #result<Self> {
                #record::check_size::<Self>(__bytes)?;
                ::core::result::Result::Ok(Self { #(#read),* })
            }

            fn write(&self, __out: &mut [::core::primitive::u8]) {
                #record::clear::<Self>(__out);
                #(#record::write_field::<#named_types>(
                    self.#named_members,
                    ::core::mem::offset_of!(#name, #named_members),
                    __out,
                );)*
            }

            fn decode(
                __dtype: &#npymap::DType,
                __bytes: &[::core::primitive::u8],
                __out: &mut [Self],
            ) -> #result<()> {
                #record::decode::<Self>(__dtype, __bytes, __out)
            }

            fn encode(
                __dtype: &#npymap::DType,
                __elements: &[Self],
                __out: &mut [::core::primitive::u8],
            ) -> #result<()> {
                #record::encode::<Self>(__dtype, __elements, __out)
            }

            #[inline]
            fn as_stored(__elements: &[Self]) -> ::core::option::Option<&[::core::primitive::u8]> {
                #as_stored
            }

            #[inline]
            unsafe fn view_again(__bytes: &[::core::primitive::u8]) -> &[Self] {
                // SAFETY: the caller guarantees what `record::view_again` asks for, in the same words.
                unsafe { #record::view_again::<Self>(__bytes) }
            }
        }

        // SAFETY: every field is `InPlace`, and each is looked at: `ANY_BYTES` is so only if it is for all of them,
        // `record::check_bytes` checks those that `FIELDS` lists at their offsets, and those that it doesn't list are
        // padding, of which any bytes are a value. `PADDED` is false only if the sizes of the fields add up to that of
        // the struct, and none has padding itself. The fields have no interior mutability.
        #[automatically_derived]
        unsafe impl #record::InPlace for #name {
            const PADDED: ::core::primitive::bool = ::core::mem::size_of::<#name>()
                != 0 #(+ ::core::mem::size_of::<#types>())*
                #(|| <#types as #record::InPlace>::PADDED)*;

            fn zero() -> Self {
                Self { #(#zeros),* }
            }

            fn check_bytes(__bytes: &[::core::primitive::u8]) -> #result<()> {
                #record::check_bytes::<Self>(__bytes)
            }
        }

        #[automatically_derived]
        impl #record::Record for #name {
            const FIELDS: &'static [#record::Field] = &[#(#described),*];

            fn from_stored(mut __fields: #record::StoredFields<'_>) -> #result<Self> {
                ::core::result::Result::Ok(Self { #(#stored),* })
            }

            fn to_stored(&self, mut __fields: #record::StoredFieldsMut<'_>) -> #result<()> {
                #(__fields.write::<#named_types>(self.#named_members)?;)*
                ::core::result::Result::Ok(())
            }
        }

        // SAFETY: the type says what the constant says.
        #[automatically_derived]
        unsafe impl #record::Derived for #name {
            type Padding = #record::Padding<{ <#name as #record::InPlace>::PADDED }>;
        }
    }
}

/// A struct that is an element of its only field's type.
fn transparent(input: &Struct, field: &Field) -> TokenStream {
    let Struct { name, npymap, .. } = input;
    let Field { member, ty, .. } = field;
    let record = quote!(#npymap::__private::record);
    let wrapper = quote!(#npymap::__private::bytemuck::TransparentWrapper);
    let result = result(npymap);
    let text = Literal::string(&syn::ext::IdentExt::unraw(name).to_string());
    let dtype = match unit(npymap, field) {
        Some(unit) => quote!(#record::with_unit(<#ty as #npymap::Element>::dtype(), #unit)),
        None => quote!(<#ty as #npymap::Element>::dtype()),
    };
    let check_unit = unit(npymap, field).map(|unit| quote!(#record::check_unit(__dtype, #unit)?;));

    quote! {
        // SAFETY: the struct is `repr(transparent)`, and this its only field.
        #[automatically_derived]
        unsafe impl #wrapper<#ty> for #name {}

        #[automatically_derived]
        impl #npymap::Element for #name {
            const ANY_BYTES: ::core::primitive::bool = <#ty as #npymap::Element>::ANY_BYTES;

            fn name() -> #npymap::__private::String {
                <#npymap::__private::String as ::core::convert::From<&::core::primitive::str>>::from(#text)
            }

            fn dtype() -> #npymap::DType {
                #dtype
            }

            fn check(__dtype: &#npymap::DType) -> #result<()> {
                #check_unit
                <#ty as #npymap::Element>::check(__dtype)
            }

            #[inline]
            fn view(__bytes: &[::core::primitive::u8]) -> #result<&[Self]> {
                <#ty as #npymap::Element>::view(__bytes).map(<Self as #wrapper<#ty>>::wrap_slice)
            }

            #[inline]
            fn read(__bytes: &[::core::primitive::u8]) -> #result<Self> {
                <#ty as #npymap::Element>::read(__bytes).map(<Self as #wrapper<#ty>>::wrap)
            }

            fn write(&self, __out: &mut [::core::primitive::u8]) {
                <#ty as #npymap::Element>::write(&self.#member, __out);
            }

            fn decode(
                __dtype: &#npymap::DType,
                __bytes: &[::core::primitive::u8],
                __out: &mut [Self],
            ) -> #result<()> {
                #check_unit
                <#ty as #npymap::Element>::decode(__dtype, __bytes, <Self as #wrapper<#ty>>::peel_slice_mut(__out))
            }

            fn encode(
                __dtype: &#npymap::DType,
                __elements: &[Self],
                __out: &mut [::core::primitive::u8],
            ) -> #result<()> {
                #check_unit
                <#ty as #npymap::Element>::encode(__dtype, <Self as #wrapper<#ty>>::peel_slice(__elements), __out)
            }

            fn as_stored(__elements: &[Self]) -> ::core::option::Option<&[::core::primitive::u8]> {
                <#ty as #npymap::Element>::as_stored(<Self as #wrapper<#ty>>::peel_slice(__elements))
            }

            #[inline]
            unsafe fn view_again(__bytes: &[::core::primitive::u8]) -> &[Self] {
                // SAFETY: the caller guarantees that `view` has succeeded, which views the field by its `view`.
                let __fields = unsafe { <#ty as #npymap::Element>::view_again(__bytes) };
                <Self as #wrapper<#ty>>::wrap_slice(__fields)
            }
        }

        // SAFETY: the struct is its only field (`repr(transparent)`), which is `InPlace`.
        #[automatically_derived]
        unsafe impl #record::InPlace for #name {
            const PADDED: ::core::primitive::bool = <#ty as #record::InPlace>::PADDED;

            fn zero() -> Self {
                // Compiles only if the field has the very type that is wrapped above.
                Self { #member: <#ty as #record::InPlace>::zero() }
            }

            fn check_bytes(__bytes: &[::core::primitive::u8]) -> #result<()> {
                <#ty as #record::InPlace>::check_bytes(__bytes)
            }
        }

        // SAFETY: the type says what the constant says.
        #[automatically_derived]
        unsafe impl #record::Derived for #name {
            type Padding = #record::Padding<{ <#name as #record::InPlace>::PADDED }>;
        }
    }
}

/// `Field::new` of a field that a file names.
fn describe(npymap: &syn::Path, name: &Ident, field: &Field) -> TokenStream {
    let Field { member, ty, named, .. } = field;
    let (file_name, title) = match named {
        Some((file_name, Some(title))) => (file_name.as_str(), quote!(::core::option::Option::Some(#title))),
        Some((file_name, None)) => (file_name.as_str(), quote!(::core::option::Option::None)),
        None => return TokenStream::new(),
    };
    let unit = match unit(npymap, field) {
        Some(unit) => quote!(::core::option::Option::Some(#unit)),
        None => quote!(::core::option::Option::None),
    };
    quote_spanned! {ty.span()=>
        #npymap::__private::record::Field::new::<#ty>(
            #file_name,
            #title,
            #unit,
            ::core::mem::offset_of!(#name, #member),
        )
    }
}

/// The `TimeUnit` that a field states.
fn unit(npymap: &syn::Path, field: &Field) -> Option<TokenStream> {
    let unit = field.unit?;
    let (name, count) = (Ident::new(unit.name, proc_macro2::Span::call_site()), unit.count);
    Some(quote!(#npymap::TimeUnit { unit: #npymap::DatetimeUnit::#name, count: #count }))
}

/// `member: zero`.
fn zero(npymap: &syn::Path, field: &Field) -> TokenStream {
    let Field { member, ty, .. } = field;
    quote!(#member: <#ty as #npymap::__private::record::InPlace>::zero())
}

/// `Result` without its argument, whatever the caller calls by that name.
fn result(npymap: &syn::Path) -> TokenStream {
    quote!(#npymap::Result)
}
