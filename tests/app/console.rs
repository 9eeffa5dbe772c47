//! The pages of the console, and a fixture in which each of them has an address.

use reqwest::Method;
use serde_json::json;

use crate::{Actor, App, Browser, Client, PASSWORD, PasskeyDevice, World};

const IMAGE: &[u8] = include_bytes!("../images/small.png");

/// An import that has ended, and the time of its end.
const IMPORT: &str = "01940000-0000-7000-8000-000000000001";
const IMPORTED_AT: &str = "2026-01-31T12:00:00.000000Z";
/// Imports are deleted some days after this time.
const IMPORT_ENDED_AT: &str = "2100-01-01T00:00:00.000000Z";

/// A provider of the service of which nobody has an identity, one of which the owner has, and one of the project.
const PROVIDER: &str = "01940000-0000-7000-8000-000000000011";
const LINKED_PROVIDER: &str = "01940000-0000-7000-8000-000000000012";
const PROJECT_PROVIDER: &str = "01940000-0000-7000-8000-000000000013";
const IDENTITY: &str = "01940000-0000-7000-8000-000000000014";
/// A delivery of the webhook of the team, and one of that of the project.
const TEAM_DELIVERY: &str = "01940000-0000-7000-8000-000000000016";
const PROJECT_DELIVERY: &str = "01940000-0000-7000-8000-000000000017";
/// A confidential client of the project.
const CLIENT: &str = "01940000-0000-7000-8000-000000000015";

/// Parameters of paths that have a fixed set of values.
const FIXED_VALUES: &[(&str, &[&str])] = &[
    ("{use}", &["icon", "background"]),
    ("{action}", &["disable", "enable", "sign-out", "confirm-email", "remove-factors", "keep-factors", "delete"]),
];

/// The paths of all pages of the console, in the order of the table. Parameters are in braces, except those with a
/// fixed set of values, which have a path for each value.
pub fn console_pages() -> Vec<String> {
    let paths = steward_pages::paths().filter(|path| path.starts_with("/console/"));
    let pages: Vec<String> = paths.flat_map(|path| with_fixed_values(path.to_owned())).collect();
    assert!(pages.len() > 100, "Only {} pages were found in the table.", pages.len());
    pages
}

fn with_fixed_values(path: String) -> Vec<String> {
    match FIXED_VALUES.iter().find(|(parameter, _)| path.contains(parameter)) {
        Some((parameter, values)) => values.iter().map(|value| path.replace(parameter, value)).collect(),
        None => vec![path],
    }
}

/// The page of this path, if it is one of the console. A literal part of a path takes precedence over a parameter.
pub fn console_page<'a>(pages: &'a [String], path: &str) -> Option<&'a str> {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let matches = |page: &&String| {
        let of_page: Vec<&str> = page.split('/').collect();
        of_page.len() == parts.len()
            && of_page.iter().zip(&parts).all(|(own, part)| own == part || own.starts_with('{'))
    };
    pages.iter().filter(matches).min_by_key(|page| page.matches('{').count()).map(String::as_str)
}

/// A team and a project in which each page of the console shows something: a pending invite, paused webhooks, images,
/// two versions of the schema, and a user who is signed in.
pub struct ConsoleWorld {
    pub world: World,
    /// A viewer whose membership pages show.
    pub member: Actor,
    invite: String,
    team_hook: String,
    project_hook: String,
    passkey: String,
}

