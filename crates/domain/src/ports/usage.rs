//! When credentials were last used: telemetry, collected in memory and written down in batches.

use async_trait::async_trait;

use crate::model::{ApiKeyId, KeyDigest, PersonalTokenId, PresentedValue, Time};

use super::StoreError;

/// Something that opens a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Credential {
    /// A value of an API key.
    Key(ApiKeyId, PresentedValue),
    /// A personal access token.
    Token(PersonalTokenId),
}

/// That a credential was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialUse {
    /// Which.
    pub credential: Credential,
    /// When, the last time.
    pub at: Time,
    /// What is kept of its value, and what is to be kept instead: its digest under a newer pepper.
    pub redigested: Option<(KeyDigest, KeyDigest)>,
}

/// Writes down uses. Beside `UnitOfWork` because nobody decides anything by it, and a crash may lose some.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UsageRecorder: Send + Sync {
    /// Writes them down. MUST keep the later moment when one is known already, MUST replace a digest only where the old one
    /// is still kept, MUST raise no revision, and MUST pass over what is gone.
    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError>;
}
