//! Settings of a project (docs/contract.md#project-settings).

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::operation::operations;
use crate::values::Timestamp;

operations! {
    ROWS, "projects";

    /// Get project settings
    ///
    /// Returns the settings of the project, with the default for each setting that was never changed.
    GetSettings Get "/project/{id}/settings", Reads Safe, at(Project), 200(data ProjectSettings),
        304("The settings have the ETag in `If-None-Match`."), shows(ProjectSettings), errors("precondition_failed"),
        command("project settings get");

    /// Update project settings
    ///
    /// Merges changes into the settings of a project (RFC 7396) and returns all settings.
    UpdateSettings Patch "/project/{id}/settings", Writes Keyed, at(Project), body(SettingsChanges),
        200(data ProjectSettings), shows(ProjectSettings), ignores(), errors("precondition_failed"),
        command("project settings set");

    /// Reset project settings
    ///
    /// Resets settings of a project to their defaults and returns all settings.
    ResetSettings Delete "/project/{id}/settings", Writes Keyed, at(Project), query(ResetParameters),
        200(data ProjectSettings), shows(ProjectSettings), deviates("docs/contract.md#project-settings: the settings that remain"),
        errors("precondition_failed"), command("project settings reset");
}

/// Settings of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectSettings {
    /// Sign-in settings.
    pub auth: SignInSettings,
}

/// Sign-in settings of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SignInSettings {
    /// URIs that may receive authorization codes: at most 50. If the list is empty, only loopback URIs may.
    #[schema(example = json!(["https://example.com/callback"]))]
    pub redirect_uris: Vec<String>,
    /// Whether clients must use PKCE (RFC 7636). Default: `true`.
    pub require_pkce: bool,
    /// Whether a token that was granted only `openid`, `profile` or `email` can also read and write the user's own
    /// items, for programs that do not request the scopes of items. Default: `false`.
    pub legacy_scopes: bool,
    /// Whether people can sign in with a code that they receive by email, if the operator allows it. Default: `true`.
    pub email_codes: bool,
    /// The time from which people have to use a second factor to sign in to the project; null if they need not. Set it to
    /// a date or an RFC 3339 timestamp. Default: null.
    pub second_factor_from: Option<Timestamp>,
    /// URIs that a person may be redirected to after signing out: at most 50. If the list is empty, only loopback URIs
    /// may.
    #[schema(example = json!(["https://example.com/signed-out"]))]
    pub post_logout_redirect_uris: Vec<String>,
    /// URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0); null if none is
    /// registered.
    #[schema(example = "https://example.com/backchannel-logout")]
    pub backchannel_logout_uri: Option<String>,
    /// Color of buttons and links of the pages on which people sign in, in the format `#rrggbb`; null for that of the
    /// service. Text gets the color that is readable with it.
    #[schema(example = "#17614f")]
    pub accent_color: Option<String>,
    /// Color around these pages, in the format `#rrggbb`; null for that of the service.
    #[schema(example = "#f3f5f3")]
    pub background_color: Option<String>,
    /// https URL of the terms of service to which these pages link; null if there is none.
    #[schema(example = "https://example.com/terms")]
    pub tos_uri: Option<String>,
    /// https URL of the privacy policy to which these pages link; null if there is none.
    #[schema(example = "https://example.com/privacy")]
    pub policy_uri: Option<String>,
}

/// Changes to the settings, in the same format as the settings, at the top level or in `data`. They are merged into the
/// stored settings (RFC 7396): null resets a setting to its default.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(value_type = Object)]
pub struct SettingsChanges(pub Map<String, Value>);

/// The settings to reset.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ResetParameters {
    /// Dotted path of a setting: `auth`, `auth.redirect_uris`, `auth.require_pkce`, `auth.legacy_scopes`,
    /// `auth.email_codes`, `auth.second_factor_from`, `auth.post_logout_redirect_uris`, `auth.backchannel_logout_uri`,
    /// `auth.accent_color`, `auth.background_color`, `auth.tos_uri` or `auth.policy_uri`. Can be repeated.
    #[param(example = json!(["auth.redirect_uris"]))]
    pub key: Vec<String>,
}
