//! Domains of positions (docs/decisions/0047-position-domains.md): the ranges from which events get their positions.

use const_format::concatcp;
use diesel::Connection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use steward_domain::administration::History;
use steward_domain::data::SyncSpan;
use steward_domain::kernel::StoreError;

use super::dialect::{
    LAST_SETTLED_POSITION, LAST_WRITTEN_POSITION, SERVER, lock_domains, push_has_position, push_is_of_this_life,
    push_life,
};
use super::statement::{Fragment, Statement};
use super::{Conn, Database};
use crate::error::JobError;
use crate::position_marker::PositionMarker;
use crate::tables::{audit_progress, position_domains};

/// Number of bits of a position below its domain.
const DOMAIN_BITS: u32 = 34;
/// The beginning of 2026, in hours since the Unix epoch. A new domain is at least the number of hours since then, so that
/// a restored database does not open a domain again that it opened after the backup.
const FIRST_HOUR: i64 = 490_896;
/// The last domain that follows from the clock, so that a wrong clock leaves domains.
const LAST_OF_CLOCK: i64 = 1 << 18;

/// The life of the server, and then the columns of [`SERVER`]: the cluster, the ID of the transaction, and the number of hours
/// since the Unix epoch.
pub(crate) type ServerColumns = (BigInt, Text, BigInt, BigInt);

impl Database {
    /// Runs a query about positions, after opening a domain unless this life of the server has one. Before that, it is not known
    /// whether the database was restored.
    pub(crate) async fn read_in_domain<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Conn) -> Result<T, JobError> + Send + 'static,
    {
        let marker = self.marker.clone();
        if !self.read(move |conn| has_domain(conn, &marker)).await? {
            let marker = self.marker.clone();
            let newest = self.write(move |conn| open(conn, &marker)).await?;
            self.marker.raise(newest);
        }
        self.read(query).await
    }
}

/// Returns whether this life of the server has a domain.
pub(crate) fn has_domain(conn: &mut Conn, marker: &PositionMarker) -> Result<bool, JobError> {
    let mut exists: Statement<Bool> = Statement::new();
    exists.sql("SELECT EXISTS (SELECT 1 FROM position_domains WHERE life = ");
    push_life(&mut exists, marker);
    exists.sql(")");
    Ok(exists.get_result(conn)?)
}

/// Opens a domain for this and later transactions, unless another process has done it. Returns the first position of the newest
/// domain, with which the caller raises the marker once it is committed.
pub(crate) fn open(conn: &mut Conn, marker: &PositionMarker) -> Result<i64, JobError> {
    conn.transaction(|conn| {
        lock_domains(conn)?;
        let mut has_position: Statement<Bool> = Statement::new();
        push_has_position(&mut has_position, marker);
        if !has_position.get_result(conn)? {
            let (domain, history) = insert(conn, marker)?;
            tracing::info!(domain, history, "Opens a domain of positions.");
        }
        let newest: Option<i64> =
            position_domains::table.select(diesel::dsl::max(position_domains::domain)).first(conn)?;
        Ok(newest.map_or(0, start))
    })
}

/// Returns the number and the history of the domain.
fn insert(conn: &mut Conn, marker: &PositionMarker) -> Result<(i64, i64), JobError> {
    let mut server: Statement<ServerColumns> = Statement::new();
    server.sql("SELECT ");
    push_life(&mut server, marker);
    server.sql(SERVER);
    let (life, cluster, transaction, hour): (i64, String, i64, i64) = server.get_result(conn)?;
    let last: Option<(i64, i64, i64, String)> = position_domains::table
        .select((
            position_domains::domain,
            position_domains::life,
            position_domains::history,
            position_domains::cluster,
        ))
        .order(position_domains::domain.desc())
        .first(conn)
        .optional()?;
    let delivered: i64 = audit_progress::table.select(audit_progress::delivered).first(conn)?;
    let written: Statement<BigInt> = Statement::numbered(concatcp!("SELECT ", LAST_WRITTEN_POSITION), &[]);
    let written: i64 = written.get_result(conn)?;

    let (known, last_life, history, last_cluster) = last.unwrap_or((0, life, 0, cluster.clone()));
    let went_back = history > 0 && marker.position() > written.max(delivered).max(start(known));
    let is_new_history = history == 0 || last_cluster != cluster || went_back;
    let highest = known.max(written >> DOMAIN_BITS).max(marker.position() >> DOMAIN_BITS);
    let by_clock = hour.saturating_sub(FIRST_HOUR).min(LAST_OF_CLOCK);
    let domain = highest.saturating_add(1).max(by_clock);
    // Within a life, transaction IDs do not go back, so no position is uncertain.
    let after = if history > 0 && last_life == life && !is_new_history { start(domain) } else { delivered };
    let history = history.saturating_add(is_new_history.into());
    if went_back {
        tracing::warn!(history, "The database was restored to an earlier state.");
    }
    diesel::insert_into(position_domains::table)
        .values((
            position_domains::domain.eq(domain),
            position_domains::life.eq(life),
            position_domains::first_transaction.eq(transaction),
            position_domains::history.eq(history),
            position_domains::cluster.eq(cluster),
            position_domains::opened_hour.eq(hour),
            position_domains::after_position.eq(after),
        ))
        .execute(conn)?;
    Ok((domain, history))
}

