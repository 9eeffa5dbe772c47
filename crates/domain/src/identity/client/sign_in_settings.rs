//! Sign-in settings of a project: its client registration (RFC 7591), stored as project settings
//! (docs/contract.md#project-settings).

use std::fmt;

use serde_json::{Map, Value, json};

use crate::administration::WebhookUrl;
use crate::identity::{RedirectUri, ScopeSet, format_due_time, parse_due_time};
use crate::kernel::error::{Error, FieldViolations};
use crate::kernel::violations::Violation;
use crate::kernel::{Color, DocumentUrl, Time};

/// Sign-in settings of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInSettings {
    /// The URIs that may receive authorization codes. If the list is empty, only loopback URIs may.
    pub redirect_uris: Vec<RedirectUri>,
    /// Whether an authorization request must contain a code challenge (RFC 7636).
    pub require_pkce: bool,
    /// Whether a token for only `openid`, `profile` and `email` can also read and write the person's items, for
    /// programs that predate the scopes of items.
    pub legacy_scopes: bool,
    /// Whether a person can sign in to the project with a code that they receive by email, in place of the password.
    pub email_codes: bool,
    /// The time from which people have to use a second factor to sign in to the project; `None` if they need not.
    pub second_factor_from: Option<Time>,
    /// The URIs that a person may be sent to after signing out. If the list is empty, only loopback URIs may.
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// The URL that receives a logout token when a session ends in which the project issued tokens.
    pub backchannel_logout_uri: Option<WebhookUrl>,
    /// The color of buttons and links of the pages on which people sign in to the project.
    pub accent_color: Option<Color>,
    /// The color around these pages.
    pub background_color: Option<Color>,
    /// The terms of service to which they link.
    pub tos_uri: Option<DocumentUrl>,
    /// The privacy policy to which they link.
    pub policy_uri: Option<DocumentUrl>,
}

impl Default for SignInSettings {
    fn default() -> Self {
        Self {
            redirect_uris: Vec::new(),
            require_pkce: true,
            legacy_scopes: false,
            email_codes: true,
            second_factor_from: None,
            post_logout_redirect_uris: Vec::new(),
            backchannel_logout_uri: None,
            accent_color: None,
            background_color: None,
            tos_uri: None,
            policy_uri: None,
        }
    }
}

impl SignInSettings {
    /// The names of the settings in `auth`.
    pub const NAMES: [&str; 11] = [
        "redirect_uris",
        "require_pkce",
        "legacy_scopes",
        "email_codes",
        "second_factor_from",
        "post_logout_redirect_uris",
        "backchannel_logout_uri",
        "accent_color",
        "background_color",
        "tos_uri",
        "policy_uri",
    ];

    /// Returns whether authorization codes may be sent to the URI.
    pub fn allow(&self, uri: &RedirectUri) -> bool {
        is_registered(&self.redirect_uris, uri)
    }

    /// Returns whether only the project's own client receives what is sent to the URI (RFC 8252 §8.6).
    pub fn is_proven_by(&self, uri: &RedirectUri) -> bool {
        uri.is_proof_of(&self.redirect_uris)
    }

    /// Returns whether the client is a native app: redirect URIs are registered, and only native apps may use them
    /// (OpenID Connect Dynamic Client Registration §2).
    pub fn is_native(&self) -> bool {
        !self.redirect_uris.is_empty() && self.redirect_uris.iter().all(RedirectUri::is_native)
    }

    /// Returns whether a person may be sent to the URI after signing out.
    pub fn allow_after_logout(&self, uri: &RedirectUri) -> bool {
        is_registered(&self.post_logout_redirect_uris, uri)
    }

    /// Returns the scopes that a token with the granted ones has in the project.
    pub fn effective_scopes(&self, granted: ScopeSet) -> ScopeSet {
        if self.legacy_scopes { granted.with_legacy_access() } else { granted }
    }

    /// Returns the settings as JSON for a response.
    pub fn to_value(&self) -> Value {
        let texts = |uris: &[RedirectUri]| uris.iter().map(RedirectUri::to_string).collect::<Vec<_>>();
        json!({"auth": {
            "redirect_uris": texts(&self.redirect_uris), "require_pkce": self.require_pkce,
            "legacy_scopes": self.legacy_scopes, "email_codes": self.email_codes,
            "second_factor_from": self.second_factor_from.map(format_due_time),
            "post_logout_redirect_uris": texts(&self.post_logout_redirect_uris),
            "backchannel_logout_uri": self.backchannel_logout_uri.as_ref().map(WebhookUrl::as_str),
            "accent_color": self.accent_color.map(|color| color.to_string()),
            "background_color": self.background_color.map(|color| color.to_string()),
            "tos_uri": self.tos_uri.as_ref().map(DocumentUrl::as_str),
            "policy_uri": self.policy_uri.as_ref().map(DocumentUrl::as_str),
        }})
    }

