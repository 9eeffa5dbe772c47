//! Password hashes: argon2id with the parameters that OWASP recommends, a bounded number at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, anyhow};
use argon2::password_hash::Error as HashError;
use argon2::password_hash::phc::PasswordHash as Phc;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use async_trait::async_trait;
use ring::rand::{SecureRandom as _, SystemRandom};
use steward_domain::error::Error;
use steward_domain::model::{Password, PasswordHash, Secret};
use steward_domain::ports::PasswordHasher;
use tokio::sync::Semaphore;

/// Memory in KiB, passes and lanes: the OWASP Password Storage Cheat Sheet's recommendation for argon2id.
const MEMORY: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Each hash takes its memory while it runs.
const AT_ONCE: usize = 4;
/// How many may be hashed or wait for it; one more is refused at once.
const WAITING: usize = 64;

/// Hashes passwords with argon2id.
pub struct Argon2Passwords {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
    nobody: PasswordHash,
}

impl Argon2Passwords {
    /// Fails when the operating system gives no randomness.
    pub fn new() -> anyhow::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Ok(Self {
            running: Arc::new(Semaphore::new(cores.min(AT_ONCE))),
            waiting: AtomicUsize::new(0),
            nobody: hash(b"nobody's password")?,
        })
    }

    async fn bounded<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let _place = Place::take(&self.waiting)?;
        let permit = self.running.clone().acquire_owned().await.map_err(|error| Error::Internal(error.into()))?;
        // The permit goes with the work: it runs on even when the request that asked for it is gone.
        let run = move || (work(), drop(permit)).0;
        let done = tokio::task::spawn_blocking(run).await.map_err(|error| Error::Internal(error.into()))?;
        done.map_err(Error::Internal)
    }
}

/// A place in the queue, given back when dropped.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Result<Self, Error> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
            return Err(Error::Unavailable(anyhow!("{WAITING} passwords wait to be hashed already")));
        }
        Ok(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[async_trait]
impl PasswordHasher for Argon2Passwords {
    async fn hash(&self, password: Password) -> Result<PasswordHash, Error> {
        self.bounded(move || hash(password.secret().expose().as_bytes())).await
    }

    async fn verify(&self, text: Secret, stored: Option<PasswordHash>) -> Result<bool, Error> {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.nobody.clone());
        let fits = self.bounded(move || fits(text.expose().as_bytes(), &stored)).await?;
        Ok(known && fits)
    }
}

fn argon2() -> anyhow::Result<Argon2<'static>> {
    let params = Params::new(MEMORY, PASSES, LANES, None).map_err(|error| anyhow!("argon2: {error}"))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(password: &[u8]) -> anyhow::Result<PasswordHash> {
    let mut salt = [0; 16];
    SystemRandom::new().fill(&mut salt).map_err(|_| anyhow!("no randomness for a salt"))?;
    let phc: Phc = argon2()?.hash_password_with_salt(password, &salt).map_err(|error| anyhow!("argon2: {error}"))?;
    Ok(PasswordHash::new(phc.to_string()))
}

fn fits(text: &[u8], stored: &PasswordHash) -> anyhow::Result<bool> {
    let checked = Phc::new(stored.as_str()).map_err(|error| anyhow!("{error}")).and_then(|stored| {
        match argon2()?.verify_password(text, &stored) {
            Ok(()) => Ok(true),
            Err(HashError::PasswordInvalid) if stored.hash.is_some() => Ok(false),
            // A hash that nothing can be compared with is a fault of ours, not a wrong password.
            Err(error) => Err(anyhow!("{error}")),
        }
    });
    checked.context("a stored password hash")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_password_that_was_hashed_fits() {
        let passwords = Argon2Passwords::new().unwrap();
        let secret = |text: &str| Secret::new(text.to_owned());
        let password = Password::parse(secret("correct horse")).unwrap();
        let hash = passwords.hash(password.clone()).await.unwrap();
        assert!(hash.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.as_str());
        assert_ne!(hash, passwords.hash(password).await.unwrap());
        assert!(passwords.verify(secret("correct horse"), Some(hash.clone())).await.unwrap());
        assert!(!passwords.verify(secret("wrong"), Some(hash)).await.unwrap());
        assert!(!passwords.verify(secret("nobody's password"), None).await.unwrap());
    }

    #[tokio::test]
    async fn a_stored_hash_that_is_no_argon2id_hash_is_our_fault() {
        let passwords = Argon2Passwords::new().unwrap();
        let salt = "c29tZXNhbHRzb21lc2FsdA";
        for stored in [
            "x".to_owned(),
            format!("$scrypt$ln=14,r=8,p=1${salt}$aGFzaGhhc2hoYXNoaGFzaA"),
            format!("$argon2id$v=19$m=1,t=0,p=1${salt}$aGFzaGhhc2hoYXNoaGFzaA"),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}"),
        ] {
            let answer = passwords.verify(Secret::new("x".into()), Some(PasswordHash::new(stored.clone()))).await;
            assert!(matches!(answer, Err(Error::Internal(_))), "{stored}");
        }
    }

    #[tokio::test]
    async fn one_too_many_is_refused_at_once_and_leavers_give_their_place_back() {
        let passwords = Arc::new(Argon2Passwords::new().unwrap());
        let verify = || {
            let passwords = passwords.clone();
            async move { passwords.verify(Secret::new("x".into()), None).await }
        };
        let cores = passwords.running.available_permits();
        assert!((1..=AT_ONCE).contains(&cores));
        let busy = passwords.running.acquire_many(u32::try_from(cores).unwrap()).await.unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..WAITING {
            waiting.spawn(verify());
        }
        while passwords.waiting.load(Ordering::Relaxed) < WAITING {
            tokio::task::yield_now().await;
        }
        assert!(matches!(verify().await, Err(Error::Unavailable(_))));

        waiting.shutdown().await;
        drop(busy);
        assert!(matches!(verify().await, Ok(false)));
        assert_eq!(passwords.waiting.load(Ordering::Relaxed), 0);
    }
}
