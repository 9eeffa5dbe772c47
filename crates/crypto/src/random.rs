//! Randomness from the operating system.

use anyhow::anyhow;
use ring::rand::{SecureRandom as _, SystemRandom};
use steward_domain::kernel::SecretGenerator;
use zeroize::Zeroizing;

/// Generates secrets with the operating system's random number generator.
#[derive(Debug, Clone)]
pub struct SystemSecrets {
    random: SystemRandom,
}

impl SystemSecrets {
    /// Fails if the operating system provides no randomness.
    pub fn new() -> anyhow::Result<Self> {
        let secrets = Self { random: SystemRandom::new() };
        let mut first = [0; 32];
        secrets.random.fill(&mut first).map_err(|_| anyhow!("The operating system provides no randomness."))?;
        Ok(secrets)
    }
}

impl SecretGenerator for SystemSecrets {
    /// Retries on errors. Once the operating system has provided randomness, an error can only be temporary.
    fn entropy(&self) -> Zeroizing<[u8; 32]> {
        let mut entropy = Zeroizing::new([0; 32]);
        while self.random.fill(entropy.as_mut_slice()).is_err() {
            std::thread::yield_now();
        }
        entropy
    }
}
