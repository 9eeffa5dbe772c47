//! Queries for email links.

use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{Email, EmailLink, LinkPurpose, Revision, TokenDigest};

use super::Conn;
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::email_links;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = email_links)]
struct Row {
    id: Id,
    digest: String,
    purpose: String,
    email: String,
    created_at: At,
    expires_at: At,
    revision: i64,
}

impl TryFrom<Row> for EmailLink {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            digest: TokenDigest(row.digest),
            purpose: LinkPurpose::parse(&row.purpose)
                .ok_or_else(|| JobError::corrupt("an email link with an unknown purpose"))?,
            email: Email::parse(&row.email).map_err(JobError::corrupt)?,
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            revision: Revision(row.revision),
        })
    }
}

pub(super) fn by_digest(conn: &mut Conn, digest: &TokenDigest) -> Result<Option<EmailLink>, JobError> {
    let found = email_links::table.filter(email_links::digest.eq(&digest.0));
    let row: Option<Row> = found.select(Row::as_select()).first(conn).optional()?;
    // A newer version of the service may have stored a link with another purpose. Here it opens nothing.
    let known = row.filter(|row| LinkPurpose::parse(&row.purpose).is_some());
    known.map(TryInto::try_into).transpose()
}

pub(super) fn insert(conn: &mut Conn, link: &EmailLink) -> Result<(), JobError> {
    let row = Row {
        id: Id(link.id.uuid()),
        digest: link.digest.0.clone(),
        purpose: link.purpose.as_str().to_owned(),
        email: link.email.as_str().to_owned(),
        created_at: At(link.created_at),
        expires_at: At(link.expires_at),
        revision: link.revision.0,
    };
    diesel::insert_into(email_links::table).values(row).execute(conn)?;
    Ok(())
}

pub(super) fn remove(conn: &mut Conn, link: &EmailLink) -> Result<(), JobError> {
    let target = email_links::table.filter(email_links::id.eq(Id(link.id.uuid())));
    let deleted = diesel::delete(target.filter(email_links::revision.eq(link.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::EmailLink)
}
