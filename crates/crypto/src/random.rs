//! Randomness from the operating system.

use anyhow::anyhow;
use ring::rand::{SecureRandom as _, SystemRandom};
use steward_domain::ports::SecretGenerator;
use zeroize::Zeroizing;

/// Secrets from the operating system's generator.
#[derive(Debug, Clone)]
pub struct SystemSecrets {
    random: SystemRandom,
}

impl SystemSecrets {
    /// Fails when the operating system gives no randomness.
    pub fn new() -> anyhow::Result<Self> {
        let secrets = Self { random: SystemRandom::new() };
        let mut first = [0; 32];
        secrets.random.fill(&mut first).map_err(|_| anyhow!("the operating system gives no randomness"))?;
        Ok(secrets)
    }
}

impl SecretGenerator for SystemSecrets {
    /// Once it gave randomness, the operating system goes on doing so; a failure could only be a passing one.
    fn entropy(&self) -> Zeroizing<[u8; 32]> {
        let mut entropy = Zeroizing::new([0; 32]);
        while self.random.fill(entropy.as_mut_slice()).is_err() {
            std::thread::yield_now();
        }
        entropy
    }
}
