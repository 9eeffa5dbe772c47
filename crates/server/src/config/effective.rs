//! The settings in effect, as operators see them: without secrets.

use steward_domain::model::EffectiveSetting;
use url::Url;

use super::settings::{Key, Reader, keys};

/// Settings whose whole value is a secret.
const SECRETS: [&str; 2] = ["STEWARD_SECRET", "STEWARD_S3_SECRET_ACCESS_KEY"];
/// What is shown instead of a secret.
const REDACTED: &str = "(set)";

/// Returns every setting with its value, or its default if it is absent.
pub fn settings(reader: &Reader<'_>) -> Vec<EffectiveSetting> {
    let setting = |key: Key| match reader.text(key.name) {
        Some(text) => EffectiveSetting { name: key.name, value: redacted(key.name, &text), is_default: false },
        None => EffectiveSetting { name: key.name, value: key.default.to_owned(), is_default: true },
    };
    keys().map(setting).collect()
}

/// Removes what may be secret: the user, the password and the query of a URL.
fn redacted(name: &str, text: &str) -> String {
    if SECRETS.contains(&name) {
        return REDACTED.to_owned();
    }
    if !(text.contains('@') && text.contains("://") || name == "DATABASE_URL" && text.starts_with("postgres")) {
        return text.to_owned();
    }
    let Ok(mut url) = Url::parse(text) else { return REDACTED.to_owned() };
    url.set_query(None);
    if url.username().is_empty() && url.password().is_none() {
        return url.to_string();
    }
    match (url.set_username("***"), url.set_password(None)) {
        (Ok(()), Ok(())) => url.to_string(),
        _ => REDACTED.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let shown = |name, text| redacted(name, text);
        assert_eq!(shown("STEWARD_SECRET", "hunter2"), REDACTED);
        assert_eq!(shown("DATABASE_URL", "postgres://u:hunter2@db/x?password=hunter2"), "postgres://***@db/x");
        assert_eq!(shown("DATABASE_URL", "postgres:///x?password=hunter2&host=/run"), "postgres:///x");
        assert_eq!(shown("DATABASE_URL", "postgres://u:p@a:1,b:2/x"), REDACTED);
        assert_eq!(shown("STEWARD_SMTP_URL", "smtps://u:hunter2@mail.example"), "smtps://***@mail.example");
        assert_eq!(shown("STEWARD_MAIL_FROM", "Steward <a@example.com>"), "Steward <a@example.com>");
        assert_eq!(shown("STEWARD_ENV", "production"), "production");
    }

    #[test]
    fn every_setting_is_listed_with_its_value_or_default() {
        let lookup = |name: &str| (name == "STEWARD_ENV").then(|| "staging".to_owned());
        let listed = settings(&Reader { lookup: &lookup, errors: Vec::new() });
        assert_eq!(listed.len(), keys().count());
        let environment = listed.iter().find(|setting| setting.name == "STEWARD_ENV").unwrap();
        assert_eq!((environment.value.as_str(), environment.is_default), ("staging", false));
        assert!(listed.iter().any(|setting| setting.name == "STEWARD_SIGNUP" && setting.is_default));
    }
}
