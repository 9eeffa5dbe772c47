//! How the purpose of a server key is stored: as a kind, and an algorithm if the key signs tokens.

use steward_domain::identity::{ServerKeyPurpose, SignedToken, SigningAlgorithm};

/// The kind of keys for access tokens.
const SIGNING: &str = "signing";
const ID_TOKEN_SIGNING: &str = "id_token_signing";
const PEPPER: &str = "pepper";
/// A newer version of the service may have stored keys of other kinds, which are skipped.
pub(crate) const ALL: [&str; 3] = [SIGNING, ID_TOKEN_SIGNING, PEPPER];

/// Returns the purpose of a stored key; `None` if the kind is unknown or has another form.
pub(crate) fn purpose(kind: &str, algorithm: Option<&str>) -> Option<ServerKeyPurpose> {
    match (kind, algorithm) {
        (SIGNING, Some(algorithm)) => Some(signing(SignedToken::Access, algorithm)),
        (ID_TOKEN_SIGNING, Some(algorithm)) => Some(signing(SignedToken::Id, algorithm)),
        (PEPPER, None) => Some(ServerKeyPurpose::KeyPepper),
        _ => None,
    }
}

fn signing(token: SignedToken, algorithm: &str) -> ServerKeyPurpose {
    match SigningAlgorithm::parse(algorithm) {
        Some(algorithm) => ServerKeyPurpose::TokenSigning(token, algorithm),
        None => ServerKeyPurpose::UnknownTokenSigning(token),
    }
}

/// Returns the kind and the algorithm to store; `None` for a purpose that this version does not create.
pub(crate) fn stored(purpose: ServerKeyPurpose) -> Option<(&'static str, Option<&'static str>)> {
    match purpose {
        ServerKeyPurpose::TokenSigning(SignedToken::Access, algorithm) => Some((SIGNING, Some(algorithm.as_str()))),
        ServerKeyPurpose::TokenSigning(SignedToken::Id, algorithm) => {
            Some((ID_TOKEN_SIGNING, Some(algorithm.as_str())))
        }
        ServerKeyPurpose::UnknownTokenSigning(_) => None,
        ServerKeyPurpose::KeyPepper => Some((PEPPER, None)),
    }
}
