//! A credential as a request presents it.

use std::sync::Arc;

use crate::identity::Proof;
use crate::kernel::Secret;

use super::known_credentials::{CredentialDigest, KnownCredential};

/// A credential as a request presents it.
#[derive(Clone)]
pub struct PresentedCredential {
    /// The API key or token.
    pub value: Secret,
    /// The digest of the value.
    pub digest: CredentialDigest,
    /// What was known of it when its request arrived; `None` if that must be looked up.
    pub known: Option<Arc<KnownCredential>>,
    /// The proof of its key, if it is sent with the scheme `DPoP` (RFC 9449 §7.1); `None` with the scheme `Bearer`.
    pub proof: Option<Proof>,
    /// Whether the request has an `Origin` header.
    pub from_browser: bool,
}

impl PresentedCredential {
    /// Returns a credential that is sent with the scheme `Bearer`.
    pub fn bearer(value: &str, digest: CredentialDigest, from_browser: bool) -> Self {
        Self { value: Secret::new(value.to_owned()), digest, known: None, proof: None, from_browser }
    }

    /// Returns the text of the API key or token.
    pub fn text(&self) -> &str {
        self.value.expose()
    }
}
