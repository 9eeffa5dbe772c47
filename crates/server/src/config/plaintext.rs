//! Connections to other machines without TLS: anybody on the network can read and change what they transfer, passwords
//! and links included. They prevent the start unless the operator allows them.

use std::net::SocketAddr;

use steward_domain::kernel::{Secret, ServiceAddress};
use url::{Url, form_urlencoded};

use super::blobs::Blobs;
use super::database::Database;
use super::mail::MailServer;
use super::settings::{Reader, Values};
use super::this_machine::is_this_machine;

/// Values of `sslmode` with which libpq never connects without TLS. The default, `prefer`, falls back to no TLS.
const TLS_MODES: [&str; 3] = ["require", "verify-ca", "verify-full"];

/// Warns about a public URL that is not safe, or that other machines cannot open although the service listens to them.
pub fn address_warning(bind: SocketAddr, public_url: &ServiceAddress) -> Option<String> {
    let url = public_url.as_str();
    let host = Url::parse(url).ok()?.host_str()?.to_owned();
    if !is_this_machine(&host) {
        let message = || format!("Passwords and tokens sent to {url} can be read on the way. Use a proxy with TLS.");
        return (!public_url.is_https()).then(message);
    }
    let message = || format!("The service listens on {bind}, but its links name {url}. Set STEWARD_PUBLIC_URL.");
    (!bind.ip().is_loopback()).then(message)
}

/// Returns a warning for each connection without TLS. Unless its setting allows it, records an error instead.
pub fn check(
    reader: &mut Reader<'_>,
    values: &Values,
    database: Option<&Database>,
    mail: Option<&MailServer>,
    blobs: Option<&Blobs>,
) -> Option<Vec<String>> {
    let (allows_database, allows_mail) = (values.database_allow_plaintext?, values.mail_allow_plaintext?);
    let database = database.and_then(|database| plain_database_host(database, reader)).map(|host| {
        let fix = "Add sslmode=verify-full to it, or sslmode=require";
        let problem = format!("DATABASE_URL connects to {host:?} without TLS. {fix}");
        (problem, "STEWARD_DATABASE_ALLOW_PLAINTEXT", allows_database)
    });
    let mail = mail.and_then(|mail| plain_mail_host(&mail.url)).map(|host| {
        let fix = "Use smtps://... or smtp://...?tls=required";
        let problem = format!("STEWARD_SMTP_URL sends emails to {host:?} without TLS. {fix}");
        (problem, "STEWARD_MAIL_ALLOW_PLAINTEXT", allows_mail)
    });
    let mut warnings = Vec::new();
    for (problem, setting, is_allowed) in database.into_iter().chain(mail) {
        if is_allowed {
            warnings.push(format!("{problem}."));
        } else {
            let advice = format!("or set {setting}=true if nobody else can access the network");
            reader.errors.push(format!("{problem}, {advice}."));
        }
    }
    // Requests are signed, so nobody can change them. The images are public.
    let warning =
        |host: String| format!("STEWARD_S3_ENDPOINT transfers images to {host:?} without TLS. Use an https URL.");
    warnings.extend(blobs.and_then(plain_bucket_host).map(warning));
    Some(warnings)
}

/// Returns a host to which libpq may connect without TLS.
fn plain_database_host(database: &Database, reader: &Reader<'_>) -> Option<String> {
    let Database::Postgres(url) = database else { return None };
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let parameters: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let last = |name: &str| parameters.iter().rfind(|(other, _)| other == name).map(|(_, value)| value.clone());
    let mode = last("sslmode").or_else(|| last("ssl").filter(|value| value == "true").map(|_| "require".to_owned()));
    let mode = mode.or_else(|| reader.text("PGSSLMODE")).unwrap_or_default();
    if TLS_MODES.contains(&mode.as_str()) || last("gssencmode").is_some_and(|mode| mode == "require") {
        return None;
    }
    let named: Vec<String> = ["host", "hostaddr"].into_iter().filter_map(last).collect();
    let hosts = if named.is_empty() { hosts_of(base) } else { split(&named.join(",")) };
    let hosts = if hosts.is_empty() { split(&reader.text("PGHOST").unwrap_or_default()) } else { hosts };
    hosts.into_iter().find(|host| !is_this_machine(host))
}

