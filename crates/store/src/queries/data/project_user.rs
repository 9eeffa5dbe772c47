//! Queries for project users.

use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::administration::{ActivityCounts, ActivityWindow, Day};
use steward_domain::data::{ProjectUser, ProjectUserReader, UserCleanup, UserFilter, UserSearch, UserStatus};
use steward_domain::identity::Email;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::Work;
use steward_domain::kernel::{AccountId, Page, PageRequest, ProjectId, ProjectUserId, StoreError, TeamId, Time};
use uuid::Uuid;

use super::dialect::{NOT_CANCELLED, RowByRow};
use super::kernel::page;
use super::kernel::page::{MeasuredRow, PageRows, contains_pattern, json_bytes};
use super::{Conn, Database, Layout};
use super::{activity, user_data};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id, OnDay};
use crate::tables::{
    ColumnValue as _, ProjectUserRow, Revised as _, Stored as _, accounts, grants, project_users, projects,
    user_activity,
};

/// Whether a grant contains the scope `email`. The scopes are separated by spaces.
const EMAIL_GRANTED: &str = "(' ' || grants.scopes || ' ' LIKE '% email %')";

/// A user with at least this many rows is not deleted: they are deleted in steps first.
const MAX_REMAINING_ROWS: u16 = 500;

impl MeasuredRow for ProjectUserRow {
    fn bytes(&self) -> usize {
        json_bytes([Some(&self.meta), Some(&self.profile)])
    }
}

#[async_trait]
impl ProjectUserReader for Database {
    async fn users(
        &self,
        project: ProjectId,
        filter: &UserFilter,
        page: &PageRequest,
    ) -> Result<Page<ProjectUser>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        // No index supports these filters.
        let needs_scan = filter.status.is_some() || filter.search.is_some();
        if needs_scan && !self.read(move |conn| are_few(conn, &[Id(project.uuid())])).await? {
            Work::set_lane(Lane::Heavy);
        }
        self.read(move |conn| list(conn, project, &filter, &page)).await
    }

    async fn find_users(
        &self,
        projects: &[ProjectId],
        search: &UserSearch,
        limit: u16,
    ) -> Result<Vec<ProjectUser>, StoreError> {
        if projects.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<Id> = projects.iter().map(|project| Id(project.uuid())).collect();
        let (pattern, email) = (contains_pattern(search.folded()), search.email());
        // No user has the nil UUID.
        let id = Id(Uuid::parse_str(search.folded()).unwrap_or_default());
        let counted = ids.clone();
        // No index supports the search.
        if !self.read(move |conn| are_few(conn, &counted)).await? {
            Work::set_lane(Lane::Heavy);
        }
        self.read(move |conn| {
            let mut query = project_users::table
                .filter(sql::<Bool>(NOT_CANCELLED))
                .select(ProjectUserRow::as_select())
                .order((project_users::created_at.desc(), project_users::id.desc()))
                .limit(i64::from(limit))
                .into_boxed();
            query = match granting(conn, &ids, email.as_ref())? {
                Some((account, granted)) => query
                    .filter(project_users::account_id.eq(account))
                    .filter(project_users::project_id.eq_any(granted))
                    .filter(project_users::status.ne(UserStatus::Disconnected.as_str())),
                None => query
                    .filter(project_users::project_id.eq_any(&ids))
                    .filter(project_users::search.like(&pattern).escape('\\').or(project_users::id.eq(id))),
            };
            let rows: Vec<ProjectUserRow> = query.load(conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        })
        .await
    }

    async fn granted_emails(
        &self,
        project: ProjectId,
        of: &[AccountId],
    ) -> Result<Vec<(AccountId, Email)>, StoreError> {
        if of.is_empty() {
            return Ok(Vec::new());
        }
        let of: Vec<Id> = of.iter().map(|account| Id(account.uuid())).collect();
        let addresses = addresses_of(Id(project.uuid()), of, UserStatus::Disconnected.as_str());
        self.all_as(addresses, |(id, email): (Id, String)| Ok((id.load()?, email.load()?))).await
    }

    async fn activity(&self, project: ProjectId, window: &ActivityWindow) -> Result<ActivityCounts, StoreError> {
        let window = *window;
        self.read(move |conn| activity::counts(conn, project, &window)).await
    }

    async fn active_days(&self, project: ProjectId, user: ProjectUserId) -> Result<Vec<Day>, StoreError> {
        let days = user_activity::table
            .filter(user_activity::project_id.eq(Id(project.uuid())))
            .filter(user_activity::user_id.eq(Id(user.uuid())))
            .select(user_activity::day)
            .order(user_activity::day.asc());
        self.all_as(days, |day: OnDay| Ok(day.0)).await
    }

    async fn user(&self, project: ProjectId, id: ProjectUserId) -> Result<Option<ProjectUser>, StoreError> {
        self.first(project_users::table.find((Id(project.uuid()), Id(id.uuid())))).await
    }

    async fn users_with_ids(&self, project: ProjectId, ids: &[ProjectUserId]) -> Result<Vec<ProjectUser>, StoreError> {
        let ids: Vec<Id> = ids.iter().map(|id| Id(id.uuid())).collect();
        let users = project_users::table.filter(project_users::project_id.eq(Id(project.uuid())));
        self.all(users.filter(project_users::id.eq_any(ids))).await
    }

    async fn user_of(&self, project: ProjectId, account: AccountId) -> Result<Option<ProjectUser>, StoreError> {
        let users = project_users::table.filter(project_users::project_id.eq(Id(project.uuid())));
        self.first(users.filter(project_users::account_id.eq(Id(account.uuid())))).await
    }

    async fn users_of_account(
        &self,
        account: AccountId,
        after: Option<ProjectId>,
        limit: u16,
    ) -> Result<Vec<ProjectUser>, StoreError> {
        let users = project_users::table
            .inner_join(projects::table.on(projects::id.eq(project_users::project_id)))
            .filter(project_users::account_id.eq(Id(account.uuid())))
            .filter(project_users::project_id.gt(Id(after.map_or(Uuid::nil(), ProjectId::uuid))))
            .filter(projects::deleted_at.is_null());
        self.all(users.order(project_users::project_id).limit(i64::from(limit))).await
    }
}

