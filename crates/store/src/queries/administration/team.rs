//! Queries for teams and their members.

use std::collections::BTreeSet;

use async_trait::async_trait;
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::administration::{Member, MemberWithAccount, Team, TeamContents, TeamMembership, TeamReader};
use steward_domain::kernel::changes::{Entity, Write};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccountId, Cursor, Name, Page, PageRequest, Revision, Slug, StoreError, TeamId, Time};

use super::dialect::SHARE_LOCK;
use super::invite;
use super::kernel::statement::Statement;
use super::kernel::{page, slug};
use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{
    AccountRow, MemberRow, Revised as _, Stored as _, TeamRow, accounts, members, projects, schema_drafts, team_slugs,
    teams,
};

fn membership((team, member): (TeamRow, MemberRow)) -> Result<(TeamMembership, Cursor), JobError> {
    let team = Team::try_from(team)?;
    let member = Member::try_from(member)?;
    let joined = Cursor { at: member.created_at, id: team.id.to_string() };
    Ok((TeamMembership { team, roles: member.roles, role_name: member.role_name }, joined))
}

#[async_trait]
impl TeamReader for Database {
    async fn teams_of(
        &self,
        account: AccountId,
        one_factor_at: Option<Time>,
        page: &PageRequest,
    ) -> Result<Page<TeamMembership>, StoreError> {
        let page = page.clone();
        self.read(move |conn| teams_of(conn, account, one_factor_at, &page)).await
    }

    async fn second_factor_rule(&self, account: AccountId) -> Result<Option<(Time, Name)>, StoreError> {
        self.read(move |conn| {
            let found: Option<(Option<At>, String)> = teams::table
                .inner_join(members::table)
                .filter(members::account_id.eq(Id(account.uuid())))
                .filter(teams::second_factor_from.is_not_null())
                .select((teams::second_factor_from, teams::name))
                .order((teams::second_factor_from.asc(), teams::id.asc()))
                .first(conn)
                .optional()?;
            let rule = found.and_then(|(from, name)| Some((from?.0, name)));
            rule.map(|(from, name)| Ok((from, Name::stored(&name).map_err(JobError::corrupt)?))).transpose()
        })
        .await
    }

    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        self.read_one(move |conn| teams::table.find(Id(id.uuid())).select(TeamRow::as_select()).first(conn)).await
    }

    async fn team_contents(&self, id: TeamId, now: Time) -> Result<Option<TeamContents>, StoreError> {
        self.read(move |conn| {
            let next_expiry = invite::next_expiry(Id(id.uuid()), At(now));
            let contents = teams::table.find(Id(id.uuid())).select((teams::contents_revision, next_expiry));
            let found: Option<(i64, Option<At>)> = contents.first(conn).optional()?;
            Ok(found.map(|(revision, next_expiry)| TeamContents {
                revision: Revision(revision),
                next_expiry: next_expiry.map(|at| at.0),
            }))
        })
        .await
    }

    async fn taken_team_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError> {
        let slugs = slugs.to_vec();
        self.read(move |conn| {
            let requested = || slugs.iter().map(Slug::as_str);
            let current = teams::table.filter(teams::slug.eq_any(requested())).select(teams::slug);
            let reserved = team_slugs::table.filter(team_slugs::slug.eq_any(requested())).select(team_slugs::slug);
            let found: Vec<String> = current.union(reserved).load(conn)?;
            found.iter().map(|slug| Slug::parse(slug).map_err(JobError::corrupt)).collect()
        })
        .await
    }

    async fn members(&self, id: TeamId, page: &PageRequest) -> Result<Page<Member>, StoreError> {
        let page = page.clone();
        self.read(move |conn| members_of(conn, id, &page)).await
    }

    async fn members_with_accounts(
        &self,
        id: TeamId,
        page: &PageRequest,
    ) -> Result<Page<MemberWithAccount>, StoreError> {
        let page = page.clone();
        self.read(move |conn| members_with_accounts_of(conn, id, &page)).await
    }

    async fn member(&self, id: TeamId, account: AccountId) -> Result<Option<Member>, StoreError> {
        self.read_one(move |conn| {
            let found = members::table.find((Id(id.uuid()), Id(account.uuid())));
            found.select(MemberRow::as_select()).first(conn)
        })
        .await
    }
}

pub(crate) fn membership_of(
    conn: &mut Conn,
    account: AccountId,
    team: TeamId,
) -> Result<Option<TeamMembership>, JobError> {
    let row = teams::table
        .inner_join(members::table)
        .filter(teams::id.eq(Id(team.uuid())))
        .filter(members::account_id.eq(Id(account.uuid())))
        .select((TeamRow::as_select(), MemberRow::as_select()))
        .first(conn)
        .optional()?;
    Ok(row.map(membership).transpose()?.map(|(membership, _)| membership))
}

fn teams_of(
    conn: &mut Conn,
    account: AccountId,
    one_factor_at: Option<Time>,
    request: &PageRequest,
) -> Result<Page<TeamMembership>, JobError> {
    let mut query = teams::table
        .inner_join(members::table)
        .filter(members::account_id.eq(Id(account.uuid())))
        .select((TeamRow::as_select(), MemberRow::as_select()))
        .order((members::created_at.asc(), teams::id.asc()))
        .limit(request.rows())
        .into_boxed();
    if let Some(at) = one_factor_at.map(At) {
        query = query.filter(teams::second_factor_from.is_null().or(teams::second_factor_from.gt(at)));
    }
    query = page::after_cursor!(query, request, members::created_at, teams::id);
    let rows: Vec<(TeamRow, MemberRow)> = query.load(conn)?;
    let memberships: Vec<_> = rows.into_iter().map(membership).collect::<Result<_, _>>()?;
    Ok(Page::of(memberships, request, |(_, joined)| joined.clone()).map(|(membership, _)| membership))
}

