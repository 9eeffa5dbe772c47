//! For unit tests: a core over mocks of the ports, fakes for time and IDs, and fixtures.

mod core;
mod fakes;
mod fixtures;

pub use self::core::{mock_core, mock_system_ports, verifier};
pub use crate::ports::MockStore;
pub use crate::ports::mocks::*;
pub use fakes::{CountingIds, FixedClock, InlineCompute, PurposeEncrypter, RecordingUnitOfWork};
pub use fixtures::*;
