//! Tests of how settings are read, and of the errors that they cause.

use super::settings::Key;
use super::*;

fn config(settings: &[(&str, &str)]) -> anyhow::Result<Config> {
    let settings: BTreeMap<String, String> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Config::from_lookup(|name| settings.get(name).cloned())
}

#[test]
fn the_defaults_are_sqlite_and_a_generated_secret() {
    let config = config(&[]).unwrap();
    assert_eq!(config.database, Database::Sqlite("data/steward.db".into()));
    assert_eq!(config.public_url.as_str(), "http://localhost:3003");
    assert!(matches!(&config.secret, SecretSource::File(path) if path.ends_with("steward.secret")));
}

#[test]
fn all_errors_are_reported_together() {
    let error = config(&[
        ("STEWARD_BIND", "everywhere"),
        ("DATABASE_URL", "mysql://x"),
        ("STEWARD_SIGNING_ALGORITHM", "HS256"),
        ("STEWARD_LOG_FORMAT", "xml"),
        ("STEWARD_RATE_LIMITS", "some"),
        ("STEWARD_RATE_READS", "many"),
        ("STEWARD_TRUSTED_PROXIES", "everybody"),
        ("STEWARD_SMTP_URL", "smtp://localhost"),
        ("STEWARD_SIGNUP", "some"),
        ("STEWARD_SIGNUP_DOMAINS", "example"),
        ("STEWARD_SIGNING_KEY_DAYS", "-1"),
        ("STEWARD_SIGN_IN_MAX_DAYS", "0"),
        ("STEWARD_SIGN_IN_IDLE_DAYS", "never"),
        ("STEWARD_ID_TOKEN_ALGORITHM", "none"),
        ("STEWARD_FIRST_PARTY_CLIENTS", "my-cli"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"),
    ]);
    let error = error.unwrap_err().to_string();
    for name in [
        "STEWARD_BIND",
        "DATABASE_URL",
        "STEWARD_SIGNING_ALGORITHM",
        "STEWARD_LOG_FORMAT",
        "STEWARD_RATE_LIMITS",
        "STEWARD_RATE_READS",
        "STEWARD_TRUSTED_PROXIES",
        "STEWARD_MAIL_FROM",
        "STEWARD_SIGNUP ",
        "STEWARD_SIGNUP_DOMAINS",
        "STEWARD_SIGNING_KEY_DAYS",
        "STEWARD_SIGN_IN_MAX_DAYS",
        "STEWARD_SIGN_IN_IDLE_DAYS",
        "STEWARD_ID_TOKEN_ALGORITHM",
        "STEWARD_FIRST_PARTY_CLIENTS",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
    ] {
        assert!(error.contains(name), "{name} in {error}");
    }
}

#[test]
fn postgres_requires_a_secret_and_debug_output_hides_secret_and_password() {
    let url = ("DATABASE_URL", "postgres://u:hunter2@db/steward?sslmode=require");
    assert!(config(&[url]).unwrap_err().to_string().contains("STEWARD_SECRET"));
    let secret = "0123456789abcdef0123456789abcdef";
    let config = config(&[url, ("STEWARD_SECRET", secret)]).unwrap();
    let debug = format!("{config:?}");
    assert!(!debug.contains("hunter2") && !debug.contains(secret), "{debug}");
}

#[test]
fn the_secret_is_either_set_or_in_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = ("STEWARD_SECRET_FILE", file.path().to_str().unwrap());
    let secret = "0123456789abcdef0123456789abcdef";
    let error = |settings: &[(&str, &str)]| config(settings).unwrap_err().to_string();
    assert!(error(&[path]).contains("at least 32 characters"));
    std::fs::write(file.path(), format!("{secret}\n")).unwrap();
    assert!(matches!(config(&[path]).unwrap().secret, SecretSource::Configured(_)));
    assert!(error(&[path, ("STEWARD_SECRET", secret)]).contains("both set"));
    assert!(error(&[("STEWARD_SECRET_FILE", "/nowhere")]).contains("STEWARD_SECRET_FILE could not be read"));
}

