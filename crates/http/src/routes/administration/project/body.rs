//! Projects in requests and responses.

use serde_json::Value;
use steward_api as wire;
use steward_domain::Steward;
use steward_domain::administration::{CreateProject, Project, ProjectInTeam, ProjectUsage, UpdateProject, Website};
use steward_domain::identity::RedirectUri;
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::policy::{Quota, Quotas};
use steward_domain::kernel::{Name, ServiceAddress, Slug, TeamId};

pub(crate) fn project_summary(project: &Project) -> wire::ProjectSummary {
    wire::ProjectSummary {
        id: project.id.uuid().into(),
        name: project.name.to_string(),
        slug: project.slug.to_string(),
    }
}

pub(crate) fn project_presentation(project: &Project, address: &ServiceAddress) -> wire::ProjectPresentation {
    wire::ProjectPresentation {
        website: project.website.as_ref().map(|website| website.as_str().to_owned()),
        profile: project.rendered_profile(address),
    }
}

fn project_appearance(project: &Project, address: &ServiceAddress) -> wire::ProjectAppearance {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let members = project.rendered_profile(address);
    let background = members.get("styles").and_then(|styles| styles.get("background_url"));
    wire::ProjectAppearance {
        icon_url: text(members.get("icon_url")),
        styles: wire::ProjectStyles { background_url: text(background) },
    }
}

pub(super) fn listed_project(listed: ProjectInTeam, address: &ServiceAddress) -> wire::ListedProject {
    wire::ListedProject {
        summary: project_summary(&listed.project),
        profile: project_appearance(&listed.project, address),
        team_id: listed.project.team_id.uuid().into(),
        team_name: listed.team_name.to_string(),
        team_slug: listed.team_slug.to_string(),
        created_at: listed.project.created_at.into(),
    }
}

pub(super) fn parse_new_project(body: wire::NewProject, mut errors: FieldViolations) -> Result<CreateProject, Error> {
    let name = errors.check("name", Name::parse(&body.name));
    let slug = errors.check_given("slug", body.slug.as_deref(), Slug::parse);
    let name = errors.finish(name)?;
    let team_id = TeamId::parse(&body.team_id).ok_or(Error::NotFound(ResourceKind::Team))?;
    Ok(CreateProject { team_id, name, slug })
}

fn project_usage(usage: ProjectUsage, quotas: &Quotas) -> wire::ProjectUsage {
    let of = |used, quota| wire::QuotaUsage { used, limit: quotas.limit(quota) };
    wire::ProjectUsage {
        items: of(usage.items, Quota::ItemsPerProject),
        bytes: of(usage.bytes, Quota::BytesPerProject),
        keys: of(usage.keys, Quota::KeysPerProject),
        webhooks: of(usage.webhooks, Quota::WebhooksPerProject),
        schema_versions: of(usage.schema_versions, Quota::SchemaVersionsPerProject),
    }
}

pub(super) fn project_details(
    project: Project,
    usage: Option<ProjectUsage>,
    steward: &Steward,
) -> wire::ProjectDetails {
    wire::ProjectDetails {
        summary: project_summary(&project),
        presentation: project_presentation(&project, &steward.address),
        team_id: project.team_id.uuid().into(),
        created_at: project.created_at.into(),
        updated_at: project.updated_at.into(),
        usage: usage.map(|usage| project_usage(usage, &steward.quotas)),
    }
}

pub(super) fn public_project(project: Project, address: &ServiceAddress) -> wire::PublicProject {
    let redirect_uris = project.sign_in.redirect_uris.iter().map(RedirectUri::to_string).collect();
    wire::PublicProject {
        summary: project_summary(&project),
        presentation: project_presentation(&project, address),
        created_at: project.created_at.into(),
        auth: wire::PublicSignIn { redirect_uris },
    }
}

pub(super) fn parse_project_changes(
    body: wire::ProjectChanges,
    team_id: Option<Option<TeamId>>,
    mut errors: FieldViolations,
) -> Result<UpdateProject, Error> {
    let command = UpdateProject {
        name: errors.check_given("name", body.name.as_deref(), Name::parse),
        slug: errors.check_given("slug", body.slug.as_deref(), Slug::parse),
        website: body.website.map(|text| errors.check_given("website", text.as_deref(), Website::parse)),
        profile: body.profile,
        team_id,
    };
    errors.finish(Some(command))
}
