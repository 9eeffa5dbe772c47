//! Projects, which are administered by teams.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use url::Url;

use crate::administration::{ProjectImage, ProjectImages};
use crate::identity::SignInSettings;
use crate::kernel::policy::RoleSet;
use crate::kernel::text::characters::check_text;
use crate::kernel::{
    AccessEpoch, InvalidText, InvalidValue, JsonObject, Name, ProjectId, Revision, ServiceAddress, Slug, TeamId, Time,
    as_text, audited,
};

/// An http(s) URL of at most 2,048 characters (docs/contract.md#text).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Website(String);

impl Website {
    /// The maximum length, in characters.
    pub const MAX_LENGTH: usize = 2048;

    /// Trims and validates the text.
    pub fn parse(text: &str) -> Result<Self, InvalidText> {
        let website = Self::stored(text)?;
        check_text(&website.0)?;
        Ok(website)
    }

    /// Parses a stored text. Earlier versions accepted characters that people cannot see.
    pub fn stored(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let is_valid_text = text.chars().count() <= Self::MAX_LENGTH && !text.contains(char::is_control);
        if is_valid_text && is_web_url(text) { Ok(Self(text.to_owned())) } else { Err(Self::INVALID) }
    }

    const INVALID: InvalidValue = InvalidValue("must be an http(s) URL of at most 2,048 characters");
}

as_text!(Website);

/// Returns whether a text is a URL that is safe to link to: http or https.
fn is_web_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// Returns whether a browser would take the text as a URL of another scheme than http and https. A text without a scheme
/// is relative to the page that shows it.
pub(crate) fn has_other_scheme(text: &str) -> bool {
    match Url::parse(text) {
        Ok(url) => !matches!(url.scheme(), "http" | "https"),
        Err(error) => error != url::ParseError::RelativeUrlWithoutBase,
    }
}

/// Removes the URLs of the icon and of the background image from a profile if a test selects them.
fn remove_urls(profile: &mut Map<String, Value>, is_removed: impl Fn(&str) -> bool) {
    let is_removed = |url: &Value| url.as_str().is_some_and(&is_removed);
    if profile.get("icon_url").is_some_and(is_removed) {
        profile.shift_remove("icon_url");
    }
    if let Some(Value::Object(styles)) = profile.get_mut("styles")
        && styles.get("background_url").is_some_and(is_removed)
    {
        styles.shift_remove("background_url");
    }
}

/// A project of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Unique ID of the project.
    pub id: ProjectId,
    /// The team that owns it.
    pub team_id: TeamId,
    /// The display name.
    pub name: Name,
    /// The slug, unique across the service.
    pub slug: Slug,
    /// The URL of the project's website.
    pub website: Option<Website>,
    /// The profile as the project set it: icon, styles. Callers get [`Project::rendered_profile`].
    pub profile: JsonObject,
    /// The uploaded images.
    pub images: ProjectImages,
    /// How people may sign in to the project.
    pub sign_in: SignInSettings,
    /// When the project was created.
    pub created_at: Time,
    /// When the project was last changed.
    pub updated_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(Project as Project of |project| (Some(project.team_id), Some(project.id)), |project| {
    "name": project.name.as_str(), "slug": project.slug.as_str(),
    "website": project.website.as_ref().map(|website| website.as_str()),
    "team_id": project.team_id.to_string(), "sign_in": project.sign_in.to_value(),
    "icon": project.images.icon.as_ref().map(|image| image.id.to_string()),
    "background": project.images.background.as_ref().map(|image| image.id.to_string()),
});

impl Project {
    /// Creates a project with default settings.
    pub fn new(id: ProjectId, team_id: TeamId, name: Name, slug: Slug, now: Time) -> Self {
        Self {
            id,
            team_id,
            name,
            slug,
            website: None,
            profile: JsonObject::default(),
            images: ProjectImages::default(),
            sign_in: SignInSettings::default(),
            created_at: now,
            updated_at: now,
            revision: Revision::FIRST,
        }
    }

    /// Returns the URL of an uploaded image. A different image has a different URL.
    pub fn image_url(&self, which: ProjectImage, address: &ServiceAddress) -> Option<String> {
        Some(self.images.get(which)?.url(self.id, address))
    }

    /// Returns the URL of the icon for programs: of the uploaded one, or else the `icon_url` of the profile if it is an
    /// http(s) URL.
    pub fn icon_url(&self, address: &ServiceAddress) -> Option<String> {
        self.image_url(ProjectImage::Icon, address).or_else(|| {
            let url = self.profile.members().get("icon_url")?.as_str()?;
            is_web_url(url).then(|| url.to_owned())
        })
    }

    /// Returns the profile with the URLs of the uploaded images (docs/contract.md#images).
    pub fn rendered_profile(&self, address: &ServiceAddress) -> Map<String, Value> {
        let mut shown = self.profile.members().clone();
        // Earlier versions stored any text.
        remove_urls(&mut shown, has_other_scheme);
        if let Some(url) = self.image_url(ProjectImage::Icon, address) {
            shown.insert("icon_url".into(), url.into());
        }
        if let Some(url) = self.image_url(ProjectImage::Background, address) {
            let styles = shown.entry("styles").or_insert_with(|| json!({}));
            match styles {
                Value::Object(styles) => drop(styles.insert("background_url".into(), url.into())),
                other => *other = json!({"background_url": url}),
            }
        }
        shown
    }

