//! Queries for the delivery attempts of webhooks.

use diesel::prelude::*;
use steward_domain::administration::WebhookDelivery;
use steward_domain::kernel::{Cursor, DeliveryId, Page, PageRequest, WebhookId};

use super::Conn;
use super::kernel::page;
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::{WebhookDeliveryRow, deliveries};

pub(crate) fn by_id(conn: &mut Conn, webhook: WebhookId, id: DeliveryId) -> Result<Option<WebhookDelivery>, JobError> {
    let row: Option<WebhookDeliveryRow> = deliveries::table
        .filter(deliveries::webhook_id.eq(Id(webhook.uuid())))
        .filter(deliveries::id.eq(Id(id.uuid())))
        .select(WebhookDeliveryRow::as_select())
        .first(conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(crate) fn list(
    conn: &mut Conn,
    webhook: WebhookId,
    request: &PageRequest,
) -> Result<Page<WebhookDelivery>, JobError> {
    let mut query = deliveries::table
        .filter(deliveries::webhook_id.eq(Id(webhook.uuid())))
        .select(WebhookDeliveryRow::as_select())
        .order((deliveries::at.desc(), deliveries::id.desc()))
        .limit(request.rows())
        .into_boxed();
    query = page::before_cursor!(query, request, deliveries::at, deliveries::id);
    let rows: Vec<WebhookDeliveryRow> = query.load(conn)?;
    page::parse_page(rows, request, |delivery: &WebhookDelivery| Cursor {
        at: delivery.at,
        id: delivery.id.to_string(),
    })
}

pub(crate) fn insert(conn: &mut Conn, delivery: &WebhookDelivery) -> Result<(), JobError> {
    insert_all(conn, std::slice::from_ref(delivery))
}

pub(crate) fn insert_all(conn: &mut Conn, attempts: &[WebhookDelivery]) -> Result<(), JobError> {
    let rows: Vec<WebhookDeliveryRow> = attempts.iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
    diesel::insert_into(deliveries::table).values(rows).execute(conn)?;
    Ok(())
}
