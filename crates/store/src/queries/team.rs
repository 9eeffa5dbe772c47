//! Teams and their members in rows.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccountId, Cursor, Member, Name, Page, PageRequest, Revision, RoleName, Slug, Team, TeamId, TeamMembership,
};
use steward_domain::policy::RoleSet;

use super::statement::Statement;
use super::{Conn, SHARE_LOCK, page, slug};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{members, team_slugs, teams};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = teams)]
struct TeamRow {
    id: Id,
    name: String,
    slug: String,
    owner_id: Id,
    created_at: At,
    revision: i64,
}

impl TryFrom<TeamRow> for Team {
    type Error = JobError;

    fn try_from(row: TeamRow) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            name: Name::parse(&row.name).map_err(JobError::corrupt)?,
            slug: Slug::parse(&row.slug).map_err(JobError::corrupt)?,
            owner: row.owner_id.0.into(),
            created_at: row.created_at.0,
            revision: Revision(row.revision),
        })
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = members)]
struct MemberRow {
    team_id: Id,
    account_id: Id,
    roles: String,
    role_name: String,
    created_at: At,
    revision: i64,
}

impl TryFrom<MemberRow> for Member {
    type Error = JobError;

    fn try_from(row: MemberRow) -> Result<Self, JobError> {
        Ok(Self {
            team_id: row.team_id.0.into(),
            account_id: row.account_id.0.into(),
            roles: RoleSet::read(&row.roles),
            role_name: RoleName::parse(&row.role_name).map_err(JobError::corrupt)?,
            created_at: row.created_at.0,
            revision: Revision(row.revision),
        })
    }
}

fn membership((team, member): (TeamRow, MemberRow)) -> Result<(TeamMembership, Cursor), JobError> {
    let team = Team::try_from(team)?;
    let member = Member::try_from(member)?;
    let joined = Cursor { at: member.created_at, id: team.id.to_string() };
    Ok((TeamMembership { team, roles: member.roles, role_name: member.role_name }, joined))
}

pub(super) fn membership_of(
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

pub(super) fn teams_of(
    conn: &mut Conn,
    account: AccountId,
    request: &PageRequest,
) -> Result<Page<TeamMembership>, JobError> {
    let mut query = teams::table
        .inner_join(members::table)
        .filter(members::account_id.eq(Id(account.uuid())))
        .select((TeamRow::as_select(), MemberRow::as_select()))
        .order((members::created_at.asc(), teams::id.asc()))
        .limit(page::limit(request))
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        let later = members::created_at.gt(at);
        query = query.filter(later.or(members::created_at.eq(at).and(teams::id.gt(id))));
    }
    let rows: Vec<(TeamRow, MemberRow)> = query.load(conn)?;
    let placed: Vec<_> = rows.into_iter().map(membership).collect::<Result<_, _>>()?;
    Ok(Page::of(placed, request, |(_, joined)| joined.clone()).map(|(membership, _)| membership))
}

