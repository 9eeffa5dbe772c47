//! The settings in effect, as operators see them: without secrets.

use steward_domain::kernel::{EffectiveSetting, ServiceAddress};
use url::Url;

use super::secret_source::SecretSource;
use super::settings::{Key, Reader, keys};

/// Settings whose whole value is a secret.
const SECRETS: [&str; 2] = ["STEWARD_SECRET", "STEWARD_S3_SECRET_ACCESS_KEY"];
/// What is shown instead of a secret.
const REDACTED: &str = "(set)";

/// Returns every setting with its value, or what is in effect instead if it is absent.
pub fn settings(reader: &Reader<'_>, public_url: &ServiceAddress, secret: &SecretSource) -> Vec<EffectiveSetting> {
    let setting = |key: Key| {
        let text = reader.text(key.name);
        let value = match (key.name, &text) {
            ("STEWARD_PUBLIC_URL", _) => public_url.as_str().to_owned(),
            ("STEWARD_SECRET", None) => unset_secret(secret),
            (name, Some(text)) => redacted(name, text),
            (_, None) => key.default.to_owned(),
        };
        EffectiveSetting { name: key.name, value, is_default: text.is_none() }
    };
    keys().map(setting).collect()
}

/// Describes the secret if `STEWARD_SECRET` is absent. It is in `STEWARD_SECRET_FILE` if it is configured.
fn unset_secret(secret: &SecretSource) -> String {
    match secret {
        SecretSource::File(path) => format!("generated in {}", path.display()),
        SecretSource::Configured(_) => String::new(),
    }
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
    use super::super::Config;
    use super::*;

    fn listed(settings: &[(&str, &str)]) -> Vec<EffectiveSetting> {
        let value = |name: &str| settings.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
        Config::from_lookup(|name| value(name).map(str::to_owned)).unwrap().settings
    }

    /// Returns the value of a setting, and whether it is the default.
    fn shown(name: &str, settings: &[(&str, &str)]) -> (String, bool) {
        let found = listed(settings).into_iter().find(|setting| setting.name == name).unwrap();
        (found.value, found.is_default)
    }

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
        assert_eq!(listed(&[]).len(), keys().count());
        let staging = [("STEWARD_ENV", "staging")];
        assert_eq!(shown("STEWARD_ENV", &staging), ("staging".to_owned(), false));
        assert_eq!(shown("STEWARD_SIGNUP", &staging), ("open".to_owned(), true));
    }

    #[test]
    fn the_public_url_and_the_secret_are_shown_as_they_are_in_effect() {
        let shown = |name, settings: &[(&str, &str)]| shown(name, settings).0;
        assert_eq!(shown("STEWARD_PUBLIC_URL", &[]), "http://localhost:3003");
        assert_eq!(shown("STEWARD_PUBLIC_URL", &[("STEWARD_BIND", "0.0.0.0:8080")]), "http://localhost:8080");
        let configured = [("STEWARD_PUBLIC_URL", "https://steward.example/")];
        assert_eq!(shown("STEWARD_PUBLIC_URL", &configured), "https://steward.example");

        let secret = "0123456789abcdef0123456789abcdef";
        assert_eq!(shown("STEWARD_SECRET", &[]), "generated in data/steward.secret");
        assert_eq!(shown("STEWARD_SECRET", &[("STEWARD_SECRET", secret)]), REDACTED);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), secret).unwrap();
        assert_eq!(shown("STEWARD_SECRET", &[("STEWARD_SECRET_FILE", file.path().to_str().unwrap())]), "");
    }
}
