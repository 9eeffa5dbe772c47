//! The columns of a value that was replaced, of keys, clients and webhooks.

use steward_domain::kernel::{ReplacedValue, Time};

use crate::error::JobError;
use crate::sql_types::At;

/// Returns when the value stops working, as the column stores it.
pub(super) fn expiry<V>(value: Option<&ReplacedValue<V>>) -> Option<At> {
    value.map(|value| At(value.expires_at))
}

/// Returns when the value was last used, as the column stores it.
pub(super) fn last_use<V>(value: Option<&ReplacedValue<V>>) -> Option<At> {
    value.and_then(|value| value.last_used).map(At)
}

/// Returns the value in these columns; `None` if they are empty.
pub(super) fn replaced<V>(
    stored: Option<V>,
    expires_at: Option<At>,
    last_used: Option<At>,
) -> Result<Option<ReplacedValue<V>>, JobError> {
    match (stored, expires_at) {
        (None, None) => Ok(None),
        (Some(stored), Some(expires_at)) => {
            Ok(Some(ReplacedValue { stored, expires_at: expires_at.0, last_used: time(last_used) }))
        }
        _ => Err(JobError::corrupt("a replaced value without its digest or its expiry")),
    }
}

/// Returns the time in a column.
pub(super) fn time(at: Option<At>) -> Option<Time> {
    at.map(|at| at.0)
}
