//! The sign-in that issued an access token (docs/contract.md#sessions).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::operation::operations;
use crate::values::Timestamp;

operations! {
    ROWS, "auth";

    /// Get the current sign-in
    ///
    /// Returns the sign-in that issued the access token. If it has ended, so that the person must sign in again, the
    /// response is 401 with `active: false` and `reauth_required: true`. A 401 without them means that the access token is
    /// not valid, or has expired and can be refreshed.
    GetSession Get "/auth/session", Reads Safe, 200(Session, "The sign-in is active."),
        deviates("docs/contract.md#sessions"), command("session get");
}

/// The sign-in that issued the access token.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// Always `true`.
    pub active: bool,
    /// Unique ID of the sign-in.
    #[schema(example = "018f2a41-03d7-7a5e-8c19-5b2e6f7d8a90")]
    pub session_id: String,
    /// Client that the token was issued to, as the client sent its ID: UUID or DID of a project, or the ID of a
    /// first-party client.
    #[schema(example = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    pub client_id: String,
    /// Scopes of the token, separated by spaces.
    #[schema(example = "openid profile app:db:read")]
    pub scope: String,
    /// DID of the account.
    #[schema(example = "did:web:steward.example.com:u:018f2a3c91b77e028d546a0f3be27c19")]
    pub account_did: String,
    /// Always `connected`: otherwise the response is 401.
    #[schema(example = "connected")]
    pub connection_status: Cow<'static, str>,
    /// When the person last used the project, with a precision of 15 minutes; null for a first-party token.
    pub last_seen_at: Option<Timestamp>,
}
