//! Requests of attackers that no other file covers: addresses to return to, forged hosts, paths out of the served
//! files, and markup in names. `docs/security.md` lists all kinds of attacks with their tests.

use reqwest::Method;
use serde_json::json;
use steward_tests::{App, Browser, Client, PASSWORD, World, on_sqlite};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use url::form_urlencoded;

/// Addresses of other sites, in the forms in which browsers accept them.
const ELSEWHERE: [&str; 16] = [
    "https://evil.example/",
    "//evil.example/",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/console/\\evil.example",
    "/console/..//evil.example",
    "/console/../..//evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "/\t/evil.example",
    "/console/\r\nLocation: https://evil.example",
    " //evil.example",
    "/.evil.example",
    "@evil.example",
];

fn query(name: &str, value: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish()
}

/// Sends bytes and returns the response.
async fn send_bytes(app: &App, request: &str) -> String {
    let address = app.base.trim_start_matches("http://").replace("localhost", "127.0.0.1");
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    String::from_utf8_lossy(&response).into_owned()
}

on_sqlite! {
    async fn no_address_to_return_to_leaves_the_service(app: &App) {
        app.person("ann").await;
        let (signed_in, fields) = (Browser::new(app), [("login", "ann"), ("password", PASSWORD)]);
        let page = signed_in.open("/auth/sign-in").await;
        signed_in.submit(&page, "/auth/sign-in", &fields).await;
        for address in ELSEWHERE {
            for name in ["next", "return", "return_to", "redirect", "redirect_uri", "url", "back"] {
                let query = query(name, address);
                let browser = Browser::new(app);
                let page = browser.open(&format!("/auth/sign-in?{query}")).await;
                assert!(!page.left && !page.links().iter().any(|link| link.contains("evil.example/")), "{query}: {page}");
                if page.is_at("/auth/sign-in") && page.status == 200 {
                    let page = browser.submit(&page, "/auth/sign-in", &fields).await;
                    assert!(!page.left && page.url.as_str().starts_with(&app.base), "{query}: {page}");
                }
                for path in ["/auth/sign-in", "/auth/sign-up", "/auth/sign-out", "/auth/invite", "/console/account", "/"] {
                    let page = signed_in.open(&format!("{path}?{query}")).await;
                    assert!(!page.left && page.url.as_str().starts_with(&app.base), "{path}?{query}: {page}");
                }
            }
        }
    }

    async fn no_client_or_logout_request_chooses_an_unregistered_address(app: &App) {
        let world = World::make(app, "acme").await;
        world.settings(&["https://app.example/cb"], true).await;
        let (browser, client) = (Browser::new(app), Client::of(app, &world));
        for address in ELSEWHERE.into_iter().chain(["https://app.example/cb/../x", "https://app.example/cb?x", "https://app.example.evil.example/cb"]) {
            let page = browser.open(&client.authorize(&[("redirect_uri", address)])).await;
            assert!(page.status == 400 && !page.left, "{address}: {page}");
            let logout = format!("/auth/logout?client_id={}&{}", world.project, query("post_logout_redirect_uri", address));
            let page = browser.open(&logout).await;
            assert!(page.status == 400 && !page.left, "{address}: {page}");
        }
    }

    async fn a_forged_host_changes_no_link_and_no_redirect(app: &App) {
        let forged = ["Host", "X-Forwarded-Host", "Forwarded", "X-Original-Host", "X-Forwarded-Proto"];
        for (index, name) in forged.into_iter().enumerate() {
            let value = if name == "Forwarded" { "host=evil.example;proto=https" } else { "evil.example" };
            let send = |method: Method, path: &str| {
                app.client.request(method, format!("{}{path}", app.base)).header(name, value)
            };
            let sign_up = json!({"email": format!("ann{index}@example.com"), "password": PASSWORD});
            let made = send(Method::POST, "/auth/signup").json(&sign_up).send().await.unwrap();
            assert_eq!(made.status(), 201, "{name}");
            for path in ["/.well-known/openid-configuration", "/docs/json", "/", "/auth/sign-in"] {
                let text = send(Method::GET, path).send().await.unwrap().text().await.unwrap();
                assert!(!text.contains("evil.example"), "{name} {path}: {text}");
            }
            for path in ["/console/account", "/auth/userInfo", "/auth/sessions"] {
                let response = send(Method::GET, path).send().await.unwrap();
                let location = response.headers()["location"].to_str().unwrap();
                assert!(response.status().is_redirection() && !location.contains("evil.example"), "{name} {path}: {location}");
            }
        }
        let log = app.complete_log().await;
        assert!(log.contains(&format!("{}/auth/verify-email?token=", app.base)), "{log}");
        assert!(!log.contains("evil.example"), "{log}");
    }

    async fn no_path_leaves_the_served_files(app: &App) {
        let paths = [
            "/auth/../../../../etc/passwd", "/docs/../../../etc/passwd", "/auth/..%2f..%2f..%2fetc%2fpasswd", "/..%5c..%5cetc%5cpasswd",
            "//etc/passwd", "/auth/style.css/../../../etc/passwd", "/images/../steward.db", "/images/%2e%2e/steward.db",
            "/images/..%00/steward.secret", "/console/htmx/../../steward.db", "/steward.db", "/data/steward.secret",
        ];
        for path in paths {
            let response = send_bytes(app, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await;
            let status = response.split(' ').nth(1).unwrap_or_default();
            assert!(["303", "400", "404"].contains(&status), "{path}: {response}");
            assert!(!response.contains("root:") && !response.contains("SQLite format"), "{path}: {response}");
        }
    }

    async fn a_request_with_two_lengths_is_refused(app: &App) {
        let hidden = "GET /hidden HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let lengths = [
            "Content-Length: 4\r\nTransfer-Encoding: chunked",
            "Content-Length: 4\r\nContent-Length: 5",
            "Transfer-Encoding: chunked, identity",
            "Content-Length: +4",
        ];
        for headers in lengths {
            let request = format!("POST /auth/login HTTP/1.1\r\nHost: localhost\r\n{headers}\r\nConnection: close\r\n\r\n0\r\n\r\n{hidden}");
            let response = send_bytes(app, &request).await;
            assert!(!response.contains("/hidden"), "The body was read as a second request: {headers}: {response}");
            assert_eq!(response.matches("HTTP/1.1 ").count(), 1, "{headers}: {response}");
        }
    }

    async fn markup_in_names_is_text_on_every_page(app: &App) {
        let world = World::make(app, "acme").await;
        let hostile = "<img src=x onerror=alert(1)>\"'{{7*7}}";
        let project = format!("/project/{}", world.project);
        world.owner.patch(&format!("/team/{}", world.team), json!({"name": hostile})).await.ok();
        world.owner.patch(&project, json!({"name": hostile, "website": "https://a.example/?\"><script>x</script>"})).await.ok();
        world.owner.post(&format!("{project}/key"), json!({"label": hostile, "roles": "read"})).await.ok();
        world.owner.put(&world.item("second"), json!({"value": {"title": hostile}})).await.created();
        let browser = Browser::new(app);
        let page = browser.open("/auth/sign-in").await;
        browser.submit(&page, "/auth/sign-in", &[("login", "acme-owner"), ("password", PASSWORD)]).await;
        let (team, project) = (format!("/console/teams/{}", world.team), format!("/console/projects/{}", world.project));
        let consent = Client::of(app, &world).authorize(&[]);
        let items = format!("{project}/users/{}/tables/notes", world.user);
        for path in [&team, &project, &format!("{project}/keys"), &format!("{project}/settings"), &items, &consent, "/"] {
            let page = browser.open(path).await;
            assert!(page.status == 200 || *path == items, "{path}: {page}");
            assert!(!page.html.contains("<img src=x") && !page.html.contains("<script>x"), "{path}: {page}");
        }
        assert!(browser.open(&team).await.text().contains(hostile), "The name is shown as text.");
    }

    async fn pages_and_their_redirects_are_not_readable_from_other_origins(app: &App) {
        let origin = [("Origin", "https://evil.example")];
        for path in ["/console/account", "/auth/sign-in", "/auth/consent?request=x", "/console/start"] {
            for method in [Method::GET, Method::OPTIONS, Method::POST] {
                let request = app.client.request(method.clone(), format!("{}{path}", app.base)).header(origin[0].0, origin[0].1);
                let response = request.send().await.unwrap();
                for header in ["access-control-allow-origin", "access-control-allow-credentials"] {
                    assert!(response.headers().get(header).is_none(), "{method} {path}: {header}");
                }
            }
        }
    }
}
