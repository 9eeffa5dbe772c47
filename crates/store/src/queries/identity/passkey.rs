//! Queries for passkeys.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::identity::{Passkey, PasskeyReader};
use steward_domain::kernel::{AccountId, StoreError};

use super::Database;
use super::kernel::page::MAX_ROWS;
use crate::sql_types::Id;
use crate::tables::passkeys;

#[async_trait]
impl PasskeyReader for Database {
    async fn passkeys(&self, account: AccountId) -> Result<Vec<Passkey>, StoreError> {
        let own = passkeys::table.filter(passkeys::account_id.eq(Id(account.uuid())));
        self.all(own.order((passkeys::created_at, passkeys::id)).limit(MAX_ROWS)).await
    }

    async fn passkey(&self, credential_id: &[u8]) -> Result<Option<Passkey>, StoreError> {
        self.first(passkeys::table.filter(passkeys::credential_id.eq(credential_id.to_vec()))).await
    }
}
