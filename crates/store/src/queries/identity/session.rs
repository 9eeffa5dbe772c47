//! Queries for browser sessions.

use diesel::prelude::*;
use steward_domain::identity::SignedIn;
use steward_domain::kernel::{AccountId, SessionId, TokenDigest};

use super::Conn;
use super::kernel::page::MAX_ROWS;
use super::second_factor::has_second_factor;
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::{AccountRow, SessionRow, accounts, sessions};

type SignedInRow = (SessionRow, AccountRow, bool);

fn signed_in((session, account, has_second_factor): SignedInRow) -> Result<SignedIn, JobError> {
    Ok(SignedIn { session: session.try_into()?, account: account.try_into()?, has_second_factor })
}

pub(crate) fn by_digest(conn: &mut Conn, digest: &TokenDigest) -> Result<Option<SignedIn>, JobError> {
    let row: Option<SignedInRow> = sessions::table
        .inner_join(accounts::table)
        .filter(sessions::digest.eq(&digest.0))
        .select((SessionRow::as_select(), AccountRow::as_select(), has_second_factor()))
        .first(conn)
        .optional()?;
    row.map(signed_in).transpose()
}

pub(crate) fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<SignedIn>, JobError> {
    let rows: Vec<SignedInRow> = sessions::table
        .inner_join(accounts::table)
        .filter(sessions::account_id.eq(Id(account.uuid())))
        .select((SessionRow::as_select(), AccountRow::as_select(), has_second_factor()))
        .order((sessions::authenticated_at.desc(), sessions::id.desc()))
        .limit(MAX_ROWS)
        .load(conn)?;
    rows.into_iter().map(signed_in).collect()
}

pub(crate) fn by_id(conn: &mut Conn, account: AccountId, session: SessionId) -> Result<Option<SignedIn>, JobError> {
    let row: Option<SignedInRow> = sessions::table
        .inner_join(accounts::table)
        .filter(sessions::id.eq(Id(session.uuid())))
        .filter(sessions::account_id.eq(Id(account.uuid())))
        .select((SessionRow::as_select(), AccountRow::as_select(), has_second_factor()))
        .first(conn)
        .optional()?;
    row.map(signed_in).transpose()
}
