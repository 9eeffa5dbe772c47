//! Opaque tokens: 256 random bits that mean something only to us, and what is kept of them.

use zeroize::Zeroizing;

use super::Secret;
use super::api_key::{ALPHABET, base62};

/// How many characters carry the 256 bits.
const BODY: usize = 43;

/// What an opaque token is. Its prefix tells, so that one kind is never taken for another and secret scanners find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpaqueKind {
    /// Names an authorization request while a person signs in.
    AuthorizationRequest,
    /// An authorization code (RFC 6749 §1.3.1).
    AuthorizationCode,
    /// A refresh token (RFC 6749 §1.5).
    RefreshToken,
    /// Names a browser, and its session once somebody has signed in there.
    Browser,
    /// Stands in the link of an email.
    EmailLink,
}

impl OpaqueKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::AuthorizationRequest => "stw_rq_",
            Self::AuthorizationCode => "stw_ac_",
            Self::RefreshToken => "stw_rt_",
            Self::Browser => "stw_br_",
            Self::EmailLink => "stw_el_",
        }
    }

    /// Spells 256 random bits as a token of this kind.
    pub fn from_entropy(self, entropy: &Zeroizing<[u8; 32]>) -> Secret {
        Secret::new(format!("{}{}", self.prefix(), base62(entropy.clone().as_mut_slice(), BODY)))
    }

    /// The text as a token of this kind, if it has the form of one.
    pub fn parse(self, text: &str) -> Option<Secret> {
        let body = text.strip_prefix(self.prefix())?;
        let fits = body.len() == BODY && body.bytes().all(|b| ALPHABET.contains(&b));
        fits.then(|| Secret::new(text.to_owned()))
    }
}

/// SHA-256 of an opaque token, in base64url: enough to recognise it, useless to whoever reads the database.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenDigest(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_is_never_taken_for_another() {
        let token = OpaqueKind::RefreshToken.from_entropy(&Zeroizing::new([7; 32]));
        assert!(OpaqueKind::RefreshToken.parse(token.expose()).is_some());
        assert!(OpaqueKind::AuthorizationCode.parse(token.expose()).is_none());
        for bad in ["", "stw_rt_", &format!("{}x", token.expose()), &token.expose().replace("stw_rt_", "stw_rt_\n")] {
            assert!(OpaqueKind::RefreshToken.parse(bad).is_none(), "{bad}");
        }
    }
}
