//! Opaque tokens: 256 random bits that only this service can interpret, and their digests.

use zeroize::Zeroizing;

use crate::administration::api_key::entity::{ALPHABET, base62};
use crate::kernel::Secret;

/// Number of base62 characters that encode the 256 bits.
const BODY: usize = 43;

/// The kind of an opaque token. Each kind has its own prefix, so that kinds are never confused and secret scanners can
/// detect the tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpaqueKind {
    /// Identifies an authorization request while a person signs in.
    AuthorizationRequest,
    /// An authorization code (RFC 6749 §1.3.1).
    AuthorizationCode,
    /// A refresh token (RFC 6749 §1.5).
    RefreshToken,
    /// An authorization code of a registered client. Versions that do not know these clients refuse it.
    ClientCode,
    /// A refresh token of a registered client. Versions that do not know these clients refuse it.
    ClientRefreshToken,
    /// A refresh token that is bound to a key (RFC 9449 §5). Versions that do not check proofs refuse it.
    BoundRefreshToken,
    /// Identifies a browser, and its session after a person signs in.
    Browser,
    /// The secret in the link of an email.
    EmailLink,
    /// Identifies an authorization request that a client pushed (RFC 9126).
    PushedRequest,
    /// The secret of a confidential client (RFC 6749 §2.3.1).
    ClientSecret,
    /// What a device exchanges for tokens after a person allowed its request (RFC 8628 §3.2).
    DeviceCode,
}

impl OpaqueKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::AuthorizationRequest => "stw_rq_",
            Self::AuthorizationCode => "stw_ac_",
            Self::RefreshToken => "stw_rt_",
            Self::ClientCode => "stw_cc_",
            Self::ClientRefreshToken => "stw_cr_",
            Self::BoundRefreshToken => "stw_dr_",
            Self::Browser => "stw_br_",
            Self::EmailLink => "stw_el_",
            Self::PushedRequest => "stw_pr_",
            Self::ClientSecret => "stw_cs_",
            Self::DeviceCode => "stw_dc_",
        }
    }

    /// Encodes 256 random bits as a token of this kind.
    pub fn from_entropy(self, entropy: &Zeroizing<[u8; 32]>) -> Secret {
        Secret::new(format!("{}{}", self.prefix(), base62(entropy.clone().as_mut_slice(), BODY)))
    }

    /// Parses a token of this kind. Returns `None` if the text does not have its format.
    pub fn parse(self, text: &str) -> Option<Secret> {
        let body = text.strip_prefix(self.prefix())?;
        let is_well_formed = body.len() == BODY && body.bytes().all(|b| ALPHABET.contains(&b));
        is_well_formed.then(|| Secret::new(text.to_owned()))
    }

    /// Parses an authorization code of any client.
    pub fn parse_code(text: &str) -> Option<Secret> {
        Self::AuthorizationCode.parse(text).or_else(|| Self::ClientCode.parse(text))
    }

    /// Parses a refresh token of any client.
    pub fn parse_refresh_token(text: &str) -> Option<Secret> {
        [Self::RefreshToken, Self::ClientRefreshToken, Self::BoundRefreshToken].iter().find_map(|kind| kind.parse(text))
    }

    /// Returns the prefix and the last 4 characters of a token, so that people can distinguish tokens.
    pub fn hint(self, token: &Secret) -> String {
        token.hint(self.prefix())
    }
}

/// SHA-256 of an opaque token, in base64url. It identifies the token but is useless to anyone who reads the database.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenDigest(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opaque_token_is_valid_only_for_its_own_kind() {
        let token = OpaqueKind::RefreshToken.from_entropy(&Zeroizing::new([7; 32]));
        assert!(OpaqueKind::RefreshToken.parse(token.expose()).is_some());
        assert!(OpaqueKind::AuthorizationCode.parse(token.expose()).is_none());
        for invalid in ["", "stw_rt_", &format!("{}x", token.expose()), &token.expose().replace("stw_rt_", "stw_rt_\n")]
        {
            assert!(OpaqueKind::RefreshToken.parse(invalid).is_none(), "{invalid}");
        }
    }
}
