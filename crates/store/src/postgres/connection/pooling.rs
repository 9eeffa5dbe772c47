//! Poolers such as PgBouncer in transaction mode, which give each transaction another session of the server: settings of a
//! session, its notifications and its process ID then belong to another client (docs/decisions/0049-poolers.md).

use std::sync::{Mutex, OnceLock, PoisonError};

use diesel::dsl::sql;
use diesel::result::{ConnectionError, ConnectionResult};
use diesel::sql_types::{Bool, Integer, Text};
use diesel::{IntoSql as _, PgConnection, QueryResult, RunQueryDsl as _};

use super::establish::establish;
use crate::error::OpenError;

/// Set at the start of a connection. A pooler does not pass it on, because it belongs to a session.
const MARK: &str = "-c%20steward.direct%3D1";
const IS_DIRECT: &str = "coalesce(current_setting('steward.direct', true), '') = '1'";
const STATEMENT_TIMEOUT: &str = "current_setting('statement_timeout')";

/// Whether the connections to a database are pooled.
#[derive(Debug)]
pub(in crate::postgres) struct Pooling {
    url: String,
    is_pooled: OnceLock<bool>,
    /// Held while this is being found out, so that one connection is opened for it.
    finding_out: Mutex<()>,
}

impl Pooling {
    pub(in crate::postgres) fn of(url: &str) -> Self {
        Self { url: url.to_owned(), is_pooled: OnceLock::new(), finding_out: Mutex::default() }
    }

    /// Returns whether the connections are pooled. The first successful call connects.
    pub(in crate::postgres) fn find_out(&self) -> ConnectionResult<bool> {
        if let Some(is_pooled) = self.is_pooled.get() {
            return Ok(*is_pooled);
        }
        let _guard = self.finding_out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_pooled) = self.is_pooled.get() {
            return Ok(*is_pooled);
        }
        let is_pooled = is_pooled(&self.url)?;
        Ok(*self.is_pooled.get_or_init(|| is_pooled))
    }

    pub(in crate::postgres) fn url(&self) -> &str {
        &self.url
    }

    /// Returns whether the connections are known to be pooled.
    pub(in crate::postgres) fn is_known(&self) -> bool {
        self.is_pooled.get().copied().unwrap_or_default()
    }
}

/// Returns whether a pooler stands between this process and the server, which may give each transaction another session.
pub(in crate::postgres) fn is_pooled(url: &str) -> ConnectionResult<bool> {
    match establish(&marked(url)) {
        Ok(mut conn) => {
            let is_direct: QueryResult<bool> = diesel::select(sql::<Bool>(IS_DIRECT)).get_result(&mut conn);
            is_direct.map(|is_direct| !is_direct).map_err(ConnectionError::CouldntSetupConfiguration)
        }
        // PgBouncer: "unsupported startup parameter: options".
        Err(ConnectionError::BadConnection(message)) if message.contains("startup parameter") => Ok(true),
        Err(error) => Err(error),
    }
}

/// Adds the mark to the options of the connection.
fn marked(url: &str) -> String {
    match url.split_once("options=") {
        Some((before, options)) => format!("{before}options={MARK}%20{options}"),
        None => format!("{url}{}options={MARK}", if url.contains('?') { '&' } else { '?' }),
    }
}

/// Returns an error if the connections are pooled by a program that mixes up prepared statements. Logs what a role needs
/// whose sessions are shared.
pub(in crate::postgres) fn check(url: &str) -> Result<(), OpenError> {
    let failed = |error: ConnectionError| OpenError::Connect(error.into());
    if !is_pooled(url).map_err(failed)? {
        return Ok(());
    }
    let (mut one, mut other) = (establish(url).map_err(failed)?, establish(url).map_err(failed)?);
    // Both clients give their first statement the same name, and are likely to get the same session.
    let number = diesel::select(1.into_sql::<Integer>()).get_result::<i32>(&mut one);
    let text = diesel::select("a".into_sql::<Text>()).get_result::<String>(&mut other);
    let again = diesel::select(2.into_sql::<Integer>()).get_result::<i32>(&mut one);
    if number.is_err() || text.is_err() || again.is_err() {
        return Err(OpenError::Pooler);
    }
    warn_without_timeouts(&mut one);
    Ok(())
}

fn warn_without_timeouts(conn: &mut PgConnection) {
    let timeout: QueryResult<String> = diesel::select(sql::<Text>(STATEMENT_TIMEOUT)).get_result(conn);
    if timeout.is_ok_and(|timeout| timeout == "0") {
        tracing::warn!(
            "A pooler shares the sessions of PostgreSQL, and their role has no time limits. Set them: ALTER ROLE ... SET \
             statement_timeout = '10s'; ALTER ROLE ... SET lock_timeout = '3s'; \
             ALTER ROLE ... SET idle_in_transaction_session_timeout = '10s'."
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::ScratchDatabase;

    #[test]
    fn the_mark_is_added_to_the_options_of_the_url() {
        assert_eq!(marked("postgres://h/d"), format!("postgres://h/d?options={MARK}"));
        assert_eq!(marked("postgres://h/d?a=b"), format!("postgres://h/d?a=b&options={MARK}"));
        let with_options = marked("postgres://h/d?options=-c%20jit%3Doff&a=b");
        assert_eq!(with_options, format!("postgres://h/d?options={MARK}%20-c%20jit%3Doff&a=b"));
    }

    #[test]
    fn a_connection_without_a_pooler_is_direct() {
        let database = ScratchDatabase::create().unwrap();
        assert!(!is_pooled(&database.url()).unwrap());
        check(&database.url()).unwrap();
    }
}
