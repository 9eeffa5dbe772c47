//! Queries for the delivery attempts of webhooks.

use diesel::prelude::*;
use steward_domain::model::{Cursor, DeliveryId, Page, PageRequest, WebhookDelivery, WebhookId};

use super::{Conn, page};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::deliveries;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = deliveries)]
struct Row {
    id: Id,
    webhook_id: Id,
    position: i64,
    event: String,
    attempt: i64,
    at: At,
    took_ms: i64,
    status: Option<i64>,
    error: Option<String>,
}

impl TryFrom<Row> for WebhookDelivery {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            webhook_id: row.webhook_id.0.into(),
            position: row.position,
            event: row.event,
            attempt: u32::try_from(row.attempt).map_err(JobError::corrupt)?,
            at: row.at.0,
            took_ms: row.took_ms,
            status: row.status.map(u16::try_from).transpose().map_err(JobError::corrupt)?,
            error: row.error,
        })
    }
}

impl From<&WebhookDelivery> for Row {
    fn from(delivery: &WebhookDelivery) -> Self {
        Self {
            id: Id(delivery.id.uuid()),
            webhook_id: Id(delivery.webhook_id.uuid()),
            position: delivery.position,
            event: delivery.event.clone(),
            attempt: i64::from(delivery.attempt),
            at: At(delivery.at),
            took_ms: delivery.took_ms,
            status: delivery.status.map(i64::from),
            error: delivery.error.clone(),
        }
    }
}

pub(super) fn by_id(conn: &mut Conn, webhook: WebhookId, id: DeliveryId) -> Result<Option<WebhookDelivery>, JobError> {
    let row: Option<Row> = deliveries::table
        .filter(deliveries::webhook_id.eq(Id(webhook.uuid())))
        .filter(deliveries::id.eq(Id(id.uuid())))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn list(
    conn: &mut Conn,
    webhook: WebhookId,
    request: &PageRequest,
) -> Result<Page<WebhookDelivery>, JobError> {
    let mut query = deliveries::table
        .filter(deliveries::webhook_id.eq(Id(webhook.uuid())))
        .select(Row::as_select())
        .order((deliveries::at.desc(), deliveries::id.desc()))
        .limit(request.rows())
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        query = query.filter(deliveries::at.lt(at).or(deliveries::at.eq(at).and(deliveries::id.lt(id))));
    }
    let rows: Vec<Row> = query.load(conn)?;
    page::parse_page(rows, request, |delivery: &WebhookDelivery| Cursor {
        at: delivery.at,
        id: delivery.id.to_string(),
    })
}

pub(super) fn insert(conn: &mut Conn, delivery: &WebhookDelivery) -> Result<(), JobError> {
    diesel::insert_into(deliveries::table).values(Row::from(delivery)).execute(conn)?;
    Ok(())
}
