//! Lifecycle of signing keys: standby, active, retiring, retired. Rotation does not invalidate tokens; revocation
//! invalidates every token of a key immediately.

use crate::identity::{ServerKey, SignedToken, SigningKeyState};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{CommitError, Request, ServerKeyId, Time, Unique, retry_stale, to_the_second};

use super::generations::{newest, next_generation};
use super::{PUBLICATION_LEAD_TIME, ServerKeys};

impl ServerKeys {
    /// Lists the signing keys with their states: those of access tokens before those of ID tokens, each newest first.
    pub async fn signing_keys(&self) -> Result<Vec<(ServerKey, SigningKeyState)>, Error> {
        let (keys, now) = (self.core.ports.server_keys.server_keys().await?, self.core.now());
        let state = |key: &ServerKey| (key.clone(), key.signing_state(&keys, now));
        let mut signing: Vec<_> = keys.iter().filter(|key| key.is_signing()).map(state).collect();
        signing.sort_by_key(|(key, _)| (key.purpose.signed_token(), std::cmp::Reverse(key.generation)));
        Ok(signing)
    }

    /// Installs the stored keys for a reader of the published key set, within a rate limit. If the store cannot be
    /// read, the installed keys stay in use.
    pub async fn refresh_published(&self) {
        drop(self.core.keys.refresh().await);
    }

    /// Generates the next signing key for each kind of token. It is published immediately and used after an hour, when
    /// clients that cache the key set for that long have read it again. With `immediately`, it is used now; a standby
    /// key is used if there is one.
    pub async fn rotate_signing(&self, request: Request, immediately: bool) -> Result<Vec<ServerKey>, Error> {
        retry_stale(async || {
            let keys = self.core.keys.reload().await?;
            let now = self.core.now();
            let pending = SignedToken::ALL.iter().find_map(|token| standby(&keys, *token, now).next());
            if let (Some(pending), false) = (pending, immediately) {
                return Err(Error::from(Conflict::SigningKeyPending(pending.use_from.to_rfc3339())).into());
            }

            let permit = Permit::system(Operation::SigningKeyRotate, request.clone())?;
            let (mut changes, mut rotated) = (Changes::by(permit, now), Vec::new());
            for token in SignedToken::ALL {
                let (with_key, key) = if immediately {
                    self.with_active(changes, standby(&keys, token, now).next(), token, &keys, now)?
                } else {
                    let next = self.next(token, &keys, now, now + PUBLICATION_LEAD_TIME)?;
                    (changes.insert(next.clone()), next)
                };
                changes = with_key;
                rotated.push(key);
            }
            self.commit_keys(changes).await?;
            self.core.keys.reload().await?;
            Ok(rotated)
        })
        .await
    }

    /// Deletes a signing key: every process rejects its tokens from the next request on. If the key was active, the
    /// next one for the same tokens becomes active immediately. Returns their active key.
    pub async fn revoke_signing(&self, request: Request, id: ServerKeyId) -> Result<ServerKey, Error> {
        retry_stale(async || {
            let keys = self.core.keys.reload().await?;
            let now = self.core.now();
            let revoked = keys.iter().find(|key| key.id == id);
            let revoked = revoked.and_then(|key| Some((key, key.purpose.signed_token()?)));
            let (revoked, token) = revoked.ok_or(Error::NotFound(ResourceKind::ServerKey))?;
            let is_active = |key: &&ServerKey| key.signing_state(&keys, now) == SigningKeyState::Active;
            let active = keys.iter().filter(|key| key.signs(token)).find(is_active);

            let permit = Permit::system(Operation::SigningKeyRevoke, request.clone())?;
            let changes = Changes::by(permit, now).remove(revoked.clone());
            let (changes, active) = match active {
                Some(active) if active.id != id => (changes, active.clone()),
                _ => {
                    let standby = standby(&keys, token, now).find(|key| key.id != id);
                    self.with_active(changes, standby, token, &keys, now)?
                }
            };
            self.commit_keys(changes).await?;
            self.core.keys.reload().await?;
            Ok(active)
        })
        .await
    }

    /// Periodic maintenance: replaces a signing key that has reached its maximum age, deletes retired keys, and
    /// installs the stored keys. Every process may call it; each change is made once. Returns the number of changed
    /// keys.
    pub async fn maintain(&self) -> Result<usize, Error> {
        let (keys, now) = (self.core.keys.reload().await?, self.core.now());
        let request = || Request { id: self.core.next_id().to_string(), ..Request::default() };
        let mut commits = Vec::new();
        for token in SignedToken::ALL {
            if let (Some(newest), Some(age)) = (newest(&keys, token), self.core.settings.signing_key_age)
                && now - newest.created_at >= age
            {
                let permit = Permit::system(Operation::SigningKeyRotate, request())?;
                let next = self.next(token, &keys, now, now + PUBLICATION_LEAD_TIME)?;
                commits.push(Changes::by(permit, now).insert(next));
            }
        }
        for key in keys.iter().filter(|key| key.is_signing()) {
            if key.signing_state(&keys, now) == SigningKeyState::Retired {
                let permit = Permit::system(Operation::SigningKeyRetire, request())?;
                commits.push(Changes::by(permit, now).remove(key.clone()));
            }
        }
        let mut changed = 0;
        for changes in commits {
            match self.core.commit(changes).await {
                Ok(_) => changed += 1,
                // Another process made the change first.
                Err(CommitError::Taken(Unique::ServerKeyGeneration) | CommitError::Stale(ResourceKind::ServerKey)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if changed > 0 {
            self.core.keys.reload().await?;
        }
        Ok(changed)
    }

    /// Adds an active key to the changes: the standby key, or a new one.
    fn with_active(
        &self,
        changes: Changes,
        standby: Option<&ServerKey>,
        token: SignedToken,
        keys: &[ServerKey],
        now: Time,
    ) -> Result<(Changes, ServerKey), Error> {
        let use_from = to_the_second(now);
        match standby {
            Some(standby) => {
                let activated = ServerKey { use_from, ..standby.clone() };
                Ok((changes.replace(standby.clone(), activated.clone()), activated))
            }
            None => {
                let next = self.next(token, keys, now, use_from)?;
                Ok((changes.insert(next.clone()), next))
            }
        }
    }

    /// Generates a signing key with the algorithm of the newest one.
    fn next(&self, token: SignedToken, keys: &[ServerKey], now: Time, use_from: Time) -> Result<ServerKey, Error> {
        let newest = newest(keys, token).ok_or(Error::NotFound(ResourceKind::ServerKey))?;
        self.generate(newest.purpose, next_generation(keys, token), now, use_from)
    }
}

/// Signing keys that are published but not used yet.
fn standby(keys: &[ServerKey], token: SignedToken, now: Time) -> impl Iterator<Item = &ServerKey> {
    keys.iter().filter(move |key| key.signs(token) && key.use_from > now)
}
