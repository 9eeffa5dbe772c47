//! Slows down whoever guesses at a password, without ever shutting its owner out: a browser or network from which the
//! account was signed in to before has an allowance that strangers cannot use up.

use std::net::IpAddr;
use std::sync::Arc;

use uuid::Uuid;

use crate::error::Error;
use crate::model::{Account, AccountId, KNOWN_BROWSER_TTL, Request, Secret, Time};
use crate::policy::LimitedAction;
use crate::ports::{AccountReader, RateLimitStore, TokenVault};
use crate::work::network;

use super::accounts::Login;
use super::known_browsers::KnownBrowsers;
use super::{RateLimiter, SignInStats};

/// How many networks of an account are remembered.
const MAX_NETWORKS: u16 = 20;

/// An attempt at a password that may be checked.
pub(super) struct AllowedSignIn {
    /// The account that was named, if there is one.
    pub account: Option<Account>,
    counted: Vec<(LimitedAction, String)>,
}

/// Counts attempts at passwords.
pub(super) struct SignInGuard {
    pub accounts: Arc<dyn AccountReader>,
    pub counter: Arc<dyn RateLimitStore>,
    pub vault: Arc<dyn TokenVault>,
    pub rate_limiter: Arc<RateLimiter>,
    pub browsers: KnownBrowsers,
    pub stats: Arc<SignInStats>,
}

impl SignInGuard {
    /// Counts an attempt before the password is checked, or refuses it: with a browser that signed in to the account before,
    /// by that browser alone; from a network from which it was signed in to before, by what comes from there; and from
    /// anywhere else by what all strangers try together as well.
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
            && let Some(known) = browsers.iter().find(|known| known.account == account.id)
        {
            let counted = (LimitedAction::SignInKnown, known.id.to_string());
            self.rate_limiter.take(counted.0, &counted.1, now).await?;
            return Ok(AllowedSignIn { account: Some(account), counted: vec![counted] });
        }

        let (named, mut counted) = (login.folded(), Vec::new());
        if let Some(address) = request.address {
            let network = network(address);
            let limits = [
                (LimitedAction::SignInFrom, network.to_string()),
                (LimitedAction::SignInTo, format!("{named} {network}")),
            ];
            for (attempt, whose) in limits {
                self.rate_limiter.take(attempt, &whose, now).await?;
                counted.push((attempt, whose));
            }
        }
        let account = self.find(login).await?;
        if !self.knows_network(account.as_ref(), request, now).await? {
            if let Err(refused) = self.rate_limiter.take(LimitedAction::SignInToAtAll, &named, now).await {
                // No password is checked: what came from there was no guess.
                self.give_back(&counted).await;
                return Err(refused);
            }
            counted.push((LimitedAction::SignInToAtAll, named));
        }
        Ok(AllowedSignIn { account, counted })
    }

    /// The password was right: the attempt was no guess, and where it came from is known from now on.
    pub async fn welcome(&self, admitted: AllowedSignIn, account: &Account, request: &Request, now: Time) {
        self.give_back(&admitted.counted).await;
        self.record_network(account, request, now).await;
    }

    /// Remembers where an account was signed in to. Where that cannot be stored, the next sign-in stores it.
    pub async fn record_network(&self, account: &Account, request: &Request, now: Time) {
        if let Some(address) = request.address {
            let digest = self.digest(account.id, address);
            drop(self.counter.record_network(account.id, &digest, now, MAX_NETWORKS).await);
        }
    }

    /// The cookie by which a browser is known that just signed in to the account.
    pub fn remember_browser(&self, before: &str, account: AccountId, now: Time) -> Result<Secret, Error> {
        self.browsers.write(before, account, now)
    }

    /// For nobody's account too, so that it takes as long.
    async fn knows_network(&self, account: Option<&Account>, request: &Request, now: Time) -> Result<bool, Error> {
        let Some(address) = request.address else { return Ok(false) };
        let account = account.map_or_else(|| AccountId::from(Uuid::nil()), |account| account.id);
        Ok(self.counter.knows_network(account, &self.digest(account, address), now - KNOWN_BROWSER_TTL).await?)
    }

    async fn find(&self, login: &Login) -> Result<Option<Account>, Error> {
        Ok(match login {
            Login::Email(email) => self.accounts.account_by_email(email).await?,
            Login::Username(username) => self.accounts.account_by_username(username).await?,
            Login::Nobody => None,
        })
    }

    async fn give_back(&self, counted: &[(LimitedAction, String)]) {
        for (attempt, whose) in counted {
            self.rate_limiter.give_back(*attempt, whose).await;
        }
    }

    fn digest(&self, account: AccountId, address: IpAddr) -> String {
        self.vault.sha256(&format!("network {account} {}", network(address)))
    }
}
