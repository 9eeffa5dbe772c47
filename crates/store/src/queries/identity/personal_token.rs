//! Queries for personal access tokens.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::identity::{PersonalToken, PersonalTokenBearer, PersonalTokenReader};
use steward_domain::kernel::{
    AccessEpoch, AccountId, Cursor, KeyDigest, Page, PageRequest, PersonalTokenId, StoreError,
};

use super::kernel::page;
use super::second_factor::{has_passkey, has_second_factor};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::{PersonalTokenRow, accounts, personal_tokens};

#[async_trait]
impl PersonalTokenReader for Database {
    async fn token_by_digest(&self, digests: &[KeyDigest]) -> Result<Option<PersonalTokenBearer>, StoreError> {
        let digests = digests.to_vec();
        self.read(move |conn| {
            let requested = digests.iter().map(|digest| digest.hex.as_str());
            let row: Option<(PersonalTokenRow, i64, bool, bool, bool)> = personal_tokens::table
                .inner_join(accounts::table)
                .filter(personal_tokens::digest.eq_any(requested))
                .filter(accounts::disabled_at.is_null())
                .filter(accounts::password_set_at.le(personal_tokens::created_at))
                .select((
                    PersonalTokenRow::as_select(),
                    accounts::access_epoch,
                    accounts::is_operator,
                    has_second_factor(),
                    has_passkey(),
                ))
                .first(conn)
                .optional()?;
            row.map(|(row, epoch, is_operator, has_app, has_passkey)| {
                Ok(PersonalTokenBearer {
                    token: row.try_into()?,
                    access_epoch: AccessEpoch(epoch),
                    is_operator,
                    has_second_factor: has_app || has_passkey,
                })
            })
            .transpose()
        })
        .await
    }

    async fn tokens_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<PersonalToken>, StoreError> {
        let page = page.clone();
        self.read(move |conn| list(conn, account, &page)).await
    }

    async fn token(&self, account: AccountId, id: PersonalTokenId) -> Result<Option<PersonalToken>, StoreError> {
        self.read_one(move |conn| {
            personal_tokens::table
                .filter(personal_tokens::account_id.eq(Id(account.uuid())))
                .filter(personal_tokens::id.eq(Id(id.uuid())))
                .select(PersonalTokenRow::as_select())
                .first(conn)
        })
        .await
    }
}

fn list(conn: &mut Conn, account: AccountId, request: &PageRequest) -> Result<Page<PersonalToken>, JobError> {
    let mut query = personal_tokens::table
        .filter(personal_tokens::account_id.eq(Id(account.uuid())))
        .select(PersonalTokenRow::as_select())
        .order((personal_tokens::created_at.desc(), personal_tokens::id.desc()))
        .limit(request.rows())
        .into_boxed();
    query = page::before_cursor!(query, request, personal_tokens::created_at, personal_tokens::id);
    let cursor = |token: &PersonalToken| Cursor { at: token.created_at, id: token.id.to_string() };
    page::parse_page(query.load(conn)?, request, cursor)
}
