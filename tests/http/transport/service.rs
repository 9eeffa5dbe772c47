//! Health, discovery, API reference and metrics.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Answer, App, Backend, World, on_both_in_full, on_sqlite};

on_both_in_full! {
    async fn the_service_reports_its_health(app: &App) {
        let anon = app.anonymous();
        let root = anon.get("/").await.ok();
        assert_eq!((&root["root"], &root["env"], &root["db_conn"]), (&json!(true), &json!("test"), &json!(true)));
        for path in ["/auth/", "/auth", "/utils/", "/utils"] {
            assert_eq!(anon.get(path).await.ok()["status"], "pass");
        }
        anon.get("/health/live").await.ok();
        anon.get("/health/ready").await.ok();
        let page = anon.send(Method::GET, "/", None, &[("Accept", "text/html")]).await;
        assert!(page.header("Content-Type").starts_with("text/html"));
    }
}

on_sqlite! {
    async fn an_unknown_path_is_reported_with_the_most_similar_one(app: &App) {
        let anon = app.anonymous();
        for (path, message) in [
            ("/teams", "There is no resource at /teams. Did you mean /team?"),
            ("/teams/", "There is no resource at /teams/. Did you mean /team?"),
            ("/project/p1/keys?limit=2", "There is no resource at /project/p1/keys. Did you mean /project/{id}/key?"),
            ("/nothing", "There is no resource at /nothing. See /docs for all endpoints."),
        ] {
            assert_eq!(anon.get(path).await.is_not_found()["message"], message);
        }
        let misspelled = anon.post("/team/t1/invite/i1/x", json!({})).await.is_not_found();
        assert!(!misspelled["message"].as_str().unwrap().contains("Did you mean"), "{misspelled:?}");
        let long = anon.get(&format!("/{}", "x".repeat(2_000))).await.is_not_found();
        assert!(long["message"].as_str().unwrap().len() < 250, "{long:?}");
    }

    async fn discovery_lists_only_existing_endpoints(app: &App) {
        let anon = app.anonymous();
        let paths = ["/auth/.well-known/openid-configuration", "/.well-known/openid-configuration",
            "/.well-known/oauth-authorization-server"];
        for path in paths {
            let document = anon.get(path).await.ok();
            assert_eq!(document["issuer"], json!(app.base));
            for endpoint in ["jwks_uri", "userinfo_endpoint"] {
                let address = document[endpoint].as_str().unwrap();
                let status = anon.get(address.strip_prefix(&app.base).unwrap()).await.status.as_u16();
                assert!(matches!(status, 200 | 401), "{address}: {status}");
            }
            for endpoint in ["token_endpoint", "revocation_endpoint", "introspection_endpoint"] {
                let address = document[endpoint].as_str().unwrap();
                let status = anon.post(address.strip_prefix(&app.base).unwrap(), json!({})).await.status.as_u16();
                assert!(matches!(status, 400 | 401), "{address}: {status}");
            }
            assert_eq!(document["id_token_signing_alg_values_supported"], json!(["RS256"]));
            let methods = json!(["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]);
            assert_eq!(document["token_endpoint_auth_methods_supported"], methods);
            let authorize = document["authorization_endpoint"].as_str().unwrap();
            anon.get(authorize.strip_prefix(&app.base).unwrap()).await.refused(400, "invalid_request");
        }
        let response = anon.get("/auth/.well-known/jwks.json").await;
        assert_eq!(response.header("Cache-Control"), "public, max-age=3600");
        let keys = response.ok();
        let [access, id] = keys["keys"].as_array().unwrap().as_slice() else { panic!("{keys:?}") };
        assert_eq!((&access["kty"], &access["crv"], &access["alg"], &access["use"]),
            (&json!("EC"), &json!("P-256"), &json!("ES256"), &json!("sig")));
        assert_eq!((&id["kty"], &id["alg"], &id["use"]), (&json!("RSA"), &json!("RS256"), &json!("sig")));
        assert!(access.get("d").is_none() && id.get("d").is_none());
    }

    async fn the_reference_and_its_document_are_served(app: &App) {
        let anon = app.anonymous();
        let page = anon.get("/docs").await;
        let html = String::from_utf8(page.body.clone()).unwrap();
        assert!(page.header("Content-Type").starts_with("text/html"), "{:?}", page.headers);
        assert!(html.contains("<h1>Steward documentation</h1>") && html.contains("lang=\"en\""), "{html}");
        assert!(!page.header("Content-Security-Policy").contains("unsafe"), "{:?}", page.headers);
        assert!(anon.get("/docs/json").await.ok()["openapi"].as_str().unwrap().starts_with("3.1"));
        assert_eq!(anon.get("/docs/nothing.js").await.status.as_u16(), 404);
    }

    async fn the_reference_is_compressed_and_revalidated(app: &App) {
        // The client of the tests does not decompress, so these responses are not checked against the document.
        let get = async |path: &str, headers: &[(&str, &str)]| {
            let request = app.client.get(format!("{}{path}", app.base));
            let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            Answer::read(request.send().await.unwrap(), format!("GET {path}")).await
        };
        for path in ["/docs/json", "/docs", "/docs/reference/createTeam"] {
            let plain = get(path, &[]).await;
            assert_eq!(plain.headers.get("Content-Encoding"), None, "{path}");
            let compressed = get(path, &[("Accept-Encoding", "br, gzip")]).await;
            assert_eq!(compressed.header("Content-Encoding"), "gzip", "{path}");
            assert!(compressed.body.len() * 3 < plain.body.len(), "{path}: {}", compressed.body.len());
            assert_ne!(compressed.header("ETag"), plain.header("ETag"), "{path}");
            let unwanted = get(path, &[("Accept-Encoding", "gzip;q=0")]).await;
            assert!(unwanted.body == plain.body, "{path}");
            for response in [&plain, &compressed] {
                assert!(response.header("Vary").starts_with("Accept-Encoding"), "{path}");
            }
        }
        for path in ["/docs", "/docs/", "/docs/json", "/docs/guides/react", "/docs/assets/docs.css"] {
            let tag = get(path, &[]).await.header("ETag").to_owned();
            let cached = get(path, &[("If-None-Match", &tag)]).await;
            assert_eq!((cached.status.as_u16(), cached.body.len()), (304, 0), "{path}");
            assert_eq!(cached.header("ETag"), tag, "{path}");
            assert_eq!(get(path, &[("If-None-Match", "\"other\"")]).await.status.as_u16(), 200, "{path}");
        }
    }

    async fn text_is_converted_to_a_slug(app: &App) {
        let anon = app.anonymous();
        assert_eq!(anon.get("/utils/slugify?slug=Rock%20%26%20Roll").await.ok()["slug"], "rock-roll");
        assert_eq!(anon.get("/utils/slugify/?text=it's").await.ok()["slug"], "its");
        anon.get("/utils/slugify?slug=%3F%3F").await.refused(400, "invalid_request");
        anon.get("/utils/slugify").await.refused(400, "invalid_request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_signed_as_configured() {
    for (access, id) in [("EdDSA", "ES256"), ("RS256", "EdDSA")] {
        let settings = [("STEWARD_SIGNING_ALGORITHM", access), ("STEWARD_ID_TOKEN_ALGORITHM", id)];
        let app = App::start_empty(Backend::Sqlite, &settings).await;
        app.claim();
        app.person("ann").await.get("/auth/userinfo").await.ok();
        let keys = app.anonymous().get("/auth/.well-known/jwks.json").await.ok();
        assert_eq!((&keys["keys"][0]["alg"], &keys["keys"][1]["alg"]), (&json!(access), &json!(id)));
        let metadata = app.anonymous().get("/.well-known/openid-configuration").await.ok();
        assert_eq!(metadata["id_token_signing_alg_values_supported"], json!([id]));
    }
}

/// At its end, each test searches the log and the database for the secrets that the service returned. This test
/// verifies that the search finds them.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_stored_in_plain_text_is_detected() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let app = App::start(backend).await;
        let world = World::make(&app, "acme").await;
        let key = world.key.credential.as_deref().unwrap();
        assert_eq!(app.canaries.found_in(&app.stored()), [""; 0]);
        for secret in [key.to_owned(), key.bytes().map(|byte| format!("{byte:02x}")).collect()] {
            app.execute_sql(&format!("UPDATE teams SET name = '{secret}'"));
            assert_eq!(app.canaries.found_in(&app.stored()), [key]);
            app.execute_sql("UPDATE teams SET name = 'acme'");
        }
        // SQLite keeps deleted data in its file until the space is reused.
        app.canaries.forget();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_counted_and_served_on_a_separate_address() {
    let address = format!("127.0.0.1:{}", steward_tests::free_port());
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_METRICS_BIND", &address)]).await;
    World::make(&app, "acme").await;
    app.anonymous().get("/utils/slugify?slug=x").await.ok();
    app.anonymous().get("/secret-path-of-a-caller").await.is_not_found();
    app.anonymous().get("/metrics").await.is_not_found();
    app.anonymous().get("/auth/sign-in/").await;
    let text = app.client.get(format!("http://{address}/metrics")).send().await.unwrap().text().await.unwrap();
    for (route, status, count) in [("/utils/slugify", 200, 1), ("/auth/sign-in", 200, 1), ("unknown", 404, 2)] {
        let line = format!("requests_total{{method=\"GET\",route=\"{route}\",status=\"{status}\"}} {count}\n");
        assert!(text.contains(&line), "{line}{text}");
    }
    assert!(!text.contains("secret-path"), "{text}");
    assert!(!text.contains("steward_compute_jobs_total{pool=\"passwords\"} 0\n"), "{text}");
    let zero = [
        "action_limited_total{action=\"sign_in_to\"}",
        "in_flight_bytes{direction=\"request\"}",
        "emails_total{outcome=\"failed\"}",
    ];
    for row in zero {
        assert!(text.contains(&format!("steward_{row} 0\n")), "{row}: {text}");
    }
    let version = app.anonymous().get("/").await.ok()["version"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("version=\"{version}\"}} 1\n")), "{text}");
    assert_eq!(app.canaries.found_in(text.as_bytes()), [""; 0], "{text}");
    for file in ["dashboard.json", "alerts.yaml"] {
        let path = format!("{}/../docs/monitoring/{file}", env!("CARGO_MANIFEST_DIR"));
        let used = std::fs::read_to_string(&path).unwrap();
        let names = used.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let names: Vec<&str> = names.filter(|n| n.starts_with("steward_") || n.starts_with("process_")).collect();
        assert!(names.len() > 10, "{file} uses too few metrics.");
        for name in names {
            let family = name.strip_suffix("_bucket").unwrap_or(name);
            assert!(text.contains(&format!("# TYPE {family} ")), "{file} uses {name}, which does not exist:\n{text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_show_that_events_are_stored_in_a_default_partition_postgres() {
    let address = format!("127.0.0.1:{}", steward_tests::free_port());
    let app = App::start_with(Backend::Postgres, &[("STEWARD_METRICS_BIND", &address)]).await;
    let newest = async || {
        let text = app.client.get(format!("http://{address}/metrics")).send().await.unwrap().text().await.unwrap();
        let name = "\nsteward_audit_default_partition_timestamp_seconds ";
        let value = text.split_once(name).and_then(|(_, rest)| rest.lines().next());
        value.unwrap_or_else(|| panic!("{text}")).parse::<f64>().unwrap()
    };
    World::make(&app, "acme").await;
    assert_eq!(newest().await, 0.0);
    app.execute_sql(
        "DO $$ DECLARE name text; BEGIN FOR name IN SELECT inhrelid::regclass FROM pg_inherits \
         WHERE inhparent = 'audit_events'::regclass AND inhrelid <> 'audit_events_default'::regclass \
         LOOP EXECUTE 'DROP TABLE ' || name; END LOOP; END $$",
    );
    #[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
    let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    World::make(&app, "initech").await;
    let newest = newest().await;
    assert!(newest >= before, "{newest} < {before}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_metadata_and_the_keys_meet_the_config_profile() {
    let issuer = "https://steward.example";
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_PUBLIC_URL", issuer)]).await;
    let response = app.anonymous().get("/.well-known/openid-configuration").await;
    assert!(response.header("Content-Type").starts_with("application/json"), "{response}");
    let metadata = response.ok();
    assert_eq!(metadata["issuer"], json!(issuer));
    let required = ["authorization", "token", "userinfo", "end_session"].map(|name| format!("{name}_endpoint"));
    for name in required.iter().map(String::as_str).chain(["jwks_uri"]) {
        assert!(metadata[name].is_string(), "{name}");
    }
    for (name, value) in metadata.0.as_object().unwrap() {
        let is_address = name.ends_with("_endpoint") || name == "jwks_uri";
        assert!(!is_address || value.as_str().unwrap().starts_with("https://steward.example/"), "{name}: {value}");
    }
    let listed = [
        ("response_types_supported", "code"),
        ("subject_types_supported", "public"),
        ("id_token_signing_alg_values_supported", "RS256"),
        ("grant_types_supported", "authorization_code"),
        ("claims_supported", "preferred_username"),
        ("code_challenge_methods_supported", "S256"),
        ("token_endpoint_auth_methods_supported", "client_secret_basic"),
        ("token_endpoint_auth_methods_supported", "client_secret_post"),
    ];
    for (name, value) in listed {
        assert!(metadata[name].as_array().unwrap().contains(&json!(value)), "{name}");
    }
    for name in ["claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported"] {
        assert_eq!(metadata[name], json!(false), "{name}");
    }

    let keys = app.anonymous().get("/auth/.well-known/jwks.json").await.ok();
    let keys = keys["keys"].as_array().unwrap();
    let ids: BTreeSet<&str> = keys.iter().map(|key| key["kid"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), keys.len());
    for key in keys {
        assert!(key["kty"].is_string() && key["alg"].is_string() && key["use"] == "sig", "{key}");
        let private = ["d", "p", "q", "dp", "dq", "qi", "k"];
        assert!(private.iter().all(|member| key.get(member).is_none()), "{key}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn well_known_addresses_lead_to_what_the_service_has() {
    let contact = "STEWARD_SECURITY_CONTACT";
    let settings = [("STEWARD_PUBLIC_URL", "https://steward.example"), (contact, "security@example.com")];
    let mut app = App::start_with(Backend::Sqlite, &settings).await;
    let get = async |app: &App, path: &str| app.client.get(format!("{}{path}", app.base)).send().await.unwrap();
    let header = |response: &reqwest::Response, name: &str| response.headers()[name].to_str().unwrap().to_owned();

    let change = get(&app, "/.well-known/change-password").await;
    assert_eq!((change.status().as_u16(), header(&change, "location").as_str()), (303, "/console/account/password"));
    let signed_out = get(&app, "/console/account/password").await;
    assert!(header(&signed_out, "location").starts_with("/auth/sign-in"), "{signed_out:?}");

    let endpoints = get(&app, "/.well-known/passkey-endpoints").await;
    assert!(endpoints.status() == 200 && header(&endpoints, "content-type").starts_with("application/json"));
    let passkeys = "https://steward.example/console/account/passkeys";
    let expected = json!({"enroll": format!("{passkeys}/new"), "manage": passkeys});
    assert_eq!(serde_json::from_str::<Value>(&endpoints.text().await.unwrap()).unwrap(), expected);

    let contacts = get(&app, "/.well-known/security.txt").await;
    assert_eq!(header(&contacts, "content-type"), "text/plain; charset=utf-8");
    let text = contacts.text().await.unwrap();
    assert!(text.starts_with("Contact: mailto:security@example.com\nExpires: 2"), "{text}");

    // Passkeys need a host name.
    app.set("STEWARD_PUBLIC_URL", "https://192.0.2.1");
    app.set(contact, "");
    app.restart().await;
    let unknown = "resource-that-should-not-exist-whose-status-code-should-not-be-200";
    for absent in ["passkey-endpoints", "security.txt", unknown] {
        assert_eq!(get(&app, &format!("/.well-known/{absent}")).await.status(), 404, "{absent}");
    }
}
