//! Limits password guessing without locking out the owner: a browser or network from which the account was signed in to
//! before has its own limit of attempts, which others cannot use up.

use std::net::IpAddr;

use uuid::Uuid;

use crate::identity::session::known_browsers::{KnownBrowser, KnownBrowsers};
use crate::identity::{Account, IdentityCore, KNOWN_BROWSER_TTL, Login};
use crate::kernel::error::Error;
use crate::kernel::policy::LimitedAction;
use crate::kernel::work::network;
use crate::kernel::{AccountId, Request, Time, use_cases};

/// Maximum number of stored networks per account.
const MAX_NETWORKS: u16 = 20;

/// A sign-in attempt that is allowed to check the password.
pub(crate) struct AllowedSignIn {
    /// The account with this login; `None` if it does not exist.
    pub account: Option<Account>,
    counted: Vec<(LimitedAction, String)>,
}

use_cases! {
    /// Counts and limits sign-in attempts.
    pub(crate) struct SignInGuard { core: IdentityCore, pub(crate) browsers: KnownBrowsers }
}

impl SignInGuard {
    /// Counts an attempt before the password is checked, or refuses it. A browser that has signed in to the account
    /// before is limited on its own. Other attempts are limited per network and, unless the account was signed in to
    /// from this network before, also by the number of all such attempts on the account.
    pub async fn admit(
        &self,
        request: &Request,
        login: &Login,
        cookie: &str,
        now: Time,
    ) -> Result<AllowedSignIn, Error> {
        let browsers = self.browsers.read(cookie, now);
        if !browsers.is_empty()
            && let Some(account) = self.find(login).await?
            && let Some(browser) = browsers.iter().find(|browser| browser.is_of(&account))
        {
            let counted = (LimitedAction::SignInKnown, browser.id.to_string());
            self.core.action_limiter.take(counted.0, &counted.1, now).await?;
            return Ok(AllowedSignIn { account: Some(account), counted: vec![counted] });
        }

        let (login_name, mut counted) = (login.folded(), Vec::new());
        if let Some(address) = request.address {
            let network = network(address);
            let limits = [
                (LimitedAction::SignInFrom, network.to_string()),
                (LimitedAction::SignInTo, format!("{login_name} {network}")),
            ];
            for (action, subject) in limits {
                self.core.action_limiter.take(action, &subject, now).await?;
                counted.push((action, subject));
            }
        }
        let account = self.find(login).await?;
        if !self.is_known_network(account.as_ref(), request, now).await? {
            if let Err(error) = self.core.action_limiter.take(LimitedAction::SignInToAnywhere, &login_name, now).await {
                // The password is not checked, so this was not a guess: remove it from the network's counts.
                self.uncount(&counted).await;
                return Err(error);
            }
            counted.push((LimitedAction::SignInToAnywhere, login_name));
        }
        Ok(AllowedSignIn { account, counted })
    }

    /// Removes an attempt from the counts, because its password was correct.
    pub async fn refund(&self, allowed: &AllowedSignIn) {
        self.uncount(&allowed.counted).await;
    }

    /// Records the network from which an account was signed in to. After a failure, the next sign-in records it.
    pub async fn record_network(&self, account: &Account, request: &Request, now: Time) {
        if let Some(address) = request.address {
            let digest = self.digest(account.id, address);
            drop(self.core.system.rate_limits.record_network(account.id, &digest, now, MAX_NETWORKS).await);
        }
    }

    /// Returns whether the browser with this cookie has signed in to the account before.
    pub fn knows(&self, account: &Account, cookie: &str, now: Time) -> bool {
        self.browsers.read(cookie, now).iter().any(|known| known.is_of(account))
    }

    /// Returns the limit that counts the codes that this browser enters for the account. A browser that has passed the
    /// second factor before has its own, which others cannot use up. One in which only the password was entered does not:
    /// a person who knows the password could have any number of such browsers.
    pub fn limit_of_codes(&self, account: &Account, cookie: &str, now: Time) -> (LimitedAction, String) {
        let is_known = |known: &KnownBrowser| known.is_of(account) && known.has_passed_second_factor;
        match self.browsers.read(cookie, now).into_iter().find(is_known) {
            Some(browser) => (LimitedAction::SecondFactorKnown, browser.id.to_string()),
            None => (LimitedAction::SecondFactorOf, account.id.to_string()),
        }
    }

    /// Whether the account was signed in to from this network before, and after its sessions last ended. Also queries for an
    /// unknown account, so that it takes as long.
    async fn is_known_network(&self, account: Option<&Account>, request: &Request, now: Time) -> Result<bool, Error> {
        let Some(address) = request.address else { return Ok(false) };
        let oldest = now - KNOWN_BROWSER_TTL;
        let (account, since) = match account {
            Some(account) => (account.id, oldest.max(account.password_set_at)),
            None => (AccountId::from(Uuid::nil()), oldest),
        };
        Ok(self.core.system.rate_limits.is_known_network(account, &self.digest(account, address), since).await?)
    }

    async fn find(&self, login: &Login) -> Result<Option<Account>, Error> {
        Ok(match login {
            Login::Email(email) => self.core.ports.accounts.account_by_email(email).await?,
            Login::Username(username) => self.core.ports.accounts.account_by_username(username).await?,
            Login::Invalid => None,
        })
    }

    async fn uncount(&self, counted: &[(LimitedAction, String)]) {
        for (action, subject) in counted {
            self.core.action_limiter.refund(*action, subject).await;
        }
    }

    fn digest(&self, account: AccountId, address: IpAddr) -> String {
        self.core.system.vault.sha256(&format!("network {account} {}", network(address)))
    }
}
