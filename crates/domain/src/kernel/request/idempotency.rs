//! Idempotency keys: a repeated request is performed once and returns the same response.

use std::sync::Arc;

use chrono::TimeDelta;

use crate::administration::AdministrationCore;
use crate::kernel::error::{Conflict, Error};
use crate::kernel::{
    Caller, IdempotencyKey, IdempotencyStore, IdempotentRequest, IdempotentRequestId, KeyReuse, ReplayAuthorization,
    RequestedAccess,
};

/// How long a response is stored.
const RESPONSE_TTL: TimeDelta = TimeDelta::hours(24);
/// How long a claimed request counts as in progress.
const LEASE_TTL: TimeDelta = TimeDelta::seconds(60);
/// Encryption purpose of stored responses.
const PURPOSE: &str = "repeated answer";

/// How to handle a request with an idempotency key.
#[derive(Debug)]
pub enum IdempotencyOutcome {
    /// Perform the request under this claim.
    Claimed(IdempotentRequestId),
    /// Return this stored response.
    Answered(Vec<u8>),
}

/// Use cases of idempotency keys.
pub struct Idempotency {
    core: Arc<AdministrationCore>,
    store: Arc<dyn IdempotencyStore>,
    replay_authorization: ReplayAuthorization,
}

impl Idempotency {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<AdministrationCore>, store: Arc<dyn IdempotencyStore>) -> Self {
        Self { core: core.clone(), store, replay_authorization: ReplayAuthorization::new(core) }
    }

    /// Claims the key for a request, or reports the outcome of the request that used it before. `content` identifies
    /// the whole request. A stored response is returned only if the caller still has the requested access.
    pub async fn begin(
        &self,
        caller: &Caller,
        key: &IdempotencyKey,
        content: &str,
        access: &RequestedAccess,
    ) -> Result<IdempotencyOutcome, Error> {
        const MAX_ATTEMPTS: usize = 3;
        let (holder, now) = (caller.identity.holder(), self.core.now());
        let claim = IdempotentRequest {
            id: IdempotentRequestId::from(self.core.next_id()),
            key_digest: self.core.system.vault.sha256(key.as_str()),
            fingerprint: self.core.system.vault.sha256(content),
            leased_until: now + LEASE_TTL,
            expires_at: now + RESPONSE_TTL,
            is_effective: false,
            answer: None,
            caller: holder,
        };
        for _ in 0..MAX_ATTEMPTS {
            if self.store.claim(&claim).await? {
                return Ok(IdempotencyOutcome::Claimed(claim.id));
            }
            // Deleted in the meantime: retry.
            let Some(previous) = self.store.claimed(&claim.caller, &claim.key_digest).await? else {
                continue;
            };
            match (previous.evaluate(&claim.fingerprint, now), &previous.answer) {
                (KeyReuse::Mismatch, _) => return Err(Conflict::IdempotencyMismatch.into()),
                (KeyReuse::InProgress, _) => return Err(Conflict::IdempotencyInProgress.into()),
                (KeyReuse::ResponseLost, _) => return Err(Conflict::IdempotencyResponseLost.into()),
                (KeyReuse::Completed, Some(encrypted)) => {
                    self.replay_authorization.authorize(caller, access).await?;
                    return Ok(IdempotencyOutcome::Answered(
                        self.core.system.encrypter.decrypt(PURPOSE, encrypted)?.to_vec(),
                    ));
                }
                _ => {
                    if self.store.take_over(previous.id, &claim, now).await? {
                        return Ok(IdempotencyOutcome::Claimed(claim.id));
                    }
                }
            }
        }
        Err(Conflict::IdempotencyInProgress.into())
    }

    /// Stores the response to a claimed request. It is encrypted, because it may contain the value of a key.
    pub async fn answer(&self, claim: IdempotentRequestId, answer: &[u8]) -> Result<(), Error> {
        Ok(self.store.answer(claim, &self.core.system.encrypter.encrypt(PURPOSE, answer)?).await?)
    }

    /// Releases a claim with a response that must not be replayed.
    pub async fn give_up(&self, claim: IdempotentRequestId) -> Result<(), Error> {
        Ok(self.store.give_up(claim, self.core.now()).await?)
    }
}