#[test]
fn proxies_and_the_mail_server_are_parsed_and_debug_output_hides_the_password() {
    let settings = [
        ("STEWARD_TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
        ("STEWARD_SMTP_URL", "smtps://u:hunter2@mail.example.com"),
        ("STEWARD_MAIL_FROM", "Steward <no-reply@example.com>"),
    ];
    let config = config(&settings).unwrap();
    assert_eq!(config.values.trusted_proxies.len(), 2);
    assert!(config.mail.is_some() && !format!("{config:?}").contains("hunter2"));
}

#[test]
fn the_service_greets_the_mail_server_with_a_configured_name() {
    let mail = [("STEWARD_SMTP_URL", "smtp://localhost"), ("STEWARD_MAIL_FROM", "a@example.com")];
    let named = |name| config(&[&mail[..], &[("STEWARD_SMTP_NAME", name)]].concat());
    assert!(config(&mail).unwrap().mail.unwrap().name.is_none());
    assert!(named("mail.example.com").unwrap().mail.unwrap().name.is_some());
    let error = named("f3a1c9d2b7e4").unwrap_err().to_string();
    assert!(error.contains("STEWARD_SMTP_NAME must be a host name"), "{error}");
}

#[test]
fn a_public_url_with_a_path_is_refused() {
    let error = config(&[("STEWARD_PUBLIC_URL", "https://example.com/steward")]).unwrap_err().to_string();
    assert!(error.contains("STEWARD_PUBLIC_URL must not have a path"), "{error}");
}

#[test]
fn images_are_stored_next_to_the_database_unless_a_location_is_set() {
    let location = |settings: &[(&str, &str)]| match config(settings).unwrap().blobs {
        Blobs::Directory(path) => path.display().to_string(),
        Blobs::S3(settings) => format!("{} {} {:?}", settings.bucket, settings.prefix, settings.endpoint),
    };
    let secret = ("STEWARD_SECRET", "0123456789abcdef0123456789abcdef");
    assert_eq!(location(&[]), "data/blobs");
    assert_eq!(location(&[("DATABASE_URL", "sqlite:///var/lib/steward.db")]), "/var/lib/blobs");
    assert_eq!(location(&[("STEWARD_BLOBS", "/srv/images")]), "/srv/images");
    assert_eq!(location(&[("DATABASE_URL", "postgres://localhost/x"), secret, ("STEWARD_DATA_DIR", "d")]), "d/blobs");
    let keys = [("STEWARD_S3_ACCESS_KEY_ID", "id"), ("STEWARD_S3_SECRET_ACCESS_KEY", "hunter2")];
    let bucket = [("STEWARD_BLOBS", "s3://images/steward"), ("STEWARD_S3_ENDPOINT", "http://localhost:9000")];
    assert_eq!(location(&[bucket, keys].concat()), "images steward Some(\"http://localhost:9000\")");
    assert!(!format!("{:?}", config(&[bucket, keys].concat()).unwrap()).contains("hunter2"));
}

#[test]
fn a_bucket_requires_an_access_key() {
    let error = config(&[("STEWARD_BLOBS", "s3://X"), ("STEWARD_S3_ENDPOINT", "x")]).unwrap_err().to_string();
    for name in ["BLOBS", "S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] {
        assert!(error.contains(&format!("STEWARD_{name} ")), "{name} in {error}");
    }
    assert!(config(&[("STEWARD_BLOBS", "http://x")]).is_err());
}

#[test]
fn the_documentation_lists_every_setting_with_its_default_and_description() {
    let listed = include_str!("../../../../docs/operations/settings.md").replace('`', "");
    for Key { name, default, description } in settings::keys() {
        let default = if default.is_empty() { String::new() } else { format!("{default} ") };
        let row = format!("| {name} | {default}| {description} |\n");
        assert!(listed.contains(&row), "{row}");
    }
}
