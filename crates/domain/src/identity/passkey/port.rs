//! Reading passkeys, and the ceremonies in which they are made and used (WebAuthn Level 3 §7).

use async_trait::async_trait;

use crate::identity::{Account, Passkey};
use crate::kernel::{AccountId, StoreError};

/// Reads passkeys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PasskeyReader: Send + Sync {
    /// Returns the passkeys of an account, oldest first.
    async fn passkeys(&self, account: AccountId) -> Result<Vec<Passkey>, StoreError>;

    /// Returns the passkey with this credential ID. MUST see every commit that was acknowledged before, so that a challenge
    /// cannot be answered twice.
    async fn passkey(&self, credential_id: &[u8]) -> Result<Option<Passkey>, StoreError>;
}

/// The start of a ceremony.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ceremony {
    /// The options for the browser, as JSON (`PublicKeyCredentialCreationOptionsJSON` or
    /// `PublicKeyCredentialRequestOptionsJSON`).
    pub options: String,
    /// What the second step needs. It MUST NOT be changed by the browser, and MUST be used once.
    pub state: Vec<u8>,
}

/// A credential that an authenticator made or used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedCredential {
    /// The ID of the credential.
    pub id: Vec<u8>,
    /// What to store of it.
    pub record: String,
    /// Whether it is backed up (WebAuthn §6.1.3).
    pub is_synced: bool,
}

/// Why a response of an authenticator is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasskeyError {
    /// The response cannot be read, is that of another challenge, origin or credential, is from a frame of another site,
    /// or has a wrong signature; or the authenticator did not verify the person.
    #[error("the response of the authenticator is invalid")]
    Invalid,
    /// The counter of the authenticator did not increase, so there may be a copy of it (WebAuthn §6.1.1).
    #[error("the authenticator may have been copied")]
    Copied,
    /// A stored credential cannot be read.
    #[error("the stored passkey cannot be read")]
    Corrupt,
    /// The service has no host name to which passkeys can be bound: its public URL has an IP address, or browsers have no
    /// WebAuthn there, because it uses neither https nor localhost.
    #[error("passkeys require a public URL with https and a host name")]
    Unavailable,
}

/// Makes challenges for authenticators, and verifies their responses. Every credential is bound to the host of the service, and
/// discoverable; every response MUST be from the origin of the service, outside of frames of other sites, and the
/// authenticator MUST have verified the person.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait PasskeyCeremonies: Send + Sync {
    /// Returns whether passkeys can be used at the address of the service.
    fn are_available(&self) -> bool;

    /// Starts to make a passkey for an account, in an authenticator that has none of these.
    fn begin_registration(&self, account: &Account, existing: &[Passkey]) -> Result<Ceremony, PasskeyError>;

    /// Verifies a new passkey.
    fn finish_registration(&self, state: &[u8], response: &str) -> Result<VerifiedCredential, PasskeyError>;

    /// Starts a sign-in with any passkey.
    fn begin_sign_in(&self) -> Result<Ceremony, PasskeyError>;

    /// Returns the account and the ID of the credential that a response claims to be from. Nothing is verified.
    fn identify(&self, response: &str) -> Result<(AccountId, Vec<u8>), PasskeyError>;

    /// Verifies the response of a stored credential, and returns what to store of it now.
    fn finish_sign_in(&self, state: &[u8], response: &str, stored: &str) -> Result<VerifiedCredential, PasskeyError>;
}