#[async_trait]
impl UserCleanup for Database {
    async fn user_to_delete(
        &self,
        after: Option<ProjectUserId>,
        started_before: Time,
    ) -> Result<Option<(TeamId, ProjectUser)>, StoreError> {
        let started = project_users::table
            .inner_join(projects::table.on(projects::id.eq(project_users::project_id)))
            .filter(project_users::deletion_started_at.lt(At(started_before)))
            .filter(project_users::id.gt(Id(after.map_or(Uuid::nil(), ProjectUserId::uuid))))
            .filter(projects::deleted_at.is_null())
            .select((projects::team_id, ProjectUserRow::as_select()))
            .order(project_users::id);
        self.first_as(started, |(team, row): (Id, ProjectUserRow)| Ok((team.load()?, row.try_into()?))).await
    }
}

fn list(
    conn: &mut Conn,
    project: ProjectId,
    filter: &UserFilter,
    request: &PageRequest,
) -> Result<Page<ProjectUser>, JobError> {
    let cursor = |user: &ProjectUser| page::cursor(user.created_at, user.id);
    let email = filter.search.as_ref().and_then(UserSearch::email);
    let granting = granting(conn, &[Id(project.uuid())], email.as_ref())?;
    page::read_page(request, ProjectUserRow::try_into, cursor, |request, part: &mut PageRows<ProjectUserRow>| {
        let users = project_users::table
            .filter(project_users::project_id.eq(Id(project.uuid())))
            .filter(sql::<Bool>(NOT_CANCELLED))
            .select(ProjectUserRow::as_select());
        let (created_at, id) = (project_users::created_at, project_users::id);
        let mut query = page::listed!(newest first, users, request, part.limit(), created_at, id);
        if let Some(status) = filter.status {
            query = query.filter(project_users::status.eq(status.as_str()));
        }
        if let Some(search) = &filter.search {
            query = match &granting {
                Some((account, _)) => query
                    .filter(project_users::account_id.eq(*account))
                    .filter(project_users::status.ne(UserStatus::Disconnected.as_str())),
                None => query.filter(project_users::search.like(contains_pattern(search.folded())).escape('\\')),
            };
        }
        part.take(query.load_iter::<ProjectUserRow, RowByRow>(conn)?)
    })
}

