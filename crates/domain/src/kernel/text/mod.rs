//! Texts from outside and their rules.

pub(crate) mod as_text;
pub(crate) mod base32;
mod character_sequences;
pub(crate) mod characters;
pub(super) mod color;
pub(super) mod document_url;
pub(crate) mod domain_name;
pub(crate) mod json;
pub(super) mod linked_urls;
pub(super) mod locale;
pub(super) mod name;
pub(super) mod slug;
pub(crate) mod typed_code;
