//! Derives that take the attributes of those of `utoipa`, and do nothing: programs that call the API need no schemas.

use proc_macro::TokenStream;

/// Takes the place of `utoipa::ToSchema`.
#[proc_macro_derive(ToSchema, attributes(schema))]
pub fn to_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Takes the place of `utoipa::IntoParams`.
#[proc_macro_derive(IntoParams, attributes(into_params, param))]
pub fn into_params(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
