//! Projects in requests and responses.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{
    Name, Project, ProjectInTeam, ProjectUsage, RedirectUri, ServiceAddress, Slug, TeamId, Website,
};
use steward_domain::policy::{Quota, Quotas};
use steward_domain::usecases::{CreateProject, Steward, UpdateProject};
use utoipa::ToSchema;

use crate::response::format_timestamp;

/// Images of a project's public profile.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProfileBody {
    /// URL of the icon; null if the project has none.
    #[schema(example = "https://example.com/icon.png")]
    icon_url: Option<String>,
    /// Appearance of the project's pages.
    styles: StylesBody,
}

/// Appearance of a project's pages.
#[derive(Serialize, ToSchema)]
pub(crate) struct StylesBody {
    /// URL of the background image; null if the project has none.
    #[schema(example = "https://example.com/background.jpg")]
    background_url: Option<String>,
}

impl ProfileBody {
    fn of(project: &Project, address: &ServiceAddress) -> Self {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let members = project.rendered_profile(address);
        let background = members.get("styles").and_then(|styles| styles.get("background_url"));
        Self { icon_url: text(members.get("icon_url")), styles: StylesBody { background_url: text(background) } }
    }
}

/// A project and its team, as listed.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectListItem {
    /// Unique ID of the project.
    id: String,
    /// Display name of the project.
    name: String,
    /// URL-friendly name of the project, unique in the service.
    slug: String,
    /// Images of the public profile.
    profile: ProfileBody,
    /// ID of the team that owns the project.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    team_id: String,
    /// Display name of the team.
    #[schema(example = "Acme")]
    team_name: String,
    /// URL-friendly name of the team.
    #[schema(example = "acme")]
    team_slug: String,
    /// When the project was created.
    #[schema(format = DateTime)]
    created_at: String,
}

impl ProjectListItem {
    pub(super) fn of(listed: ProjectInTeam, address: &ServiceAddress) -> Self {
        Self {
            id: listed.project.id.to_string(),
            name: listed.project.name.to_string(),
            slug: listed.project.slug.to_string(),
            profile: ProfileBody::of(&listed.project, address),
            team_id: listed.project.team_id.to_string(),
            team_name: listed.team_name.to_string(),
            team_slug: listed.team_slug.to_string(),
            created_at: format_timestamp(listed.project.created_at),
        }
    }
}

/// Values of a new project.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewProject {
    /// Display name of the project: 1 to 100 characters.
    name: String,
    /// ID of the team that owns the project.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    team_id: String,
    /// URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. If absent, it is
    /// generated from the name, with a number appended if it is taken.
    slug: Option<String>,
}

impl NewProject {
    pub(super) fn parse(self, mut errors: FieldViolations) -> Result<CreateProject, Error> {
        let name = errors.check("name", Name::parse(&self.name));
        let slug = self.slug.map(|text| errors.check("slug", Slug::parse(&text)));
        let name = errors.finish(name)?;
        let team_id = TeamId::parse(&self.team_id).ok_or(Error::NotFound(ResourceKind::Team))?;
        Ok(CreateProject { team_id, name, slug: slug.flatten() })
    }
}

/// A new project.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectCreated {
    /// Unique ID of the project.
    id: String,
    /// Display name of the project.
    name: String,
    /// URL-friendly name of the project, unique in the service.
    slug: String,
    /// When the project was created.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<&Project> for ProjectCreated {
    fn from(project: &Project) -> Self {
        Self {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            created_at: format_timestamp(project.created_at),
        }
    }
}

/// A project.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectBody {
    /// Unique ID of the project.
    id: String,
    /// Display name of the project.
    name: String,
    /// URL-friendly name of the project, unique in the service.
    slug: String,
    /// Website of the project; null if it has none.
    website: Option<String>,
    /// Public profile of the project, with the URLs of its images.
    #[schema(value_type = Object, example = json!({"icon_url": "https://example.com/icon.png"}))]
    profile: Map<String, Value>,
    /// ID of the team that owns the project.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    team_id: String,
    /// When the project was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the project or its settings last changed.
    #[schema(format = DateTime)]
    updated_at: String,
    /// Usage and limits of the project's quotas. Responses to a public API key do not contain them.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageBody>,
}

/// Usage and limits of a project's quotas.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "items": {"used": 1280, "limit": 10_000_000},
    "bytes": {"used": 413_952, "limit": 10_737_418_240_u64},
    "keys": {"used": 3, "limit": 200},
    "webhooks": {"used": 1, "limit": 50},
    "schema_versions": {"used": 7, "limit": 2000},
}))]
pub(crate) struct UsageBody {
    /// Number of items of all users.
    items: QuotaUsage,
    /// Total size of these items, in bytes of JSON.
    bytes: QuotaUsage,
    /// Number of API keys.
    keys: QuotaUsage,
    /// Number of webhooks.
    webhooks: QuotaUsage,
    /// Number of schema versions.
    schema_versions: QuotaUsage,
}

/// Usage and limit of one quota.
#[derive(Serialize, ToSchema)]
pub(crate) struct QuotaUsage {
    /// Current number or size.
    used: u64,
    /// Maximum number or size. The operator of the service configures it.
    limit: u64,
}