/// Returns the account with this address, found by the index of addresses, and those of the projects to which it granted
/// the address. `None` if there are none.
fn granting(conn: &mut Conn, projects: &[Id], email: Option<&Email>) -> Result<Option<(Id, Vec<Id>)>, JobError> {
    let Some(email) = email else { return Ok(None) };
    let rows: Vec<(Id, Id)> = granting_account(email.folded(), projects).load(conn)?;
    let account = rows.first().map(|(account, _)| *account);
    Ok(account.map(|account| (account, rows.into_iter().map(|(_, project)| project).collect())))
}

/// Selects the account with this address, and each of the projects to which it granted the address.
#[diesel::dsl::auto_type]
pub(crate) fn granting_account<'a>(email: String, projects: &'a [Id]) -> _ {
    let granted: SqlLiteral<Bool> = sql(EMAIL_GRANTED);
    accounts::table
        .inner_join(grants::table.on(grants::account_id.eq(accounts::id)))
        .filter(accounts::email_folded.eq(email))
        .filter(accounts::deleted_at.is_null())
        .filter(grants::project_id.eq_any(projects))
        .filter(granted)
        .select((accounts::id, grants::project_id))
}

/// Selects the addresses that these accounts granted to a project.
#[diesel::dsl::auto_type]
pub(crate) fn addresses_of<'a>(project: Id, accounts_of_users: Vec<Id>, disconnected: &'a str) -> _ {
    let granted: SqlLiteral<Bool> = sql(EMAIL_GRANTED);
    accounts::table
        .inner_join(grants::table.on(grants::account_id.eq(accounts::id)))
        .inner_join(
            project_users::table.on(project_users::account_id
                .eq(grants::account_id)
                .and(project_users::project_id.eq(grants::project_id))),
        )
        .filter(grants::project_id.eq(project))
        .filter(project_users::status.ne(disconnected))
        .filter(accounts::id.eq_any(accounts_of_users))
        .filter(accounts::deleted_at.is_null())
        .filter(granted)
        .select((accounts::id, accounts::email))
}

/// Returns whether the projects have so few users that all of them may be scanned.
fn are_few(conn: &mut Conn, projects: &[Id]) -> Result<bool, JobError> {
    const MAX_COUNTED: i64 = 1_000;
    let sample = project_users::table.filter(project_users::project_id.eq_any(projects)).select(project_users::id);
    let ids: Vec<Id> = sample.limit(MAX_COUNTED + 1).load(conn)?;
    Ok(i64::try_from(ids.len()).is_ok_and(|count| count <= MAX_COUNTED))
}

pub(crate) fn insert(conn: &mut Conn, user: &ProjectUser) -> Result<(), JobError> {
    let row = (user.row()?, project_users::search.eq(user.search_text()));
    diesel::insert_into(project_users::table).values(row).execute(conn)?;
    activity::begin(conn, user)
}

pub(crate) fn replace(conn: &mut Conn, user: &ProjectUser) -> Result<(), JobError> {
    let computed = (
        project_users::last_seen_at.eq(activity::latest(user.last_seen_at)),
        project_users::search.eq(user.search_text()),
    );
    let row = (user.next_row()?, computed);
    activity::record_day(conn, user.project_id, user.id, user.last_seen_at)?;
    expect_one(diesel::update(user.current()?).set(row).execute(conn)?, ResourceKind::ProjectUser)
}

/// Deletes a user, with the rows that were written after the last step in which the user's data was deleted: if they
/// were deleted by the foreign keys, the items among them would not be counted. On other nodes there are no foreign keys, so
/// the user is deleted first: then all writes of the user's items have ended, and no others begin.
pub(crate) fn remove(conn: &mut Conn, layout: Layout, user: &ProjectUser) -> Result<(), JobError> {
    if !layout.is_local() {
        delete(conn, user)?;
    }
    let removed = user_data::remove(conn, layout, (user.project_id, user.id), MAX_REMAINING_ROWS)?;
    if removed == usize::from(MAX_REMAINING_ROWS) {
        return Err(JobError::Stale(ResourceKind::ProjectUser));
    }
    if layout.is_local() {
        delete(conn, user)?;
    }
    Ok(())
}

fn delete(conn: &mut Conn, user: &ProjectUser) -> Result<(), JobError> {
    activity::end(conn, user.project_id, user.id, MAX_REMAINING_ROWS.into())?;
    expect_one(diesel::delete(user.current()?).execute(conn)?, ResourceKind::ProjectUser)
}
