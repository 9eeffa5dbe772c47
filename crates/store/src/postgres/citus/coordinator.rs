//! Connections to the coordinator of a Citus cluster, on which writes on its nodes are proven.

use std::sync::Arc;
use std::time::Duration;

use diesel::PgConnection;
use diesel::connection::SimpleConnection as _;
use diesel::r2d2::{ConnectionManager, Error};

use crate::executor::{ConnectionUse, Pool};
use crate::position_marker::PositionMarker;
use crate::postgres::connection::session::{SESSION, row_lock_timeout};
use crate::postgres::connection::{address, planning};

/// Time to wait for a connection.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(1);

/// A pool of connections to the coordinator.
pub(in crate::postgres) struct Coordinator {
    pub(super) connections: r2d2::Pool<ConnectionManager<PgConnection>>,
    pub(super) marker: Arc<PositionMarker>,
}

impl Coordinator {
    /// Creates a pool of at most `size` connections, which are opened when they are needed.
    pub(super) fn new(url: &str, size: u32, marker: Arc<PositionMarker>) -> Self {
        let connections = r2d2::Pool::builder()
            .max_size(size)
            .min_idle(Some(0))
            .connection_timeout(CONNECTION_TIMEOUT)
            .connection_customizer(Box::new(ProofSession))
            .build_unchecked(ConnectionManager::new(address::with_defaults(url)));
        Self { connections, marker }
    }
}

/// A transaction lasts as long as the one on the node, whose commit can wait for a standby until it is cancelled at the limit of
/// its caller. If the connection is lost, or this process does not go on, it ends soon: until then no position is settled.
const LIMITS: &str = "SET idle_in_transaction_session_timeout = '30s'; SET tcp_keepalives_idle = 4; \
     SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 5000";

/// Prepares the connections.
#[derive(Debug)]
struct ProofSession;

impl r2d2::CustomizeConnection<PgConnection, Error> for ProofSession {
    fn on_acquire(&self, connection: &mut PgConnection) -> Result<(), Error> {
        let limit = ConnectionUse::Pool(Pool::RowWrites).statement_limit().as_millis();
        let settings = format!(
            "{SESSION}; SET statement_timeout = {limit}; {LIMITS}; {}{}",
            planning::of_session(),
            row_lock_timeout()
        );
        connection.batch_execute(&settings).map_err(Error::QueryError)
    }
}
