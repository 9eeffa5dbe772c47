//! Requests that are sent again: done once, and answered the same.

use std::sync::Arc;

use chrono::TimeDelta;

use crate::error::{Conflict, Error};
use crate::model::{Caller, IdempotencyKey, IdempotentRequest, IdempotentRequestId, KeyReuse};
use crate::ports::{Clock, Encrypter, IdGenerator, IdempotencyStore, TokenVault};

use super::{ReplayAuthorization, RequestedAccess};

/// How long an answer is kept (decisions: 24 hours).
const RESPONSE_TTL: TimeDelta = TimeDelta::hours(24);
/// How long whoever began a request is believed to be at work.
const LEASE_TTL: TimeDelta = TimeDelta::seconds(60);
/// What answers are encrypted for.
const PURPOSE: &str = "repeated answer";

/// What is to be done with a request that carries a key.
#[derive(Debug)]
pub enum IdempotencyOutcome {
    /// Do it, under this claim.
    Claimed(IdempotentRequestId),
    /// Answer this, as it was answered before.
    Answered(Vec<u8>),
}

/// The use cases of repeated requests.
pub struct Idempotency {
    replays: ReplayAuthorization,
    claims: Arc<dyn IdempotencyStore>,
    vault: Arc<dyn TokenVault>,
    encrypter: Arc<dyn Encrypter>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
}

impl Idempotency {
    /// Over these ports.
    pub fn new(
        replays: ReplayAuthorization,
        claims: Arc<dyn IdempotencyStore>,
        vault: Arc<dyn TokenVault>,
        encrypter: Arc<dyn Encrypter>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
    ) -> Self {
        Self { replays, claims, vault, encrypter, clock, ids }
    }

    /// Claims the key for a request, or tells what became of the one that had it. `asked` is everything that the request
    /// asks for; a stored answer is given only to who has this access today.
    pub async fn begin(
        &self,
        caller: &Caller,
        key: &IdempotencyKey,
        asked: &str,
        access: &RequestedAccess,
    ) -> Result<IdempotencyOutcome, Error> {
        const ROUNDS: usize = 3;
        let (holder, now) = (caller.identity.holder(), self.clock.now());
        let claim = IdempotentRequest {
            id: IdempotentRequestId::from(self.ids.next()),
            key_digest: self.vault.sha256(key.as_str()),
            fingerprint: self.vault.sha256(asked),
            leased_until: now + LEASE_TTL,
            expires_at: now + RESPONSE_TTL,
            is_effective: false,
            answer: None,
            caller: holder,
        };
        for _ in 0..ROUNDS {
            if self.claims.claim(&claim).await? {
                return Ok(IdempotencyOutcome::Claimed(claim.id));
            }
            // Gone meanwhile: try again.
            let Some(former) = self.claims.claimed(&claim.caller, &claim.key_digest).await? else { continue };
            match (former.judge(&claim.fingerprint, now), &former.answer) {
                (KeyReuse::Mismatch, _) => return Err(Conflict::IdempotencyMismatch.into()),
                (KeyReuse::InProgress, _) => return Err(Conflict::IdempotencyInProgress.into()),
                (KeyReuse::AnswerLost, _) => return Err(Conflict::IdempotencyAnswerLost.into()),
                (KeyReuse::Answered, Some(encrypted)) => {
                    self.replays.authorize(caller, access).await?;
                    return Ok(IdempotencyOutcome::Answered(self.encrypter.decrypt(PURPOSE, encrypted)?.to_vec()));
                }
                _ => {
                    if self.claims.take_over(former.id, &claim, now).await? {
                        return Ok(IdempotencyOutcome::Claimed(claim.id));
                    }
                }
            }
        }
        Err(Conflict::IdempotencyInProgress.into())
    }

    /// Keeps the answer of a claimed request. It is encrypted: it may hold the value of a key.
    pub async fn answer(&self, claim: IdempotentRequestId, answer: &[u8]) -> Result<(), Error> {
        Ok(self.claims.answer(claim, &self.encrypter.encrypt(PURPOSE, answer)?).await?)
    }

    /// Lets go of a claim whose answer is none to give again.
    pub async fn give_up(&self, claim: IdempotentRequestId) -> Result<(), Error> {
        Ok(self.claims.give_up(claim, self.clock.now()).await?)
    }
}
