//! Opens and checks connections to PostgreSQL.

use std::sync::Arc;

use diesel::connection::{CacheSize, SimpleConnection as _};
use diesel::dsl::sql;
use diesel::r2d2::ConnectionManager;
use diesel::sql_types::{Bool, Integer};
use diesel::{Connection as _, PgConnection, RunQueryDsl as _};
use r2d2::ManageConnection as _;
use steward_domain::kernel::HealthError;

use super::establish::initialize_tls;
use super::planning;
use super::pooling::Pooling;
use super::session::{SESSION, row_lock_timeout};
use crate::executor::{ConnectionUse, Connector, OpenedConnection, Pool};
use crate::postgres::items::row_request::PostgresRequest;

/// Opens and checks connections to PostgreSQL.
pub(in crate::postgres) struct PostgresConnector {
    pub(in crate::postgres) manager: ConnectionManager<PgConnection>,
    pub(in crate::postgres) pooling: Arc<Pooling>,
    /// Whether it connects to a node of a Citus cluster, which plans statements itself.
    pub(in crate::postgres) is_node: bool,
}

impl Connector for PostgresConnector {
    type Connection = PgConnection;
    type Row = PostgresRequest;
    const HAS_ROW_REQUESTS: bool = true;

    fn connect(&self, purpose: ConnectionUse) -> Result<OpenedConnection<PgConnection>, anyhow::Error> {
        initialize_tls();
        let is_pooled = self.pooling.find_out()?;
        let mut connection = self.manager.connect()?;
        if is_pooled {
            // Settings would apply to other clients, and a cancellation would reach the statement of another one.
            return Ok(OpenedConnection { connection, backend: None });
        }
        let limit = purpose.statement_limit().as_millis();
        if self.is_node && purpose == ConnectionUse::Pool(Pool::RowWrites) {
            // Citus keeps each local plan of a prepared statement, so its memory would grow by 40 KiB with each item.
            connection.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        connection.batch_execute(&format!("SET statement_timeout = {limit}; {SESSION}"))?;
        if let ConnectionUse::Pool(Pool::RowReads | Pool::RowWrites) = purpose {
            let planning = if self.is_node { String::new() } else { planning::of_session() };
            connection.batch_execute(&format!("{planning}{}", row_lock_timeout()))?;
        }
        let backend = diesel::select(sql::<Integer>("pg_backend_pid()")).get_result(&mut connection)?;
        Ok(OpenedConnection { connection, backend: Some(backend) })
    }

    fn is_alive(&self, connection: &mut PgConnection) -> bool {
        !self.manager.has_broken(connection) && self.manager.is_valid(connection).is_ok()
    }

    fn check(&self, connection: &mut PgConnection) -> Result<(), HealthError> {
        const IS_READ_ONLY: &str = "pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'";
        // A time limit does not apply to commits. The sessions of all processes have the same role, so all are visible.
        const DO_COMMITS_HANG: &str = "EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() \
             AND wait_event = 'SyncRep' AND query_start < now() - interval '1 second')";
        let columns = (sql::<Bool>(IS_READ_ONLY), sql::<Bool>(DO_COMMITS_HANG));
        match diesel::select(columns).get_result(connection) {
            Ok((false, false)) => Ok(()),
            Ok((true, _)) => Err(HealthError::ReadOnly),
            Ok((false, true)) => Err(HealthError::CommitsHang),
            Err(error) => Err(HealthError::Unreachable(error.into())),
        }
    }

    fn cancel(&self, connection: &mut PgConnection, backend: i32) -> Result<(), anyhow::Error> {
        let cancel = diesel::sql_query("SELECT pg_cancel_backend($1)").bind::<Integer, _>(backend);
        Ok(cancel.execute(connection).map(drop)?)
    }
}
