//! Settings of sessions.

use std::time::Duration;

/// Settings of every session: the lock timeout, and the limit on how long a transaction may wait for its next statement.
pub(in crate::postgres) const SESSION: &str = "SET lock_timeout = '3s'; SET idle_in_transaction_session_timeout = '10s'; SET TIME ZONE 'UTC'; \
     SET client_min_messages = warning";

/// The lock timeout of a connection for row requests. Its statements serve several requests: if one waits for a lock, each
/// request soon runs alone.
pub(in crate::postgres) const ROW_LOCK_TIMEOUT: Duration = Duration::from_millis(20);

/// Returns the statement that sets [`ROW_LOCK_TIMEOUT`].
pub(in crate::postgres) fn row_lock_timeout() -> String {
    format!("SET lock_timeout = {}", ROW_LOCK_TIMEOUT.as_millis())
}
