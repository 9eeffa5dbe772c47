//! Queries for the audit log.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::administration::{
    AuditChain, AuditEvent, AuditFilter, AuditLog, AuditSeal, EventSelection, History, MatchingEvents, RetentionCutoff,
    SealedBatch, UnsealedEvents, Webhook,
};
use steward_domain::kernel::{
    AccountId, Cursor, IdentityProviderId, Page, PageRequest, PageSize, ResourceScope, Rows, StoreError, TeamId, Time,
};

use super::audit_event::{
    Columns, EXAMINED, OLDEST_FIRST, Row, TABLES, TOLERANCE, about, after, all_settled_since, event, in_chain,
    last_examined, newest_first, not_before, of_scope, oldest_first, select, settled_since, through,
};
use super::audit_seal;
use super::dialect::{ROW_DELETED_TABLES, RowByRow};
use super::kernel::page::PageRows;
use super::kernel::statement::{Fragment, Statement};
use super::kernel::{page, position_domain};
use super::{Conn, Database, drop_partitions, prepare};
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant};
use crate::tables::{audit_seals, event_marks};

/// Maximum number of events that are scanned at once for a webhook.
const MAX_SCANNED: i64 = 5_000;

#[async_trait]
impl AuditLog for Database {
    async fn audit_events(
        &self,
        scope: ResourceScope,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |conn| find(conn, scope, &filter, &page)).await
    }

    async fn account_events(&self, account: AccountId, page: &PageRequest) -> Result<Page<AuditEvent>, StoreError> {
        let select = move |page: &PageRequest, limit| about(account.uuid(), page.after.as_ref(), limit);
        self.large_page(page, event, cursor, select).await
    }

    async fn provider_events(
        &self,
        provider: IdentityProviderId,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, StoreError> {
        let select = move |page: &PageRequest, limit| about(provider.uuid(), page.after.as_ref(), limit);
        self.large_page(page, event, cursor, select).await
    }

    async fn settled_events(
        &self,
        scope: ResourceScope,
        after: i64,
        limit: u16,
    ) -> Result<Vec<AuditEvent>, StoreError> {
        self.read(move |conn| {
            let since = written_since(conn, after)?;
            Ok(read(conn, after, limit, |events| settled_since(events, scope, since))?.items)
        })
        .await
    }

    async fn matching_events(
        &self,
        webhook: &Webhook,
        after: i64,
        through: i64,
        limit: u16,
    ) -> Result<MatchingEvents, StoreError> {
        let webhook = webhook.clone();
        self.read(move |conn| wanted(conn, &webhook, after, through, limit)).await
    }

    async fn sealed_position(&self) -> Result<i64, StoreError> {
        self.read(audit_seal::position).await
    }

    async fn history(&self) -> Result<History, StoreError> {
        // No event of a new history exists before its domain is opened.
        self.read(position_domain::history).await
    }

    async fn has_unsealed_events(&self) -> Result<bool, StoreError> {
        self.read(|conn| {
            let after = audit_seal::position(conn)?;
            let since = written_since(conn, after)?;
            let first = oldest_first(after, 1, |events| all_settled_since(events, since));
            Ok(first.get_result::<Row>(conn).optional()?.is_some())
        })
        .await
    }

    async fn unsealed_events(&self, limit: u16) -> Result<UnsealedEvents, StoreError> {
        self.read(move |conn| unsealed(conn, limit)).await
    }

    async fn seal(&self, batch: &SealedBatch) -> Result<bool, StoreError> {
        let (batch, through) = (batch.clone(), batch.through);
        let is_sealed = self.write(move |conn| audit_seal::seal(conn, &batch)).await?;
        if is_sealed {
            self.marker.raise(through);
        }
        Ok(is_sealed)
    }

    async fn chains(
        &self,
        team: Option<TeamId>,
        after: Option<AuditChain>,
        limit: u16,
    ) -> Result<Vec<AuditChain>, StoreError> {
        self.read(move |conn| audit_seal::chains(conn, team, after, limit)).await
    }

    async fn seals(&self, chain: AuditChain, after: i64, limit: u16) -> Result<Vec<AuditSeal>, StoreError> {
        let seals = audit_seals::table
            .filter(audit_seals::chain_id.eq(Id(chain.id())))
            .filter(audit_seals::number.gt(after))
            .order(audit_seals::number);
        self.all(seals.limit(limit.into())).await
    }

    async fn sealed_events(
        &self,
        chain: AuditChain,
        after: i64,
        through: i64,
        limit: u16,
    ) -> Result<Vec<AuditEvent>, StoreError> {
        self.read(move |conn| {
            let sealed = read(conn, after, limit, |events| {
                in_chain(events, chain.id());
                self::through(events, through);
            })?;
            Ok(sealed.items)
        })
        .await
    }

    async fn retention_cutoff(&self) -> Result<RetentionCutoff, StoreError> {
        self.read(audit_seal::retention_cutoff).await
    }

    async fn delete_old_events(&self, retention_cutoff: &RetentionCutoff, limit: u16) -> Result<usize, StoreError> {
        let retention_cutoff = *retention_cutoff;
        self.write(move |conn| forget(conn, &retention_cutoff, limit)).await
    }

    async fn delete_seals(&self, chain: AuditChain, before: Time, limit: u16) -> Result<usize, StoreError> {
        self.write(move |conn| audit_seal::forget(conn, chain, before, limit)).await
    }

    async fn prepare(&self, now: Time) -> Result<(), StoreError> {
        self.write(move |conn| prepare(conn, now)).await
    }
}

