//! The domain of Steward, without I/O, in three areas on one kernel: [`administration`], [`data`] and [`identity`], and
//! what they share in [`kernel`]. An area exports its entities and values, the interfaces that it requires (ports), and
//! its use cases. [`Steward`] has all of them.
//!
//! A use case reads, authorizes, decides and commits. Unit tests use the mocks of the feature `mocks`:
//!
//! ```
//! # #[cfg(feature = "mocks")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use steward_domain::administration::Teams;
//! use steward_domain::kernel::error::{Conflict, Error};
//! use steward_domain::kernel::{CommitError, Unique};
//! use steward_domain::mocks::{MockStore, a_caller, a_command_for_a_team, mock_administration};
//!
//! // A store in which the slug and the first suggestion are taken.
//! let mut store = MockStore::default();
//! store.unit_of_work.expect_commit().returning(|_| Err(CommitError::Taken(Unique::TeamSlug)));
//! store.teams.expect_taken_team_slugs().returning(|slugs| Ok(slugs[..1].to_vec()));
//! let teams = Teams::new(&mock_administration(store));
//!
//! let error = teams.create(&a_caller("ann"), a_command_for_a_team("acme")).await.unwrap_err();
//! let Error::Conflict(Conflict::SlugTaken { free, .. }) = error else { panic!("{error}") };
//! assert_eq!(free.as_str(), "acme-3");
//! # }
//! # #[cfg(not(feature = "mocks"))]
//! # fn main() {}
//! ```

pub mod administration;
mod cores;
pub mod data;
mod deployment;
mod disabled;
pub mod identity;
pub mod kernel;
#[cfg(any(test, feature = "mocks"))]
pub mod mocks;
mod ports;
mod steward;

pub use cores::Cores;
pub use deployment::{Deployment, IdentitySettings};
pub use disabled::{NoBlobs, NoBreachedPasswords, NoEmail, NoIdentityProviders, NoWebhooks};
pub use ports::{
    AdministrationPorts, DataPorts, DeliveryPorts, IdentityPorts, KernelPorts, OperatorPorts, Ports, Store, StorePorts,
    SystemPorts,
};
pub use steward::{AdministrationUseCases, DataUseCases, IdentityUseCases, Steward};
