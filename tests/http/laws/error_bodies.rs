//! A snapshot of the body of each error, as clients receive it.

use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Answer, App, Authenticator, Backend, Browser, Client, PASSWORD, World};

use crate::documents::snapshots::settings;

const PNG: &[u8] = include_bytes!("../../images/small.png");

/// Codes that are returned to the redirect URI of a client, so that they have no body.
const REDIRECTED: [&str; 9] = [
    "invalid_scope",
    "unsupported_response_type",
    "access_denied",
    "login_required",
    "interaction_required",
    "consent_required",
    "request_not_supported",
    "request_uri_not_supported",
    "registration_not_supported",
];

/// Codes that are returned only during an outage, a race or an overload, or after many or very slow requests.
const RARE: [&str; 12] = [
    "slow_down",
    "outcome_unknown",
    "storage_full",
    "too_many_items",
    "conflict",
    "idempotency_in_progress",
    "idempotency_answer_lost",
    "body_too_slow",
    "too_many_in_flight",
    "too_many_connections",
    "unavailable",
    "internal_error",
];

/// The error codes that were received, and the responses with them.
#[derive(Default)]
struct Errors {
    codes: Vec<&'static str>,
    texts: Vec<String>,
}

impl Errors {
    #[track_caller]
    fn add(&mut self, code: &'static str, response: Answer) {
        let body = response.json();
        assert_eq!(body["error"], code, "{response}");
        self.codes.push(code);
        self.texts.push(format!("{} -> {}\n{body:#}", response.request, response.status.as_u16()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_body_of_every_error() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_MAX_KEYS_PER_PROJECT", "1")]).await;
    let world = World::make(&app, "acme").await;
    let mut errors = Errors::default();
    requests(&app, &world, &mut errors).await;
    conflicts(&app, &world, &mut errors).await;
    schemas(&world, &mut errors).await;
    images(&world, &mut errors).await;
    oauth(&app, &world, &mut errors).await;
    items(&world, &mut errors).await;
    limits(&mut errors).await;
    let mut settings = settings();
    settings.add_filter(r"in \d+ s\b", "in [seconds] s");
    settings.bind(|| assert_snapshot!("errors", errors.texts.join("\n\n")));

    let document = app.anonymous().get("/docs/json").await.json();
    let codes = document["components"]["schemas"]["ErrorBody"]["properties"]["error"]["enum"].as_array().unwrap();
    for code in codes.iter().map(|code| code.as_str().unwrap()) {
        let is_omitted = REDIRECTED.contains(&code) || RARE.contains(&code);
        assert_ne!(errors.codes.contains(&code), is_omitted, "{code}");
    }
}

/// What every operation has in common.
async fn requests(app: &App, world: &World, errors: &mut Errors) {
    let (anonymous, owner, team) = (app.anonymous(), &world.owner, format!("/team/{}", world.team));
    errors.add("not_found", anonymous.get("/teams").await);
    errors.add("not_found", owner.get(&format!("/team/{}", world.project)).await);
    errors.add("method_not_allowed", anonymous.delete("/auth/login").await);
    errors.add("unauthorized", anonymous.get("/team").await);
    let login = json!({"username": "nobody", "password": PASSWORD});
    errors.add("invalid_credentials", anonymous.post("/auth/login", login).await);
    app.person("ann").await;
    Authenticator::set_up(&Browser::signed_in(app, "ann").await).await;
    let login = json!({"username": "ann", "password": PASSWORD});
    errors.add("second_factor_required", anonymous.post("/auth/login", login).await);
    let vic = world.member(app, "vic", "admin").await;
    app.age_sign_ins(&vic.id);
    let key = json!({"label": "CI", "roles": "read"});
    let old = vic.post(&format!("/project/{}/key", world.project), key).await;
    errors.add("insufficient_user_authentication", old);
    errors.add("forbidden", world.key.delete(&format!("/project/{}", world.project)).await);
    errors.add("invalid_request", owner.get("/team?limit=0").await);
    errors.add("invalid_request", owner.post("/team", json!({"name": 1})).await);
    errors.add("unknown_field", owner.post("/team", json!({"nmae": "Acme", "slug": "second"})).await);

    let large = "x".repeat(1_100_000);
    for (code, media_type, body) in [
        ("invalid_json", "application/json", "{"),
        ("unsupported_media_type", "text/plain", "{}"),
        ("payload_too_large", "application/json", large.as_str()),
    ] {
        let body = Some((media_type, body.as_bytes().to_vec()));
        errors.add(code, anonymous.send_raw(Method::POST, "/auth/login", body, &[]).await);
    }

    let name = Some(json!({"name": "Second"}));
    let outdated = [("If-Match", "\"0\"")];
    errors.add("precondition_failed", owner.send(Method::PATCH, &team, name.clone(), &outdated).await);
    let key = [("Idempotency-Key", "rename")];
    owner.send(Method::PATCH, &team, Some(json!({"name": "First"})), &key).await.ok();
    errors.add("idempotency_mismatch", owner.send(Method::PATCH, &team, name, &key).await);
}

async fn conflicts(app: &App, world: &World, errors: &mut Errors) {
    let (owner, team) = (&world.owner, format!("/team/{}", world.team));
    let account = |email: &str, username: &str| json!({"email": email, "username": username, "password": PASSWORD});
    let taken = account("acme-owner@example.com", "other");
    errors.add("email_taken", app.anonymous().post("/auth/signup", taken).await);
    let taken = account("other@example.com", "acme-owner");
    errors.add("username_taken", app.anonymous().post("/auth/signup", taken).await);
    errors.add("slug_taken", owner.post("/team", json!({"name": "Acme", "slug": "acme"})).await);
    errors.add("slug_reserved", owner.post("/team", json!({"name": "Admin", "slug": "admin"})).await);
    errors.add("team_owns_projects", owner.delete(&team).await);
    errors.add("last_owner", owner.delete(&format!("{team}/member/{}", owner.id)).await);
    let invite = json!({"username": "acme-owner", "roles": "viewer"});
    errors.add("already_member", owner.post(&format!("{team}/invite"), invite).await);
    let key = json!({"label": "Second", "roles": "read"});
    errors.add("quota_exceeded", owner.post(&format!("/project/{}/key", world.project), key).await);
}

async fn schemas(world: &World, errors: &mut Errors) {
    let path = format!("/project/{}/schema", world.project);
    let publish = async |schema: Value| world.owner.post(&path, json!({"schema": schema})).await;
    errors.add("invalid_schema", publish(json!({"tables": {"notes": {"fields": {"title": {"type": "text"}}}}})).await);
    errors.add("version_conflict", publish(json!({"version": 1, "tables": {}})).await);
    errors.add("schema_breaking", publish(json!({"tables": {}})).await);
}

async fn items(world: &World, errors: &mut Errors) {
    let put = async |value: Value| world.owner.put(&world.item("second"), json!({"value": value})).await;
    errors.add("invalid_item", put(json!({"rank": "high", "color": "red"})).await);
    errors.add("item_too_large", put(json!({"title": "x".repeat(300 * 1024)})).await);
    let user = format!("/project/{}/user/{}", world.project, world.user);
    world.owner.patch(&user, json!({"status": "blocked"})).await.ok();
    errors.add("user_not_connected", put(json!({"title": "Second"})).await);
}

async fn images(world: &World, errors: &mut Errors) {
    let path = format!("/project/{}/upload/icon", world.project);
    let head = b"--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"icon.png\"\r\n\r\n";
    let form = |file: &[u8]| [&head[..], file, b"\r\n--cut--\r\n"].concat();
    for (code, body) in [
        ("invalid_multipart", b"--other\r\n".to_vec()),
        ("unsupported_image", form(b"plain text, and long enough")),
        ("invalid_image", form(&PNG[..PNG.len() - 1])),
        ("image_too_large", form(&vec![0; 3 * 1024 * 1024])),
    ] {
        let body = Some(("multipart/form-data; boundary=cut", body));
        errors.add(code, world.owner.send_raw(Method::POST, &path, body, &[]).await);
    }
}

async fn oauth(app: &App, world: &World, errors: &mut Errors) {
    let client = Client::of(app, world);
    errors.add("invalid_client", client.post("/auth/token", "code=x&client_id=nobody").await);
    errors.add("invalid_grant", client.redeem("unknown", &[]).await);
    errors.add("unsupported_grant_type", client.post("/auth/token", "grant_type=password").await);
    let public = json!({"name": "App", "type": "public", "redirect_uris": ["https://app.example/"]});
    let public = world.owner.post(&format!("/project/{}/client", world.project), public).await.created();
    let own = format!("grant_type=client_credentials&client_id={}", public["data"]["id"].as_str().unwrap());
    errors.add("unauthorized_client", client.post("/auth/token", &own).await);
    let device = client.post("/auth/device/code", "client_id=steward-cli").await.ok();
    let poll = |code: &str| {
        format!("grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=steward-cli&device_code={code}",)
    };
    let waiting = poll(device["device_code"].as_str().unwrap());
    errors.add("authorization_pending", client.post("/auth/token", &waiting).await);
    let unknown = poll(&format!("stw_dc_{}", "0".repeat(43)));
    errors.add("expired_token", client.post("/auth/token", &unknown).await);
    let refresh = json!({"grant_type": "refresh_token", "refresh_token": "x"});
    let proof = ("DPoP", "not a JWT");
    let unproven = app.anonymous().send(Method::POST, "/auth/token", Some(refresh), &[proof]).await;
    errors.add("invalid_dpop_proof", unproven);
    errors.add("invalid_redirect_uri", world.key.post("/auth/register", json!({})).await);
    let implicit = json!({"redirect_uris": ["https://app.example/"], "response_types": ["token"]});
    errors.add("invalid_client_metadata", world.key.post("/auth/register", implicit).await);
    let issued = app.run(&["token", "issue", "--email", "acme-owner@example.com"], "").await.stdout;
    let form = format!("token={}", String::from_utf8(issued).unwrap().trim());
    errors.add("unsupported_token_type", client.post("/auth/revoke", &form).await);
}

/// What the operator of the service limits.
async fn limits(errors: &mut Errors) {
    let settings = [("STEWARD_SIGNUP", "closed"), ("STEWARD_RATE_LIMITS", "on"), ("STEWARD_RATE_READS", "1/m burst 4")];
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let account = json!({"email": "ann@example.com", "password": PASSWORD});
    errors.add("signup_closed", app.anonymous().post("/auth/signup", account.clone()).await);
    let new = App::start_empty(Backend::Sqlite, &[]).await;
    errors.add("not_set_up", new.anonymous().post("/auth/signup", account).await);
    for _ in 0..4 {
        let response = app.anonymous().get("/utils/slugify?slug=x").await;
        if response.status == 429 {
            return errors.add("too_many_requests", response);
        }
    }
    panic!("No request was rate limited.")
}
