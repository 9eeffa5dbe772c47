//! Password hashes: argon2id with the parameters that OWASP recommends. The number of concurrent hashes is limited, and
//! their memory is reused.

mod memory;

use std::time::Duration;

use anyhow::{Context as _, anyhow};
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash as Phc, Salt};
use argon2::{Algorithm, Argon2, Params, Version};
use async_trait::async_trait;
use ring::rand::{SecureRandom as _, SystemRandom};
use steward_domain::identity::{Password, PasswordHash, PasswordHasher};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{PoolStats, Secret};

use crate::fair_semaphore::{FairSemaphore, Limits};

use memory::{Memory, MemoryPool};

/// Memory in KiB, passes and lanes, as recommended for argon2id by the OWASP Password Storage Cheat Sheet.
const MEMORY: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Environment variable with which tests ask an unoptimized build for hashes that take hardly any time and protect
/// nothing, because passwords are not their subject. Other builds do not read it.
const WEAK: &str = "WEAK_PASSWORD_HASHES";
const SALT_LEN: usize = 16;
/// Maximum number of concurrent hashes. Each uses its own memory.
const MAX_CONCURRENT: usize = 4;
/// How long unused memory is retained.
const MEMORY_IDLE_TTL: Duration = Duration::from_secs(5);
/// Maximum number of waiting hashes. A further one is rejected immediately.
const MAX_WAITING: Limits = Limits { total: 128, per_tenant: 32 };

/// Hashes passwords with argon2id.
pub struct Argon2Passwords {
    params: Params,
    semaphore: FairSemaphore,
    memory: MemoryPool,
    /// Compared if there is no stored hash, so that both cases take the same time. No password has this hash: it is not
    /// computed.
    dummy: PasswordHash,
}

impl Argon2Passwords {
    /// Fails if the parameters of argon2id are invalid.
    pub fn new() -> anyhow::Result<Self> {
        let is_weak = cfg!(debug_assertions) && std::env::var_os(WEAK).is_some_and(|value| value == "true");
        let (memory, passes) = if is_weak { (Params::MIN_M_COST, Params::MIN_T_COST) } else { (MEMORY, PASSES) };
        let params = Params::new(memory, passes, LANES, None).map_err(|error| anyhow!("argon2: {error}"))?;
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let memory = MemoryPool::new(MEMORY_IDLE_TTL);
        let dummy = encode(&params, &[0; SALT_LEN], &[0; Params::DEFAULT_OUTPUT_LEN])?;
        let semaphore = FairSemaphore::new(cores.min(MAX_CONCURRENT), MAX_WAITING);
        Ok(Self { params, semaphore, memory, dummy })
    }

    async fn bounded<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Memory) -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let pool = self.memory.clone();
        let run = move || {
            pool.free_when_idle();
            pool.with(work)
        };
        self.semaphore.run("The password was not hashed", run).await?.map_err(Error::Internal)
    }
}

#[async_trait]
impl PasswordHasher for Argon2Passwords {
    async fn hash(&self, password: Password) -> Result<PasswordHash, Error> {
        let params = self.params.clone();
        self.bounded(move |memory| hash(password.secret().expose().as_bytes(), &params, memory)).await
    }

    async fn verify(&self, text: Secret, stored: Option<PasswordHash>) -> Result<bool, Error> {
        let exists = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.dummy.clone());
        let matches = self.bounded(move |memory| matches(text.expose().as_bytes(), &stored, memory)).await?;
        Ok(exists && matches)
    }

    fn stats(&self) -> PoolStats {
        self.semaphore.stats()
    }
}

fn hash(password: &[u8], params: &Params, memory: &mut Memory) -> anyhow::Result<PasswordHash> {
    let mut salt = [0; SALT_LEN];
    SystemRandom::new().fill(&mut salt).map_err(|_| anyhow!("The operating system provides no randomness."))?;
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    digest(Algorithm::Argon2id, Version::V0x13, params, password, &salt, &mut output, memory)?;
    encode(params, &salt, &output)
}

fn encode(params: &Params, salt: &[u8], output: &[u8]) -> anyhow::Result<PasswordHash> {
    let phc = Phc {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(params).map_err(|error| anyhow!("argon2: {error}"))?,
        salt: Some(Salt::new(salt).map_err(|error| anyhow!("argon2: {error}"))?),
        hash: Some(Output::new(output).map_err(|error| anyhow!("argon2: {error}"))?),
    };
    Ok(PasswordHash::new(phc.to_string()))
}

/// Returns whether the text is the password. An invalid stored hash is an internal error, not a wrong password.
fn matches(text: &[u8], stored: &PasswordHash, memory: &mut Memory) -> anyhow::Result<bool> {
    compare(text, stored, memory).context("A stored password hash is not valid")
}

