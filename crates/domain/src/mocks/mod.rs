//! For unit tests: what use cases share over mocks of the ports, fakes for time and IDs, and fixtures.

mod core;
mod fakes;
mod fixtures;
#[cfg(any(test, feature = "mocks"))]
pub(crate) mod ports;

pub use self::core::{mock_administration, mock_cores, mock_data, mock_identity, mock_system_ports, verifier};
pub use crate::mocks::ports::*;
pub use crate::ports::MockStore;
pub use fakes::{CountingIds, FixedClock, InlineCompute, PurposeEncrypter, RecordingUnitOfWork};
pub use fixtures::*;