    /// Applies a merge patch (RFC 7396). Null resets a setting to its default. `allow_private`: whether logout tokens may
    /// be sent to private networks.
    pub fn merged(&self, patch: &Map<String, Value>, allow_private: bool) -> Result<Self, Error> {
        let mut violations = FieldViolations::default();
        violations.reject_unknown("", patch, &["auth"]);
        let mut merged = self.clone();
        match patch.get("auth") {
            None => {}
            Some(Value::Null) => merged = Self::default(),
            Some(Value::Object(auth)) => merged.merge_auth(auth, allow_private, &mut violations),
            Some(_) => violations.add(Violation::invalid("auth", "must be an object")),
        }
        violations.finish(Some(merged))
    }

    fn merge_auth(&mut self, auth: &Map<String, Value>, allow_private: bool, violations: &mut FieldViolations) {
        violations.reject_unknown("auth.", auth, &Self::NAMES);
        merge_uris(&mut self.redirect_uris, auth, "redirect_uris", violations);
        merge_uris(&mut self.post_logout_redirect_uris, auth, "post_logout_redirect_uris", violations);
        let parse_logout_uri = |text: &str| WebhookUrl::parse(text, allow_private);
        merge_text(&mut self.backchannel_logout_uri, auth, "backchannel_logout_uri", parse_logout_uri, violations);
        merge_text(&mut self.second_factor_from, auth, "second_factor_from", parse_due_time, violations);
        merge_text(&mut self.accent_color, auth, "accent_color", Color::parse, violations);
        merge_text(&mut self.background_color, auth, "background_color", Color::parse, violations);
        merge_text(&mut self.tos_uri, auth, "tos_uri", DocumentUrl::parse, violations);
        merge_text(&mut self.policy_uri, auth, "policy_uri", DocumentUrl::parse, violations);
        let defaults = Self::default();
        merge_flag(&mut self.require_pkce, defaults.require_pkce, auth, "require_pkce", violations);
        merge_flag(&mut self.legacy_scopes, defaults.legacy_scopes, auth, "legacy_scopes", violations);
        merge_flag(&mut self.email_codes, defaults.email_codes, auth, "email_codes", violations);
    }

    /// Resets the setting at a dotted path to its default.
    pub fn without(&self, path: &str) -> Result<Self, Error> {
        let setting = path.strip_prefix("auth.").filter(|name| Self::NAMES.contains(name));
        let reset = match setting {
            Some(name) => json!({name: null}),
            None if path == "auth" => Value::Null,
            None => {
                let paths = Self::NAMES.map(|name| format!("auth.{name}")).join(", ");
                return Err(Error::invalid("key", format_args!("must be one of: auth, {paths}")));
            }
        };
        self.merged(&Map::from_iter([("auth".to_owned(), reset)]), false)
    }
}

fn merge_flag(flag: &mut bool, default: bool, auth: &Map<String, Value>, name: &str, violations: &mut FieldViolations) {
    match auth.get(name) {
        None => {}
        Some(Value::Null) => *flag = default,
        Some(Value::Bool(value)) => *flag = *value,
        Some(_) => violations.add(Violation::invalid(format!("auth.{name}"), "must be true or false")),
    }
}

/// Merges a setting that is a text, or not set.
fn merge_text<T, E: fmt::Display>(
    setting: &mut Option<T>,
    auth: &Map<String, Value>,
    name: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    violations: &mut FieldViolations,
) {
    match auth.get(name) {
        None => {}
        Some(Value::Null) => *setting = None,
        Some(value) => match parse(value.as_str().unwrap_or_default()) {
            Ok(value) => *setting = Some(value),
            Err(violation) => violations.add(Violation::invalid(format!("auth.{name}"), violation)),
        },
    }
}

/// Returns whether one of the registered URIs covers the URI. If none is registered, loopback URIs are allowed.
fn is_registered(registered: &[RedirectUri], uri: &RedirectUri) -> bool {
    if registered.is_empty() { uri.is_loopback() } else { uri.is_covered_by(registered) }
}

