//! Queries for projects, including those that access decisions rely on.

use async_trait::async_trait;
use std::sync::Arc;

use diesel::prelude::*;
use serde_json::{Value, json};
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccessEpoch, AccountId, Cursor, Day, Image, ImageFormat, ImageId, JsonObject, Name, Page, PageRequest, Project,
    ProjectId, ProjectImages, ProjectInTeam, ProjectMembership, ProjectUsage, RedirectUri, Revision, SignInSettings,
    Slug, TeamId, Time, WebhookUrl, Website,
};
use steward_domain::policy::RoleSet;
use steward_domain::ports::{ProjectReader, StoreError};

use super::page::{MeasuredRow, PageRows, json_bytes};
use super::{Conn, Database, RowByRow, page, quota, slug, usage};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id, Json};
use crate::tables::{members, project_slugs, projects, schema_versions, teams};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = projects, treat_none_as_null = true)]
pub(super) struct ProjectRow {
    id: Id,
    team_id: Id,
    name: String,
    slug: String,
    website: Option<String>,
    profile: Json,
    redirect_uris: Json,
    require_pkce: bool,
    legacy_scopes: bool,
    post_logout_redirect_uris: Json,
    backchannel_logout_uri: Option<String>,
    icon: Option<Json>,
    background: Option<Json>,
    created_at: At,
    updated_at: At,
    revision: i64,
}

impl TryFrom<ProjectRow> for Project {
    type Error = JobError;

    fn try_from(row: ProjectRow) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            team_id: row.team_id.0.into(),
            name: Name::stored(&row.name).map_err(JobError::corrupt)?,
            slug: Slug::parse(&row.slug).map_err(JobError::corrupt)?,
            website: row.website.map(|text| Website::stored(&text)).transpose().map_err(JobError::corrupt)?,
            profile: object(&row.profile)?,
            images: images(row.icon, row.background)?,
            sign_in: SignInSettings {
                redirect_uris: redirect_uris(&row.redirect_uris)?,
                require_pkce: row.require_pkce,
                legacy_scopes: row.legacy_scopes,
                post_logout_redirect_uris: redirect_uris(&row.post_logout_redirect_uris)?,
                // The sender checks whether private networks are allowed.
                backchannel_logout_uri: row
                    .backchannel_logout_uri
                    .map(|text| WebhookUrl::parse(&text, true))
                    .transpose()
                    .map_err(JobError::corrupt)?,
            },
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
            revision: Revision(row.revision),
        })
    }
}

impl From<&Project> for ProjectRow {
    fn from(project: &Project) -> Self {
        let settings = &project.sign_in;
        Self {
            id: Id(project.id.uuid()),
            team_id: Id(project.team_id.uuid()),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            website: project.website.as_ref().map(|website| website.as_str().to_owned()),
            profile: Json(project.profile.to_json()),
            redirect_uris: uris_json(&settings.redirect_uris),
            require_pkce: settings.require_pkce,
            legacy_scopes: settings.legacy_scopes,
            post_logout_redirect_uris: uris_json(&settings.post_logout_redirect_uris),
            backchannel_logout_uri: settings.backchannel_logout_uri.as_ref().map(|url| url.as_str().to_owned()),
            icon: project.images.icon.as_ref().map(image_json),
            background: project.images.background.as_ref().map(image_json),
            created_at: At(project.created_at),
            updated_at: At(project.updated_at),
            revision: project.revision.0,
        }
    }
}

/// Encodes the metadata of an image as JSON.
fn image_json(image: &Image) -> Json {
    let metadata = json!({
        "id": image.id.to_string(), "format": image.format.extension(), "size": image.size,
        "uploaded_at": image.uploaded_at.to_rfc3339(),
    });
    Json(metadata.to_string())
}

/// Parses the image columns of a project.
pub(super) fn images(icon: Option<Json>, background: Option<Json>) -> Result<ProjectImages, JobError> {
    let parse = |column: Option<Json>| column.map(|json| image(&json)).transpose();
    Ok(ProjectImages { icon: parse(icon)?, background: parse(background)? })
}

fn image(json: &Json) -> Result<Image, JobError> {
    let metadata: Value = serde_json::from_str(&json.0).map_err(JobError::corrupt)?;
    let text = |name: &str| metadata.get(name).and_then(Value::as_str);
    let image = || {
        Some(Image {
            id: ImageId::parse(text("id")?)?,
            format: ImageFormat::of_extension(text("format")?)?,
            size: metadata.get("size")?.as_i64()?,
            uploaded_at: text("uploaded_at")?.parse().ok()?,
        })
    };
    image().ok_or_else(|| JobError::corrupt("invalid image metadata"))
}