impl UsageBody {
    fn of(usage: ProjectUsage, quotas: &Quotas) -> Self {
        let of = |used, quota| QuotaUsage { used, limit: quotas.limit(quota) };
        Self {
            items: of(usage.items, Quota::ItemsPerProject),
            bytes: of(usage.bytes, Quota::BytesPerProject),
            keys: of(usage.keys, Quota::KeysPerProject),
            webhooks: of(usage.webhooks, Quota::WebhooksPerProject),
            schema_versions: of(usage.schema_versions, Quota::SchemaVersionsPerProject),
        }
    }
}

impl ProjectBody {
    pub(super) fn of(project: Project, usage: Option<ProjectUsage>, steward: &Steward) -> Self {
        let profile = project.rendered_profile(&steward.address);
        Self {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            website: project.website.map(|website| website.as_str().to_owned()),
            profile,
            team_id: project.team_id.to_string(),
            created_at: format_timestamp(project.created_at),
            updated_at: format_timestamp(project.updated_at),
            usage: usage.map(|usage| UsageBody::of(usage, &steward.quotas)),
        }
    }
}

/// Public information about a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct PublicProfile {
    /// Unique ID of the project.
    id: String,
    /// Display name of the project.
    name: String,
    /// URL-friendly name of the project, unique in the service.
    slug: String,
    /// Website of the project; null if it has none.
    website: Option<String>,
    /// Public profile of the project, with the URLs of its images.
    #[schema(value_type = Object, example = json!({"icon_url": "https://example.com/icon.png"}))]
    profile: Map<String, Value>,
    /// When the project was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// Public sign-in settings.
    auth: PublicAuth,
}

impl PublicProfile {
    pub(super) fn of(project: Project, address: &ServiceAddress) -> Self {
        let profile = project.rendered_profile(address);
        let redirect_uris = project.sign_in.redirect_uris.iter().map(RedirectUri::to_string).collect();
        Self {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            website: project.website.map(|website| website.as_str().to_owned()),
            profile,
            created_at: format_timestamp(project.created_at),
            auth: PublicAuth { redirect_uris },
        }
    }
}

/// Public sign-in settings of a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct PublicAuth {
    /// URIs that may receive authorization codes. If the list is empty, only loopback URIs may.
    #[schema(example = json!(["https://example.com/callback"]))]
    redirect_uris: Vec<String>,
}

/// Changes to a project, either at the top level or in `data`. At least one field is required; absent fields stay
/// unchanged.
#[derive(Deserialize, ToSchema)]
#[schema(example = json!({"name": "Acme", "website": "https://example.com"}))]
#[expect(dead_code, reason = "only describes the body that `JsonBody::unwrapped` accepts")]
pub(crate) struct ProjectChanges {
    #[serde(flatten)]
    change: ProjectPatch,
    /// The same changes in a wrapper, in the format of responses. No other field may be sent with it.
    data: Option<ProjectPatch>,
}

/// Changes to a project. Absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ProjectPatch {
    /// New display name: 1 to 100 characters.
    name: Option<String>,
    /// New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
    slug: Option<String>,
    /// New website, an http(s) URL of at most 2,048 characters; null removes it.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>)]
    website: Option<Option<String>>,
    /// Merged into the stored profile (RFC 7396): null removes a member. At most 64 KiB as JSON.
    #[schema(value_type = Option<Object>, example = json!({"icon_url": "https://example.com/icon.png"}))]
    profile: Option<Map<String, Value>>,
}

/// Distinguishes null from an absent field.
fn nullable<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl ProjectPatch {
    pub(super) fn parse(self, mut errors: FieldViolations) -> Result<UpdateProject, Error> {
        if self.name.is_none() && self.slug.is_none() && self.website.is_none() && self.profile.is_none() {
            errors.check::<(), _>("name", Err("at least one of `name`, `slug`, `website` and `profile` is required"));
        }
        let name = self.name.map(|text| errors.check("name", Name::parse(&text)));
        let slug = self.slug.map(|text| errors.check("slug", Slug::parse(&text)));
        let website = self.website.map(|text| text.map(|text| errors.check("website", Website::parse(&text))));
        errors.finish(Some(UpdateProject {
            name: name.flatten(),
            slug: slug.flatten(),
            website: website.map(Option::flatten),
            profile: self.profile,
        }))
    }
}

/// A project after a change.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProjectUpdated {
    /// Unique ID of the project.
    id: String,
    /// Display name of the project.
    name: String,
    /// URL-friendly name of the project, unique in the service.
    slug: String,
    /// Website of the project; null if it has none.
    website: Option<String>,
    /// Public profile of the project, with the URLs of its images.
    #[schema(value_type = Object, example = json!({"icon_url": "https://example.com/icon.png"}))]
    profile: Map<String, Value>,
    /// When the project last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl ProjectUpdated {
    pub(super) fn of(project: &Project, address: &ServiceAddress) -> Self {
        Self {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            website: project.website.as_ref().map(|website| website.as_str().to_owned()),
            profile: project.rendered_profile(address),
            updated_at: format_timestamp(project.updated_at),
        }
    }
}