fn merge_uris(uris: &mut Vec<RedirectUri>, auth: &Map<String, Value>, name: &str, violations: &mut FieldViolations) {
    match auth.get(name) {
        None => {}
        Some(Value::Null) => *uris = Vec::new(),
        Some(Value::Array(values)) => {
            let texts = values.iter().map(|value| value.as_str().unwrap_or_default());
            *uris = RedirectUri::parse_list(texts, RedirectUri::parse, &format!("auth.{name}"), violations);
        }
        Some(_) => violations.add(Violation::invalid(format!("auth.{name}"), "must be a list of URIs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Scope;

    fn merged(settings: &SignInSettings, patch: Value) -> Result<SignInSettings, Error> {
        settings.merged(patch.as_object().unwrap(), false)
    }

    #[test]
    fn settings_are_merged_and_reset_by_null_or_by_path() {
        let settings = SignInSettings::default();
        let uris = json!(["https://a.example/cb", "https://a.example/cb"]);
        let settings = merged(&settings, json!({"auth": {"redirect_uris": uris, "require_pkce": false}})).unwrap();
        assert_eq!(settings.redirect_uris.len(), 1);
        let reset = merged(&settings, json!({"auth": {"require_pkce": null}})).unwrap();
        assert!(reset.require_pkce && reset.redirect_uris.len() == 1);
        assert_eq!(settings.clone().without("auth").unwrap(), SignInSettings::default());
        assert!(settings.clone().without("auth.redirect_uris").unwrap().redirect_uris.is_empty());
        assert!(settings.clone().without("auth.other").is_err());
        let without_codes = merged(&settings, json!({"auth": {"email_codes": false}})).unwrap();
        assert!(settings.email_codes && !without_codes.email_codes);
        assert_eq!(without_codes.without("auth.email_codes").unwrap(), settings);
        let legacy = merged(&settings, json!({"auth": {"legacy_scopes": true}})).unwrap();
        assert!(legacy.legacy_scopes && !legacy.require_pkce && legacy.redirect_uris.len() == 1);
        assert_eq!(legacy.clone().without("auth.legacy_scopes").unwrap(), settings);
        assert_eq!(merged(&legacy, json!({"auth": {"legacy_scopes": null}})).unwrap(), settings);
        for invalid in [
            json!({"auth": 1}),
            json!({"auth": {"redirect_uris": ["x"]}}),
            json!({"auth": {"require_pkce": 1}}),
            json!({"auth": {"legacy_scopes": "yes"}}),
            json!({"auth": {"require_pkc": true}}),
            json!({"other": 1}),
        ] {
            assert!(merged(&settings, invalid).is_err());
        }
    }

    #[test]
    fn logout_addresses_are_validated_like_redirect_uris_and_webhooks() {
        let (uris, url) = (json!(["https://a.example/out", "http://localhost/out"]), "https://a.example/logout");
        let patch = json!({"auth": {"post_logout_redirect_uris": uris, "backchannel_logout_uri": url}});
        let settings = merged(&SignInSettings::default(), patch).unwrap();
        let uri = |text| RedirectUri::parse(text).unwrap();
        assert!(settings.allow_after_logout(&uri("https://a.example/out")) && settings.redirect_uris.is_empty());
        assert!(!settings.allow_after_logout(&uri("https://a.example/other")));
        assert!(SignInSettings::default().allow_after_logout(&uri("http://127.0.0.1:9/x")));
        assert!(!SignInSettings::default().allow_after_logout(&uri("https://a.example/out")));
        assert_eq!(settings.to_value()["auth"]["backchannel_logout_uri"], url);
        let reset = settings.clone().without("auth.post_logout_redirect_uris").unwrap();
        assert_eq!(reset.without("auth.backchannel_logout_uri").unwrap(), SignInSettings::default());
        for invalid in [
            json!({"post_logout_redirect_uris": ["http://a.example/out"]}),
            json!({"post_logout_redirect_uris": "https://a.example/out"}),
            json!({"backchannel_logout_uri": "http://a.example/logout"}),
            json!({"backchannel_logout_uri": "https://10.0.0.1/logout"}),
            json!({"backchannel_logout_uri": "https://a.example/logout#x"}),
            json!({"backchannel_logout_uri": 1}),
        ] {
            assert!(merged(&settings, json!({"auth": invalid})).is_err(), "{invalid}");
        }
        let private = json!({"auth": {"backchannel_logout_uri": "http://127.0.0.1:9/logout"}});
        assert!(settings.merged(private.as_object().unwrap(), true).is_ok());
        assert!(merged(&settings, private).is_err());
    }

    #[test]
    fn the_look_of_the_pages_is_set_validated_and_reset() {
        let look = json!({
            "accent_color": "#17614F", "background_color": "#ffffff", "tos_uri": "https://a.example/terms",
            "policy_uri": "https://a.example/privacy",
        });
        let settings = merged(&SignInSettings::default(), json!({"auth": look})).unwrap();
        let shown = settings.to_value();
        assert_eq!((&shown["auth"]["accent_color"], &shown["auth"]["tos_uri"]), (&json!("#17614f"), &look["tos_uri"]));
        let reset =
            json!({"auth": {"accent_color": null, "background_color": null, "tos_uri": null, "policy_uri": null}});
        assert_eq!(merged(&settings, reset).unwrap(), SignInSettings::default());
        assert!(settings.without("auth.policy_uri").unwrap().policy_uri.is_none());
        for invalid in [
            json!({"accent_color": "red"}),
            json!({"background_color": 1}),
            json!({"tos_uri": "http://a.example/"}),
            json!({"policy_uri": "javascript:alert(1)"}),
        ] {
            assert!(merged(&settings, json!({"auth": invalid})).is_err(), "{invalid}");
        }
    }

    #[test]
    fn all_violations_of_a_patch_are_reported_together() {
        let patch = json!({"aut": {}, "auth": {"redirect_uris": ["x", "https://a.example/cb", 1], "require_pkce": 1}});
        let Err(Error::Invalid(found)) = merged(&SignInSettings::default(), patch) else { panic!() };
        let fields: Vec<&str> = found.as_slice().iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["aut", "auth.redirect_uris[0]", "auth.redirect_uris[2]", "auth.require_pkce"]);
    }

    #[test]
    fn a_list_that_is_too_long_is_reported_with_its_invalid_uris() {
        let uris: Vec<String> = (0..60).map(|number| format!("https://a.example/{number}")).collect();
        let uris = [uris, vec!["x".to_owned()]].concat();
        let Err(Error::Invalid(found)) = merged(&SignInSettings::default(), json!({"auth": {"redirect_uris": uris}}))
        else {
            panic!()
        };
        let fields: Vec<&str> = found.as_slice().iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["auth.redirect_uris", "auth.redirect_uris[60]"]);
    }

    #[test]
    fn only_a_project_with_legacy_scopes_gives_old_programs_access_to_items() {
        let granted = || ScopeSet::parse("openid profile email");
        let settings = SignInSettings::default();
        assert_eq!(settings.effective_scopes(granted()), granted());
        let legacy = SignInSettings { legacy_scopes: true, ..settings };
        assert!(legacy.effective_scopes(granted()).has(Scope::DbWrite));
        assert!(!legacy.effective_scopes(ScopeSet::parse("openid app:db:read")).has(Scope::DbWrite));
    }

    #[test]
    fn a_client_is_native_if_no_registered_uri_is_on_the_web() {
        let cases: [(&[&str], bool); 6] = [
            (&[], false),
            (&["https://app.example/cb"], false),
            (&["com.example.app:/cb"], true),
            (&["http://localhost/cb", "http://127.0.0.1/cb", "com.example.app:/cb"], true),
            (&["com.example.app:/cb", "https://app.example/cb"], false),
            (&["https://localhost/cb"], false),
        ];
        for (uris, expected) in cases {
            let redirect_uris = uris.iter().map(|uri| RedirectUri::parse(uri).unwrap()).collect();
            let settings = SignInSettings { redirect_uris, ..SignInSettings::default() };
            assert_eq!(settings.is_native(), expected, "{uris:?}");
        }
    }

    #[test]
    fn only_a_registered_https_uri_outside_loopback_proves_the_client() {
        let uri = |text| RedirectUri::parse(text).unwrap();
        let on_device = ["https://localhost/cb", "https://127.0.0.2/cb", "http://127.0.0.1/cb", "com.example.app:/cb"];
        let registered: Vec<&str> = on_device.into_iter().chain(["https://app.example"]).collect();
        let redirect_uris = registered.into_iter().map(uri).collect();
        let settings = SignInSettings { redirect_uris, ..SignInSettings::default() };
        assert!(
            settings.is_proven_by(&uri("https://app.example")) && settings.is_proven_by(&uri("https://app.example/"))
        );
        for unproven in on_device.into_iter().chain(["https://other.example/", "http://127.0.0.1:9/cb"]) {
            assert!(!settings.is_proven_by(&uri(unproven)), "{unproven}");
        }
        assert!(!SignInSettings::default().is_proven_by(&uri("https://app.example")));
    }

    #[test]
    fn without_registered_uris_only_loopback_is_allowed() {
        let uri = |text| RedirectUri::parse(text).unwrap();
        let mut settings = SignInSettings::default();
        assert!(settings.allow(&uri("http://localhost:1/cb")) && !settings.allow(&uri("https://a.example/cb")));
        settings.redirect_uris.push(uri("https://a.example/cb"));
        assert!(!settings.allow(&uri("http://localhost:1/cb")) && settings.allow(&uri("https://a.example/cb")));
    }
}
