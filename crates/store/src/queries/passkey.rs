//! Queries for passkeys.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{AccountId, Passkey};
use steward_domain::ports::{PasskeyReader, StoreError};

use super::page::MAX_ROWS;
use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::Id;
use crate::tables::{PasskeyRow, passkeys};

#[async_trait]
impl PasskeyReader for Database {
    async fn passkeys(&self, account: AccountId) -> Result<Vec<Passkey>, StoreError> {
        self.read(move |conn| {
            let rows: Vec<PasskeyRow> = passkeys::table
                .filter(passkeys::account_id.eq(Id(account.uuid())))
                .select(PasskeyRow::as_select())
                .order((passkeys::created_at, passkeys::id))
                .limit(MAX_ROWS)
                .load(conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        })
        .await
    }

    async fn passkey(&self, credential_id: &[u8]) -> Result<Option<Passkey>, StoreError> {
        let id = credential_id.to_vec();
        self.read(move |conn| {
            let row: Option<PasskeyRow> = passkeys::table
                .filter(passkeys::credential_id.eq(id))
                .select(PasskeyRow::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }
}

pub(super) fn insert(conn: &mut Conn, passkey: &Passkey) -> Result<(), JobError> {
    diesel::insert_into(passkeys::table).values(PasskeyRow::try_from(passkey)?).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, passkey: &Passkey) -> Result<(), JobError> {
    let row = PasskeyRow::try_from(passkey)?;
    let target = passkeys::table.find(row.id).filter(passkeys::revision.eq(row.revision));
    let row = PasskeyRow { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::Passkey)
}

pub(super) fn remove(conn: &mut Conn, passkey: &Passkey) -> Result<(), JobError> {
    let target = passkeys::table.find(Id(passkey.id.uuid()));
    let deleted = diesel::delete(target.filter(passkeys::revision.eq(passkey.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::Passkey)
}
