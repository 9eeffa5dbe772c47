//! Projects: what a team administers.

use std::sync::Arc;

use crate::policy::RoleSet;

use serde_json::{Map, Value, json};
use url::Url;

use super::{
    AccessEpoch, ImageUse, InvalidValue, JsonObject, Name, ProjectId, ProjectImages, Revision, ServiceAddress,
    SignInSettings, Slug, TeamId, Time,
};

/// An http(s) address of at most 2,048 characters (contract 1.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Website(String);

impl Website {
    /// Trims and checks the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        let fits = text.chars().count() <= 2048 && !text.contains(char::is_control);
        if fits && Url::parse(text).is_ok_and(|url| is_web(&url)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue("must be an http(s) address of at most 2,048 characters"))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A project of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// The team that owns it.
    pub team_id: TeamId,
    /// What people call it.
    pub name: Name,
    /// Unique across the service.
    pub slug: Slug,
    /// An http(s) address.
    pub website: Option<Website>,
    /// How it presents itself, in its own words: icon, styles. What is shown is [`Project::shown_profile`].
    pub profile: JsonObject,
    /// The images that were uploaded for it.
    pub images: ProjectImages,
    /// How people may sign in to it.
    pub sign_in: SignInSettings,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}

impl Project {
    /// The address of an uploaded image. Another image has another address.
    pub fn image_url(&self, used_as: ImageUse, address: &ServiceAddress) -> Option<String> {
        let image = self.images.used_as(used_as)?;
        Some(format!("{}{}", self.images_at(address), image.file_name()))
    }

    /// The address of its icon, when it has one that a page may show: an uploaded one, else that of its profile.
    pub fn icon_url(&self, address: &ServiceAddress) -> Option<String> {
        self.image_url(ImageUse::Icon, address).or_else(|| {
            let url = self.profile.members().get("icon_url")?.as_str()?;
            Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
            Some(url.to_owned())
        })
    }

    /// How it presents itself: its own words, with the addresses of its uploaded images (contract 4).
    pub fn shown_profile(&self, address: &ServiceAddress) -> Map<String, Value> {
        let mut shown = self.profile.members().clone();
        if let Some(url) = self.image_url(ImageUse::Icon, address) {
            shown.insert("icon_url".into(), url.into());
        }
        if let Some(url) = self.image_url(ImageUse::Background, address) {
            let styles = shown.entry("styles").or_insert_with(|| json!({}));
            match styles {
                Value::Object(styles) => drop(styles.insert("background_url".into(), url.into())),
                other => *other = json!({"background_url": url}),
            }
        }
        shown
    }

    /// The patch of the profile without addresses of the project's uploaded images. Whoever sends back what they were
    /// shown does not mean to keep them: they would lead nowhere once the image is another.
    pub fn without_own_images(&self, mut patch: Map<String, Value>, address: &ServiceAddress) -> Map<String, Value> {
        let own = self.images_at(address);
        let is_own = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|url| url.starts_with(&own));
        if is_own(patch.get("icon_url")) {
            patch.shift_remove("icon_url");
        }
        if let Some(Value::Object(styles)) = patch.get_mut("styles")
            && is_own(styles.get("background_url"))
        {
            styles.shift_remove("background_url");
        }
        patch
    }

    fn images_at(&self, address: &ServiceAddress) -> String {
        address.at(&format!("/images/{}/", self.id))
    }
}

/// A project with the team that owns it, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectInTeam {
    /// The project.
    pub project: Project,
    /// The team's name.
    pub team_name: Name,
    /// The team's slug.
    pub team_slug: Slug,
    /// The number of its newest schema version; 0 before the first publication.
    pub schema_number: u32,
    /// The project's access epoch.
    pub access_epoch: AccessEpoch,
}

impl ProjectInTeam {
    /// What is remembered of it for callers who read and write items: without what a project can make large.
    pub(crate) fn to_remember(&self) -> Self {
        let (profile, sign_in) = (JsonObject::default(), SignInSettings::default());
        let project = Project { profile, sign_in, website: None, ..self.project.clone() };
        Self { project, ..self.clone() }
    }
}

/// A project as a member of its team sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectMembership {
    /// The project.
    pub project: Arc<ProjectInTeam>,
    /// The member's roles in the team.
    pub roles: RoleSet,
}

/// A project that was deleted, as long as something of it is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedProject {
    /// The project.
    pub id: ProjectId,
    /// Images whose bytes may be there still.
    pub images: ProjectImages,
}

/// What a project keeps of what has a quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProjectUsage {
    /// Items of all users.
    pub items: u64,
    /// Bytes of JSON in them.
    pub bytes: u64,
    /// API keys.
    pub keys: u64,
    /// Webhooks.
    pub webhooks: u64,
    /// Schema versions.
    pub schema_versions: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_project, an_image};

    fn members(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn profiled(profile: Value) -> (Project, ServiceAddress) {
        let profile = JsonObject::parse(members(profile)).unwrap();
        let address = ServiceAddress::parse("https://steward.example").unwrap();
        (Project { profile, ..a_project("rocket") }, address)
    }

    #[test]
    fn an_uploaded_image_is_shown_instead_of_what_the_profile_says_and_the_rest_stays() {
        let own = json!({"icon_url": "https://cdn.example/i.png", "styles": {"accent": "red"}, "x": 1});
        let (plain, address) = profiled(own.clone());
        assert_eq!(Value::Object(plain.shown_profile(&address)), own);
        assert_eq!(plain.icon_url(&address).as_deref(), Some("https://cdn.example/i.png"));

        let images = ProjectImages { icon: Some(an_image("icon")), background: Some(an_image("background")) };
        let project = Project { images, ..plain };
        let (icon, background) = (project.icon_url(&address).unwrap(), an_image("background").file_name());
        assert_eq!(icon, format!("https://steward.example/images/{}/{}", project.id, an_image("icon").file_name()));
        let background = format!("https://steward.example/images/{}/{background}", project.id);
        let shown = json!({"icon_url": icon, "styles": {"accent": "red", "background_url": background}, "x": 1});
        assert_eq!(Value::Object(project.shown_profile(&address)), shown);

        let (odd, _) = profiled(json!({"styles": "none"}));
        let odd = Project { images: project.images, ..odd };
        assert_eq!(odd.shown_profile(&address).get("styles"), Some(&json!({"background_url": background})));
    }

    #[test]
    fn an_icon_that_no_page_may_show_is_none() {
        for profile in [json!({}), json!({"icon_url": "javascript:alert(1)"}), json!({"icon_url": 1})] {
            let (project, address) = profiled(profile);
            assert_eq!(project.icon_url(&address), None);
        }
    }

    #[test]
    fn what_was_shown_of_uploaded_images_is_not_taken_for_the_projects_own_words() {
        let (project, address) = profiled(json!({}));
        let own = format!("https://steward.example/images/{}/x.png", project.id);
        let sent = json!({"icon_url": own, "styles": {"background_url": own, "accent": "red"}, "name": own});
        let kept = json!({"styles": {"accent": "red"}, "name": own});
        assert_eq!(Value::Object(project.without_own_images(members(sent), &address)), kept);
        let other = json!({"icon_url": "https://steward.example/images/other/x.png", "styles": null});
        assert_eq!(Value::Object(project.without_own_images(members(other.clone()), &address)), other);
    }
}
