//! Queries for authorization requests, codes, grants, tokens, sessions and email links.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use diesel::dsl::AsSelect;
use diesel::prelude::*;
use steward_domain::data::UserBearer;
use steward_domain::identity::{
    AuthorizationCode, AuthorizationReader, AuthorizationRequest, ClientSettings, DeviceAuthorization, DeviceKey,
    EmailLink, Grant, GrantedProject, LinkPurpose, RefreshToken, SignedIn, TokenFamily, TokenFamilyWithAccount,
};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{
    AccessEpoch, AccountId, ProjectId, RefreshTokenId, ServerKeyId, SessionId, StoreError, Time, TokenDigest,
    TokenFamilyId,
};
use uuid::Uuid;

use super::administration::project::{ProjectInTeamRow, in_team, project_in_team};
use super::kernel::page::MAX_ROWS;
use super::second_factor::has_second_factor;
use super::server_key;
use super::{Backend, Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{
    AccountRow, EmailLinkRow, GrantRow, ProjectRow, ProjectUserRow, RefreshTokenRow, Revised as _, SessionRow,
    TokenFamilyRow, accounts, authorization_codes, authorization_requests, device_authorizations, email_links, grants,
    project_clients, project_users, projects, refresh_tokens, sessions, teams, token_families,
};

#[async_trait]
impl AuthorizationReader for Database {
    async fn authorization_request(&self, digest: &TokenDigest) -> Result<Option<AuthorizationRequest>, StoreError> {
        let request = authorization_requests::table.filter(authorization_requests::digest.eq(digest.0.clone()));
        self.first(request).await
    }

    async fn device_authorization(&self, which: &DeviceKey) -> Result<Option<DeviceAuthorization>, StoreError> {
        let all = device_authorizations::table.into_boxed::<Backend>();
        let device = match which.clone() {
            DeviceKey::Id(id) => all.filter(device_authorizations::id.eq(Id(id.uuid()))),
            DeviceKey::DeviceCode(digest) => all.filter(device_authorizations::digest.eq(digest.0)),
            DeviceKey::UserCode(code) => all.filter(device_authorizations::user_code.eq(code.as_str().to_owned())),
        };
        self.first(device).await
    }

    async fn authorization_code(&self, digest: &TokenDigest) -> Result<Option<AuthorizationCode>, StoreError> {
        self.first(authorization_codes::table.filter(authorization_codes::digest.eq(digest.0.clone()))).await
    }

    async fn redeemable_codes(
        &self,
        account: AccountId,
        project: ProjectId,
        now: Time,
    ) -> Result<Vec<AuthorizationCode>, StoreError> {
        let redeemable = authorization_codes::table
            .filter(authorization_codes::account_id.eq(Id(account.uuid())))
            .filter(authorization_codes::project_id.eq(Id(project.uuid())))
            .filter(authorization_codes::redeemed_at.is_null())
            .filter(authorization_codes::expires_at.gt(At(now)))
            .order((authorization_codes::created_at.desc(), authorization_codes::family_id.desc()));
        self.all(redeemable.limit(MAX_ROWS)).await
    }

    async fn grant(&self, account: AccountId, project: ProjectId) -> Result<Option<Grant>, StoreError> {
        let own = grants::table.filter(grants::account_id.eq(Id(account.uuid())));
        self.first(own.filter(grants::project_id.eq(Id(project.uuid())))).await
    }

    async fn grants_of(&self, account: AccountId) -> Result<Vec<GrantedProject>, StoreError> {
        let granted = grants::table
            .inner_join(projects::table)
            .filter(projects::deleted_at.is_null())
            .filter(grants::account_id.eq(Id(account.uuid())))
            .select((GrantRow::as_select(), ProjectRow::as_select()))
            .order((grants::created_at.desc(), grants::id.desc()))
            .limit(MAX_ROWS);
        let parse = |(grant, project): (GrantRow, ProjectRow)| {
            Ok(GrantedProject { grant: grant.try_into()?, project: project.try_into()? })
        };
        self.all_as(granted, parse).await
    }

    async fn refresh_token(
        &self,
        digest: &TokenDigest,
    ) -> Result<Option<(RefreshToken, TokenFamilyWithAccount)>, StoreError> {
        let token = refresh_tokens::table
            .inner_join(token_families::table.inner_join(accounts::table))
            .filter(refresh_tokens::digest.eq(digest.0.clone()))
            .filter(has_client())
            .select((RefreshTokenRow::as_select(), family_columns()));
        let parse = |(token, family): (RefreshTokenRow, FamilyRow)| Ok((token.try_into()?, of_account(family)?));
        self.first_as(token, parse).await
    }

    async fn refresh_token_of(
        &self,
        family: TokenFamilyId,
        id: RefreshTokenId,
    ) -> Result<Option<RefreshToken>, StoreError> {
        let token = refresh_tokens::table.find(Id(id.uuid()));
        self.first(token.filter(refresh_tokens::family_id.eq(Id(family.uuid())))).await
    }

    async fn token_family(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<TokenFamilyWithAccount>, StoreError> {
        let mut family = token_families::table
            .inner_join(accounts::table)
            .filter(token_families::id.eq(Id(id.uuid())))
            .filter(has_client())
            .select(family_columns())
            .into_boxed::<Backend>();
        if let Some(key) = signed_by {
            family = family.filter(server_key::is_stored(Id(key.uuid())));
        }
        self.first_as(family, of_account).await
    }

    async fn families_of_session(
        &self,
        session: SessionId,
        after: Option<TokenFamilyId>,
        limit: u16,
    ) -> Result<Vec<TokenFamily>, StoreError> {
        let families = token_families::table
            .filter(token_families::session_id.eq(Id(session.uuid())))
            .filter(token_families::id.gt(Id(after.map_or(Uuid::nil(), TokenFamilyId::uuid))));
        self.all(families.order(token_families::id.asc()).limit(limit.into())).await
    }

    async fn is_refreshable(&self, id: TokenFamilyId, now: Time) -> Result<bool, StoreError> {
        let valid =
            diesel::select(diesel::dsl::exists(valid_tokens(now).filter(refresh_tokens::family_id.eq(Id(id.uuid())))));
        self.read(move |conn| Ok(valid.get_result::<bool>(conn)?)).await
    }

    async fn active_families(
        &self,
        account: AccountId,
        project: Option<ProjectId>,
        now: Time,
    ) -> Result<Vec<TokenFamily>, StoreError> {
        let own = || refresh_tokens::family_id.eq(token_families::id);
        // A client may be issued none.
        let longest = TimeDelta::seconds(ClientSettings::MAX_ACCESS_TOKEN_SECONDS.into());
        let has_access_tokens = diesel::dsl::not(diesel::dsl::exists(refresh_tokens::table.filter(own())))
            .and(token_families::created_at.gt(At(now - longest)));
        let active = token_families::table
            .filter(token_families::account_id.eq(Id(account.uuid())))
            .filter(token_families::revoked_at.is_null())
            .filter(diesel::dsl::exists(valid_tokens(now).filter(own())).or(has_access_tokens))
            .filter(has_client())
            .order((token_families::created_at.desc(), token_families::id.desc()))
            .limit(MAX_ROWS)
            .into_boxed::<Backend>();
        let active = match project {
            Some(project) => active.filter(token_families::project_id.eq(Id(project.uuid()))),
            None => active.filter(token_families::project_id.is_null()),
        };
        self.all(active).await
    }

    async fn user_bearer(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<(TokenFamilyWithAccount, UserBearer)>, StoreError> {
        let is_user = project_users::project_id
            .nullable()
            .eq(token_families::project_id)
            .and(project_users::account_id.eq(token_families::account_id));
        let (family, account, has_factor, epoch) = family_columns();
        let mut bearer = token_families::table
            .inner_join(accounts::table)
            .inner_join(project_users::table.on(is_user))
            .inner_join(projects::table.on(projects::id.eq(project_users::project_id)))
            .inner_join(teams::table.on(teams::id.eq(projects::team_id)))
            .filter(token_families::id.eq(Id(id.uuid())))
            .filter(has_client())
            .filter(projects::deleted_at.is_null())
            .select((family, account, has_factor, epoch, ProjectUserRow::as_select(), project_in_team()))
            .into_boxed::<Backend>();
        if let Some(key) = signed_by {
            bearer = bearer.filter(server_key::is_stored(Id(key.uuid())));
        }
        let parse = |(family, account, has_factor, epoch, user, project): BearerRow| {
            let family = of_account((family, account, has_factor, epoch))?;
            let project = Arc::new(in_team(project)?);
            let scopes = family.family.scopes.clone();
            Ok((family, UserBearer { user: user.try_into()?, project, scopes }))
        };
        self.first_as(bearer, parse).await
    }

    async fn session(&self, digest: &TokenDigest) -> Result<Option<SignedIn>, StoreError> {
        self.first_as(signed_in().filter(sessions::digest.eq(digest.0.clone())), session_of).await
    }

    async fn sessions_of(&self, account: AccountId) -> Result<Vec<SignedIn>, StoreError> {
        let own = signed_in().filter(sessions::account_id.eq(Id(account.uuid())));
        let own = own.order((sessions::authenticated_at.desc(), sessions::id.desc())).limit(MAX_ROWS);
        self.all_as(own, session_of).await
    }

    async fn session_of(&self, account: AccountId, session: SessionId) -> Result<Option<SignedIn>, StoreError> {
        let own = signed_in().filter(sessions::id.eq(Id(session.uuid())));
        self.first_as(own.filter(sessions::account_id.eq(Id(account.uuid()))), session_of).await
    }

    async fn email_link(&self, digest: &TokenDigest) -> Result<Option<EmailLink>, StoreError> {
        let link = email_links::table.filter(email_links::digest.eq(digest.0.clone()));
        // A newer version of the service may have stored a link with another purpose. Here it opens nothing.
        let known = |row: EmailLinkRow| match LinkPurpose::parse(&row.purpose) {
            Some(_) => EmailLink::try_from(row).map(Some),
            None => Ok(None),
        };
        Ok(self.first_as(link.select(EmailLinkRow::as_select()), known).await?.flatten())
    }
}

type SignedInRow = (SessionRow, AccountRow, bool);

fn session_of((session, account, has_second_factor): SignedInRow) -> Result<SignedIn, JobError> {
    Ok(SignedIn { session: session.try_into()?, account: account.try_into()?, has_second_factor })
}

/// Selects the sessions with their accounts.
#[diesel::dsl::auto_type(no_type_alias)]
fn signed_in() -> _ {
    let session: AsSelect<SessionRow, Backend> = SessionRow::as_select();
    let account: AsSelect<AccountRow, Backend> = AccountRow::as_select();
    sessions::table.inner_join(accounts::table).select((session, account, has_second_factor()))
}

/// Condition that a project registered the client of the family in the surrounding query and did not delete it, or that the
/// client is another one.
#[diesel::dsl::auto_type(no_type_alias)]
fn has_client() -> _ {
    let is_client = project_clients::id.nullable().eq(token_families::project_client_id);
    let registered = project_clients::table.filter(is_client).filter(project_clients::deleted_at.is_null());
    token_families::project_client_id.is_null().or(diesel::dsl::exists(registered))
}

/// Selects the refresh tokens that can be exchanged.
#[diesel::dsl::auto_type(no_type_alias)]
fn valid_tokens(now: Time) -> _ {
    let now: At = At(now);
    refresh_tokens::table.filter(refresh_tokens::replaced_at.is_null()).filter(refresh_tokens::expires_at.gt(now))
}

type FamilyRow = (TokenFamilyRow, AccountRow, bool, i64);
type BearerRow = (TokenFamilyRow, AccountRow, bool, i64, ProjectUserRow, ProjectInTeamRow);

/// The columns of [`FamilyRow`].
#[diesel::dsl::auto_type(no_type_alias)]
fn family_columns() -> _ {
    let family: AsSelect<TokenFamilyRow, Backend> = TokenFamilyRow::as_select();
    let account: AsSelect<AccountRow, Backend> = AccountRow::as_select();
    (family, account, has_second_factor(), accounts::access_epoch)
}

fn of_account((family, account, has_second_factor, epoch): FamilyRow) -> Result<TokenFamilyWithAccount, JobError> {
    Ok(TokenFamilyWithAccount {
        family: family.try_into()?,
        account: account.try_into()?,
        has_second_factor,
        access_epoch: AccessEpoch(epoch),
    })
}

pub(crate) fn replace_refresh_token(conn: &mut Conn, token: &RefreshToken) -> Result<(), JobError> {
    let earlier = refresh_tokens::table
        .filter(refresh_tokens::family_id.eq(Id(token.family_id.uuid())))
        .filter(refresh_tokens::answer.is_not_null());
    diesel::update(earlier).set(refresh_tokens::answer.eq(None::<Vec<u8>>)).execute(conn)?;
    expect_one(diesel::update(token.current()?).set(token.next_row()?).execute(conn)?, ResourceKind::RefreshToken)
}
