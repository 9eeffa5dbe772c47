//! Sessions of people, which refresh their tokens.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::Mutex as Turn;

use super::SignIn;
use super::tokens::SignInTokens;
use crate::debug::opaque;
use crate::{Error, TokenError, TokenSource};

/// The tokens of a person, which are replaced before they expire: [`SignIn::session`]. Tasks that need another token at the
/// same time share one request.
///
/// `Credential::Source(session)` with an [`Arc`] of it lets a [`Client`](crate::Client) act for the person.
pub struct SignInSession {
    sign_in: SignIn,
    current: Mutex<Arc<SignInTokens>>,
    /// The error of the last refresh. Who has the lock refreshes.
    turn: Turn<Option<Arc<Error>>>,
    /// Number of the refreshes so far.
    refreshes: AtomicU64,
    save: Option<Box<Save>>,
}

/// Receives new tokens.
type Save = dyn Fn(&SignInTokens) + Send + Sync;

impl SignIn {
    /// Returns the session of a person, which refreshes its tokens.
    pub fn session(&self, tokens: SignInTokens) -> SignInSession {
        let (current, turn) = (Mutex::new(Arc::new(tokens)), Turn::new(None));
        SignInSession { sign_in: self.clone(), current, turn, refreshes: AtomicU64::new(0), save: None }
    }
}

impl SignInSession {
    /// Calls a function with new tokens, for example to store them.
    #[must_use]
    pub fn on_refresh(self, save: impl Fn(&SignInTokens) + Send + Sync + 'static) -> Self {
        Self { save: Some(Box::new(save)), ..self }
    }

    /// Returns the newest tokens.
    pub fn tokens(&self) -> Arc<SignInTokens> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Revokes the tokens, which ends this sign-in.
    ///
    /// # Errors
    ///
    /// Errors of the transport.
    pub async fn sign_out(&self) -> Result<(), Error> {
        self.sign_in.sign_out(&self.tokens()).await
    }

    /// Returns other tokens than these. If the caller is canceled, the next one repeats the request, and the service returns
    /// the same tokens.
    async fn replace(&self, old: &Arc<SignInTokens>) -> Result<Arc<SignInTokens>, Arc<Error>> {
        let before = self.refreshes.load(Ordering::Acquire);
        let mut last_error = self.turn.lock().await;
        let tokens = self.tokens();
        if !Arc::ptr_eq(&tokens, old) {
            return Ok(tokens);
        }
        // The refresh for which this caller waited has failed.
        if let Some(error) = last_error.as_ref().filter(|_| self.refreshes.load(Ordering::Acquire) != before) {
            return Err(error.clone());
        }
        let refreshed = self.sign_in.refresh(old).await.map(Arc::new).map_err(Arc::new);
        self.refreshes.fetch_add(1, Ordering::AcqRel);
        *last_error = refreshed.as_ref().err().cloned();
        let tokens = refreshed?;
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&tokens);
        if let Some(save) = &self.save {
            // Its panic, which the program reports, must not end what needs a token, such as live items.
            drop(catch_unwind(AssertUnwindSafe(|| save(&tokens))));
        }
        Ok(tokens)
    }
}

#[async_trait]
impl TokenSource for SignInSession {
    async fn token(&self) -> Result<String, TokenError> {
        let tokens = self.tokens();
        if !tokens.needs_refresh() {
            return Ok(tokens.access_token().to_owned());
        }
        match self.replace(&tokens).await {
            Ok(tokens) => Ok(tokens.access_token().to_owned()),
            // The token is valid for a while.
            Err(error) if error.is_temporary() && !tokens.is_expired() => Ok(tokens.access_token().to_owned()),
            Err(error) => Err(error.into()),
        }
    }

    async fn refresh(&self, rejected: &str) -> Result<Option<String>, TokenError> {
        let mut tokens = self.tokens();
        if tokens.access_token() == rejected {
            tokens = self.replace(&tokens).await?;
        }
        Ok(Some(tokens.access_token().to_owned()))
    }
}

opaque!(SignInSession, |session| tokens = session.tokens());
