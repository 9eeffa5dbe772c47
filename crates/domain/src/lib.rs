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
//! use std::sync::Arc;
//!
//! use steward_domain::error::{Conflict, Error};
//! use steward_domain::mocks::{CountingIds, FixedClock, a_caller, a_command_for_a_team, access_by};
//! use steward_domain::mocks::{MockAccessReader, MockInviteReader, MockProjectReader, MockTeamReader, MockUnitOfWork};
//! use steward_domain::ports::{CommitError, Unique};
//! use steward_domain::usecases::Teams;
//!
//! // A store in which the slug and the first suggestion are taken.
//! let mut store = MockUnitOfWork::new();
//! store.expect_commit().returning(|_| Err(CommitError::Taken(Unique::TeamSlug)));
//! let mut readers = MockTeamReader::new();
//! readers.expect_taken_team_slugs().returning(|slugs| Ok(slugs[..1].to_vec()));
//!
//! let (store, clock, ids) = (Arc::new(store), Arc::new(FixedClock::default()), Arc::new(CountingIds::default()));
//! let access = access_by(MockAccessReader::new());
//! let (projects, invites) = (Arc::new(MockProjectReader::new()), Arc::new(MockInviteReader::new()));
//! let teams = Teams { access, teams: Arc::new(readers), projects, invites, store, clock, ids };
//!
//! let error = teams.create(&a_caller("ann"), a_command_for_a_team("acme")).await.unwrap_err();
//! let Error::Conflict(Conflict::SlugTaken { free, .. }) = error else { panic!("{error}") };
//! assert_eq!(free.as_str(), "acme-3");
//! # }
//! # #[cfg(not(feature = "mocks"))]
//! # fn main() {}
//! ```

pub mod changes;
pub mod error;
pub mod hex;
pub mod jobs;
#[cfg(feature = "mocks")]
pub mod mocks;
pub mod model;
pub mod policy;
pub mod ports;
pub mod strict_json;
pub mod tabular;
pub mod usecases;
pub mod violations;
pub mod work;
