//! The life of signing keys: standby, active, retiring, retired. Rotation refuses no token that was valid; revocation
//! refuses every token of a key at once.

use crate::changes::Changes;
use crate::error::{Conflict, Error, ResourceKind};
use crate::model::{Request, ServerKey, ServerKeyId, ServerKeyPurpose, SigningKeyState, Time};
use crate::policy::{Operation, Permit};
use crate::ports::{CommitError, Unique};

use super::{PUBLICATION_LEAD_TIME, ServerKeys};
use crate::usecases::accounts::to_the_second;
use crate::usecases::{RetryError, retry_stale};

impl ServerKeys {
    /// The signing keys, the newest first, and where each stands.
    pub async fn signing_keys(&self) -> Result<Vec<(ServerKey, SigningKeyState)>, Error> {
        let (keys, now) = (self.keys.server_keys().await?, self.clock.now());
        let state = |key: &ServerKey| (key.clone(), key.signing_state(&keys, now));
        let mut signing: Vec<_> = keys.iter().filter(|key| key.is_signing()).map(state).collect();
        signing.sort_by_key(|(key, _)| std::cmp::Reverse(key.generation));
        Ok(signing)
    }

    /// Installs what is stored, unless that was done just now, for who reads the published keys. When it cannot be read,
    /// what is known goes on.
    pub async fn refresh_published(&self) {
        drop(self.current.refresh().await);
    }

    /// Makes the next signing key. It is published at once, and used after an hour, when everybody who keeps the key set for
    /// that long has read it anew; or at once: then a key that waits already is the one.
    pub async fn rotate_signing(&self, request: Request, at_once: bool) -> Result<ServerKey, Error> {
        retry_stale(async || {
            let keys = self.current.reload().await?;
            let now = self.clock.now();
            let waiting = waiting(&keys, now).next();
            if let (Some(waiting), false) = (waiting, at_once) {
                return Err(Error::from(Conflict::SigningKeyWaits(waiting.use_from.to_rfc3339())).into());
            }

            let permit = Permit::for_system(Operation::SigningKeyRotate, request.clone());
            let changes = Changes::by(permit, now);
            let (changes, key) = if at_once {
                self.with_active(changes, waiting, &keys, now)?
            } else {
                let key = self.next(&keys, now, now + PUBLICATION_LEAD_TIME)?;
                (changes.insert(key.clone()), key)
            };
            self.commit_keys(changes).await?;
            Ok(key)
        })
        .await
    }

    /// Removes a signing key: every token of it is refused with the next request, by every process. If it was the one in
    /// use, the next one is used at once. Returns the key in use from now on.
    pub async fn revoke_signing(&self, request: Request, id: ServerKeyId) -> Result<ServerKey, Error> {
        retry_stale(async || {
            let keys = self.current.reload().await?;
            let now = self.clock.now();
            let is_meant = |key: &&ServerKey| key.id == id && key.purpose != ServerKeyPurpose::KeyPepper;
            let revoked = keys.iter().find(is_meant).ok_or(Error::NotFound(ResourceKind::ServerKey))?;
            let in_use = |key: &&ServerKey| key.signing_state(&keys, now) == SigningKeyState::Active;
            let active = keys.iter().filter(|key| key.is_signing()).find(in_use);

            let permit = Permit::for_system(Operation::SigningKeyRevoke, request.clone());
            let changes = Changes::by(permit, now).remove(revoked.clone());
            let (changes, active) = match active {
                Some(active) if active.id != id => (changes, active.clone()),
                _ => self.with_active(changes, waiting(&keys, now).find(|key| key.id != id), &keys, now)?,
            };
            self.commit_keys(changes).await?;
            Ok(active)
        })
        .await
    }

    /// What is to be done from time to time: replaces a signing key that is old enough, removes those that are retired, and
    /// installs what is stored. Any process may do it, and one does. How many keys changed.
    pub async fn maintain(&self) -> Result<usize, Error> {
        let (keys, now) = (self.current.reload().await?, self.clock.now());
        let request = || Request { id: self.ids.next().to_string(), address: None, claim: None };
        let mut commits = Vec::new();
        let newest = keys.iter().filter(|key| key.is_signing()).max_by_key(|key| key.generation);
        if let (Some(newest), Some(age)) = (newest, self.signing_key_age)
            && now - newest.created_at >= age
        {
            let permit = Permit::for_system(Operation::SigningKeyRotate, request());
            let next = self.next(&keys, now, now + PUBLICATION_LEAD_TIME)?;
            commits.push(Changes::by(permit, now).insert(next));
        }
        for key in keys.iter().filter(|key| key.is_signing()) {
            if key.signing_state(&keys, now) == SigningKeyState::Retired {
                let permit = Permit::for_system(Operation::SigningKeyRetire, request());
                commits.push(Changes::by(permit, now).remove(key.clone()));
            }
        }
        let mut changed = 0;
        for changes in commits {
            match self.store.commit(changes).await {
                Ok(_) => changed += 1,
                // Another process was first.
                Err(CommitError::Taken(Unique::ServerKeyGeneration) | CommitError::Stale(ResourceKind::ServerKey)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if changed > 0 {
            self.current.reload().await?;
        }
        Ok(changed)
    }

    /// With a key that is used from this second on: the one that waits, or a new one.
    fn with_active(
        &self,
        changes: Changes,
        waiting: Option<&ServerKey>,
        keys: &[ServerKey],
        now: Time,
    ) -> Result<(Changes, ServerKey), Error> {
        let use_from = to_the_second(now);
        match waiting {
            Some(waiting) => {
                let used = ServerKey { use_from, ..waiting.clone() };
                Ok((changes.replace(waiting.clone(), used.clone()), used))
            }
            None => {
                let next = self.next(keys, now, use_from)?;
                Ok((changes.insert(next.clone()), next))
            }
        }
    }

    /// A new signing key, of the algorithm of the newest.
    fn next(&self, keys: &[ServerKey], now: Time, use_from: Time) -> Result<ServerKey, Error> {
        let newest = keys.iter().filter(|key| key.is_signing()).max_by_key(|key| key.generation);
        let newest = newest.ok_or(Error::NotFound(ResourceKind::ServerKey))?;
        self.generate(newest.purpose, next_generation(keys), now, use_from)
    }

    async fn commit_keys(&self, changes: Changes) -> Result<(), RetryError> {
        match self.store.commit(changes).await {
            Ok(_) => {
                self.current.reload().await?;
                Ok(())
            }
            Err(CommitError::Taken(Unique::ServerKeyGeneration)) => Err(RetryError::Stale(ResourceKind::ServerKey)),
            Err(other) => Err(other.into()),
        }
    }
}

/// The signing keys that are published and not used yet.
fn waiting(keys: &[ServerKey], now: Time) -> impl Iterator<Item = &ServerKey> {
    keys.iter().filter(move |key| key.is_signing() && key.use_from > now)
}

/// The generation of the next signing key: after those of all algorithms, known here or not.
pub(super) fn next_generation(keys: &[ServerKey]) -> i64 {
    let signing = keys.iter().filter(|key| key.purpose != ServerKeyPurpose::KeyPepper);
    signing.map(|key| key.generation).max().unwrap_or_default().saturating_add(1)
}
