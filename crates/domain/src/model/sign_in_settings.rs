//! Sign-in settings of a project: its client registration (RFC 7591), stored as project settings (contract 4).

use serde_json::{Map, Value, json};

use crate::error::{Error, FieldViolations, Violation};

use super::RedirectUri;

/// The maximum number of redirect URIs that a project may register.
const MAX_REDIRECT_URIS: usize = 50;

/// Sign-in settings of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInSettings {
    /// The URIs that may receive authorization codes. If the list is empty, only loopback URIs may.
    pub redirect_uris: Vec<RedirectUri>,
    /// Whether an authorization request must contain a code challenge (RFC 7636).
    pub require_pkce: bool,
}

impl Default for SignInSettings {
    fn default() -> Self {
        Self { redirect_uris: Vec::new(), require_pkce: true }
    }
}

/// The dotted paths of the settings.
const PATHS: [&str; 3] = ["auth", "auth.redirect_uris", "auth.require_pkce"];

impl SignInSettings {
    /// Returns whether authorization codes may be sent to the URI.
    pub fn allow(&self, uri: &RedirectUri) -> bool {
        match self.redirect_uris.as_slice() {
            [] => uri.is_loopback(),
            registered => registered.iter().any(|one| one.covers(uri)),
        }
    }

    /// Returns the settings as JSON for a response.
    pub fn to_value(&self) -> Value {
        let uris: Vec<&str> = self.redirect_uris.iter().map(RedirectUri::as_str).collect();
        json!({"auth": {"redirect_uris": uris, "require_pkce": self.require_pkce}})
    }

    /// Applies a merge patch (RFC 7396). Null resets a setting to its default.
    pub fn merged(&self, patch: &Map<String, Value>) -> Result<Self, Error> {
        let mut violations = FieldViolations::default();
        violations.only("", patch, &["auth"]);
        let mut merged = self.clone();
        match patch.get("auth") {
            None => {}
            Some(Value::Null) => merged = Self::default(),
            Some(Value::Object(auth)) => merged.merge_auth(auth, &mut violations),
            Some(_) => violations.add(Violation::invalid("auth", "must be an object")),
        }
        violations.or(Some(merged))
    }

    fn merge_auth(&mut self, auth: &Map<String, Value>, violations: &mut FieldViolations) {
        violations.only("auth.", auth, &["redirect_uris", "require_pkce"]);
        match auth.get("redirect_uris") {
            None => {}
            Some(Value::Null) => self.redirect_uris = Vec::new(),
            Some(Value::Array(uris)) => self.redirect_uris = parse_uris(uris, violations),
            Some(_) => violations.add(Violation::invalid("auth.redirect_uris", "must be a list of URIs")),
        }
        match auth.get("require_pkce") {
            None => {}
            Some(Value::Null) => self.require_pkce = Self::default().require_pkce,
            Some(Value::Bool(required)) => self.require_pkce = *required,
            Some(_) => violations.add(Violation::invalid("auth.require_pkce", "must be true or false")),
        }
    }

    /// Resets the setting at a dotted path to its default.
    pub fn without(mut self, path: &str) -> Result<Self, Error> {
        match path {
            "auth" => self = Self::default(),
            "auth.redirect_uris" => self.redirect_uris = Vec::new(),
            "auth.require_pkce" => self.require_pkce = Self::default().require_pkce,
            _ => return Err(Error::invalid("key", format_args!("must be one of: {}", PATHS.join(", ")))),
        }
        Ok(self)
    }
}

fn parse_uris(uris: &[Value], violations: &mut FieldViolations) -> Vec<RedirectUri> {
    let mut parsed = Vec::new();
    if uris.len() > MAX_REDIRECT_URIS {
        violations.add(Violation::invalid(
            "auth.redirect_uris",
            format_args!("must contain at most {MAX_REDIRECT_URIS} URIs"),
        ));
        return parsed;
    }
    for (index, uri) in uris.iter().enumerate() {
        match RedirectUri::parse(uri.as_str().unwrap_or_default()) {
            Ok(uri) if !parsed.contains(&uri) => parsed.push(uri),
            Ok(_) => {}
            Err(violation) => violations.add(Violation::invalid(format!("auth.redirect_uris[{index}]"), violation)),
        }
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(settings: &SignInSettings, patch: Value) -> Result<SignInSettings, Error> {
        settings.merged(patch.as_object().unwrap())
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
        for invalid in [
            json!({"auth": 1}),
            json!({"auth": {"redirect_uris": ["x"]}}),
            json!({"auth": {"require_pkce": 1}}),
            json!({"auth": {"require_pkc": true}}),
            json!({"other": 1}),
        ] {
            assert!(merged(&settings, invalid).is_err());
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
    fn without_registered_uris_only_loopback_is_allowed() {
        let uri = |text| RedirectUri::parse(text).unwrap();
        let mut settings = SignInSettings::default();
        assert!(settings.allow(&uri("http://localhost:1/cb")) && !settings.allow(&uri("https://a.example/cb")));
        settings.redirect_uris.push(uri("https://a.example/cb"));
        assert!(!settings.allow(&uri("http://localhost:1/cb")) && settings.allow(&uri("https://a.example/cb")));
    }
}
