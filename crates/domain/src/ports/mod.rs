//! Ports: what the domain needs of the world, as traits with promises. `steward-store-contract` proves the store's.

mod access;
mod account;
mod api_key;
mod authorization;
mod blob_store;
mod clock;
mod id_generator;
mod invite;
mod item;
mod mailer;
mod passwords;
mod project;
mod project_user;
mod schema;
mod secrets;
mod server_key;
mod team;
mod tokens;
mod unit_of_work;

pub use access::AccessReader;
pub use account::AccountReader;
pub use api_key::ApiKeyReader;
pub use authorization::{AuthorizationReader, SweepMoments, Sweeper};
pub use blob_store::{BlobReader, BlobStore};
pub use clock::Clock;
pub use id_generator::IdGenerator;
pub use invite::InviteReader;
pub use item::ItemReader;
pub use mailer::Mailer;
pub use passwords::PasswordHasher;
pub use project::ProjectReader;
pub use project_user::ProjectUserReader;
pub use schema::SchemaReader;
pub use secrets::{KeyDigester, SecretGenerator, TokenVault};
pub use server_key::{KeyForge, KeyRing, ServerKeyReader};
pub use team::TeamReader;
pub use tokens::{AccessTokens, TokenRefusal};
pub use unit_of_work::{CommitError, Committed, ItemOutcome, Unique, UnitOfWork};

#[cfg(feature = "mocks")]
pub use {
    access::MockAccessReader,
    account::MockAccountReader,
    api_key::MockApiKeyReader,
    authorization::{MockAuthorizationReader, MockSweeper},
    blob_store::{MockBlobReader, MockBlobStore},
    clock::MockClock,
    id_generator::MockIdGenerator,
    invite::MockInviteReader,
    item::MockItemReader,
    mailer::MockMailer,
    passwords::MockPasswordHasher,
    project::MockProjectReader,
    project_user::MockProjectUserReader,
    schema::MockSchemaReader,
    secrets::{MockKeyDigester, MockSecretGenerator, MockTokenVault},
    server_key::{MockKeyForge, MockKeyRing, MockServerKeyReader},
    team::MockTeamReader,
    tokens::MockAccessTokens,
    unit_of_work::MockUnitOfWork,
};

use async_trait::async_trait;

use crate::error::{Cause, Error};

/// Why a store could not be read. Absence is no error: it is `None`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be reached, or has too much to do.
    #[error("the store cannot be reached")]
    Unavailable(#[source] Cause),
    /// It holds something that the domain refuses.
    #[error("the store holds something that cannot be")]
    Corrupt(#[source] Cause),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause) => Self::Unavailable(cause),
            StoreError::Corrupt(cause) => Self::Internal(cause),
        }
    }
}

/// Tells whether the store answers.
#[async_trait]
pub trait StoreHealth: Send + Sync {
    /// Succeeds when the store answers a query right now.
    async fn ping(&self) -> Result<(), StoreError>;
}

/// Everything a store does. An adapter implements the parts.
pub trait Store:
    UnitOfWork
    + AccessReader
    + AccountReader
    + TeamReader
    + InviteReader
    + ProjectReader
    + ApiKeyReader
    + SchemaReader
    + ProjectUserReader
    + ItemReader
    + ServerKeyReader
    + AuthorizationReader
    + Sweeper
    + StoreHealth
{
}

impl<T> Store for T where
    T: UnitOfWork
        + AccessReader
        + AccountReader
        + TeamReader
        + InviteReader
        + ProjectReader
        + ApiKeyReader
        + SchemaReader
        + ProjectUserReader
        + ItemReader
        + ServerKeyReader
        + AuthorizationReader
        + Sweeper
        + StoreHealth
{
}
