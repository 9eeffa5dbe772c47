//! Authorization codes (RFC 6749 §4.1).

use crate::identity::{AuthenticationMethods, ClientId, CodeChallenge, KeyThumbprint, RedirectUri, ScopeSet};
use crate::kernel::{AccountId, Revision, SessionId, Time, TokenDigest, TokenFamilyId, audited};

/// An authorization code, with everything needed to issue its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationCode {
    /// The family of the tokens issued for the code. Reuse of the code revokes this family.
    pub family_id: TokenFamilyId,
    /// The digest of the code.
    pub digest: TokenDigest,
    /// The account that consented.
    pub account_id: AccountId,
    /// The client that may redeem the code.
    pub client: ClientId,
    /// The browser session in which the person consented.
    pub session_id: SessionId,
    /// The URI that the code was sent to; `None` for a device, which redeems its device code.
    pub redirect_uri: Option<RedirectUri>,
    /// The scopes of the tokens.
    pub scopes: ScopeSet,
    /// The `nonce` for the ID token.
    pub nonce: Option<String>,
    /// The code challenge that the verifier must match.
    pub challenge: Option<CodeChallenge>,
    /// The key whose proof must be sent with the code (RFC 9449 §10); `None` if none is needed.
    pub bound_to: Option<KeyThumbprint>,
    /// When the person signed in.
    pub authenticated_at: Time,
    /// How the person signed in.
    pub methods: AuthenticationMethods,
    /// When the password used for the sign-in was set.
    pub password_set_at: Time,
    /// When the code was issued.
    pub created_at: Time,
    /// When the code expires.
    pub expires_at: Time,
    /// When the code was redeemed; `None` if it was not.
    pub redeemed_at: Option<Time>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(AuthorizationCode as AuthorizationCode of nobody);
