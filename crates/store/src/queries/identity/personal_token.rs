//! Queries for personal access tokens.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::identity::{PersonalToken, PersonalTokenBearer, PersonalTokenReader};
use steward_domain::kernel::{AccessEpoch, AccountId, KeyDigest, Page, PageRequest, PersonalTokenId, StoreError};

use super::Database;
use super::kernel::page;
use super::second_factor::{has_passkey, has_second_factor};
use crate::sql_types::Id;
use crate::tables::{PersonalTokenRow, accounts, personal_tokens};

#[async_trait]
impl PersonalTokenReader for Database {
    async fn token_by_digest(&self, digests: &[KeyDigest]) -> Result<Option<PersonalTokenBearer>, StoreError> {
        let parse = |(row, epoch, is_operator, has_app, has_passkey): (PersonalTokenRow, i64, bool, bool, bool)| {
            Ok(PersonalTokenBearer {
                token: row.try_into()?,
                access_epoch: AccessEpoch(epoch),
                is_operator,
                has_second_factor: has_app || has_passkey,
            })
        };
        // There is one digest, unless the secret was changed.
        for digest in digests {
            let token = personal_tokens::table
                .inner_join(accounts::table)
                .filter(personal_tokens::digest.eq(digest.hex.clone()))
                .filter(accounts::disabled_at.is_null())
                .filter(accounts::password_set_at.le(personal_tokens::created_at))
                .select((
                    PersonalTokenRow::as_select(),
                    accounts::access_epoch,
                    accounts::is_operator,
                    has_second_factor(),
                    has_passkey(),
                ));
            let found = self.first_as(token, parse).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    async fn tokens_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<PersonalToken>, StoreError> {
        let own = personal_tokens::table.filter(personal_tokens::account_id.eq(Id(account.uuid())));
        let own = page::listed!(newest first, own, page, page.rows(), personal_tokens::created_at, personal_tokens::id);
        self.page(own, page, |token: &PersonalToken| page::cursor(token.created_at, token.id)).await
    }

    async fn token(&self, account: AccountId, id: PersonalTokenId) -> Result<Option<PersonalToken>, StoreError> {
        self.first(personal_tokens::table.find((Id(account.uuid()), Id(id.uuid())))).await
    }
}