/// Parses a free-form JSON object.
pub(super) fn object(json: &Json) -> Result<JsonObject, JobError> {
    match serde_json::from_str(&json.0) {
        Ok(Value::Object(members)) => JsonObject::parse(members).map_err(JobError::corrupt),
        _ => Err(JobError::corrupt("a value that is not a JSON object")),
    }
}

fn uris_json(uris: &[RedirectUri]) -> Json {
    let texts: Vec<&str> = uris.iter().map(RedirectUri::as_str).collect();
    Json(Value::from(texts).to_string())
}

fn redirect_uris(json: &Json) -> Result<Vec<RedirectUri>, JobError> {
    let texts: Vec<String> = serde_json::from_str(&json.0).map_err(JobError::corrupt)?;
    texts.iter().map(|text| RedirectUri::parse(text).map_err(JobError::corrupt)).collect()
}

/// A project with its team's name and slug, the number of its newest schema, and its access epoch.
pub(super) type ProjectInTeamRow = (ProjectRow, String, String, Option<i32>, i64);

pub(super) fn in_team(
    (project, team_name, team_slug, number, epoch): ProjectInTeamRow,
) -> Result<ProjectInTeam, JobError> {
    Ok(ProjectInTeam {
        project: project.try_into()?,
        team_name: Name::stored(&team_name).map_err(JobError::corrupt)?,
        team_slug: Slug::parse(&team_slug).map_err(JobError::corrupt)?,
        schema_number: u32::try_from(number.unwrap_or_default()).map_err(JobError::corrupt)?,
        access_epoch: AccessEpoch(epoch),
    })
}

/// Subquery for the number of the newest schema of the project in the surrounding query.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn newest_number() -> _ {
    let own = schema_versions::project_id.eq(projects::id);
    let newest = schema_versions::table.filter(own).select(schema_versions::number);
    newest.order(schema_versions::number.desc()).limit(1_i64).single_value()
}

#[async_trait]
impl ProjectReader for Database {
    async fn projects_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError> {
        let page = page.clone();
        self.read(move |conn| projects_of(conn, account, &page)).await
    }

    async fn project(&self, id: ProjectId) -> Result<Option<ProjectInTeam>, StoreError> {
        self.read(move |conn| {
            let row: Option<ProjectInTeamRow> = projects::table
                .inner_join(teams::table)
                .filter(projects::id.eq(Id(id.uuid())))
                .filter(projects::deleted_at.is_null())
                .select((ProjectRow::as_select(), teams::name, teams::slug, newest_number(), projects::access_epoch))
                .first(conn)
                .optional()?;
            row.map(in_team).transpose()
        })
        .await
    }

