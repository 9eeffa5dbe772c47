//! Queries for email links.

use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{EmailLink, LinkPurpose, TokenDigest};

use super::Conn;
use crate::error::{JobError, expect_one};
use crate::sql_types::Id;
use crate::tables::{EmailLinkRow, email_links};

pub(super) fn by_digest(conn: &mut Conn, digest: &TokenDigest) -> Result<Option<EmailLink>, JobError> {
    let found = email_links::table.filter(email_links::digest.eq(&digest.0));
    let row: Option<EmailLinkRow> = found.select(EmailLinkRow::as_select()).first(conn).optional()?;
    // A newer version of the service may have stored a link with another purpose. Here it opens nothing.
    let known = row.filter(|row| LinkPurpose::parse(&row.purpose).is_some());
    known.map(TryInto::try_into).transpose()
}

pub(super) fn insert(conn: &mut Conn, link: &EmailLink) -> Result<(), JobError> {
    diesel::insert_into(email_links::table).values(EmailLinkRow::try_from(link)?).execute(conn)?;
    Ok(())
}

pub(super) fn remove(conn: &mut Conn, link: &EmailLink) -> Result<(), JobError> {
    let target = email_links::table.filter(email_links::id.eq(Id(link.id.uuid())));
    let deleted = diesel::delete(target.filter(email_links::revision.eq(link.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::EmailLink)
}
