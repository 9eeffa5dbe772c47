//! Queries for email links.

use diesel::prelude::*;
use steward_domain::identity::{EmailLink, LinkPurpose};
use steward_domain::kernel::TokenDigest;

use super::Conn;
use crate::error::JobError;
use crate::tables::{EmailLinkRow, email_links};

pub(crate) fn by_digest(conn: &mut Conn, digest: &TokenDigest) -> Result<Option<EmailLink>, JobError> {
    let found = email_links::table.filter(email_links::digest.eq(&digest.0));
    let row: Option<EmailLinkRow> = found.select(EmailLinkRow::as_select()).first(conn).optional()?;
    // A newer version of the service may have stored a link with another purpose. Here it opens nothing.
    let known = row.filter(|row| LinkPurpose::parse(&row.purpose).is_some());
    known.map(TryInto::try_into).transpose()
}
