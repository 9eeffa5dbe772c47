//! The tokens of a profile, refreshed when the service rejects the access token.

use std::sync::{Mutex, PoisonError};

use anyhow::bail;
use async_trait::async_trait;
use steward_client::{TokenError, TokenSource};

use crate::remote::SignInRequired;
use crate::remote::profile::TOKEN;
use crate::terminal::{self, prompt};

use super::{Credentials, CredentialsFile, Lock, Profiles, Provider, log_in_again};

const RECENT_SIGN_IN: &str =
    "This change requires a sign-in within the last 15 minutes, with the second factor if the account has one.";

pub struct ProfileTokens {
    file: CredentialsFile,
    profile: String,
    access_token: Mutex<String>,
}

impl ProfileTokens {
    pub fn new(file: CredentialsFile, profile: String, credentials: Credentials) -> Self {
        Self { file, profile, access_token: Mutex::new(credentials.access_token) }
    }

    /// Refreshes the tokens, unless another process did so since the access token was read. A refresh token is valid
    /// once, so the file stays locked until the new tokens are stored.
    async fn renew(&self, rejected: &str) -> anyhow::Result<String> {
        let lock = self.file.lock().await?;
        // Read once: after the refresh, only the write can fail.
        let profiles = self.file.read()?;
        let stored = self.stored(&profiles, "You are not signed in. Run `steward login`, or set STEWARD_TOKEN.")?;
        if stored.access_token != rejected {
            return Ok(stored.access_token);
        }
        let provider = Provider::discover(&stored.server).await?;
        let Some(renewed) = provider.refresh(&stored.refresh_token).await? else {
            let command = self.command(&stored);
            bail!(SignInRequired(format!("Your sign-in has expired. Run `{command}`.")));
        };
        self.store(&lock, profiles, renewed).map(|(access_token, _)| access_token)
    }

    /// Signs the person in again for a change that requires the password, unless another process did so since the access
    /// token was read.
    async fn newly_signed_in(&self, rejected: &str) -> anyhow::Result<String> {
        let stored = self.stored(&self.file.read()?, "You are not signed in. Run `steward login`.")?;
        if stored.access_token != rejected {
            return Ok(stored.access_token);
        }
        if !prompt::is_possible() {
            let command = self.command(&stored);
            bail!(SignInRequired(format!(
                "{RECENT_SIGN_IN} Run `{command}` and repeat the command, or set {TOKEN} to a personal access token."
            )));
        }
        terminal::note(RECENT_SIGN_IN);
        let renewed = log_in_again(&stored.server, rejected).await?;
        let lock = self.file.lock().await?;
        let (access_token, replaced) = self.store(&lock, self.file.read()?, renewed)?;
        // The previous sign-in is no longer used. If it cannot be revoked, it ends by itself.
        if let (Some(replaced), Ok(provider)) = (replaced, Provider::discover(&stored.server).await) {
            drop(provider.revoke(&replaced.refresh_token).await);
        }
        Ok(access_token)
    }

    /// Returns the stored tokens.
    fn stored(&self, profiles: &Profiles, required: &str) -> anyhow::Result<Credentials> {
        profiles.get(&self.profile).cloned().ok_or_else(|| SignInRequired(required.to_owned()).into())
    }

    /// Stores new tokens. Returns the access token, and the tokens that were stored before.
    fn store(
        &self,
        lock: &Lock,
        mut profiles: Profiles,
        renewed: Credentials,
    ) -> anyhow::Result<(String, Option<Credentials>)> {
        let (access_token, replaced) = (renewed.access_token.clone(), profiles.get(&self.profile).cloned());
        profiles.set(&self.profile, Some(renewed));
        self.file.write(lock, &profiles)?;
        Ok((access_token, replaced))
    }

    /// Returns the command that signs in again.
    fn command(&self, stored: &Credentials) -> String {
        format!("steward login --server {} --profile {}", stored.server, self.profile)
    }

    /// Uses a new access token from now on.
    fn replace(&self, renewed: anyhow::Result<String>) -> Result<Option<String>, TokenError> {
        // The error keeps its type.
        let access_token = renewed.map_err(anyhow::Error::reallocate_into_boxed_dyn_error_without_backtrace)?;
        self.access_token.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&access_token);
        Ok(Some(access_token))
    }
}

#[async_trait]
impl TokenSource for ProfileTokens {
    async fn token(&self) -> Result<String, TokenError> {
        Ok(self.access_token.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    async fn refresh(&self, rejected: &str) -> Result<Option<String>, TokenError> {
        self.replace(self.renew(rejected).await)
    }

    async fn sign_in_again(&self, rejected: &str) -> Result<Option<String>, TokenError> {
        self.replace(self.newly_signed_in(rejected).await)
    }
}