fn compare(text: &[u8], stored: &PasswordHash, memory: &mut Memory) -> anyhow::Result<bool> {
    let stored = Phc::new(stored.as_str()).map_err(|error| anyhow!("{error}"))?;
    let (Some(salt), Some(expected)) = (&stored.salt, &stored.hash) else {
        return Err(anyhow!("The salt or the output is missing."));
    };
    let algorithm = Algorithm::new(stored.algorithm.as_str()).map_err(|error| anyhow!("{error}"))?;
    let version = stored.version.map_or(Ok(Version::V0x13), Version::try_from);
    let version = version.map_err(|error| anyhow!("{error}"))?;
    let params = Params::try_from(&stored).map_err(|error| anyhow!("{error}"))?;
    let mut output = vec![0; expected.len()];
    digest(algorithm, version, &params, text, salt, &mut output, memory)?;
    let output = Output::new(&output).map_err(|error| anyhow!("{error}"))?;
    // `Output` compares in constant time.
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

    use steward_domain::kernel::work::Tenant;

    use super::*;

    #[tokio::test]
    async fn only_the_hashed_password_matches() {
        let passwords = Argon2Passwords::new().unwrap();
        let secret = |text: &str| Secret::new(text.to_owned());
        let password = Password::parse(secret("correct horse")).unwrap();
        let hash = passwords.hash(password.clone()).await.unwrap();
        assert!(hash.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", hash.as_str());
        assert_ne!(hash, passwords.hash(password).await.unwrap());
        assert!(passwords.verify(secret("correct horse"), Some(hash.clone())).await.unwrap());
        for other in ["wrong", "Correct horse", "correct horse ", "correct hors"] {
            assert!(!passwords.verify(secret(other), Some(hash.clone())).await.unwrap(), "{other}");
        }
        assert!(!passwords.verify(secret("dummy password"), None).await.unwrap());
    }

    #[tokio::test]
    async fn a_password_of_an_unknown_account_costs_as_much_as_a_wrong_one() {
        let passwords = Argon2Passwords::new().unwrap();
        let password = Password::parse(Secret::new("correct horse".to_owned())).unwrap();
        let (stored, dummy) = (passwords.hash(password).await.unwrap(), passwords.dummy.clone());
        // Algorithm, version and parameters. The time depends on nothing else.
        let cost = |hash: &PasswordHash| hash.as_str().split('$').take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(cost(&dummy), cost(&stored));
        assert_eq!(dummy.as_str().len(), stored.as_str().len());
    }

    #[tokio::test]
    async fn a_hash_created_by_the_library_alone_matches_too() {
        use argon2::PasswordHasher as _;
        let passwords = Argon2Passwords::new().unwrap();
        for (memory, passes) in [(8, 1), (MEMORY, PASSES), (2 * MEMORY, 1)] {
            let params = Params::new(memory, passes, 1, Some(24)).unwrap();
            let created: Phc = Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
                .hash_password_with_salt(b"correct horse", b"a salt of its own")
                .unwrap();
            let stored = Some(PasswordHash::new(created.to_string()));
            assert!(passwords.verify(Secret::new("correct horse".into()), stored.clone()).await.unwrap(), "{created}");
            assert!(!passwords.verify(Secret::new("correct house".into()), stored).await.unwrap(), "{created}");
        }
    }

    #[tokio::test]
    async fn a_stored_hash_that_is_not_argon2id_is_an_internal_error() {
        let passwords = Argon2Passwords::new().unwrap();
        let salt = "c29tZXNhbHRzb21lc2FsdA";
        for stored in [
            "x".to_owned(),
            format!("$scrypt$ln=14,r=8,p=1${salt}$aGFzaGhhc2hoYXNoaGFzaA"),
            format!("$argon2id$v=19$m=1,t=0,p=1${salt}$aGFzaGhhc2hoYXNoaGFzaA"),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}"),
        ] {
            let result = passwords.verify(Secret::new("x".into()), Some(PasswordHash::new(stored.clone()))).await;
            assert!(matches!(result, Err(Error::Internal(_))), "{stored}");
        }
    }

    #[tokio::test]
    async fn a_request_beyond_the_limit_is_refused_and_cancelled_requests_free_their_place() {
        let passwords = Arc::new(Argon2Passwords::new().unwrap());
        let verify = || {
            let passwords = passwords.clone();
            async move { passwords.verify(Secret::new("x".into()), None).await }
        };
        let mut busy = Vec::new();
        for _ in 0..std::thread::available_parallelism().unwrap().get().min(MAX_CONCURRENT) {
            busy.push(passwords.semaphore.take(Tenant::Service, Duration::from_secs(60)).await.unwrap());
        }
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..=MAX_WAITING.total {
            waiting.spawn(verify());
        }
        // All but one fit in the queue.
        let refused = waiting.join_next().await.unwrap().unwrap();
        assert!(matches!(refused, Err(Error::Unavailable(_))));
        assert!(matches!(verify().await, Err(Error::Unavailable(_))));

        waiting.shutdown().await;
        drop(busy);
        assert!(matches!(verify().await, Ok(false)));
    }
}