    async fn projects_in(&self, team: TeamId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError> {
        let page = page.clone();
        self.read(move |conn| projects_in(conn, team, &page)).await
    }

    async fn project_usage(&self, id: ProjectId) -> Result<ProjectUsage, StoreError> {
        self.read(move |conn| quota::usage(conn, id)).await
    }

    async fn project_requests(&self, id: ProjectId, since: Day) -> Result<Vec<(Day, u64)>, StoreError> {
        self.read(move |conn| usage::requests(conn, id, since)).await
    }

    async fn taken_project_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError> {
        let slugs = slugs.to_vec();
        self.read(move |conn| {
            let requested = || slugs.iter().map(Slug::as_str);
            let current = projects::table.filter(projects::slug.eq_any(requested())).select(projects::slug);
            let reserved =
                project_slugs::table.filter(project_slugs::slug.eq_any(requested())).select(project_slugs::slug);
            let found: Vec<String> = current.union(reserved).load(conn)?;
            found.iter().map(|slug| Slug::parse(slug).map_err(JobError::corrupt)).collect()
        })
        .await
    }
}

pub(super) fn membership_of(
    conn: &mut Conn,
    account: AccountId,
    project: ProjectId,
) -> Result<Option<ProjectMembership>, JobError> {
    let row: Option<(ProjectRow, String, String, Option<i32>, i64, String)> = projects::table
        .inner_join(teams::table.inner_join(members::table))
        .filter(projects::id.eq(Id(project.uuid())))
        .filter(projects::deleted_at.is_null())
        .filter(members::account_id.eq(Id(account.uuid())))
        .select((
            ProjectRow::as_select(),
            teams::name,
            teams::slug,
            newest_number(),
            projects::access_epoch,
            members::roles,
        ))
        .first(conn)
        .optional()?;
    row.map(|(project, name, slug, number, epoch, roles)| {
        let project = in_team((project, name, slug, number, epoch))?;
        Ok(ProjectMembership { project: Arc::new(project), roles: RoleSet::from_stored(&roles) })
    })
    .transpose()
}

fn cursor_of(found: &ProjectInTeam) -> Cursor {
    Cursor { at: found.project.created_at, id: found.project.id.to_string() }
}

impl MeasuredRow for ProjectInTeamRow {
    fn bytes(&self) -> usize {
        json_bytes([Some(&self.0.profile), Some(&self.0.redirect_uris), Some(&self.0.post_logout_redirect_uris)])
    }
}

fn projects_of(conn: &mut Conn, account: AccountId, request: &PageRequest) -> Result<Page<ProjectInTeam>, JobError> {
    page::read_page(request, in_team, cursor_of, |request, part: &mut PageRows<ProjectInTeamRow>| {
        let mut query = projects::table
            .inner_join(teams::table.inner_join(members::table))
            .filter(members::account_id.eq(Id(account.uuid())))
            .filter(projects::deleted_at.is_null())
            .select((ProjectRow::as_select(), teams::name, teams::slug, newest_number(), projects::access_epoch))
            .order((projects::created_at.desc(), projects::id.desc()))
            .limit(part.limit())
            .into_boxed();
        if let Some((at, id)) = page::after(request) {
            let earlier = projects::created_at.lt(at);
            query = query.filter(earlier.or(projects::created_at.eq(at).and(projects::id.lt(id))));
        }
        part.take(query.load_iter::<ProjectInTeamRow, RowByRow>(conn)?)
    })
}

fn projects_in(conn: &mut Conn, team: TeamId, request: &PageRequest) -> Result<Page<ProjectInTeam>, JobError> {
    page::read_page(request, in_team, cursor_of, |request, part: &mut PageRows<ProjectInTeamRow>| {
        let mut query = projects::table
            .inner_join(teams::table)
            .filter(projects::team_id.eq(Id(team.uuid())))
            .filter(projects::deleted_at.is_null())
            .select((ProjectRow::as_select(), teams::name, teams::slug, newest_number(), projects::access_epoch))
            .order((projects::created_at.desc(), projects::id.desc()))
            .limit(part.limit())
            .into_boxed();
        if let Some((at, id)) = page::after(request) {
            let earlier = projects::created_at.lt(at);
            query = query.filter(earlier.or(projects::created_at.eq(at).and(projects::id.lt(id))));
        }
        part.take(query.load_iter::<ProjectInTeamRow, RowByRow>(conn)?)
    })
}

pub(super) fn insert(conn: &mut Conn, project: &Project) -> Result<(), JobError> {
    diesel::insert_into(projects::table).values(ProjectRow::from(project)).execute(conn)?;
    quota::begin(conn, project.id)?;
    slug::reserve_for_project(conn, project.id, &project.slug)
}

pub(super) fn replace(conn: &mut Conn, project: &Project) -> Result<(), JobError> {
    slug::retention_of_project(conn, project.id)?;
    let row = ProjectRow::from(project);
    let target = projects::table.find(row.id).filter(projects::revision.eq(row.revision));
    let row = ProjectRow { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::Project)?;
    slug::reserve_for_project(conn, project.id, &project.slug)
}

/// Marks the project as deleted and releases its slugs. [`super::deleted_project`] removes its other rows later.
pub(super) fn remove(conn: &mut Conn, project: &Project, at: Time) -> Result<(), JobError> {
    let id = Id(project.id.uuid());
    let target = projects::table.filter(projects::id.eq(id)).filter(projects::revision.eq(project.revision.0));
    let deleted = (
        projects::deleted_at.eq(At(at)),
        // A valid slug never starts with a hyphen, so this value cannot be taken.
        projects::slug.eq(format!("-{}", project.id)),
        projects::revision.eq(projects::revision + 1),
    );
    expect_one(diesel::update(target).set(deleted).execute(conn)?, ResourceKind::Project)?;
    diesel::delete(project_slugs::table.filter(project_slugs::project_id.eq(id))).execute(conn)?;
    Ok(())
}