impl ConsoleWorld {
    /// Creates the fixture `name`, in addition to [`World::make`]: the member `name-member`.
    pub async fn make(app: &App, name: &str) -> Self {
        let world = World::make(app, name).await;
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        let owner = &world.owner;
        owner.patch(&format!("{project}/schema"), json!({"schema": {"namespace": name}})).await.ok();
        let member = world.member(app, &format!("{name}-member"), "viewer").await;
        let invite = json!({"email": "someone@example.com", "roles": "viewer"});
        let invite = owner.post(&format!("{team}/invite"), invite).await.created().id();

        // Webhooks are paused when the member that created them is removed.
        let former = world.member(app, &format!("{name}-former"), "admin").await;
        let hook = json!({"url": "https://example.com/hook", "events": ["schema.created"]});
        let team_hook = former.post(&format!("{team}/webhook"), hook.clone()).await.created().id();
        let project_hook = former.post(&format!("{project}/webhook"), hook).await.created().id();
        owner.delete(&format!("{team}/member/{}", former.id)).await.ok();

        for (hook, delivery) in [(&team_hook, TEAM_DELIVERY), (&project_hook, PROJECT_DELIVERY)] {
            app.execute_sql(&format!(
                "INSERT INTO deliveries (id, webhook_id, position, event, attempt, at, took_ms, status, error, response_body) \
                 VALUES ('{delivery}', '{hook}', 1, 'schema.created', 1, '{}', 7, 503, 'The receiver returned status 503.', \
                 'Try again later.')",
                sql(ago(16))
            ));
        }

        let upload = async |path: &str| {
            let head = "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n";
            let form = [head.as_bytes(), IMAGE, b"\r\n--cut--\r\n"].concat();
            let body = Some(("multipart/form-data; boundary=cut", form));
            owner.send_raw(Method::POST, path, body, &[]).await.ok();
        };
        for name in ["icon", "background"] {
            upload(&format!("{project}/upload/{name}")).await;
        }
        let browser = Browser::signed_in(app, &format!("{name}-owner")).await;
        let passkeys = PasskeyDevice::new(app).set_up(&browser, "Phone").await;
        let passkey = passkeys.id_in("/console/account/passkeys/", "/remove");
        Client::of(app, &world).tokens(app, &format!("{name}-visitor"), &[]).await;
        let place = format!("'{}', '{IMPORT}'", world.project);
        let (user, account) = (&world.user, &world.owner.id);
        app.execute_sql(&format!(
            "INSERT INTO item_imports (project_id, id, user_id, account_id, table_name, is_check, state, has_work, message, \
             bytes, chunks, next_chunk, lines, stored, refused, problems, created_at, updated_at) VALUES ({place}, \
             '{user}', '{account}', 'notes', false, 'done', false, '', 0, 1, 1, 3, 2, 1, 1, '{IMPORTED_AT}', \
             '{IMPORT_ENDED_AT}')"
        ));
        app.execute_sql(&format!(
            "INSERT INTO item_import_problems (project_id, import_id, number, line, field, message) VALUES ({place}, 0, 3, \
             'rank', 'Field rank must be a number, such as 3 or -0.5.')"
        ));
        for (provider, project) in [
            (PROVIDER, "NULL".to_owned()),
            (LINKED_PROVIDER, "NULL".to_owned()),
            (PROJECT_PROVIDER, format!("'{}'", world.project)),
        ] {
            app.execute_sql(&format!(
                "INSERT INTO identity_providers (id, project_id, kind, name, issuer, client_id, email_domains, is_enabled, \
                 created_at, revision) VALUES ('{provider}', {project}, 'openid_connect', 'Example ID', \
                 'https://id.example.com', 'steward', '[]', true, '{IMPORTED_AT}', 1)"
            ));
        }
        app.execute_sql(&format!(
            "INSERT INTO linked_identities (id, account_id, provider_id, subject, created_at, last_used, revision) \
             VALUES ('{IDENTITY}', '{account}', '{LINKED_PROVIDER}', 'someone', '{IMPORTED_AT}', '{IMPORTED_AT}', 1)"
        ));
        app.execute_sql(&format!(
            "INSERT INTO project_clients (id, project_id, name, grant_types, redirect_uris, scopes, roles, \
             require_pkce, skip_consent, secret_digest, secret_hint, created_at, revision) VALUES ('{CLIENT}', '{}', \
             'Example client', 'authorization_code refresh_token client_credentials', \
             '[\"https://client.example.com/callback\"]', 'openid profile email', 'read', true, false, 'digest', \
             'stw_cs_...0000', '{IMPORTED_AT}', 1)",
            world.project
        ));
        upload(&format!("{project}/client/{CLIENT}/logo")).await;
        Self { world, member, invite, team_hook, project_hook, passkey }
    }

