//! Queries for authorization requests, authorization codes and grants.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccountId, AuthorizationCode, AuthorizationParameters, AuthorizationRequest, CodeChallenge, EmailLink, Grant,
    GrantedProject, ProjectId, Prompt, RedirectUri, RefreshToken, Revision, ScopeSet, ServerKeyId, SessionId, SignedIn,
    Time, TokenDigest, TokenFamily, TokenFamilyId, TokenFamilyWithAccount, UserBearer,
};
use steward_domain::ports::{AuthorizationReader, StoreError};

use super::client::{client, project_of};
use super::page::MAX_ROWS;
use super::project::ProjectRow;
use super::{Conn, Database, email_link, session, token_family};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{authorization_codes, authorization_requests, grants, projects};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = authorization_requests)]
struct RequestRow {
    id: Id,
    digest: String,
    client_id: String,
    project_id: Option<Id>,
    redirect_uri: String,
    scopes: String,
    state: Option<String>,
    nonce: Option<String>,
    challenge: Option<String>,
    prompt: String,
    login_hint: Option<String>,
    max_age: Option<i64>,
    created_at: At,
    expires_at: At,
    revision: i64,
}

fn challenge(text: Option<String>) -> Result<Option<CodeChallenge>, JobError> {
    let parse =
        |text: String| CodeChallenge::parse(&text).ok_or_else(|| JobError::corrupt("an invalid code challenge"));
    text.map(parse).transpose()
}

impl TryFrom<RequestRow> for AuthorizationRequest {
    type Error = JobError;

    fn try_from(row: RequestRow) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            digest: TokenDigest(row.digest),
            client: client(row.client_id, row.project_id),
            redirect_uri: RedirectUri::parse(&row.redirect_uri).map_err(JobError::corrupt)?,
            parameters: AuthorizationParameters {
                scopes: ScopeSet::parse(&row.scopes),
                state: row.state,
                nonce: row.nonce,
                challenge: challenge(row.challenge)?,
                prompt: Prompt::parse(&row.prompt).ok_or_else(|| JobError::corrupt("an unknown `prompt` value"))?,
                login_hint: row.login_hint,
                max_age: row.max_age,
            },
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            revision: Revision(row.revision),
        })
    }
}

impl From<&AuthorizationRequest> for RequestRow {
    fn from(request: &AuthorizationRequest) -> Self {
        let parameters = &request.parameters;
        Self {
            id: Id(request.id.uuid()),
            digest: request.digest.0.clone(),
            client_id: request.client.as_str().to_owned(),
            project_id: project_of(&request.client),
            redirect_uri: request.redirect_uri.to_string(),
            scopes: parameters.scopes.to_string(),
            state: parameters.state.clone(),
            nonce: parameters.nonce.clone(),
            challenge: parameters.challenge.as_ref().map(|challenge| challenge.as_str().to_owned()),
            prompt: parameters.prompt.words(),
            login_hint: parameters.login_hint.clone(),
            max_age: parameters.max_age,
            created_at: At(request.created_at),
            expires_at: At(request.expires_at),
            revision: request.revision.0,
        }
    }
}

