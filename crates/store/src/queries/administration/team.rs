//! Queries for teams and their members.

use std::collections::BTreeSet;

use async_trait::async_trait;
use const_format::concatcp;
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::administration::{Member, MemberWithAccount, Team, TeamContents, TeamMembership, TeamReader};
use steward_domain::kernel::changes::{Entity, Write};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccountId, Cursor, Name, Page, PageRequest, Revision, Slug, StoreError, TeamId, Time};

use super::dialect::SHARE_LOCK;
use super::invite;
use super::kernel::statement::{Fragment, Statement};
use super::kernel::{page, slug};
use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{
    AccountRow, ColumnValue as _, MemberRow, Revised as _, Stored as _, TeamRow, accounts, members, projects,
    schema_drafts, team_slugs, teams,
};

fn membership((team, member): (TeamRow, MemberRow)) -> Result<(TeamMembership, Cursor), JobError> {
    let team = Team::try_from(team)?;
    let member = Member::try_from(member)?;
    let joined = page::cursor(member.created_at, team.id);
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
        let own = teams::table.inner_join(members::table).filter(members::account_id.eq(Id(account.uuid())));
        let own = own.select((TeamRow::as_select(), MemberRow::as_select()));
        let mut own = page::listed!(oldest first, own, page, page.rows(), members::created_at, teams::id);
        if let Some(at) = one_factor_at.map(At) {
            own = own.filter(teams::second_factor_from.is_null().or(teams::second_factor_from.gt(at)));
        }
        let memberships = self.page_as(own, page, membership, |(_, joined)| joined.clone()).await?;
        Ok(memberships.map(|(membership, _)| membership))
    }

    async fn second_factor_rule(&self, account: AccountId) -> Result<Option<(Time, Name)>, StoreError> {
        let rules = teams::table
            .inner_join(members::table)
            .filter(members::account_id.eq(Id(account.uuid())))
            .filter(teams::second_factor_from.is_not_null())
            .select((teams::second_factor_from.assume_not_null(), teams::name))
            .order((teams::second_factor_from.asc(), teams::id.asc()));
        self.first_as(rules, |(from, name): (At, String)| Ok((from.0, name.load()?))).await
    }

    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError> {
        self.first(teams::table.find(Id(id.uuid()))).await
    }

    async fn team_contents(&self, id: TeamId, now: Time) -> Result<Option<TeamContents>, StoreError> {
        let next_expiry = invite::next_expiry(Id(id.uuid()), At(now));
        let contents = teams::table.find(Id(id.uuid())).select((teams::contents_revision, next_expiry));
        let parse = |(revision, next_expiry): (i64, Option<At>)| {
            Ok(TeamContents { revision: Revision(revision), next_expiry: next_expiry.map(|at| at.0) })
        };
        self.first_as(contents, parse).await
    }

    async fn taken_team_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError> {
        let slugs: Vec<String> = slugs.iter().map(Slug::to_string).collect();
        let current = teams::table.filter(teams::slug.eq_any(slugs.clone())).select(teams::slug);
        let reserved = team_slugs::table.filter(team_slugs::slug.eq_any(slugs)).select(team_slugs::slug);
        self.all_as(current.union(reserved), |slug: String| slug.load()).await
    }

    async fn members(&self, id: TeamId, page: &PageRequest) -> Result<Page<Member>, StoreError> {
        let members = members::table.filter(members::team_id.eq(Id(id.uuid())));
        let members = page::listed!(oldest first, members, page, page.rows(), members::created_at, members::account_id);
        self.page(members, page, cursor).await
    }

    async fn members_with_accounts(
        &self,
        id: TeamId,
        page: &PageRequest,
    ) -> Result<Page<MemberWithAccount>, StoreError> {
        let joined = accounts::id.eq(members::account_id).and(accounts::deleted_at.is_null());
        let members = members::table
            .left_join(accounts::table.on(joined))
            .filter(members::team_id.eq(Id(id.uuid())))
            .select((MemberRow::as_select(), Option::<AccountRow>::as_select()));
        let members = page::listed!(oldest first, members, page, page.rows(), members::created_at, members::account_id);
        let parse = |(member, account): (MemberRow, Option<AccountRow>)| {
            let account = account.map(TryInto::try_into).transpose()?;
            Ok(MemberWithAccount { member: member.try_into()?, account })
        };
        self.page_as(members, page, parse, |found| cursor(&found.member)).await
    }

    async fn member(&self, id: TeamId, account: AccountId) -> Result<Option<Member>, StoreError> {
        self.first(members::table.find((Id(id.uuid()), Id(account.uuid())))).await
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

/// Returns where a list of members continues after a member.
fn cursor(member: &Member) -> Cursor {
    page::cursor(member.created_at, member.account_id)
}

pub(crate) fn insert(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    diesel::insert_into(teams::table).values(team.row()?).execute(conn)?;
    slug::TEAMS.reserve(conn, team.id, &team.slug)
}

pub(crate) fn replace(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    slug::TEAMS.retain(conn, team.id)?;
    expect_one(diesel::update(team.current()?).set(team.next_row()?).execute(conn)?, ResourceKind::Team)?;
    slug::TEAMS.reserve(conn, team.id, &team.slug)
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
    const LOCK: &str =
        concatcp!("SELECT revision FROM members WHERE team_id = $1 AND account_id = $2 AND revision = $3", SHARE_LOCK);
    let key = [Fragment::id(member.team_id), Fragment::id(member.account_id), Fragment::Count(member.revision.0)];
    let found: Option<i64> = Statement::<BigInt>::numbered(LOCK, &key).get_result(conn).optional()?;
    expect_one(usize::from(found.is_some()), ResourceKind::Member)
}

pub(crate) fn remove_member(conn: &mut Conn, member: &Member) -> Result<(), JobError> {
    expect_one(diesel::delete(member.current()?).execute(conn)?, ResourceKind::Member)?;
    let own = projects::table.filter(projects::team_id.eq(Id(member.team_id.uuid()))).select(projects::id);
    let drafts = schema_drafts::table.filter(schema_drafts::account_id.eq(Id(member.account_id.uuid())));
    Ok(diesel::delete(drafts.filter(schema_drafts::project_id.eq_any(own))).execute(conn).map(drop)?)
}