    /// The address of a page. `token` is the ID of a personal token of the caller.
    pub fn address(&self, page: &str, token: &str) -> String {
        let is_of_team = page.starts_with("/console/teams/");
        let is_of_operator = page.starts_with("/console/operator/");
        let parameters = [
            ("{team}", self.world.team.as_str()),
            ("{project}", &self.world.project),
            ("{member}", &self.member.id),
            ("{invite}", &self.invite),
            ("{webhook}", if is_of_team { &self.team_hook } else { &self.project_hook }),
            ("{delivery}", if is_of_team { TEAM_DELIVERY } else { PROJECT_DELIVERY }),
            ("{key}", &self.world.key_id),
            ("{version}", "1"),
            ("{user}", &self.world.user),
            ("{table}", "notes"),
            ("{item}", "first"),
            ("{import}", IMPORT),
            ("{account}", &self.world.visitor.id),
            ("{token}", token),
            ("{passkey}", &self.passkey),
            ("{provider}", if is_of_operator { PROVIDER } else { PROJECT_PROVIDER }),
            ("{identity}", IDENTITY),
            ("{client}", CLIENT),
        ];
        let fill_in = |path: String, (name, value): &(&str, &str)| path.replace(name, value);
        let path = parameters.iter().fold(page.to_owned(), fill_in);
        assert!(!path.contains('{'), "The page {page} has a parameter that the fixture has no value for.");
        if page.ends_with("/schema/download") { path + "?version=1&as=json" } else { path }
    }
}

impl App {
    /// Makes every session so old that secrets and deletions require the password again.
    /// Returns when they began, in seconds since the Unix epoch.
    pub fn age_sessions(&self) -> i64 {
        let at = ago(16);
        self.execute_sql(&format!("UPDATE sessions SET authenticated_at = '{}'", sql(at)));
        at.timestamp()
    }

    /// Makes all sessions look as if they began and were last used these minutes ago.
    pub fn leave_sessions(&self, minutes: i64) {
        let at = sql(ago(minutes));
        self.execute_sql(&format!("UPDATE sessions SET authenticated_at = '{at}', last_used = '{at}'"));
    }

    /// Makes the sign-ins of an account, for which clients have tokens, so old that changes that widen authority
    /// require the password again.
    pub fn age_sign_ins(&self, account: &str) {
        let at = sql(ago(16));
        let sql = format!("UPDATE token_families SET authenticated_at = '{at}' WHERE account_id = '{account}'");
        self.execute_sql(&sql);
    }

    /// Makes a person an operator.
    pub async fn make_operator(&self, username: &str) {
        let email = format!("{username}@example.com");
        let output = self.run(&["account", "operator", "add", "--email", &email], "").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Browser {
    /// A browser in which a person is signed in.
    pub async fn signed_in(app: &App, username: &str) -> Self {
        let browser = Self::new(app);
        let page = browser.open("/auth/sign-in").await;
        browser.submit(&page, "/auth/sign-in", &[("login", username), ("password", PASSWORD)]).await;
        browser
    }

    /// Creates a personal token of the person who is signed in, and returns its ID.
    pub async fn create_token(&self) -> String {
        let (list, new) = ("/console/account/tokens", "/console/account/tokens/new");
        let form = self.open(new).await;
        self.submit(&form, new, &[("label", "Example"), ("roles", "viewer")]).await;
        self.open(list).await.id_in("/console/account/tokens/", "/revoke")
    }
}

#[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
fn ago(minutes: i64) -> chrono::DateTime<chrono::Utc> {
    chrono::DateTime::from(std::time::SystemTime::now()) - chrono::TimeDelta::minutes(minutes)
}

fn sql(at: chrono::DateTime<chrono::Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true)
}