    /// Returns a patch of the profile without the URLs of the project's uploaded images. A client that sends back a
    /// profile that it read does not intend to store these URLs: they would break as soon as the image is replaced.
    pub fn without_image_urls(&self, mut patch: Map<String, Value>, address: &ServiceAddress) -> Map<String, Value> {
        let own_images = address.at(&format!("/images/{}/", self.id));
        remove_urls(&mut patch, |url| url.starts_with(&own_images));
        patch
    }
}

/// A project with the team that owns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectInTeam {
    /// The project.
    pub project: Project,
    /// The team's name.
    pub team_name: Name,
    /// The team's slug.
    pub team_slug: Slug,
    /// The time from which members of the team have to use a second factor; `None` if they need not.
    pub second_factor_from: Option<Time>,
    /// The number of the newest schema version; 0 before the first publication.
    pub schema_number: u32,
    /// The project's access epoch.
    pub access_epoch: AccessEpoch,
}

impl ProjectInTeam {
    /// Returns the copy that is cached for callers who read and write items: without the fields whose size the project
    /// controls.
    pub(crate) fn for_cache(&self) -> Self {
        let whole = &self.project;
        let small = Project::new(whole.id, whole.team_id, whole.name.clone(), whole.slug.clone(), whole.created_at);
        let (images, updated_at, revision) = (whole.images.clone(), whole.updated_at, whole.revision);
        Self { project: Project { images, updated_at, revision, ..small }, ..self.clone() }
    }
}

/// A project with the roles of a member of its team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectMembership {
    /// The project.
    pub project: Arc<ProjectInTeam>,
    /// The member's roles in the team.
    pub roles: RoleSet,
}

/// A deleted project that still has data to clean up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedProject {
    /// The ID of the project.
    pub id: ProjectId,
    /// Images whose bytes may still be stored.
    pub images: ProjectImages,
}

/// What a project uses of each quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProjectUsage {
    /// Number of items of all users.
    pub items: u64,
    /// Total size of these items, in bytes of JSON.
    pub bytes: u64,
    /// Number of API keys.
    pub keys: u64,
    /// Number of webhooks.
    pub webhooks: u64,
    /// Number of schema versions.
    pub schema_versions: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_project, an_image};

    fn members(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn project_with_profile(profile: Value) -> (Project, ServiceAddress) {
        let profile = JsonObject::parse(members(profile)).unwrap();
        let address = ServiceAddress::parse("https://steward.example").unwrap();
        (Project { profile, ..a_project("rocket") }, address)
    }

    #[test]
    fn the_url_of_an_uploaded_image_replaces_the_one_in_the_profile_and_the_rest_stays() {
        let original = json!({"icon_url": "https://cdn.example/i.png", "styles": {"accent": "red"}, "x": 1});
        let (plain, address) = project_with_profile(original.clone());
        assert_eq!(Value::Object(plain.rendered_profile(&address)), original);
        assert_eq!(plain.icon_url(&address).as_deref(), Some("https://cdn.example/i.png"));

        let images = ProjectImages { icon: Some(an_image("icon")), background: Some(an_image("background")) };
        let project = Project { images, ..plain };
        let (icon, background) = (project.icon_url(&address).unwrap(), an_image("background").file_name());
        assert_eq!(icon, format!("https://steward.example/images/{}/{}", project.id, an_image("icon").file_name()));
        let background = format!("https://steward.example/images/{}/{background}", project.id);
        let shown = json!({"icon_url": icon, "styles": {"accent": "red", "background_url": background}, "x": 1});
        assert_eq!(Value::Object(project.rendered_profile(&address)), shown);

        let (with_text_styles, _) = project_with_profile(json!({"styles": "none"}));
        let with_text_styles = Project { images: project.images, ..with_text_styles };
        assert_eq!(
            with_text_styles.rendered_profile(&address).get("styles"),
            Some(&json!({"background_url": background}))
        );
    }

    #[test]
    fn an_icon_url_must_be_an_http_url() {
        for profile in [json!({}), json!({"icon_url": "javascript:alert(1)"}), json!({"icon_url": 1})] {
            let (project, address) = project_with_profile(profile);
            assert_eq!(project.icon_url(&address), None);
        }
    }

    #[test]
    fn urls_of_uploaded_images_are_not_stored_in_the_profile() {
        let (project, address) = project_with_profile(json!({}));
        let image_url = format!("https://steward.example/images/{}/x.png", project.id);
        let sent =
            json!({"icon_url": image_url, "styles": {"background_url": image_url, "accent": "red"}, "name": image_url});
        let stored = json!({"styles": {"accent": "red"}, "name": image_url});
        assert_eq!(Value::Object(project.without_image_urls(members(sent), &address)), stored);
        let other = json!({"icon_url": "https://steward.example/images/other/x.png", "styles": null});
        assert_eq!(Value::Object(project.without_image_urls(members(other.clone()), &address)), other);
    }
}
