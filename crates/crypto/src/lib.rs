//! Steward's ports to cryptography, randomness and the clock: signed tokens, keyed digests, password hashes, encrypted keys,
//! ids. Nothing here decides; the domain says what is signed, digested and encrypted, and when.

mod clock;
mod compute;
mod encryption;
mod fair_semaphore;
mod keys;
mod passwords;
mod pepper;
mod random;
mod signer;
mod signing;
mod vault;

pub use clock::{SystemClock, UuidV7Ids};
pub use compute::ComputePool;
pub use encryption::{InvalidSecret, ServerSecret};
pub use keys::Keys;
pub use passwords::Argon2Passwords;
pub use random::SystemSecrets;
pub use signer::HmacSigner;
pub use vault::Vault;
