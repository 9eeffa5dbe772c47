//! Password hashes: argon2id with the parameters that OWASP recommends, a bounded number at a time, in memory that is used
//! again.

mod memory;

use std::time::Duration;

use anyhow::{Context as _, anyhow};
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash as Phc, Salt};
use argon2::{Algorithm, Argon2, Params, Version};
use async_trait::async_trait;
use ring::rand::{SecureRandom as _, SystemRandom};
use steward_domain::error::Error;
use steward_domain::model::{Password, PasswordHash, Secret};
use steward_domain::ports::{PasswordHasher, PoolStats};
use steward_domain::work::Work;

use crate::fair_semaphore::{FairSemaphore, Limits};

use memory::{Memory, MemoryPool};

/// Memory in KiB, passes and lanes: the OWASP Password Storage Cheat Sheet's recommendation for argon2id.
const MEMORY: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Each hash takes its memory while it runs.
const MAX_CONCURRENT: usize = 4;
/// How long memory is kept that nobody uses.
const MEMORY_IDLE_TTL: Duration = Duration::from_secs(5);
/// How many may wait to be hashed; one more is refused at once.
const MAX_WAITING: Limits = Limits { in_all: 128, of_tenant: 32 };

/// Hashes passwords with argon2id.
pub struct Argon2Passwords {
    turns: FairSemaphore,
    memory: MemoryPool,
    nobody: PasswordHash,
}

impl Argon2Passwords {
    /// Fails when the operating system gives no randomness.
    pub fn new() -> anyhow::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let memory = MemoryPool::new(MEMORY_IDLE_TTL);
        let nobody = hash(b"nobody's password", &mut Memory::default())?;
        Ok(Self { turns: FairSemaphore::new(cores.min(MAX_CONCURRENT), MAX_WAITING), memory, nobody })
    }

    async fn bounded<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Memory) -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let too_many = |_| Error::Unavailable(anyhow!("too many passwords wait to be hashed already"));
        let turn = self.turns.take(Work::current().tenant).await.map_err(too_many)?;
        let pool = self.memory.clone();
        pool.free_when_idle();
        // The turn and the memory go with the work: it runs on even when the request that asked for it is gone.
        let run = move || {
            let done = pool.with(work);
            drop(turn);
            done
        };
        let done = tokio::task::spawn_blocking(run).await.map_err(|error| Error::Internal(error.into()))?;
        done.map_err(Error::Internal)
    }
}

#[async_trait]
impl PasswordHasher for Argon2Passwords {
    async fn hash(&self, password: Password) -> Result<PasswordHash, Error> {
        self.bounded(move |memory| hash(password.secret().expose().as_bytes(), memory)).await
    }

    async fn verify(&self, text: Secret, stored: Option<PasswordHash>) -> Result<bool, Error> {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.nobody.clone());
        let fits = self.bounded(move |memory| fits(text.expose().as_bytes(), &stored, memory)).await?;
        Ok(known && fits)
    }

    fn stats(&self) -> PoolStats {
        self.turns.stats()
    }
}

fn hash(password: &[u8], memory: &mut Memory) -> anyhow::Result<PasswordHash> {
    let mut salt = [0; 16];
    SystemRandom::new().fill(&mut salt).map_err(|_| anyhow!("no randomness for a salt"))?;
    let params = Params::new(MEMORY, PASSES, LANES, None).map_err(|error| anyhow!("argon2: {error}"))?;
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    digest(Algorithm::Argon2id, Version::V0x13, &params, password, &salt, &mut output, memory)?;
    let phc = Phc {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params).map_err(|error| anyhow!("argon2: {error}"))?,
        salt: Some(Salt::new(&salt).map_err(|error| anyhow!("argon2: {error}"))?),
        hash: Some(Output::new(&output).map_err(|error| anyhow!("argon2: {error}"))?),
    };
    Ok(PasswordHash::new(phc.to_string()))
}

/// Whether the text is the password. A hash that nothing can be compared with is a error of ours, not a wrong password.
fn fits(text: &[u8], stored: &PasswordHash, memory: &mut Memory) -> anyhow::Result<bool> {
    compared(text, stored, memory).context("a stored password hash")
}

fn compared(text: &[u8], stored: &PasswordHash, memory: &mut Memory) -> anyhow::Result<bool> {
    let stored = Phc::new(stored.as_str()).map_err(|error| anyhow!("{error}"))?;
    let (Some(salt), Some(expected)) = (&stored.salt, &stored.hash) else {
        return Err(anyhow!("it has no salt or no output"));
    };
    let algorithm = Algorithm::new(stored.algorithm.as_str()).map_err(|error| anyhow!("{error}"))?;
    let version = stored.version.map_or(Ok(Version::V0x13), Version::try_from);
    let version = version.map_err(|error| anyhow!("{error}"))?;
    let params = Params::try_from(&stored).map_err(|error| anyhow!("{error}"))?;
    let mut output = vec![0; expected.len()];
    digest(algorithm, version, &params, text, salt, &mut output, memory)?;
    let output = Output::new(&output).map_err(|error| anyhow!("{error}"))?;
    // Outputs compare in constant time.
    Ok(output == *expected)
}

fn digest(
    algorithm: Algorithm,
    version: Version,
    params: &Params,
    text: &[u8],
    salt: &[u8],
    output: &mut [u8],
    memory: &mut Memory,
) -> anyhow::Result<()> {
    let blocks = memory.blocks(params.block_count());
    let argon2 = Argon2::new(algorithm, version, params.clone());
    argon2.hash_password_into_with_memory(text, salt, output, blocks).map_err(|error| anyhow!("argon2: {error}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use steward_domain::work::Tenant;

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
    async fn a_hash_that_the_library_makes_by_itself_fits_too() {
        use argon2::PasswordHasher as _;
        let passwords = Argon2Passwords::new().unwrap();
        for (memory, passes) in [(8, 1), (MEMORY, PASSES), (2 * MEMORY, 1)] {
            let params = Params::new(memory, passes, 1, Some(24)).unwrap();
            let made: Phc = Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
                .hash_password_with_salt(b"correct horse", b"a salt of its own")
                .unwrap();
            let stored = Some(PasswordHash::new(made.to_string()));
            assert!(passwords.verify(Secret::new("correct horse".into()), stored.clone()).await.unwrap(), "{made}");
            assert!(!passwords.verify(Secret::new("correct house".into()), stored).await.unwrap(), "{made}");
        }
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
        let mut busy = Vec::new();
        for _ in 0..std::thread::available_parallelism().unwrap().get().min(MAX_CONCURRENT) {
            busy.push(passwords.turns.take(Tenant::Service).await.unwrap());
        }
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..=MAX_WAITING.in_all {
            waiting.spawn(verify());
        }
        // All but one find a place.
        let refused = waiting.join_next().await.unwrap().unwrap();
        assert!(matches!(refused, Err(Error::Unavailable(_))));
        assert!(matches!(verify().await, Err(Error::Unavailable(_))));

        waiting.shutdown().await;
        drop(busy);
        assert!(matches!(verify().await, Ok(false)));
    }
}
