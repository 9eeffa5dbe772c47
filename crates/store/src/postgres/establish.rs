//! Opens connections to PostgreSQL.

use diesel::{Connection as _, ConnectionResult, PgConnection};

use super::address;
use crate::error::OpenError;

/// Opens a connection for commands and migrations.
pub(super) fn connect(url: &str) -> Result<PgConnection, OpenError> {
    establish(url).map_err(|error| OpenError::Connect(error.into()))
}

/// Opens a connection outside of the pools.
pub(crate) fn establish(url: &str) -> ConnectionResult<PgConnection> {
    initialize_tls();
    PgConnection::establish(&address::with_defaults(url))
}

/// Initializes OpenSSL without its cleanup at the end of the process, which frees what threads with connections still
/// use. MUST be called before the first connection is opened.
pub(super) fn initialize_tls() {
    openssl_sys::init();
}
