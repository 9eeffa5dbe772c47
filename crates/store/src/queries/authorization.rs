//! Authorization requests, their codes, and what was granted, in rows.

use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccountId, AuthorizationCode, AuthorizationParameters, AuthorizationRequest, ClientId, CodeChallenge, Grant,
    GrantedProject, ProjectId, Prompt, RedirectUri, Revision, ScopeSet, TokenDigest,
};

use super::Conn;
use super::project::ProjectRow;
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{authorization_codes, authorization_requests, grants, projects};

/// How many of a person's things are listed at most.
pub(super) const MAX_ROWS: i64 = 1000;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = authorization_requests)]
struct RequestRow {
    id: Id,
    digest: String,
    client_id: String,
    project_id: Option<Id>,
    redirect_uri: String,
    scopes: String,
    state: String,
    nonce: Option<String>,
    challenge: Option<String>,
    prompt: String,
    login_hint: Option<String>,
    max_age: Option<i64>,
    created_at: At,
    expires_at: At,
    revision: i64,
}

pub(super) fn client(client_id: String, project_id: Option<Id>) -> ClientId {
    ClientId::stored(client_id, project_id.map(|id| id.0.into()))
}

pub(super) fn project_of(client: &ClientId) -> Option<Id> {
    client.project().map(|id| Id(id.uuid()))
}

fn challenge(text: Option<String>) -> Result<Option<CodeChallenge>, JobError> {
    let parse = |text: String| CodeChallenge::parse(&text).ok_or_else(|| JobError::corrupt("a bad code challenge"));
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
                prompt: Prompt::parse(&row.prompt).ok_or_else(|| JobError::corrupt("an unknown prompt"))?,
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

pub(super) fn request(conn: &mut Conn, digest: &TokenDigest) -> Result<Option<AuthorizationRequest>, JobError> {
    let found = authorization_requests::table.filter(authorization_requests::digest.eq(&digest.0));
    let row = found.select(RequestRow::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn insert_request(conn: &mut Conn, request: &AuthorizationRequest) -> Result<(), JobError> {
    diesel::insert_into(authorization_requests::table).values(RequestRow::from(request)).execute(conn)?;
    Ok(())
}

pub(super) fn remove_request(conn: &mut Conn, request: &AuthorizationRequest) -> Result<(), JobError> {
    let target = authorization_requests::table.filter(authorization_requests::id.eq(Id(request.id.uuid())));
    let gone = diesel::delete(target.filter(authorization_requests::revision.eq(request.revision.0))).execute(conn)?;
    super::commit::one(gone, ResourceKind::AuthorizationRequest)
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = authorization_codes)]
struct CodeRow {
    family_id: Id,
    digest: String,
    account_id: Id,
    client_id: String,
    project_id: Option<Id>,
    redirect_uri: String,
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

pub(super) fn code(conn: &mut Conn, digest: &TokenDigest) -> Result<Option<AuthorizationCode>, JobError> {
    let found = authorization_codes::table.filter(authorization_codes::digest.eq(&digest.0));
    let row = found.select(CodeRow::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn insert_code(conn: &mut Conn, code: &AuthorizationCode) -> Result<(), JobError> {
    diesel::insert_into(authorization_codes::table).values(CodeRow::from(code)).execute(conn)?;
    Ok(())
}

pub(super) fn replace_code(conn: &mut Conn, code: &AuthorizationCode) -> Result<(), JobError> {
    let target = authorization_codes::table.filter(authorization_codes::family_id.eq(Id(code.family_id.uuid())));
    let changed = diesel::update(target.filter(authorization_codes::revision.eq(code.revision.0)))
        .set((
            authorization_codes::redeemed_at.eq(code.redeemed_at.map(At)),
            authorization_codes::revision.eq(authorization_codes::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, ResourceKind::AuthorizationCode)
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = grants)]
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

pub(super) fn grant(conn: &mut Conn, account: AccountId, project: ProjectId) -> Result<Option<Grant>, JobError> {
    let row: Option<GrantRow> = grants::table
        .filter(grants::account_id.eq(Id(account.uuid())))
        .filter(grants::project_id.eq(Id(project.uuid())))
        .select(GrantRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(Into::into))
}

pub(super) fn grants_of(conn: &mut Conn, account: AccountId) -> Result<Vec<GrantedProject>, JobError> {
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
}

pub(super) fn insert_grant(conn: &mut Conn, grant: &Grant) -> Result<(), JobError> {
    let row = GrantRow {
        id: Id(grant.id.uuid()),
        account_id: Id(grant.account_id.uuid()),
        project_id: Id(grant.project_id.uuid()),
        scopes: grant.scopes.to_string(),
        created_at: At(grant.created_at),
        updated_at: At(grant.updated_at),
        revision: grant.revision.0,
    };
    diesel::insert_into(grants::table).values(row).execute(conn)?;
    Ok(())
}

pub(super) fn replace_grant(conn: &mut Conn, grant: &Grant) -> Result<(), JobError> {
    let target = grants::table.filter(grants::id.eq(Id(grant.id.uuid())));
    let changed = diesel::update(target.filter(grants::revision.eq(grant.revision.0)))
        .set((
            grants::scopes.eq(grant.scopes.to_string()),
            grants::updated_at.eq(At(grant.updated_at)),
            grants::revision.eq(grants::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, ResourceKind::Grant)
}

pub(super) fn remove_grant(conn: &mut Conn, grant: &Grant) -> Result<(), JobError> {
    let target = grants::table.filter(grants::id.eq(Id(grant.id.uuid())));
    let gone = diesel::delete(target.filter(grants::revision.eq(grant.revision.0))).execute(conn)?;
    super::commit::one(gone, ResourceKind::Grant)
}
