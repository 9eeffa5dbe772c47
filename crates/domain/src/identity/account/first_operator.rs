//! The link with which the first person signs up as operator, until the service is claimed: until it has its first
//! account. Before that, nobody can get an account in another way. The link is written to the log when the service
//! starts, so that only a person who can read the log can use it.

use chrono::TimeDelta;

use crate::identity::IdentityCore;
use crate::kernel::error::{Error, Forbidden, ResourceKind};
use crate::kernel::policy::ActionLimit;
use crate::kernel::{LimitOutcome, Secret, Time, use_cases};

/// How long a link is valid. A restart of the service writes a new one to the log.
const LINK_TTL: TimeDelta = TimeDelta::hours(24);
/// The purpose for which tokens are encrypted.
const PURPOSE: &str = "link of the first operator";
/// One sign-up at a time has the link, on any replica. If a replica stops before it releases the link, the next sign-up
/// waits for this interval.
const CLAIM_LIMIT: ActionLimit = ActionLimit { burst: 1, interval: TimeDelta::minutes(1) };

use_cases! {
    /// Creates and checks the links. Nothing is stored: a token is a time that is encrypted with the server secret, so all
    /// replicas accept it, and nobody without the secret can create one.
    #[derive(Clone)]
    pub struct FirstOperator { core: IdentityCore }
}

impl FirstOperator {
    /// Returns a new link, or `None` if the service is claimed.
    pub async fn link(&self) -> Result<Option<Secret>, Error> {
        if self.is_claimed().await? {
            return Ok(None);
        }
        let expires_at = self.core.now() + LINK_TTL;
        let token = self.core.encrypt_for_browser(PURPOSE, &expires_at.timestamp_micros().to_be_bytes())?;
        Ok(Some(Secret::new(self.core.address.at(&format!("/auth/sign-up?operator={token}")))))
    }

    /// Checks that a token is valid and that the service is not claimed. For the page that the link opens.
    pub async fn check(&self, token: &str) -> Result<(), Error> {
        let is_valid = self.expiry(token).is_some_and(|expires_at| expires_at > self.core.now());
        if is_valid && !self.is_claimed().await? { Ok(()) } else { Err(Error::NotFound(ResourceKind::EmailLink)) }
    }

    /// Checks a token and reserves it for one sign-up. Of concurrent sign-ups on any replica, one succeeds.
    pub(crate) async fn claim(&self, token: &str) -> Result<(), Error> {
        self.check(token).await?;
        match self.core.system.rate_limits.count_action(&self.digest(), CLAIM_LIMIT, self.core.now()).await? {
            LimitOutcome::Refused { .. } => Err(Error::TooMany { retry_after: CLAIM_LIMIT.interval }),
            // Another sign-up may have been successful since the first check.
            LimitOutcome::Counted => self.check(token).await,
        }
    }

    /// Ends the reservation of a sign-up that failed. If the store fails, it ends after a minute.
    pub(crate) async fn release(&self) {
        drop(self.core.system.rate_limits.uncount_action(&self.digest(), CLAIM_LIMIT).await);
    }

    /// Returns whether the service has or had an account. It stays claimed after its accounts are deleted, so that a
    /// link that was used or became void never works again.
    pub async fn is_claimed(&self) -> Result<bool, Error> {
        Ok(self.core.ports.accounts.had_account().await?)
    }

    /// Refuses every way to an account but the link and the command line, until the service is claimed.
    pub async fn require_claimed(&self) -> Result<(), Error> {
        if self.is_claimed().await? { Ok(()) } else { Err(Forbidden::NotSetUp.into()) }
    }

    fn digest(&self) -> String {
        self.core.system.vault.sha256(PURPOSE)
    }

    fn expiry(&self, token: &str) -> Option<Time> {
        let plain = self.core.decrypt_from_browser(PURPOSE, token)?;
        Time::from_timestamp_micros(i64::from_be_bytes(plain.as_slice().try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::mocks::{FixedClock, MockStore, MockTokenVault, mock_identity, mock_system_ports};
    use crate::{Ports, SystemPorts};

    fn first_operator(is_claimed: bool, age: TimeDelta) -> FirstOperator {
        let (mut store, mut vault) = (MockStore::default(), MockTokenVault::new());
        store.accounts.expect_had_account().returning(move || Ok(is_claimed));
        store.rate_limits.expect_count_action().times(..=1).returning(|_, _, _| Ok(LimitOutcome::Counted));
        vault.expect_sha256().returning(str::to_owned);
        let system = SystemPorts {
            vault: Arc::new(vault),
            clock: Arc::new(FixedClock(FixedClock::default().0 + age)),
            ..mock_system_ports()
        };
        FirstOperator::new(&mock_identity(Ports { system, ..store.into() }))
    }

    async fn token() -> String {
        let link = first_operator(false, TimeDelta::zero()).link().await.unwrap().unwrap();
        let token = link.expose().strip_prefix("http://localhost:3003/auth/sign-up?operator=").unwrap();
        token.to_owned()
    }

    #[tokio::test]
    async fn a_link_is_valid_until_it_expires_or_the_service_is_claimed() {
        let token = token().await;
        let new = TimeDelta::zero();
        assert!(first_operator(false, new).check(&token).await.is_ok());
        assert!(first_operator(false, new).claim(&token).await.is_ok());
        assert!(first_operator(false, LINK_TTL).check(&token).await.is_err());
        assert!(first_operator(true, new).check(&token).await.is_err());
        assert!(first_operator(true, new).link().await.unwrap().is_none());
        assert!(first_operator(true, new).require_claimed().await.is_ok());
        let unclaimed = first_operator(false, new).require_claimed().await;
        assert!(matches!(unclaimed, Err(Error::Forbidden(Forbidden::NotSetUp))), "{unclaimed:?}");
        for invalid in ["", "5", "zz", "a5a5", &format!("{token}00")] {
            assert!(first_operator(false, new).check(invalid).await.is_err(), "{invalid}");
        }
    }
}
