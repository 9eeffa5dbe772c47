//! Queries for passkeys.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::identity::{Passkey, PasskeyReader};
use steward_domain::kernel::{AccountId, StoreError};

use super::Database;
use super::kernel::page::MAX_ROWS;
use crate::sql_types::Id;
use crate::tables::{PasskeyRow, passkeys};

#[async_trait]
impl PasskeyReader for Database {
    async fn passkeys(&self, account: AccountId) -> Result<Vec<Passkey>, StoreError> {
        self.read_all(move |conn| {
            passkeys::table
                .filter(passkeys::account_id.eq(Id(account.uuid())))
                .select(PasskeyRow::as_select())
                .order((passkeys::created_at, passkeys::id))
                .limit(MAX_ROWS)
                .load(conn)
        })
        .await
    }

    async fn passkey(&self, credential_id: &[u8]) -> Result<Option<Passkey>, StoreError> {
        let id = credential_id.to_vec();
        self.read_one(move |conn| {
            passkeys::table.filter(passkeys::credential_id.eq(id)).select(PasskeyRow::as_select()).first(conn)
        })
        .await
    }
}
