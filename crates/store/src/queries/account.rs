//! Accounts in rows.

use diesel::prelude::*;
use steward_domain::error::Kind;
use steward_domain::model::{Account, AccountId, Email, Name, PasswordHash, Revision, Username};

use super::Conn;
use crate::error::Fault;
use crate::sql_types::{At, Id};
use crate::tables::accounts;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = accounts)]
pub(super) struct Row {
    id: Id,
    email: String,
    email_folded: String,
    email_verified: bool,
    username: Option<String>,
    username_folded: Option<String>,
    name: Option<String>,
    password_hash: String,
    password_set_at: At,
    created_at: At,
    revision: i64,
}

impl TryFrom<Row> for Account {
    type Error = Fault;

    fn try_from(row: Row) -> Result<Self, Fault> {
        Ok(Self {
            id: row.id.0.into(),
            email: Email::parse(&row.email).map_err(Fault::corrupt)?,
            email_verified: row.email_verified,
            username: row.username.map(|text| Username::parse(&text)).transpose().map_err(Fault::corrupt)?,
            name: row.name.map(|text| Name::parse(&text)).transpose().map_err(Fault::corrupt)?,
            password: PasswordHash::new(row.password_hash),
            password_set_at: row.password_set_at.0,
            created_at: row.created_at.0,
            revision: Revision(row.revision),
        })
    }
}

impl From<&Account> for Row {
    fn from(account: &Account) -> Self {
        Self {
            id: Id(account.id.uuid()),
            email: account.email.as_str().to_owned(),
            email_folded: account.email.folded(),
            email_verified: account.email_verified,
            username: account.username.as_ref().map(|name| name.as_str().to_owned()),
            username_folded: account.username.as_ref().map(Username::folded),
            name: account.name.as_ref().map(|name| name.as_str().to_owned()),
            password_hash: account.password.as_str().to_owned(),
            password_set_at: At(account.password_set_at),
            created_at: At(account.created_at),
            revision: account.revision.0,
        }
    }
}

pub(super) fn by_id(conn: &mut Conn, id: AccountId) -> Result<Option<Account>, Fault> {
    let row = accounts::table.find(Id(id.uuid())).select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn by_email(conn: &mut Conn, email: &Email) -> Result<Option<Account>, Fault> {
    let found = accounts::table.filter(accounts::email_folded.eq(email.folded()));
    let row = found.select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn by_username(conn: &mut Conn, username: &Username) -> Result<Option<Account>, Fault> {
    let found = accounts::table.filter(accounts::username_folded.eq(username.folded()));
    let row = found.select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn insert(conn: &mut Conn, account: &Account) -> Result<(), Fault> {
    diesel::insert_into(accounts::table).values(Row::from(account)).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, account: &Account) -> Result<(), Fault> {
    let row = Row::from(account);
    let target = accounts::table.filter(accounts::id.eq(row.id)).filter(accounts::revision.eq(row.revision));
    let changed = diesel::update(target)
        .set((
            accounts::email.eq(row.email),
            accounts::email_folded.eq(row.email_folded),
            accounts::email_verified.eq(row.email_verified),
            accounts::username.eq(row.username),
            accounts::username_folded.eq(row.username_folded),
            accounts::name.eq(row.name),
            accounts::password_hash.eq(row.password_hash),
            accounts::password_set_at.eq(row.password_set_at),
            accounts::revision.eq(accounts::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, Kind::Account)
}

pub(super) fn remove(conn: &mut Conn, account: &Account) -> Result<(), Fault> {
    let target = accounts::table.filter(accounts::id.eq(Id(account.id.uuid())));
    let gone = diesel::delete(target.filter(accounts::revision.eq(account.revision.0))).execute(conn)?;
    super::commit::one(gone, Kind::Account)
}
