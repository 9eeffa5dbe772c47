//! How a client authenticates.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::{Error, TokenError};

/// Provides access tokens that expire.
#[async_trait]
pub trait TokenSource: Send + Sync {
    /// Returns the current access token.
    async fn token(&self) -> Result<String, TokenError>;

    /// Returns an access token to use instead of one that the service rejected, or `None` if there is none.
    async fn refresh(&self, rejected: &str) -> Result<Option<String>, TokenError>;

    /// Returns an access token of a new sign-in, after the service rejected one because the person entered the password
    /// too long ago for the request (RFC 9470). `None`, the default, if the person cannot be asked: the request then
    /// fails with [`Error::Unauthorized`] and the code `insufficient_user_authentication`.
    async fn sign_in_again(&self, rejected: &str) -> Result<Option<String>, TokenError> {
        let _ = rejected;
        Ok(None)
    }
}

/// How the client authenticates.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Credential {
    /// Not at all.
    #[default]
    None,
    /// With an access token, a personal access token (`stw_pat_...`) or an API key (`stw_sk_...`). The service accepts
    /// all of them as bearer tokens.
    Token(String),
    /// With access tokens that are refreshed.
    Source(Arc<dyn TokenSource>),
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Token(_) => "Token",
            Self::Source(_) => "Source",
        })
    }
}

impl Credential {
    pub(crate) async fn token(&self) -> Result<Option<String>, Error> {
        match self {
            Self::None => Ok(None),
            Self::Token(token) => Ok(Some(token.clone())),
            Self::Source(source) => source.token().await.map(Some).map_err(Error::Token),
        }
    }

    pub(crate) async fn sign_in_again(&self, rejected: &str) -> Result<Option<String>, Error> {
        let Self::Source(source) = self else { return Ok(None) };
        source.sign_in_again(rejected).await.map_err(Error::Token)
    }

    pub(crate) async fn refresh(&self, rejected: &str) -> Result<Option<String>, Error> {
        let Self::Source(source) = self else { return Ok(None) };
        source.refresh(rejected).await.map_err(Error::Token)
    }
}
