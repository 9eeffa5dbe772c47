//! Text and URLs that people send: what is refused, and how pages show the rest.

use serde_json::json;
use steward_tests::{App, Backend, Browser, PASSWORD, World, on_both_in_full};

/// Characters that change how the text around them is shown: C0, C1, a line separator, an override and an isolate.
const CONTROLS: [&str; 5] = ["\u{7}", "\u{9b}31m", "\u{2028}", "\u{202e}", "\u{2067}"];

on_both_in_full! {
    async fn names_and_labels_cannot_change_how_the_text_around_them_is_shown(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        for control in CONTROLS {
            let text = format!("Ann{control}gnp.exe");
            let named = json!({"name": text});
            world.owner.patch(&team, named.clone()).await.refused(400, "invalid_request");
            world.owner.patch(&project, named).await.refused(400, "invalid_request");
            let team_with_name = json!({"name": text, "slug": "other"});
            world.owner.post("/team/", team_with_name).await.refused(400, "invalid_request");
            let key = json!({"label": text, "roles": "read"});
            world.owner.post(&format!("{project}/key"), key).await.refused(400, "invalid_request");
            let invite = json!({"username": "acme-visitor", "roles": "viewer", "role_name": text});
            world.owner.post(&format!("{team}/invite"), invite).await.refused(400, "invalid_request");
            let sign_up = json!({"email": "eve@example.com", "password": PASSWORD, "name": text});
            app.anonymous().post("/auth/signup", sign_up).await.refused(400, "invalid_request");
            let website = json!({"website": format!("https://a.example/{control}x")});
            world.owner.patch(&project, website).await.refused(400, "invalid_request");
        }
        world.owner.patch(&team, json!({"name": "שלום\u{200f} שלום"})).await.ok();
    }

    async fn a_name_that_an_earlier_version_accepted_can_still_be_read(app: &App) {
        let world = World::make(app, "acme").await;
        for table in ["teams", "projects"] {
            app.execute_sql(&format!("UPDATE {table} SET name = 'ac\u{202e}me'"));
        }
        let shown = world.owner.get(&format!("/project/{}", world.project)).await.ok();
        assert_eq!(shown["data"]["name"], json!("ac\u{202e}me"));
        let browser = Browser::new(app);
        let page = browser.open("/auth/sign-in").await;
        browser.submit(&page, "/auth/sign-in", &[("login", "acme-owner"), ("password", PASSWORD)]).await;
        let page = browser.open(&format!("/console/teams/{}", world.team)).await;
        assert!(page.html.contains("<bdi>ac\u{202e}me</bdi>"), "The direction of the name is isolated: {page}");
    }

    async fn stored_urls_must_be_web_addresses(app: &App) {
        let world = World::make(app, "acme").await;
        let project = format!("/project/{}", world.project);
        let schemes = [
            "javascript:alert(1)", " java\tscript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
            "blob:https://a.example/x", "mailto:a@example.com",
        ];
        for url in schemes {
            world.owner.patch(&project, json!({"website": url})).await.refused(400, "invalid_request");
            let patches = [
                json!({"profile": {"icon_url": url}}),
                json!({"profile": {"styles": {"background_url": url}}}),
                json!({"profile": {"links": [{"href": url}]}}),
            ];
            for patch in patches {
                let refused = world.owner.patch(&project, patch.clone()).await.refused(400, "invalid_request");
                assert!(refused["message"].as_str().unwrap().contains("http"), "{patch}: {refused:?}");
            }
            for setting in ["redirect_uris", "post_logout_redirect_uris"] {
                let settings = json!({"auth": {setting: [url]}});
                world.owner.patch(&format!("{project}/settings"), settings).await.refused(400, "invalid_request");
            }
            let settings = json!({"auth": {"backchannel_logout_uri": url}});
            world.owner.patch(&format!("{project}/settings"), settings).await.refused(400, "invalid_request");
            for scope in [project.clone(), format!("/team/{}", world.team)] {
                let webhook = json!({"url": url, "events": ["*"]});
                world.owner.post(&format!("{scope}/webhook"), webhook).await.refused(400, "invalid_request");
            }
        }
        let text = json!({"profile": {"about": "javascript:alert(1)"}});
        world.owner.patch(&project, text).await.refused(400, "invalid_request");
        let valid = json!({"icon_url": "https://cdn.example/i.png", "about": "data: all of it", "styles": {"accent": "red"}});
        world.owner.patch(&project, json!({"profile": valid})).await.ok();

        let stored = r#"{"icon_url": "javascript:alert(1)", "styles": {"background_url": "data:x", "accent": "red"}}"#;
        app.execute_sql(&format!("UPDATE projects SET profile = '{stored}'"));
        let shown = app.anonymous().get(&format!("{project}/profile")).await.ok();
        assert_eq!(shown["data"]["profile"], json!({"styles": {"accent": "red"}}), "What an earlier version stored.");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_on_a_private_network_is_refused_when_it_is_configured() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let scopes = [format!("/project/{}", world.project), format!("/team/{}", world.team)];
    let private = [
        "https://localhost:8443/hook",
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://2130706433/",
        "https://0x7f.1/",
    ];
    for scope in &scopes {
        // No DNS record yet. Each connection is checked again.
        let body = json!({"url": "https://hooks.invalid/hook", "events": ["*"]});
        let webhook = world.owner.post(&format!("{scope}/webhook"), body).await.created();
        let id = webhook["data"]["id"].as_str().unwrap();
        for url in private {
            let body = json!({"url": url, "events": ["*"]});
            let refused = world.owner.post(&format!("{scope}/webhook"), body).await.refused(400, "invalid_request");
            assert!(refused["message"].as_str().unwrap().contains("private network"), "{url}: {refused:?}");
            let path = format!("{scope}/webhook/{id}");
            let refused = world.owner.patch(&path, json!({"url": url})).await.refused(400, "invalid_request");
            assert!(refused["message"].as_str().unwrap().contains("private network"), "{url}: {refused:?}");
        }
        world.owner.patch(&format!("{scope}/webhook/{id}"), json!({"events": ["project.updated"]})).await.ok();
    }
    for url in private {
        let settings = json!({"auth": {"backchannel_logout_uri": url}});
        let refused = world.owner.patch(&format!("{}/settings", scopes[0]), settings).await;
        let refused = refused.refused(400, "invalid_request");
        assert!(refused["message"].as_str().unwrap().contains("private network"), "{url}: {refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_an_https_address_browsers_use_only_tls() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_PUBLIC_URL", "https://steward.example")]).await;
    let paths =
        ["/", "/nowhere", "/auth/sign-in", "/auth/style.css", "/project/", "/docs", "/health/live", "/console/account"];
    let header = async |app: &App, path: &str| {
        let response = app.client.get(format!("{}{path}", app.base)).send().await.unwrap();
        response.headers().get("Strict-Transport-Security").map(|value| value.to_str().unwrap().to_owned())
    };
    for path in paths {
        assert_eq!(header(&app, path).await.as_deref(), Some("max-age=31536000"), "{path}");
    }
    app.set("STEWARD_PUBLIC_URL", &app.base.clone());
    app.restart().await;
    for path in paths {
        assert_eq!(header(&app, path).await, None, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_server_without_tls_prevents_the_start_unless_it_is_allowed() {
    let app = App::start(Backend::Sqlite).await;
    let plain = [("STEWARD_SMTP_URL", "smtp://mail.invalid"), ("STEWARD_MAIL_FROM", "a@example.com")];
    let refused = app.run_with(&["doctor"], &plain).await;
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && error.contains("STEWARD_MAIL_ALLOW_PLAINTEXT=true"), "{error}");
    for other in ["STEWARD_DATABASE_ALLOW_PLAINTEXT", "STEWARD_ALLOW_PLAINTEXT"] {
        let refused = app.run_with(&["doctor"], &[&plain[..], &[(other, "true")]].concat()).await;
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && error.contains("STEWARD_MAIL_ALLOW_PLAINTEXT"), "{other}: {error}");
    }
    let allowed = app.run_with(&["doctor"], &[&plain[..], &[("STEWARD_MAIL_ALLOW_PLAINTEXT", "true")]].concat()).await;
    let (report, log) = (String::from_utf8_lossy(&allowed.stdout), String::from_utf8_lossy(&allowed.stderr));
    let warning = "STEWARD_SMTP_URL sends emails to \"mail.invalid\" without TLS";
    assert!(allowed.status.success() && report.contains(&format!("WARNING configuration: {warning}")), "{report}");
    assert!(log.contains("WARN") && log.contains("without TLS"), "{log}");
}
