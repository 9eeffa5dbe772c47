//! The domain of Steward, without I/O: entities and values ([`model`]), access policy ([`policy`]), writes
//! ([`changes`]), interfaces to the outside ([`ports`]), JSON from outside ([`strict_json`]), items in files
//! ([`tabular`]), bytes as text ([`hex`]) and use cases ([`usecases`]).
//!
//! A use case reads, authorizes, decides and commits. Unit tests use the mocks of the feature `mocks`:
//!
//! ```
//! # #[cfg(feature = "mocks")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use steward_domain::error::{Conflict, Error};
//! use steward_domain::mocks::{MockStore, a_caller, a_command_for_a_team, mock_administration};
//! use steward_domain::ports::{CommitError, Unique};
//! use steward_domain::usecases::Teams;
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

mod base32;
pub mod changes;
pub mod error;
pub mod hex;
pub mod jobs;
#[cfg(any(test, feature = "mocks"))]
pub mod mocks;
pub mod model;
pub mod policy;
pub mod ports;
pub mod strict_json;
pub mod tabular;
pub mod usecases;
pub mod violations;
pub mod work;