fn members_of(conn: &mut Conn, team: TeamId, request: &PageRequest) -> Result<Page<Member>, JobError> {
    let mut query = members::table
        .filter(members::team_id.eq(Id(team.uuid())))
        .select(MemberRow::as_select())
        .order((members::created_at.asc(), members::account_id.asc()))
        .limit(request.rows())
        .into_boxed();
    query = page::after_cursor!(query, request, members::created_at, members::account_id);
    page::parse_page(query.load(conn)?, request, cursor)
}

fn members_with_accounts_of(
    conn: &mut Conn,
    team: TeamId,
    request: &PageRequest,
) -> Result<Page<MemberWithAccount>, JobError> {
    let joined = accounts::id.eq(members::account_id).and(accounts::deleted_at.is_null());
    let mut query = members::table
        .left_join(accounts::table.on(joined))
        .filter(members::team_id.eq(Id(team.uuid())))
        .select((MemberRow::as_select(), Option::<AccountRow>::as_select()))
        .order((members::created_at.asc(), members::account_id.asc()))
        .limit(request.rows())
        .into_boxed();
    query = page::after_cursor!(query, request, members::created_at, members::account_id);
    let rows: Vec<(MemberRow, Option<AccountRow>)> = query.load(conn)?;
    let parse = |(member, account): (MemberRow, Option<AccountRow>)| {
        let account = account.map(TryInto::try_into).transpose()?;
        Ok(MemberWithAccount { member: member.try_into()?, account })
    };
    let found: Vec<_> = rows.into_iter().map(parse).collect::<Result<_, JobError>>()?;
    Ok(Page::of(found, request, |found| cursor(&found.member)))
}

/// Returns where a list of members continues after a member.
fn cursor(member: &Member) -> Cursor {
    Cursor { at: member.created_at, id: member.account_id.to_string() }
}

pub(crate) fn insert(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    diesel::insert_into(teams::table).values(team.row()?).execute(conn)?;
    slug::reserve_for_team(conn, team.id, &team.slug)
}

pub(crate) fn replace(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    slug::retention_of_team(conn, team.id)?;
    expect_one(diesel::update(team.current()?).set(team.next_row()?).execute(conn)?, ResourceKind::Team)?;
    slug::reserve_for_team(conn, team.id, &team.slug)
}

pub(crate) fn lock(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    let changed = diesel::update(team.current()?).set(teams::revision.eq(teams::revision + 1)).execute(conn)?;
    expect_one(changed, ResourceKind::Team)
}

/// Increases the revisions of the contents of the teams whose members, projects or invites the writes change.
pub(crate) fn raise_contents<'a>(
    conn: &mut Conn,
    writes: impl Iterator<Item = &'a Write>,
    at: Time,
) -> Result<(), JobError> {
    let mut changed = BTreeSet::new();
    for write in writes {
        if let Write::Insert(entity) | Write::Replace(entity) | Write::Remove(entity) = write {
            changed.extend(match entity {
                Entity::Member(member) => Some(member.team_id.uuid()),
                Entity::Project(project) => Some(project.team_id.uuid()),
                Entity::Invite(invite) => Some(invite.team_id.uuid()),
                _ => None,
            });
        }
    }
    let Revision(first) = Revision::first_at(at);
    for id in changed {
        let next = case_when(teams::contents_revision.lt(first), first.into_sql::<BigInt>())
            .otherwise(teams::contents_revision + 1);
        diesel::update(teams::table.find(Id(id))).set(teams::contents_revision.eq(next)).execute(conn)?;
    }
    Ok(())
}

/// Checks that the member is as it was loaded, and locks its row until the end of the transaction.
pub(crate) fn lock_member(conn: &mut Conn, member: &Member) -> Result<(), JobError> {
    let mut lock: Statement<BigInt> = Statement::new();
    lock.sql("SELECT revision FROM members WHERE team_id = ");
    lock.id(member.team_id.uuid());
    lock.sql(" AND account_id = ");
    lock.id(member.account_id.uuid());
    lock.sql(" AND revision = ");
    lock.count(member.revision.0);
    lock.sql(SHARE_LOCK);
    let found: Option<i64> = lock.get_result(conn).optional()?;
    expect_one(usize::from(found.is_some()), ResourceKind::Member)
}

pub(crate) fn remove_member(conn: &mut Conn, member: &Member) -> Result<(), JobError> {
    expect_one(diesel::delete(member.current()?).execute(conn)?, ResourceKind::Member)?;
    let own = projects::table.filter(projects::team_id.eq(Id(member.team_id.uuid()))).select(projects::id);
    let drafts = schema_drafts::table.filter(schema_drafts::account_id.eq(Id(member.account_id.uuid())));
    diesel::delete(drafts.filter(schema_drafts::project_id.eq_any(own))).execute(conn)?;
    Ok(())
}
