//! Settings of a project.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Client, Error, Request, Versioned};

/// Operations of the settings of a project.
#[derive(Debug, Clone)]
pub struct Settings {
    client: Client,
    project_id: String,
    if_match: Option<String>,
}

impl Settings {
    pub(crate) fn new(client: Client, project_id: &str) -> Self {
        Self { client, project_id: project_id.to_owned(), if_match: None }
    }

    /// Changes the settings only if they still have this `ETag`.
    #[must_use]
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        Self { if_match: Some(etag.into()), ..self }
    }

    /// Returns the settings, with the default for each setting that was never changed.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get(&self) -> Result<Versioned<ProjectSettings>, Error> {
        self.at(Method::GET).send().await?.versioned()
    }

    /// Merges changes into the settings (RFC 7396): null resets a setting to its default.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn update(&self, changes: &Map<String, Value>) -> Result<Versioned<ProjectSettings>, Error> {
        self.change(Method::PATCH).json(changes).send().await?.versioned()
    }

    /// Resets settings to their defaults. The names are dotted paths, such as `auth.redirect_uris`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn reset(&self, names: &[impl AsRef<str>]) -> Result<Versioned<ProjectSettings>, Error> {
        let request = self.change(Method::DELETE);
        let request = names.iter().fold(request, |request, name| request.query("key", name.as_ref()));
        request.send().await?.versioned()
    }

    fn at(&self, method: Method) -> Request {
        self.client.at(method, &["project", self.project_id.as_str(), "settings"])
    }

    fn change(&self, method: Method) -> Request {
        let request = self.at(method).idempotent();
        match &self.if_match {
            Some(etag) => request.if_match(etag),
            None => request,
        }
    }
}

/// Settings of a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectSettings {
    /// Sign-in settings.
    pub auth: SignInSettings,
}

/// Sign-in settings of a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignInSettings {
    /// URIs that may receive authorization codes: at most 50. If the list is empty, only loopback URIs may.
    pub redirect_uris: Vec<String>,
    /// Whether clients must use PKCE (RFC 7636).
    pub require_pkce: bool,
    /// Whether a token that was granted only `openid`, `profile` or `email` can also read and write the user's own items.
    pub legacy_scopes: bool,
    /// URIs that a person may be redirected to after signing out: at most 50. If the list is empty, only loopback URIs
    /// may.
    pub post_logout_redirect_uris: Vec<String>,
    /// URL that receives a logout token when a session ends; `None` if none is registered.
    pub backchannel_logout_uri: Option<String>,
}
