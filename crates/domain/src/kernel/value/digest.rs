//! Digests of API key values.

/// A keyed digest of an API key's value. It identifies the value but is useless to anyone who reads the database
/// without the pepper.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyDigest {
    /// The generation of the pepper that it was computed with.
    pub pepper: i64,
    /// HMAC-SHA256 of the value with that pepper, in lowercase hexadecimal.
    pub hex: String,
}