pub(super) fn by_id(conn: &mut Conn, id: TeamId) -> Result<Option<Team>, JobError> {
    let row = teams::table.find(Id(id.uuid())).select(TeamRow::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn taken_slugs(conn: &mut Conn, slugs: &[Slug]) -> Result<Vec<Slug>, JobError> {
    let wanted = || slugs.iter().map(Slug::as_str);
    let current = teams::table.filter(teams::slug.eq_any(wanted())).select(teams::slug);
    let reserved = team_slugs::table.filter(team_slugs::slug.eq_any(wanted())).select(team_slugs::slug);
    let found: Vec<String> = current.union(reserved).load(conn)?;
    found.iter().map(|slug| Slug::parse(slug).map_err(JobError::corrupt)).collect()
}

pub(super) fn members_of(conn: &mut Conn, team: TeamId, request: &PageRequest) -> Result<Page<Member>, JobError> {
    let mut query = members::table
        .filter(members::team_id.eq(Id(team.uuid())))
        .select(MemberRow::as_select())
        .order((members::created_at.asc(), members::account_id.asc()))
        .limit(page::limit(request))
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        let later = members::created_at.gt(at);
        query = query.filter(later.or(members::created_at.eq(at).and(members::account_id.gt(id))));
    }
    let place = |member: &Member| Cursor { at: member.created_at, id: member.account_id.to_string() };
    page::parsed(query.load(conn)?, request, place)
}

pub(super) fn member(conn: &mut Conn, team: TeamId, account: AccountId) -> Result<Option<Member>, JobError> {
    let found = members::table.find((Id(team.uuid()), Id(account.uuid())));
    let row = found.select(MemberRow::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn insert(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    let row = TeamRow {
        id: Id(team.id.uuid()),
        name: team.name.to_string(),
        slug: team.slug.to_string(),
        owner_id: Id(team.owner.uuid()),
        created_at: At(team.created_at),
        revision: team.revision.0,
    };
    diesel::insert_into(teams::table).values(row).execute(conn)?;
    slug::reserve_for_team(conn, team.id, &team.slug)
}

pub(super) fn replace(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    slug::retention_of_team(conn, team.id)?;
    let target = teams::table.filter(teams::id.eq(Id(team.id.uuid()))).filter(teams::revision.eq(team.revision.0));
    let changed = diesel::update(target)
        .set((
            teams::name.eq(team.name.as_str()),
            teams::slug.eq(team.slug.as_str()),
            teams::owner_id.eq(Id(team.owner.uuid())),
            teams::revision.eq(teams::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, ResourceKind::Team)?;
    slug::reserve_for_team(conn, team.id, &team.slug)
}

pub(super) fn lock(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    let target = teams::table.filter(teams::id.eq(Id(team.id.uuid()))).filter(teams::revision.eq(team.revision.0));
    let changed = diesel::update(target).set(teams::revision.eq(teams::revision + 1)).execute(conn)?;
    super::commit::one(changed, ResourceKind::Team)
}

pub(super) fn remove(conn: &mut Conn, team: &Team) -> Result<(), JobError> {
    let target = teams::table.filter(teams::id.eq(Id(team.id.uuid()))).filter(teams::revision.eq(team.revision.0));
    super::commit::one(diesel::delete(target).execute(conn)?, ResourceKind::Team)
}

pub(super) fn insert_member(conn: &mut Conn, member: &Member) -> Result<(), JobError> {
    let row = MemberRow {
        team_id: Id(member.team_id.uuid()),
        account_id: Id(member.account_id.uuid()),
        roles: member.roles.to_string(),
        role_name: member.role_name.to_string(),
        created_at: At(member.created_at),
        revision: member.revision.0,
    };
    diesel::insert_into(members::table).values(row).execute(conn)?;
    Ok(())
}

/// Finds the member as it was loaded, and keeps it so until the end of the transaction.
pub(super) fn lock_member(conn: &mut Conn, member: &Member) -> Result<(), JobError> {
    let mut held: Statement<BigInt> = Statement::new();
    held.sql("SELECT revision FROM members WHERE team_id = ");
    held.id(member.team_id.uuid());
    held.sql(" AND account_id = ");
    held.id(member.account_id.uuid());
    held.sql(" AND revision = ");
    held.count(member.revision.0);
    held.sql(SHARE_LOCK);
    let found: Option<i64> = held.get_result(conn).optional()?;
    super::commit::one(usize::from(found.is_some()), ResourceKind::Member)
}

pub(super) fn replace_member(conn: &mut Conn, member: &Member) -> Result<(), JobError> {
    let target = members::table
        .filter(members::team_id.eq(Id(member.team_id.uuid())))
        .filter(members::account_id.eq(Id(member.account_id.uuid())))
        .filter(members::revision.eq(member.revision.0));
    let changed = diesel::update(target)
        .set((
            members::roles.eq(member.roles.to_string()),
            members::role_name.eq(member.role_name.as_str()),
            members::revision.eq(members::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, ResourceKind::Member)
}

pub(super) fn remove_member(conn: &mut Conn, member: &Member) -> Result<(), JobError> {
    let target = members::table
        .filter(members::team_id.eq(Id(member.team_id.uuid())))
        .filter(members::account_id.eq(Id(member.account_id.uuid())))
        .filter(members::revision.eq(member.revision.0));
    super::commit::one(diesel::delete(target).execute(conn)?, ResourceKind::Member)
}
