//! What is kept of an API key's value.

/// A keyed digest of an API key's value: enough to recognise it, useless to whoever reads the database without the pepper.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyDigest {
    /// The generation of the pepper it was made with.
    pub pepper: i64,
    /// HMAC-SHA256 of the value under that pepper, in lower-case hexadecimal.
    pub hex: String,
}