/// Returns the hosts in the authority of a URL of libpq, which can name several with ports.
fn hosts_of(base: &str) -> Vec<String> {
    let authority = base.split_once("://").map_or(base, |(_, rest)| rest);
    let authority = authority.split_once('/').map_or(authority, |(authority, _)| authority);
    let hosts = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
    let without_port = |host: String| match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name.to_owned(),
        _ => host,
    };
    split(hosts).into_iter().map(without_port).collect()
}

fn split(hosts: &str) -> Vec<String> {
    hosts.split(',').filter(|host| !host.is_empty()).map(str::to_owned).collect()
}

fn plain_mail_host(url: &Secret) -> Option<String> {
    let url = Url::parse(url.expose()).ok().filter(|url| url.scheme() == "smtp")?;
    let has_tls = url.query_pairs().any(|pair| pair == ("tls".into(), "required".into()));
    url.host_str().filter(|host| !has_tls && !is_this_machine(host)).map(str::to_owned)
}

fn plain_bucket_host(blobs: &Blobs) -> Option<String> {
    let Blobs::S3(settings) = blobs else { return None };
    let url = Url::parse(settings.endpoint.as_deref()?).ok().filter(|url| url.scheme() == "http")?;
    url.host_str().filter(|host| !is_this_machine(host)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    const SECRET: (&str, &str) = ("STEWARD_SECRET", "0123456789abcdef0123456789abcdef");

    /// Returns the warnings, or the errors that prevent the start.
    fn checked(settings: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let all = [&[SECRET], settings].concat();
        let value = |name: &str| all.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned());
        Config::from_lookup(value).map(|config| config.warnings).map_err(|error| error.to_string())
    }

    #[test]
    fn a_public_url_without_tls_or_for_this_machine_only_is_reported() {
        for (bind, url, expected) in [
            ("0.0.0.0:3003", "", "but its links name http://localhost:3003"),
            ("[::]:3003", "http://127.0.0.1:3003", "but its links name"),
            ("0.0.0.0:3003", "http://steward.example.com", "can be read on the way"),
            ("127.0.0.1:3003", "http://steward.example.com", "can be read on the way"),
            ("127.0.0.1:3003", "", ""),
            ("0.0.0.0:3003", "https://steward.example.com", ""),
        ] {
            let settings = [("STEWARD_BIND", bind), ("STEWARD_PUBLIC_URL", url)];
            let given: Vec<_> = settings.into_iter().filter(|(_, value)| !value.is_empty()).collect();
            let warnings = checked(&given).unwrap();
            assert_eq!(warnings.len(), usize::from(!expected.is_empty()), "{bind} {url}: {warnings:?}");
            assert!(warnings.iter().all(|warning| warning.contains(expected)), "{bind} {url}: {warnings:?}");
        }
    }

    #[test]
    fn a_database_on_another_machine_requires_tls() {
        for url in [
            "postgres://u:p@db.example/x",
            "postgresql://db/x?sslmode=prefer",
            "postgres://db:5432?sslmode=allow",
            "postgres://u:p@localhost,db/x?sslmode=disable",
            "postgres:///x?host=db",
            "postgres://localhost/x?hostaddr=10.0.0.1",
            "postgres://[2001:db8::1]:5432/x",
            "postgres://u@d:b@10.0.0.1/x",
        ] {
            let error = checked(&[("DATABASE_URL", url)]).unwrap_err();
            let setting = "STEWARD_DATABASE_ALLOW_PLAINTEXT";
            assert!(error.contains("without TLS") && error.contains(&format!("{setting}=true")), "{url}: {error}");
            let allowed = checked(&[("DATABASE_URL", url), (setting, "true")]).unwrap();
            assert!(
                matches!(allowed.as_slice(), [warning] if warning.starts_with("DATABASE_URL connects")),
                "{allowed:?}"
            );
        }
        for url in [
            "postgres://u:p@db.example/x?sslmode=require",
            "postgres://db/x?sslmode=disable&sslmode=verify-full",
            "postgres://db/x?ssl=true",
            "postgres://localhost/x",
            "postgres://u:p@127.0.0.2:5433/x?sslmode=disable",
            "postgres://[::1]:5432/x",
            "postgres:///x",
            "postgres:///x?host=/run/postgresql",
            "postgres://%2Frun%2Fpostgresql/x",
            "sqlite://steward.db",
        ] {
            assert_eq!(checked(&[("DATABASE_URL", url)]), Ok(Vec::new()), "{url}");
        }
    }

    #[test]
    fn the_variables_of_libpq_count_too() {
        let url = ("DATABASE_URL", "postgres:///x");
        assert!(checked(&[url, ("PGHOST", "db")]).is_err());
        assert!(checked(&[url, ("PGHOST", "db"), ("PGSSLMODE", "verify-full")]).is_ok());
        assert!(checked(&[url, ("PGHOST", "/run/postgresql")]).is_ok());
    }

    #[test]
    fn a_mail_server_on_another_machine_requires_tls() {
        let of = |url: &str, more: &[(&str, &str)]| {
            let mail = [("STEWARD_SMTP_URL", url), ("STEWARD_MAIL_FROM", "a@example.com")];
            checked(&[&mail, more].concat())
        };
        for url in ["smtp://mail.example", "smtp://10.0.0.1:25?tls=opportunistic"] {
            assert!(of(url, &[]).unwrap_err().contains("STEWARD_SMTP_URL sends emails"), "{url}");
            assert_eq!(of(url, &[("STEWARD_MAIL_ALLOW_PLAINTEXT", "true")]).unwrap().len(), 1, "{url}");
        }
        for url in
            ["smtps://u:p@mail.example", "smtp://mail.example?tls=required", "smtp://127.0.0.1:25", "smtp://localhost"]
        {
            assert_eq!(of(url, &[]), Ok(Vec::new()), "{url}");
        }
    }

    #[test]
    fn a_setting_allows_only_its_own_connection() {
        let plain = [
            ("DATABASE_URL", "postgres://db/x"),
            ("STEWARD_SMTP_URL", "smtp://mail.example"),
            ("STEWARD_MAIL_FROM", "a@example.com"),
        ];
        let (database, mail) = ("STEWARD_DATABASE_ALLOW_PLAINTEXT", "STEWARD_MAIL_ALLOW_PLAINTEXT");
        for (allowed, refused) in [(database, mail), (mail, database)] {
            let error = checked(&[&plain[..], &[(allowed, "true")]].concat()).unwrap_err();
            assert!(error.contains(&format!("set {refused}=true")) && !error.contains(allowed), "{allowed}: {error}");
        }
        assert_eq!(checked(&[&plain[..], &[(database, "true"), (mail, "true")]].concat()).unwrap().len(), 2);
    }

    #[test]
    fn a_bucket_without_tls_causes_a_warning() {
        let keys = [
            ("STEWARD_BLOBS", "s3://images"),
            ("STEWARD_S3_ACCESS_KEY_ID", "id"),
            ("STEWARD_S3_SECRET_ACCESS_KEY", "x"),
        ];
        let of = |endpoint: &str| checked(&[&keys[..], &[("STEWARD_S3_ENDPOINT", endpoint)]].concat()).unwrap().len();
        assert_eq!((of("http://minio:9000"), of("http://localhost:9000"), of("https://s3.example.com")), (1, 0, 0));
    }
}
