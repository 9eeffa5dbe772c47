//! `steward project settings`.

use serde_json::{Map, Value, json};

use crate::remote::json_input;
use crate::remote::plain::{Outcome, noun};
use crate::terminal::UsageError;

noun! {
    SettingsCommand {}

    /// Get the settings of a project as JSON
    "project settings get", example("--project rocket"), prints(Outcome::Json) {}
    /// Change settings and print all of them
    "project settings set", example("auth.require_pkce=false"),
        example("'auth.redirect_uris=[\"https://rocket.example.com/callback\"]'"), prints(Outcome::Json) {
        /// Names and values; a value is JSON, or else a string
        each "settings", value("NAME=VALUE"), parsed(setting), of(""), read(nested);
    }
    /// Reset settings to their defaults and print all of them
    "project settings reset", example("auth.redirect_uris auth.require_pkce"), example("auth"),
        prints(Outcome::Json) {
        /// Names, such as auth.redirect_uris
        each "names", value("NAME"), of("key");
    }
}

/// Returns the path of a setting and its value.
fn setting(text: &str) -> Result<Value, String> {
    let (name, value) = text.split_once('=').ok_or("must be a name, =, and a value")?;
    // Any other text is a string, but JSON with a duplicate member is a mistake.
    let value = match (json_input::parse(value.as_bytes()), serde_json::from_str::<Value>(value)) {
        (Ok(value), _) => value,
        (Err(error), Ok(_)) => return Err(format!("the value is not valid JSON: {error}")),
        (Err(_), Err(_)) => Value::from(value),
    };
    Ok(json!([name, value]))
}

/// Returns settings with dotted names as nested objects.
fn nested(settings: Value) -> anyhow::Result<Value> {
    let mut root = Map::new();
    for (name, value) in serde_json::from_value::<Vec<(String, Value)>>(settings)? {
        let conflict = || UsageError(format!("The setting {name:?} conflicts with another one."));
        let (path, last) = name.rsplit_once('.').map_or((None, name.as_str()), |(path, last)| (Some(path), last));
        let mut members = &mut root;
        for part in path.into_iter().flat_map(|path| path.split('.')) {
            let inner = members.entry(part).or_insert_with(|| Value::Object(Map::new()));
            members = inner.as_object_mut().ok_or_else(conflict)?;
        }
        if members.insert(last.to_owned(), value).is_some() {
            return Err(conflict().into());
        }
    }
    Ok(root.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(texts: &[&str]) -> anyhow::Result<Value> {
        nested(texts.iter().map(|text| setting(text).unwrap()).collect())
    }

    #[test]
    fn dotted_names_become_objects() {
        let settings =
            parsed(&["auth.require_pkce=false", "auth.backchannel_logout_uri=https://a.example/?a=b", "x=[1]"]);
        let expected =
            json!({"auth": {"require_pkce": false, "backchannel_logout_uri": "https://a.example/?a=b"}, "x": [1]});
        assert_eq!(settings.unwrap(), expected);
        assert_eq!(parsed(&["auth=null"]).unwrap(), json!({"auth": null}));
        assert!(setting("auth={\"require_pkce\": true, \"require_pkce\": false}").is_err());
    }

    #[test]
    fn settings_must_not_conflict() {
        for conflicting in [&["auth=null", "auth.require_pkce=true"], &["a.b=1", "a.b=2"], &["a.b=1", "a=null"]] {
            assert!(parsed(conflicting).is_err(), "{conflicting:?}");
        }
        assert!(setting("auth").is_err());
    }
}