/// Returns whether the store may have been restored in between, so that devices may have changes that were lost. `None` if
/// that is not known yet, because this life of the server has no domain.
pub(crate) fn has_gap(conn: &mut Conn, marker: &PositionMarker, span: SyncSpan) -> Result<Option<bool>, JobError> {
    if domain_after(span.after) == domain_after(span.through) {
        return Ok(Some(false));
    }
    if !has_domain(conn, marker)? {
        return Ok(None);
    }
    let opened = position_domains::table
        .filter(position_domains::domain.gt(domain_after(span.after)))
        .filter(position_domains::domain.le(domain_after(span.through)))
        // The domain that follows a full one leaves no gap.
        .filter(position_domains::after_position.lt(position_domains::domain * (1_i64 << DOMAIN_BITS)));
    Ok(Some(diesel::select(diesel::dsl::exists(opened)).get_result(conn)?))
}

/// Returns the domain of the first position after a settled one, which can be the last before a domain.
fn domain_after(settled: i64) -> i64 {
    settled.saturating_add(1) >> DOMAIN_BITS
}

/// Returns the first position of a domain.
fn start(domain: i64) -> i64 {
    domain << DOMAIN_BITS
}

/// Returns the span of changes that a device lacks: all, if this history may not contain what the device has.
pub(crate) fn span_after(conn: &mut Conn, synced: Option<i64>) -> Result<SyncSpan, JobError> {
    let synced = synced.unwrap_or_default();
    const KNOWN: &str = concatcp!(
        "SELECT ",
        LAST_SETTLED_POSITION,
        ", NOT EXISTS (SELECT 1 FROM position_domains WHERE after_position < $1 AND domain > $2)"
    );
    let values = [synced, domain_after(synced)].map(Fragment::Count);
    let known: Statement<(BigInt, Bool)> = Statement::numbered(KNOWN, &values);
    let (through, is_certain): (i64, bool) = known.get_result(conn)?;
    let after = if is_certain && (0..=through).contains(&synced) { synced } else { 0 };
    Ok(SyncSpan { after, through })
}

/// Records that devices received the changes up to a settled position. Returns `false` if the position is of an earlier life of
/// the server: changes up to it may be lost.
pub(crate) fn record_delivered(conn: &mut Conn, position: i64) -> Result<bool, JobError> {
    const RECORD: &str = "UPDATE audit_progress SET delivered = $1 WHERE delivered < $1";
    let mut record: Statement<()> = Statement::numbered(RECORD, &[Fragment::Count(position)]);
    push_is_of_this_life(&mut record, domain_after(position));
    Ok(record.execute(conn)? > 0)
}

/// Returns the current history.
pub(crate) fn history(conn: &mut Conn) -> Result<History, JobError> {
    let last: Option<i64> = position_domains::table.select(diesel::dsl::max(position_domains::history)).first(conn)?;
    let Some(number) = last else { return Ok(History::FIRST) };
    let after = position_domains::table
        .filter(position_domains::history.eq(number))
        .select(position_domains::after_position)
        .order(position_domains::domain)
        .first(conn)?;
    Ok(History { number, after })
}
