//! Steward's ports to cryptography, randomness and the clock: signed tokens, keyed digests, password hashes, sealed keys,
//! ids. Nothing here decides; the domain says what is signed, digested and sealed, and when.

mod clock;
mod compute;
mod keys;
mod passwords;
mod pepper;
mod random;
mod seal;
mod signer;
mod signing;
mod turns;
mod vault;

pub use clock::{SystemClock, UuidV7Ids};
pub use compute::ComputePool;
pub use keys::Keys;
pub use passwords::Argon2Passwords;
pub use random::SystemSecrets;
pub use seal::{InvalidSecret, ServerSecret};
pub use signer::HmacSigner;
pub use vault::Vault;