/// Reads a page of the events that match a filter, of a bounded number. So it can have few events, or none, before the end.
pub(crate) fn find(
    conn: &mut Conn,
    scope: ResourceScope,
    filter: &AuditFilter,
    request: &PageRequest,
) -> Result<Page<AuditEvent>, JobError> {
    let is_search = filter.actor.is_some() || filter.action.is_some() || filter.target.is_some();
    let mut searched = Page { items: Vec::new(), next: None };
    // To find out which the last of many events is takes longer than to read a page.
    for count in EXAMINED {
        let last = match is_search {
            true => last_examined(scope, filter, request.after.as_ref(), count).get_result::<Option<i64>>(conn)?,
            false => None,
        };
        let page = page::read_page(request, event, cursor, |request, part: &mut PageRows<Row>| {
            let events = newest_first(scope, filter, (request.after.as_ref(), last), part.limit());
            part.take(events.load_iter::<Row, RowByRow>(conn)?)
        })?;
        let Some(last) = last.filter(|_| page.next.is_none()) else { return Ok(page) };
        searched = Page { next: Some(page::cursor(Time::UNIX_EPOCH, last)), ..page };
    }
    Ok(searched)
}

/// Reads events in order, up to `limit` rows or the maximum size of a page in bytes.
fn read(
    conn: &mut Conn,
    start: i64,
    limit: u16,
    conditions: impl Fn(&mut Statement<Columns>),
) -> Result<Rows<AuditEvent>, JobError> {
    let size = PageSize { rows: limit, ..PageSize::MAX };
    let position = |event: &AuditEvent| event.position;
    page::read(size, start, event, position, |start, part: &mut PageRows<Row>| {
        let events = oldest_first(*start, part.limit(), &conditions);
        part.take(events.load_iter::<Row, RowByRow>(conn)?)
    })
}

fn cursor(event: &AuditEvent) -> Cursor {
    page::cursor(event.at, event.position)
}

/// Reads the settled events of all chains that are not sealed yet.
fn unsealed(conn: &mut Conn, limit: u16) -> Result<UnsealedEvents, JobError> {
    let after = audit_seal::position(conn)?;
    let since = written_since(conn, after)?;
    let events = read(conn, after, limit, |events| all_settled_since(events, since))?.items;
    let mut chains: Vec<AuditChain> = events.iter().filter_map(AuditEvent::chain).collect();
    chains.sort_unstable();
    chains.dedup();
    let last_seals = if chains.is_empty() { Vec::new() } else { audit_seal::last_seals(conn, &chains)? };
    Ok(UnsealedEvents { after, events, last_seals })
}

/// Returns the earliest possible timestamp of events after this position, so that older partitions are not scanned.
/// `None` if no mark exists at or before the position.
fn written_since(conn: &mut Conn, after: i64) -> Result<Option<At>, JobError> {
    let mark: Option<At> = event_marks::table
        .filter(event_marks::position.le(after))
        .select(event_marks::at)
        .order(event_marks::position.desc())
        .first(conn)
        .optional()?;
    Ok(mark.map(|mark| At(mark.0 - TOLERANCE)))
}

fn wanted(conn: &mut Conn, webhook: &Webhook, start: i64, last: i64, limit: u16) -> Result<MatchingEvents, JobError> {
    let since = written_since(conn, start)?;
    let scanned = select(&TABLES, "SELECT position", OLDEST_FIRST, MAX_SCANNED, |events: &mut Statement<BigInt>| {
        of_scope(events, webhook.scope());
        after(events, start);
        through(events, last);
    });
    let scanned: Vec<i64> = scanned.load(conn)?;
    let Some(end) = scanned.last().copied() else { return Ok(MatchingEvents { events: Vec::new(), through: last }) };
    let Rows { items: events, more } = read(conn, start, limit, |events| {
        of_scope(events, webhook.scope());
        through(events, end);
        not_before(events, since);
        events.push(" AND at >= $1", &[Fragment::at(webhook.created_at)]);
        if let EventSelection::Names(names) = &webhook.events {
            events.sql(" AND action IN (");
            for (number, name) in names.iter().enumerate() {
                events.sql(if number == 0 { "" } else { ", " });
                events.text(name.as_str());
            }
            events.sql(")");
        }
    })?;
    let through = events.last().filter(|_| more).map_or(end, |event| event.position);
    Ok(MatchingEvents { events, through })
}

/// Drops whole partitions, and deletes up to `limit` rows from each table whose rows are deleted one by one.
fn forget(conn: &mut Conn, retention_cutoff: &RetentionCutoff, limit: u16) -> Result<usize, JobError> {
    audit_seal::record_retention_cutoff(conn, retention_cutoff)?;
    let mut deleted = drop_partitions(conn, retention_cutoff)?;
    let cutoffs = [retention_cutoff.events, retention_cutoff.item_changes, retention_cutoff.events];
    for (table, retention_cutoff) in ROW_DELETED_TABLES.into_iter().zip(cutoffs) {
        let Some(retention_cutoff) = retention_cutoff else { continue };
        let delete = format!(
            "DELETE FROM {table} WHERE at < $1 AND position IN (SELECT position FROM {table} \
             WHERE position <= (SELECT position FROM audit_progress) ORDER BY position LIMIT $2)"
        );
        let delete = diesel::sql_query(delete).bind::<Instant, _>(At(retention_cutoff));
        let delete = delete.bind::<BigInt, _>(i64::from(limit));
        deleted = deleted.saturating_add(delete.execute(conn)?);
    }
    Ok(deleted)
}
