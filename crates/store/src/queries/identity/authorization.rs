//! Queries for authorization requests, authorization codes and grants.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::data::UserBearer;
use steward_domain::identity::{
    AuthorizationCode, AuthorizationReader, AuthorizationRequest, DeviceAuthorization, DeviceKey, EmailLink, Grant,
    GrantedProject, RefreshToken, SignedIn, TokenFamily, TokenFamilyWithAccount,
};
use steward_domain::kernel::{
    AccountId, ProjectId, RefreshTokenId, ServerKeyId, SessionId, StoreError, Time, TokenDigest, TokenFamilyId,
};

use super::Database;
use super::kernel::page::MAX_ROWS;
use super::{email_link, session, token_family};
use crate::sql_types::{At, Id};
use crate::tables::{
    AuthorizationCodeRow, AuthorizationRequestRow, DeviceAuthorizationRow, GrantRow, ProjectRow, authorization_codes,
    authorization_requests, device_authorizations, grants, projects,
};

#[async_trait]
impl AuthorizationReader for Database {
    async fn authorization_request(&self, digest: &TokenDigest) -> Result<Option<AuthorizationRequest>, StoreError> {
        let digest = digest.clone();
        self.read_one(move |conn| {
            let found = authorization_requests::table.filter(authorization_requests::digest.eq(&digest.0));
            found.select(AuthorizationRequestRow::as_select()).first(conn)
        })
        .await
    }

    async fn device_authorization(&self, which: &DeviceKey) -> Result<Option<DeviceAuthorization>, StoreError> {
        let which = which.clone();
        self.read(move |conn| {
            let all = device_authorizations::table.select(DeviceAuthorizationRow::as_select());
            let row = match which {
                DeviceKey::Id(id) => all.filter(device_authorizations::id.eq(Id(id.uuid()))).first(conn),
                DeviceKey::DeviceCode(digest) => all.filter(device_authorizations::digest.eq(digest.0)).first(conn),
                DeviceKey::UserCode(code) => all.filter(device_authorizations::user_code.eq(code.as_str())).first(conn),
            };
            row.optional()?.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn authorization_code(&self, digest: &TokenDigest) -> Result<Option<AuthorizationCode>, StoreError> {
        let digest = digest.clone();
        self.read_one(move |conn| {
            let found = authorization_codes::table.filter(authorization_codes::digest.eq(&digest.0));
            found.select(AuthorizationCodeRow::as_select()).first(conn)
        })
        .await
    }

    async fn redeemable_codes(
        &self,
        account: AccountId,
        project: ProjectId,
        now: Time,
    ) -> Result<Vec<AuthorizationCode>, StoreError> {
        self.read_all(move |conn| {
            authorization_codes::table
                .filter(authorization_codes::account_id.eq(Id(account.uuid())))
                .filter(authorization_codes::project_id.eq(Id(project.uuid())))
                .filter(authorization_codes::redeemed_at.is_null())
                .filter(authorization_codes::expires_at.gt(At(now)))
                .select(AuthorizationCodeRow::as_select())
                .order((authorization_codes::created_at.desc(), authorization_codes::family_id.desc()))
                .limit(MAX_ROWS)
                .load(conn)
        })
        .await
    }

    async fn grant(&self, account: AccountId, project: ProjectId) -> Result<Option<Grant>, StoreError> {
        self.read_one(move |conn| {
            grants::table
                .filter(grants::account_id.eq(Id(account.uuid())))
                .filter(grants::project_id.eq(Id(project.uuid())))
                .select(GrantRow::as_select())
                .first(conn)
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
                Ok(GrantedProject { grant: grant.try_into()?, project: project.try_into()? })
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

    async fn refresh_token_of(
        &self,
        family: TokenFamilyId,
        id: RefreshTokenId,
    ) -> Result<Option<RefreshToken>, StoreError> {
        self.read(move |conn| token_family::refresh_token_of(conn, family, id)).await
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
