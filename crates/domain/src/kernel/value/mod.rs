//! Values that all areas have. A value that violates its rules cannot be constructed.

pub(super) mod audited;
pub(super) mod debug_only;
pub(super) mod digest;
pub(super) mod named;
pub(super) mod opaque;
pub(super) mod page;
pub(super) mod replaced_values;
pub(super) mod resource_kind;
pub(super) mod resource_scope;
pub(super) mod revision;
pub(super) mod secret;
pub(super) mod whole_seconds;

/// A timestamp in UTC with microsecond precision, which every store keeps.
pub type Time = chrono::DateTime<chrono::Utc>;

/// The error for a value that violates a rule. The message is a predicate such as "must be 1 to 100 characters", so
/// that it can follow the name of a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(pub &'static str);
