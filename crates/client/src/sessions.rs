//! The sign-in that issued the access token of the caller.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error};

/// Operations of sign-ins.
#[derive(Debug, Clone)]
pub struct Sessions {
    client: Client,
}

impl Sessions {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Returns the sign-in that issued the access token.
    ///
    /// # Errors
    ///
    /// [`Error::Unauthorized`] if the token is not valid, or the sign-in has ended. In the second case, the member
    /// `reauth_required` of [`ApiError::details`](crate::ApiError::details) is `true`.
    pub async fn current(&self) -> Result<Session, Error> {
        self.client.at(Method::GET, &["auth", "session"]).send().await?.json()
    }
}

/// A sign-in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Session {
    /// Always `true`.
    pub active: bool,
    /// Unique ID.
    pub session_id: String,
    /// Client that the token was issued to: ID or DID of a project, or the ID of a first-party client.
    pub client_id: String,
    /// Scopes of the token, separated by spaces.
    pub scope: String,
    /// DID of the account.
    pub account_did: String,
    /// Always `connected`.
    pub connection_status: String,
    /// When the person last used the project, with a precision of 15 minutes; `None` for a first-party token.
    pub last_seen_at: Option<DateTime<Utc>>,
}
