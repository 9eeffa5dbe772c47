//! HTML pages: forms, sessions, cookies, and protection against CSRF and session fixation.

use reqwest::{Method, StatusCode};
use steward_tests::{App, Backend, Browser, Client, PASSWORD, Page, World, on_sqlite};

/// Every path that accepts a form, with fields that would have an effect.
const FORMS: &[(&str, &[(&str, &str)])] = &[
    ("/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]),
    ("/auth/second-factor", &[("code", "000000")]),
    ("/auth/sign-up", &[("email", "eve@example.com"), ("password", PASSWORD)]),
    ("/auth/consent", &[("decision", "allow")]),
    ("/auth/invite", &[("decision", "accept"), ("invite", "01940000-0000-7000-8000-00000000abcd")]),
    ("/auth/sign-out", &[]),
    ("/auth/logout/confirm", &[]),
    ("/auth/forgot-password", &[("email", "ann@example.com")]),
    ("/auth/reset-password", &[("password", PASSWORD), ("token", "x")]),
    ("/auth/verify-email", &[("token", "x")]),
    ("/auth/verify-email/send", &[]),
    ("/auth/sign-in/provider/confirm", &[]),
];

async fn sign_in(browser: &Browser, password: &str) -> Page {
    let page = browser.open("/auth/sign-in").await;
    browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", password)]).await
}

fn cookie(page: &Page) -> String {
    page.headers.get("set-cookie").map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

/// Posts a form without a browser. Returns the status and the `Set-Cookie` header.
async fn send(app: &App, path: &str, form: &str, headers: &[(&str, &str)]) -> (StatusCode, String) {
    let mut request = app.client.request(Method::POST, format!("{}{path}", app.base));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(form.to_owned());
    let response = request.send().await.unwrap();
    let cookie = response.headers().get("set-cookie").map(|value| value.to_str().unwrap().to_owned());
    (response.status(), cookie.unwrap_or_default())
}

/// The page without its challenge for passkeys, which is another one each time.
fn without_challenge(page: &Page) -> String {
    let (before, form) = page.html.split_once("<form method=\"post\" action=\"/auth/sign-in/passkey\"").unwrap();
    let (_, after) = form.split_once("</form>").unwrap();
    format!("{before}{after}")
}

on_sqlite! {
    async fn a_form_without_this_browsers_csrf_token_is_refused(app: &App) {
        app.person("ann").await;
        let (browser, other) = (Browser::new(app), Browser::new(app));
        let page = sign_in(&browser, PASSWORD).await;
        assert!(page.is_at("/console/start"), "{page}");
        let foreign = other.open("/auth/sign-in").await.form("/auth/sign-in");
        let csrf = foreign.fields.iter().find(|(name, _)| name == "csrf").unwrap().1.clone();
        for (path, fields) in FORMS {
            for csrf in ["", "wrong", csrf.as_str()] {
                let all = fields.iter().copied().chain([("csrf", csrf)]);
                let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(all).finish();
                let (status, cookie) = send(app, path, &form, &[]).await;
                assert_eq!((status.as_u16(), cookie.as_str()), (403, ""), "{path} was accepted without a cookie.");
            }
        }
        assert!(browser.open("/console/account/sessions").await.is_at("/console/account/sessions"), "The browser must still be signed in.");
    }

    async fn a_form_with_a_valid_csrf_token_is_refused_from_another_site(app: &App) {
        app.person("ann").await;
        let first = app.client.get(format!("{}/auth/sign-in", app.base)).send().await.unwrap();
        let cookie = first.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        let html = first.text().await.unwrap();
        let csrf = html.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let form = format!("csrf={csrf}&login=ann&password={}", PASSWORD.replace(' ', "+"));
        for site in ["cross-site", "same-site"] {
            let headers = [("Cookie", cookie.as_str()), ("Sec-Fetch-Site", site)];
            assert_eq!(send(app, "/auth/sign-in", &form, &headers).await.0, 403, "{site}");
        }
        let headers = [("Cookie", cookie.as_str()), ("Sec-Fetch-Site", "same-origin")];
        let (status, session) = send(app, "/auth/sign-in", &form, &headers).await;
        assert_eq!(status, 303);
        // Signing in replaces the session cookie, so a cookie that was planted or read before is useless afterwards.
        assert_ne!(session.split(';').next().unwrap(), cookie);
        let before = app.client.get(format!("{}/console/account/sessions", app.base)).header("Cookie", cookie);
        assert_eq!(before.send().await.unwrap().status(), 303);
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(session.contains(attribute), "{session}");
        }
    }

    async fn every_page_forbids_framing_scripts_caching_and_referrers(app: &App) {
        let browser = Browser::new(app);
        let pages = ["/auth/sign-in", "/auth/sign-up", "/auth/sign-out", "/auth/logout", "/auth/forgot-password",
            "/auth/reset-password?token=x", "/auth/verify-email?token=x", "/auth/consent?request=x",
            "/auth/invite?invite=01940000-0000-7000-8000-00000000abcd", "/", "/nowhere", "/team/nowhere/more", "/docs/nowhere", "/auth/revoke"];
        for path in pages {
            let page = browser.open(path).await;
            let header = |name: &str| page.headers.get(name).map_or("", |value| value.to_str().unwrap());
            let policy = header("content-security-policy");
            for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
                assert!(policy.contains(part), "{path}: {policy}");
            }
            assert!(policy.contains("img-src 'self';"), "{path}: {policy}");
            assert!(!policy.contains("unsafe") && !page.html.contains(" style="));
            // Only the sign-in page has a script, which is one of the service.
            let scripts = page.html.replace("<script src=\"/auth/passkeys.js\" defer></script>", "");
            let has_script = path == "/auth/sign-in";
            assert!(!scripts.contains("<script") && (scripts != page.html) == has_script, "{page}");
            assert_eq!(policy.contains("script-src 'self'"), has_script, "{path}: {policy}");
            assert_eq!((header("x-frame-options"), header("referrer-policy")), ("DENY", "no-referrer"), "{path}");
            assert_eq!((header("cache-control"), header("x-content-type-options")), ("no-store", "nosniff"), "{path}");
            assert_eq!(header("access-control-allow-origin"), "", "{path}");
            assert!(!header("x-request-id").is_empty());
        }
        let style = app.anonymous().get("/auth/style.css").await;
        assert!(style.status == 200 && style.header("Content-Type").starts_with("text/css"));
        for id in ["no-such-id", "stw_rq_x\r\nSet-Cookie: a=b", "//evil.example", "https://evil.example"] {
            let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("request", id).finish();
            for path in ["/auth/sign-in", "/auth/sign-up", "/auth/consent"] {
                let page = browser.open(&format!("{path}?{query}")).await;
                assert!(page.status == 404 && !page.left && !page.html.contains(id), "{page}");
            }
        }
        let put = app.client.put(format!("{}/auth/sign-in", app.base)).send().await.unwrap();
        assert_eq!((put.status().as_u16(), put.headers()["allow"].to_str().unwrap()), (405, "GET, HEAD, POST, OPTIONS"));
    }

    async fn the_root_and_addresses_without_a_page_link_to_those_with_one(app: &App) {
        let browser = Browser::new(app);
        let cases = [
            ("/", 200, "Project administration"),
            ("/teams", 404, "There is no page at this address."),
            ("/nowhere", 404, "There is no page at this address."),
            ("/auth/revoke", 405, "There is no page at this address."),
        ];
        for (path, status, text) in cases {
            let page = browser.open(path).await;
            assert_eq!(page.status.as_u16(), status, "{page}");
            assert!(page.text().contains(text) && !page.heading().is_empty(), "{page}");
            assert!(page.html.contains("lang=\"en\"") && page.html.contains(" · Steward</title>"), "{page}");
            let links = if path == "/" { ["/auth/sign-in", "/auth/sign-up", "/docs"] } else { ["/", "/docs", "/docs/json"] };
            for link in links {
                assert!(page.html.contains(&format!("href=\"{link}\"")), "{link}: {page}");
            }
            assert!(!page.text().contains("resource at") && !page.text().contains("method"), "Not of the API: {page}");
            let vary: Vec<_> = page.headers.get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
            assert!(vary.contains(&"Accept") && vary.contains(&"Accept-Language, Cookie"), "{path}: {vary:?}");
        }
        let no_get = browser.open("/auth/revoke").await;
        assert_eq!(no_get.headers["allow"], "POST, OPTIONS");
        let hostile = browser.open("/%3Cscript%3E?<script>").await;
        assert!(hostile.status == 404 && !hostile.html.contains("<script"), "{hostile}");

        let anon = app.anonymous();
        for accept in ["application/json", "*/*"] {
            anon.send(Method::GET, "/teams", None, &[("Accept", accept)]).await.is_not_found();
        }
        let html = [("Accept", "text/html")];
        anon.send(Method::POST, "/teams", None, &html).await.is_not_found();
        anon.send(Method::GET, "/team", None, &html).await.refused(401, "unauthorized");
    }

    async fn a_wrong_password_and_an_unknown_account_get_the_same_page(app: &App) {
        app.person("ann").await;
        let browser = Browser::new(app);
        let wrong = sign_in(&browser, "not the password").await;
        assert!(wrong.status == 400 && wrong.is_at("/auth/sign-in"), "{wrong}");
        let page = browser.open("/auth/sign-in").await;
        let unknown = browser.submit(&page, "/auth/sign-in", &[("login", "eve"), ("password", "anything")]).await;
        assert_eq!(without_challenge(&wrong).replace("ann", "eve"), without_challenge(&unknown));
        assert!(wrong.html.contains("role=\"alert\"") && wrong.html.contains("value=\"ann\""));
        assert!(sign_in(&browser, PASSWORD).await.is_at("/console/start"));
    }

    async fn a_person_signs_up_and_out(app: &App) {
        let browser = Browser::new(app);
        let page = browser.open("/auth/sign-up").await;
        let invalid = browser.submit(&page, "/auth/sign-up",
            &[("email", "ann"), ("password", "short"), ("username", "a b"), ("name", "<b>Ann</b>")]).await;
        assert_eq!(invalid.status, 400, "{invalid}");
        assert!(invalid.html.contains("email-error") && invalid.html.contains("password-error"), "{invalid}");
        assert!(!invalid.html.contains("<b>Ann"), "User input must be escaped.");
        let valid = [("email", "ann@example.com"), ("password", PASSWORD), ("username", "ann"), ("name", "Ann")];
        let account = browser.submit(&invalid, "/auth/sign-up", &valid).await;
        assert!(account.is_at("/console/start") && account.text().contains("ann@example.com"), "{account}");
        let other = Browser::new(app);
        let page = other.open("/auth/sign-up").await;
        let taken = other.submit(&page, "/auth/sign-up", &valid).await;
        assert!(taken.status == 409, "{taken}");
        let page = browser.open("/auth/sign-out").await;
        let signed_out = browser.submit(&page, "/auth/sign-out", &[]).await;
        assert!(cookie(&signed_out).contains("Max-Age=0"), "{signed_out}");
        assert!(browser.open("/console/account/sessions").await.is_at("/auth/sign-in"));
        assert!(sign_in(&browser, PASSWORD).await.is_at("/console/start"));
    }

    async fn sessions_are_listed_and_ended_from_another_browser(app: &App) {
        app.person("ann").await;
        let (browser, other) = (Browser::new(app), Browser::new(app));
        sign_in(&browser, PASSWORD).await;
        sign_in(&other, PASSWORD).await;
        let page = browser.open("/console/account/sessions").await;
        assert_eq!(page.forms().iter().filter(|form| form.action.path() == "/console/account/sessions/end").count(), 1, "{page}");
        browser.submit(&page, "/console/account/sessions/end", &[]).await;
        assert!(other.open("/console/account/sessions").await.is_at("/auth/sign-in"), "The other session was ended.");
        assert!(browser.open("/console/account/sessions").await.is_at("/console/account/sessions"));
    }

    async fn a_person_cannot_end_the_session_of_another_person(app: &App) {
        app.person("ann").await;
        app.person("eve").await;
        let (ann, other, eve) = (Browser::new(app), Browser::new(app), Browser::new(app));
        sign_in(&ann, PASSWORD).await;
        sign_in(&other, PASSWORD).await;
        let row = ann.open("/console/account/sessions").await.form("/console/account/sessions/end");
        let id = row.fields.iter().find(|(name, _)| name == "id").unwrap().1.clone();
        for _ in 0..2 {
            let page = eve.open("/auth/sign-in").await;
            let page = if page.is_at("/auth/sign-in") {
                eve.submit(&page, "/auth/sign-in", &[("login", "eve"), ("password", PASSWORD)]).await
            } else {
                page
            };
            assert!(page.is_at("/console/start"), "{page}");
        }
        let second = Browser::new(app);
        let page = second.open("/auth/sign-in").await;
        second.submit(&page, "/auth/sign-in", &[("login", "eve"), ("password", PASSWORD)]).await;
        let page = second.open("/console/account/sessions").await;
        let page = second.submit(&page, "/console/account/sessions/end", &[("id", &id)]).await;
        assert!(page.is_at("/console/account/sessions"), "The response must be the same as for an ended session: {page}");
        for browser in [&ann, &other] {
            assert!(browser.open("/console/account/sessions").await.is_at("/console/account/sessions"));
        }
    }

    async fn programs_with_admin_access_are_listed_and_signed_out(app: &App) {
        let ann = app.person("ann").await;
        let eve = app.person("eve").await;
        let browser = Browser::new(app);
        sign_in(&browser, PASSWORD).await;
        let page = browser.open("/console/account/sessions").await;
        assert!(page.text().contains("Programs that administer on your behalf"), "{page}");
        ann.get("/team/").await.ok();
        let page = browser.submit(&page, "/console/account/sessions/end-program", &[]).await;
        assert!(!page.text().contains("Programs that administer"), "{page}");
        ann.get("/team/").await.refused(401, "unauthorized");
        eve.get("/team/").await.ok();
    }

    async fn a_persons_consent_to_a_project_can_be_revoked(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (client, browser) = (Client::of(app, &world), Browser::new(app));
        let code = client.code(&browser, "ann", &[]).await;
        let tokens = client.redeem(&code, &[]).await.ok();
        let in_flight = client.code(&browser, "ann", &[]).await;
        let user = app.bearer(tokens["access_token"].as_str().unwrap());
        let page = browser.open("/console/account/apps").await;
        assert!(page.text().contains("acme") && page.text().contains("Change your data in this app"), "{page}");
        let page = browser.submit(&page, "/console/account/apps/revoke", &[]).await;
        assert!(!page.text().contains("acme"), "{page}");
        user.get("/auth/userinfo").await.refused(401, "unauthorized");
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        client.redeem(&in_flight, &[]).await.refused(400, "invalid_grant");
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        assert_eq!(users["data"][0]["status"], "disconnected");
        let consent = browser.open(&client.authorize(&[])).await;
        assert!(consent.is_at("/auth/consent"), "Consent must be requested again: {consent}");
        client.code(&browser, "ann", &[]).await;
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        assert_eq!(users["data"][0]["status"], "connected");
    }

    async fn switching_accounts_returns_to_the_authorization_request(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        app.person("bob").await;
        let (client, browser) = (Client::of(app, &world), Browser::new(app));
        let page = browser.open(&client.authorize(&[])).await;
        let consent = browser.submit(&page, "/auth/sign-in", &[("login", "bob"), ("password", PASSWORD)]).await;
        let sign_out = browser.open(&format!("/auth/sign-out?{}", consent.url.query().unwrap())).await;
        let page = browser.submit(&sign_out, "/auth/sign-out", &[]).await;
        assert!(page.is_at("/auth/sign-in") && page.text().contains("to continue to acme"), "{page}");
        let consent = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        assert!(consent.text().contains("ann@example.com"), "{consent}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_tls_the_cookie_is_bound_to_its_host() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_PUBLIC_URL", "https://steward.example")]).await;
    let response = app.client.get(format!("{}/auth/sign-in", app.base)).send().await.unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    assert!(
        cookie.starts_with("__Host-steward=") && cookie.contains("; Secure") && cookie.contains("; Path=/"),
        "{cookie}"
    );
    let plain = app.client.get(format!("{}/console/account/sessions", app.base)).header("Cookie", "steward=x");
    assert_eq!(plain.send().await.unwrap().status(), 303);
    let page = app.client.get(format!("{}/", app.base)).header("Accept", "text/html").send().await.unwrap();
    assert!(page.text().await.unwrap().contains("auth/sign-in"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_links_to_a_closed_sign_up() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_SIGNUP", "closed")]).await;
    for path in ["/", "/auth/sign-in"] {
        let page = Browser::new(&app).open(path).await;
        assert!(page.html.contains("Sign in") && !page.html.contains("sign-up"), "{page}");
    }
}
