//! Implementations of Steward's ports for cryptography, randomness and the clock: signed tokens, keyed digests,
//! password hashes, encrypted keys and IDs. The domain decides what is signed, digested and encrypted, and when.

mod checksum;
mod client_signatures;
mod clock;
mod compute;
mod encryption;
mod fair_semaphore;
mod keys;
mod one_time_codes;
mod passkeys;
mod passwords;
mod pepper;
mod random;
mod signer;
mod signing;
mod vault;

use std::sync::Arc;

use steward_domain::SystemPorts;
use steward_domain::kernel::ServiceAddress;

pub use checksum::Sha256;
pub use client_signatures::JwtSignatures;
pub use clock::{SystemClock, UuidV7Ids};
pub use compute::ComputePool;
pub use encryption::{InvalidSecret, ServerSecret};
pub use keys::Keys;
pub use one_time_codes::TotpCodes;
pub use passkeys::WebauthnCeremonies;
pub use passwords::Argon2Passwords;
pub use random::SystemSecrets;
pub use signer::HmacSigner;
pub use vault::Vault;

/// Returns all adapters of this crate, with keys that are encrypted with `secret` and tokens that `address` issues.
///
/// # Errors
///
/// If the system provides no randomness, or passkeys cannot be bound to the address.
pub fn system_ports(secret: ServerSecret, address: ServiceAddress) -> anyhow::Result<SystemPorts> {
    let passkeys = Arc::new(WebauthnCeremonies::new(&address)?);
    let keys = Arc::new(Keys::new(secret, address)?);
    Ok(SystemPorts {
        clock: Arc::new(SystemClock),
        ids: Arc::new(UuidV7Ids),
        secrets: Arc::new(SystemSecrets::new()?),
        digester: keys.clone(),
        passwords: Arc::new(Argon2Passwords::new()?),
        compute: Arc::new(ComputePool::default()),
        tokens: keys.clone(),
        generator: keys.clone(),
        ring: keys.clone(),
        encrypter: keys,
        signer: Arc::new(HmacSigner),
        one_time_codes: Arc::new(TotpCodes),
        passkey_ceremonies: passkeys,
        signatures: Arc::new(JwtSignatures),
        vault: Arc::new(Vault),
    })
}