#[async_trait]
impl AuthorizationReader for Database {
    async fn authorization_request(&self, digest: &TokenDigest) -> Result<Option<AuthorizationRequest>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| {
            let found = authorization_requests::table.filter(authorization_requests::digest.eq(&digest.0));
            let row = found.select(RequestRow::as_select()).first(conn).optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn authorization_code(&self, digest: &TokenDigest) -> Result<Option<AuthorizationCode>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| {
            let found = authorization_codes::table.filter(authorization_codes::digest.eq(&digest.0));
            let row = found.select(CodeRow::as_select()).first(conn).optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn redeemable_codes(
        &self,
        account: AccountId,
        project: ProjectId,
        now: Time,
    ) -> Result<Vec<AuthorizationCode>, StoreError> {
        self.read(move |conn| {
            let rows: Vec<CodeRow> = authorization_codes::table
                .filter(authorization_codes::account_id.eq(Id(account.uuid())))
                .filter(authorization_codes::project_id.eq(Id(project.uuid())))
                .filter(authorization_codes::redeemed_at.is_null())
                .filter(authorization_codes::expires_at.gt(At(now)))
                .select(CodeRow::as_select())
                .order((authorization_codes::created_at.desc(), authorization_codes::family_id.desc()))
                .limit(MAX_ROWS)
                .load(conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        })
        .await
    }

    async fn grant(&self, account: AccountId, project: ProjectId) -> Result<Option<Grant>, StoreError> {
        self.read(move |conn| {
            let row: Option<GrantRow> = grants::table
                .filter(grants::account_id.eq(Id(account.uuid())))
                .filter(grants::project_id.eq(Id(project.uuid())))
                .select(GrantRow::as_select())
                .first(conn)
                .optional()?;
            Ok(row.map(Into::into))
        })
        .await
    }

    async fn grants_of(&self, account: AccountId) -> Result<Vec<GrantedProject>, StoreError> {
        self.read(move |conn| {
            let rows: Vec<(GrantRow, ProjectRow)> = grants::table
                .inner_join(projects::table)
                .filter(projects::deleted_at.is_null())
                .filter(grants::account_id.eq(Id(account.uuid())))
                .select((GrantRow::as_select(), ProjectRow::as_select()))
                .order((grants::created_at.desc(), grants::id.desc()))
                .limit(MAX_ROWS)
                .load(conn)?;
            let parse = |(grant, project): (GrantRow, ProjectRow)| {
                Ok(GrantedProject { grant: grant.into(), project: project.try_into()? })
            };
            rows.into_iter().map(parse).collect()
        })
        .await
    }

    async fn refresh_token(
        &self,
        digest: &TokenDigest,
    ) -> Result<Option<(RefreshToken, TokenFamilyWithAccount)>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| token_family::refresh_token(conn, &digest)).await
    }

    async fn token_family(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<TokenFamilyWithAccount>, StoreError> {
        self.read(move |conn| token_family::family(conn, id, signed_by)).await
    }

    async fn families_of_session(
        &self,
        session: SessionId,
        after: Option<TokenFamilyId>,
        limit: u16,
    ) -> Result<Vec<TokenFamily>, StoreError> {
        self.read(move |conn| token_family::of_session(conn, session, after, limit)).await
    }

    async fn is_refreshable(&self, id: TokenFamilyId, now: Time) -> Result<bool, StoreError> {
        self.read(move |conn| token_family::is_refreshable(conn, id, now)).await
    }

    async fn active_families(
        &self,
        account: AccountId,
        project: Option<ProjectId>,
        now: Time,
    ) -> Result<Vec<TokenFamily>, StoreError> {
        self.read(move |conn| token_family::active(conn, account, project, now)).await
    }

    async fn user_bearer(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<(TokenFamilyWithAccount, UserBearer)>, StoreError> {
        self.read(move |conn| token_family::user_bearer(conn, id, signed_by)).await
    }

    async fn session(&self, digest: &TokenDigest) -> Result<Option<SignedIn>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| session::by_digest(conn, &digest)).await
    }

    async fn sessions_of(&self, account: AccountId) -> Result<Vec<SignedIn>, StoreError> {
        self.read(move |conn| session::of_account(conn, account)).await
    }

    async fn session_of(&self, account: AccountId, session: SessionId) -> Result<Option<SignedIn>, StoreError> {
        self.read(move |conn| session::by_id(conn, account, session)).await
    }

    async fn email_link(&self, digest: &TokenDigest) -> Result<Option<EmailLink>, StoreError> {
        let digest = digest.clone();
        self.read(move |conn| email_link::by_digest(conn, &digest)).await
    }
}

pub(super) fn insert_request(conn: &mut Conn, request: &AuthorizationRequest) -> Result<(), JobError> {
    diesel::insert_into(authorization_requests::table).values(RequestRow::from(request)).execute(conn)?;
    Ok(())
}

pub(super) fn remove_request(conn: &mut Conn, request: &AuthorizationRequest) -> Result<(), JobError> {
    let target = authorization_requests::table.filter(authorization_requests::id.eq(Id(request.id.uuid())));
    let deleted =
        diesel::delete(target.filter(authorization_requests::revision.eq(request.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::AuthorizationRequest)
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = authorization_codes, primary_key(family_id), treat_none_as_null = true)]
struct CodeRow {
    family_id: Id,
    digest: String,
    account_id: Id,
    client_id: String,
    project_id: Option<Id>,
    session_id: Id,
    redirect_uri: String,
    /// Not updated, so that scopes of a newer version of the service are preserved.
    #[diesel(skip_update)]
    scopes: String,
    nonce: Option<String>,
    challenge: Option<String>,
    authenticated_at: At,
    password_set_at: At,
    created_at: At,
    expires_at: At,
    redeemed_at: Option<At>,
    revision: i64,
}

impl TryFrom<CodeRow> for AuthorizationCode {
    type Error = JobError;

    fn try_from(row: CodeRow) -> Result<Self, JobError> {
        Ok(Self {
            family_id: row.family_id.0.into(),
            digest: TokenDigest(row.digest),
            account_id: row.account_id.0.into(),
            client: client(row.client_id, row.project_id),
            session_id: row.session_id.0.into(),
            redirect_uri: RedirectUri::parse(&row.redirect_uri).map_err(JobError::corrupt)?,
            scopes: ScopeSet::parse(&row.scopes),
            nonce: row.nonce,
            challenge: challenge(row.challenge)?,
            authenticated_at: row.authenticated_at.0,
            password_set_at: row.password_set_at.0,
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            redeemed_at: row.redeemed_at.map(|at| at.0),
            revision: Revision(row.revision),
        })
    }
}

impl From<&AuthorizationCode> for CodeRow {
    fn from(code: &AuthorizationCode) -> Self {
        Self {
            family_id: Id(code.family_id.uuid()),
            digest: code.digest.0.clone(),
            account_id: Id(code.account_id.uuid()),
            client_id: code.client.as_str().to_owned(),
            project_id: project_of(&code.client),
            session_id: Id(code.session_id.uuid()),
            redirect_uri: code.redirect_uri.to_string(),
            scopes: code.scopes.to_string(),
            nonce: code.nonce.clone(),
            challenge: code.challenge.as_ref().map(|challenge| challenge.as_str().to_owned()),
            authenticated_at: At(code.authenticated_at),
            password_set_at: At(code.password_set_at),
            created_at: At(code.created_at),
            expires_at: At(code.expires_at),
            redeemed_at: code.redeemed_at.map(At),
            revision: code.revision.0,
        }
    }
}

pub(super) fn insert_code(conn: &mut Conn, code: &AuthorizationCode) -> Result<(), JobError> {
    diesel::insert_into(authorization_codes::table).values(CodeRow::from(code)).execute(conn)?;
    Ok(())
}

pub(super) fn replace_code(conn: &mut Conn, code: &AuthorizationCode) -> Result<(), JobError> {
    let row = CodeRow::from(code);
    let target = authorization_codes::table.find(row.family_id).filter(authorization_codes::revision.eq(row.revision));
    let row = CodeRow { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::AuthorizationCode)
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = grants, treat_none_as_null = true)]
struct GrantRow {
    id: Id,
    account_id: Id,
    project_id: Id,
    scopes: String,
    created_at: At,
    updated_at: At,
    revision: i64,
}

impl From<GrantRow> for Grant {
    fn from(row: GrantRow) -> Self {
        Self {
            id: row.id.0.into(),
            account_id: row.account_id.0.into(),
            project_id: row.project_id.0.into(),
            scopes: ScopeSet::parse(&row.scopes),
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
            revision: Revision(row.revision),
        }
    }
}

impl From<&Grant> for GrantRow {
    fn from(grant: &Grant) -> Self {
        Self {
            id: Id(grant.id.uuid()),
            account_id: Id(grant.account_id.uuid()),
            project_id: Id(grant.project_id.uuid()),
            scopes: grant.scopes.to_string(),
            created_at: At(grant.created_at),
            updated_at: At(grant.updated_at),
            revision: grant.revision.0,
        }
    }
}

pub(super) fn insert_grant(conn: &mut Conn, grant: &Grant) -> Result<(), JobError> {
    diesel::insert_into(grants::table).values(GrantRow::from(grant)).execute(conn)?;
    Ok(())
}

pub(super) fn replace_grant(conn: &mut Conn, grant: &Grant) -> Result<(), JobError> {
    let row = GrantRow::from(grant);
    let target = grants::table.find(row.id).filter(grants::revision.eq(row.revision));
    let row = GrantRow { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::Grant)
}

pub(super) fn remove_grant(conn: &mut Conn, grant: &Grant) -> Result<(), JobError> {
    let target = grants::table.filter(grants::id.eq(Id(grant.id.uuid())));
    let deleted = diesel::delete(target.filter(grants::revision.eq(grant.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::Grant)
}
