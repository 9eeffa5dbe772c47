//! Queries for personal access tokens.

use async_trait::async_trait;
use diesel::prelude::*;
use serde_json::Value;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccountId, Cursor, KeyDigest, Label, Page, PageRequest, PersonalToken, PersonalTokenId, ProjectId, Revision, TeamId,
};
use steward_domain::policy::RoleSet;
use steward_domain::ports::{PersonalTokenReader, StoreError};

use super::{Conn, Database, page};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id, Json};
use crate::tables::{accounts, personal_tokens};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = personal_tokens)]
struct Row {
    id: Id,
    account_id: Id,
    label: String,
    roles: String,
    teams: Json,
    projects: Json,
    pepper: i64,
    digest: String,
    hint: String,
    created_at: At,
    expires_at: At,
    last_used: Option<At>,
    revision: i64,
}

impl TryFrom<Row> for PersonalToken {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            account_id: row.account_id.0.into(),
            label: Label::stored(&row.label).map_err(JobError::corrupt)?,
            roles: RoleSet::from_stored(&row.roles),
            teams: ids(&row.teams, TeamId::parse)?,
            projects: ids(&row.projects, ProjectId::parse)?,
            digest: KeyDigest { pepper: row.pepper, hex: row.digest },
            hint: row.hint,
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            last_used: row.last_used.map(|at| at.0),
            revision: Revision(row.revision),
        })
    }
}

fn ids<T>(json: &Json, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, JobError> {
    let texts: Vec<String> = serde_json::from_str(&json.0).map_err(JobError::corrupt)?;
    texts
        .iter()
        .map(|text| parse(text).ok_or_else(|| JobError::corrupt(format_args!("the invalid ID `{text}`"))))
        .collect()
}

fn json<T: ToString>(ids: &[T]) -> Json {
    Json(Value::from(ids.iter().map(ToString::to_string).collect::<Vec<_>>()).to_string())
}

impl From<&PersonalToken> for Row {
    fn from(token: &PersonalToken) -> Self {
        Self {
            id: Id(token.id.uuid()),
            account_id: Id(token.account_id.uuid()),
            label: token.label.to_string(),
            roles: token.roles.to_string(),
            teams: json(&token.teams),
            projects: json(&token.projects),
            pepper: token.digest.pepper,
            digest: token.digest.hex.clone(),
            hint: token.hint.clone(),
            created_at: At(token.created_at),
            expires_at: At(token.expires_at),
            last_used: token.last_used.map(At),
            revision: token.revision.0,
        }
    }
}

#[async_trait]
impl PersonalTokenReader for Database {
    async fn token_by_digest(&self, digests: &[KeyDigest]) -> Result<Option<PersonalToken>, StoreError> {
        let digests = digests.to_vec();
        self.read(move |conn| {
            let requested = digests.iter().map(|digest| digest.hex.as_str());
            let row: Option<Row> = personal_tokens::table
                .inner_join(accounts::table)
                .filter(personal_tokens::digest.eq_any(requested))
                .filter(accounts::disabled_at.is_null())
                .filter(accounts::password_set_at.le(personal_tokens::created_at))
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn tokens_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<PersonalToken>, StoreError> {
        let page = page.clone();
        self.read(move |conn| list(conn, account, &page)).await
    }

    async fn token(&self, account: AccountId, id: PersonalTokenId) -> Result<Option<PersonalToken>, StoreError> {
        self.read(move |conn| {
            let row: Option<Row> = personal_tokens::table
                .filter(personal_tokens::account_id.eq(Id(account.uuid())))
                .filter(personal_tokens::id.eq(Id(id.uuid())))
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }
}

fn list(conn: &mut Conn, account: AccountId, request: &PageRequest) -> Result<Page<PersonalToken>, JobError> {
    let mut query = personal_tokens::table
        .filter(personal_tokens::account_id.eq(Id(account.uuid())))
        .select(Row::as_select())
        .order((personal_tokens::created_at.desc(), personal_tokens::id.desc()))
        .limit(request.rows())
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        let earlier = personal_tokens::created_at.lt(at);
        query = query.filter(earlier.or(personal_tokens::created_at.eq(at).and(personal_tokens::id.lt(id))));
    }
    let cursor = |token: &PersonalToken| Cursor { at: token.created_at, id: token.id.to_string() };
    page::parse_page(query.load(conn)?, request, cursor)
}

pub(super) fn insert(conn: &mut Conn, token: &PersonalToken) -> Result<(), JobError> {
    diesel::insert_into(personal_tokens::table).values(Row::from(token)).execute(conn)?;
    Ok(())
}

pub(super) fn remove(conn: &mut Conn, token: &PersonalToken) -> Result<(), JobError> {
    let target = personal_tokens::table
        .filter(personal_tokens::account_id.eq(Id(token.account_id.uuid())))
        .filter(personal_tokens::id.eq(Id(token.id.uuid())))
        .filter(personal_tokens::revision.eq(token.revision.0));
    expect_one(diesel::delete(target).execute(conn)?, ResourceKind::PersonalToken)
}
