//! Why a proof of a key is not accepted (RFC 9449 §4.3).

/// Why a proof of a key is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProof {
    /// There is none.
    #[error("A proof of your key is required. Send it in the header `DPoP`.")]
    Missing,
    /// The header is repeated.
    #[error("The header `DPoP` must not be repeated.")]
    Repeated,
    /// It is not a JWT that its key signed.
    #[error(
        "The proof is not valid. Send a JWT with the type `dpop+jwt`, your public key as `jwk` in its header, and the claims `jti`, \
         `htm`, `htu` and `iat`, signed with ES256, EdDSA, RS256 or PS256."
    )]
    Malformed,
    /// It was made for another method.
    #[error("The proof was made for another method. Its claim `htm` must be the method of the request.")]
    OtherMethod,
    /// It was made for another URL.
    #[error("The proof was made for another URL. Its claim `htu` must be the URL of the request, without a query.")]
    OtherUrl,
    /// It is too old, or from the future.
    #[error("The proof was not made now. Check the clock: its claim `iat` may differ from the time by 60 seconds.")]
    OtherTime,
    /// It was made for another access token, or for none.
    #[error(
        "The proof was made for another access token. Its claim `ath` must be the SHA-256 of the token in base64url."
    )]
    OtherToken,
    /// It was made with another key than the one that the token is bound to.
    #[error("The proof was made with another key than the one that the access token is bound to.")]
    OtherKey,
    /// It was sent before.
    #[error("The proof was already used. Make a new one, with another `jti`, for each request.")]
    Used,
}
