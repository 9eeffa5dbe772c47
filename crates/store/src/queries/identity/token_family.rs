//! Queries for token families and refresh tokens.

use std::sync::Arc;

use chrono::TimeDelta;
use diesel::prelude::*;
use steward_domain::data::UserBearer;
use steward_domain::identity::{ClientSettings, RefreshToken, TokenFamily, TokenFamilyWithAccount};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{
    AccessEpoch, AccountId, ProjectId, RefreshTokenId, ServerKeyId, SessionId, Time, TokenDigest, TokenFamilyId,
};
use uuid::Uuid;

use super::Conn;
use super::administration::project::{ProjectInTeamRow, in_team, project_in_team};
use super::kernel::page::MAX_ROWS;
use super::second_factor::has_second_factor;
use super::server_key;
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{
    AccountRow, ProjectUserRow, RefreshTokenRow, Revised as _, TokenFamilyRow, accounts, project_clients,
    project_users, projects, refresh_tokens, teams, token_families,
};

/// Condition that a project registered the client of the family in the surrounding query and did not delete it, or that the
/// client is another one.
#[diesel::dsl::auto_type(no_type_alias)]
fn has_client() -> _ {
    let is_client = project_clients::id.nullable().eq(token_families::project_client_id);
    let registered = project_clients::table.filter(is_client).filter(project_clients::deleted_at.is_null());
    token_families::project_client_id.is_null().or(diesel::dsl::exists(registered))
}

type FamilyRow = (TokenFamilyRow, AccountRow, bool, i64);

fn of_account((family, account, has_second_factor, epoch): FamilyRow) -> Result<TokenFamilyWithAccount, JobError> {
    Ok(TokenFamilyWithAccount {
        family: family.try_into()?,
        account: account.try_into()?,
        has_second_factor,
        access_epoch: AccessEpoch(epoch),
    })
}

pub(crate) fn family(
    conn: &mut Conn,
    id: TokenFamilyId,
    signed_by: Option<ServerKeyId>,
) -> Result<Option<TokenFamilyWithAccount>, JobError> {
    let mut query = token_families::table
        .inner_join(accounts::table)
        .filter(token_families::id.eq(Id(id.uuid())))
        .filter(has_client())
        .select((TokenFamilyRow::as_select(), AccountRow::as_select(), has_second_factor(), accounts::access_epoch))
        .into_boxed();
    if let Some(key) = signed_by {
        query = query.filter(server_key::is_stored(Id(key.uuid())));
    }
    query.first(conn).optional()?.map(of_account).transpose()
}

