//! Queries for browser sessions.

use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{AccountId, Revision, Session, SessionId, SignedIn, TokenDigest};

use super::Conn;
use super::account::Row as AccountRow;
use super::page::MAX_ROWS;
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{accounts, sessions};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = sessions)]
struct Row {
    id: Id,
    digest: String,
    account_id: Id,
    authenticated_at: At,
    password_set_at: At,
    user_agent: String,
    address: Option<String>,
    expires_at: At,
    revision: i64,
}

fn signed_in((row, account): (Row, AccountRow)) -> Result<SignedIn, JobError> {
    let session = Session {
        id: row.id.0.into(),
        digest: TokenDigest(row.digest),
        account_id: row.account_id.0.into(),
        authenticated_at: row.authenticated_at.0,
        password_set_at: row.password_set_at.0,
        user_agent: row.user_agent,
        address: row.address.map(|text| text.parse()).transpose().map_err(JobError::corrupt)?,
        expires_at: row.expires_at.0,
        revision: Revision(row.revision),
    };
    Ok(SignedIn { session, account: account.try_into()? })
}

pub(super) fn by_digest(conn: &mut Conn, digest: &TokenDigest) -> Result<Option<SignedIn>, JobError> {
    let row = sessions::table
        .inner_join(accounts::table)
        .filter(sessions::digest.eq(&digest.0))
        .select((Row::as_select(), AccountRow::as_select()))
        .first(conn)
        .optional()?;
    row.map(signed_in).transpose()
}

pub(super) fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<SignedIn>, JobError> {
    let rows: Vec<(Row, AccountRow)> = sessions::table
        .inner_join(accounts::table)
        .filter(sessions::account_id.eq(Id(account.uuid())))
        .select((Row::as_select(), AccountRow::as_select()))
        .order((sessions::authenticated_at.desc(), sessions::id.desc()))
        .limit(MAX_ROWS)
        .load(conn)?;
    rows.into_iter().map(signed_in).collect()
}

pub(super) fn by_id(conn: &mut Conn, account: AccountId, session: SessionId) -> Result<Option<SignedIn>, JobError> {
    let row = sessions::table
        .inner_join(accounts::table)
        .filter(sessions::id.eq(Id(session.uuid())))
        .filter(sessions::account_id.eq(Id(account.uuid())))
        .select((Row::as_select(), AccountRow::as_select()))
        .first(conn)
        .optional()?;
    row.map(signed_in).transpose()
}

pub(super) fn insert(conn: &mut Conn, session: &Session) -> Result<(), JobError> {
    let row = Row {
        id: Id(session.id.uuid()),
        digest: session.digest.0.clone(),
        account_id: Id(session.account_id.uuid()),
        authenticated_at: At(session.authenticated_at),
        password_set_at: At(session.password_set_at),
        user_agent: session.user_agent.clone(),
        address: session.address.map(|address| address.to_string()),
        expires_at: At(session.expires_at),
        revision: session.revision.0,
    };
    diesel::insert_into(sessions::table).values(row).execute(conn)?;
    Ok(())
}

pub(super) fn remove(conn: &mut Conn, session: &Session) -> Result<(), JobError> {
    let target = sessions::table.filter(sessions::id.eq(Id(session.id.uuid())));
    let deleted = diesel::delete(target.filter(sessions::revision.eq(session.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::Session)
}
