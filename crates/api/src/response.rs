//! What responses have in common (docs/contract.md#responses).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A response with a `data` wrapper.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Data<T> {
    /// The resource.
    pub data: T,
}

/// A complete list, or one page of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Listing<T> {
    /// The entries of the list or page.
    pub data: Vec<T>,
    /// Value of `cursor` for the next page; absent on the last page and in complete lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "MS4xNzY5ODYwODAwMDAwMDAwLjAxOGYyYTNjLTdkMWUtN2NjNC05YjNhLTJmNmQxYzBlOGE1NQ")]
    pub next_cursor: Option<String>,
}

/// Confirmation that the request succeeded.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Success {
    /// Always `true`.
    pub success: bool,
}

/// Confirmation of a deletion, with a message.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Deleted {
    /// Always `true`.
    pub success: bool,
    /// Human-readable description of what was deleted.
    #[schema(example = "The icon was deleted.")]
    pub message: Cow<'static, str>,
}

/// Confirmation that the request succeeded, as a message.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// Human-readable description of what was done.
    pub message: Cow<'static, str>,
}

/// Any JSON object.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct AnyObject(pub Map<String, Value>);

/// The bytes of a file, for its description.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct Binary(pub Vec<u8>);