pub(crate) fn active(
    conn: &mut Conn,
    account: AccountId,
    project: Option<ProjectId>,
    now: Time,
) -> Result<Vec<TokenFamily>, JobError> {
    let valid_tokens = refresh_tokens::table
        .filter(refresh_tokens::family_id.eq(token_families::id))
        .filter(refresh_tokens::replaced_at.is_null())
        .filter(refresh_tokens::expires_at.gt(At(now)));
    // A client may be issued none.
    let longest = TimeDelta::seconds(ClientSettings::MAX_ACCESS_TOKEN_SECONDS.into());
    let any_token = refresh_tokens::table.filter(refresh_tokens::family_id.eq(token_families::id));
    let has_access_tokens =
        diesel::dsl::not(diesel::dsl::exists(any_token)).and(token_families::created_at.gt(At(now - longest)));
    let query = token_families::table
        .filter(token_families::account_id.eq(Id(account.uuid())))
        .filter(token_families::revoked_at.is_null())
        .filter(diesel::dsl::exists(valid_tokens).or(has_access_tokens))
        .filter(has_client())
        .select(TokenFamilyRow::as_select())
        .order((token_families::created_at.desc(), token_families::id.desc()))
        .limit(MAX_ROWS)
        .into_boxed();
    let query = match project {
        Some(project) => query.filter(token_families::project_id.eq(Id(project.uuid()))),
        None => query.filter(token_families::project_id.is_null()),
    };
    let rows: Vec<TokenFamilyRow> = query.load(conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(crate) fn of_session(
    conn: &mut Conn,
    session: SessionId,
    after: Option<TokenFamilyId>,
    limit: u16,
) -> Result<Vec<TokenFamily>, JobError> {
    let rows: Vec<TokenFamilyRow> = token_families::table
        .filter(token_families::session_id.eq(Id(session.uuid())))
        .filter(token_families::id.gt(Id(after.map_or(Uuid::nil(), TokenFamilyId::uuid))))
        .select(TokenFamilyRow::as_select())
        .order(token_families::id.asc())
        .limit(i64::from(limit))
        .load(conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(crate) fn is_refreshable(conn: &mut Conn, id: TokenFamilyId, now: Time) -> Result<bool, JobError> {
    let valid_tokens = refresh_tokens::table
        .filter(refresh_tokens::family_id.eq(Id(id.uuid())))
        .filter(refresh_tokens::replaced_at.is_null())
        .filter(refresh_tokens::expires_at.gt(At(now)));
    Ok(diesel::select(diesel::dsl::exists(valid_tokens)).get_result(conn)?)
}

type BearerRow = (TokenFamilyRow, AccountRow, bool, i64, ProjectUserRow, ProjectInTeamRow);

pub(crate) fn user_bearer(
    conn: &mut Conn,
    id: TokenFamilyId,
    signed_by: Option<ServerKeyId>,
) -> Result<Option<(TokenFamilyWithAccount, UserBearer)>, JobError> {
    let is_user = project_users::project_id
        .nullable()
        .eq(token_families::project_id)
        .and(project_users::account_id.eq(token_families::account_id));
    let mut query = token_families::table
        .inner_join(accounts::table)
        .inner_join(project_users::table.on(is_user))
        .inner_join(projects::table.on(projects::id.eq(project_users::project_id)))
        .inner_join(teams::table.on(teams::id.eq(projects::team_id)))
        .filter(token_families::id.eq(Id(id.uuid())))
        .filter(has_client())
        .filter(projects::deleted_at.is_null())
        .select((
            TokenFamilyRow::as_select(),
            AccountRow::as_select(),
            has_second_factor(),
            accounts::access_epoch,
            ProjectUserRow::as_select(),
            project_in_team(),
        ))
        .into_boxed();
    if let Some(key) = signed_by {
        query = query.filter(server_key::is_stored(Id(key.uuid())));
    }
    let row: Option<BearerRow> = query.first(conn).optional()?;
    let Some((family, account, has_second_factor, epoch, user, project)) = row else { return Ok(None) };
    let (family, project) = (of_account((family, account, has_second_factor, epoch))?, in_team(project)?);
    let scopes = family.family.scopes.clone();
    Ok(Some((family, UserBearer { user: user.try_into()?, project: Arc::new(project), scopes })))
}

pub(crate) fn refresh_token(
    conn: &mut Conn,
    digest: &TokenDigest,
) -> Result<Option<(RefreshToken, TokenFamilyWithAccount)>, JobError> {
    let row: Option<(RefreshTokenRow, FamilyRow)> = refresh_tokens::table
        .inner_join(token_families::table.inner_join(accounts::table))
        .filter(refresh_tokens::digest.eq(&digest.0))
        .filter(has_client())
        .select((
            RefreshTokenRow::as_select(),
            (TokenFamilyRow::as_select(), AccountRow::as_select(), has_second_factor(), accounts::access_epoch),
        ))
        .first(conn)
        .optional()?;
    row.map(|(token, family)| Ok((token.try_into()?, of_account(family)?))).transpose()
}

pub(crate) fn refresh_token_of(
    conn: &mut Conn,
    family: TokenFamilyId,
    id: RefreshTokenId,
) -> Result<Option<RefreshToken>, JobError> {
    let row: Option<RefreshTokenRow> = refresh_tokens::table
        .filter(refresh_tokens::id.eq(Id(id.uuid())))
        .filter(refresh_tokens::family_id.eq(Id(family.uuid())))
        .select(RefreshTokenRow::as_select())
        .first(conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(crate) fn replace_refresh_token(conn: &mut Conn, token: &RefreshToken) -> Result<(), JobError> {
    let earlier = refresh_tokens::table
        .filter(refresh_tokens::family_id.eq(Id(token.family_id.uuid())))
        .filter(refresh_tokens::answer.is_not_null());
    diesel::update(earlier).set(refresh_tokens::answer.eq(None::<Vec<u8>>)).execute(conn)?;
    expect_one(diesel::update(token.current()?).set(token.next_row()?).execute(conn)?, ResourceKind::RefreshToken)
}
