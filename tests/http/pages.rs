//! The pages as a hostile site, a thief of cookies and a careful person see them.

use reqwest::{Method, StatusCode};
use steward_tests::{App, Backend, Browser, Client, PASSWORD, Page, World, on_both};

/// Every address that takes a form, with fields that would do something.
const FORMS: &[(&str, &[(&str, &str)])] = &[
    ("/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]),
    ("/auth/sign-up", &[("email", "eve@example.com"), ("password", PASSWORD)]),
    ("/auth/consent", &[("decision", "allow")]),
    ("/auth/invite", &[("decision", "accept"), ("invite", "01940000-0000-7000-8000-00000000abcd")]),
    ("/auth/sign-out", &[]),
    ("/auth/forgot-password", &[("email", "ann@example.com")]),
    ("/auth/reset-password", &[("password", PASSWORD), ("token", "x")]),
    ("/auth/verify-email", &[("token", "x")]),
    ("/auth/verify-email/send", &[]),
    ("/auth/sessions/end", &[("id", "x")]),
    ("/auth/sessions/end-program", &[("id", "x")]),
    ("/auth/sessions/revoke", &[("project_id", "x")]),
];

async fn sign_in(browser: &Browser, password: &str) -> Page {
    let page = browser.open("/auth/sign-in").await;
    browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", password)]).await
}

fn cookie(page: &Page) -> String {
    page.headers.get("set-cookie").map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

/// Sends a form by hand: the status, and the cookie that comes back.
async fn send(app: &App, path: &str, form: &str, headers: &[(&str, &str)]) -> (StatusCode, String) {
    let mut request = app.client.request(Method::POST, format!("{}{path}", app.base));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.header("Content-Type", "application/x-www-form-urlencoded").body(form.to_owned());
    let answer = answer.send().await.unwrap();
    let cookie = answer.headers().get("set-cookie").map(|value| value.to_str().unwrap().to_owned());
    (answer.status(), cookie.unwrap_or_default())
}

on_both! {
    async fn no_form_is_taken_that_was_not_shown_to_this_browser(app: &App) {
        app.person("ann").await;
        let (browser, other) = (Browser::new(app), Browser::new(app));
        let page = sign_in(&browser, PASSWORD).await;
        assert!(page.is_at("/auth/sessions"), "{page}");
        let foreign = other.open("/auth/sign-in").await.form("/auth/sign-in");
        let csrf = foreign.fields.iter().find(|(name, _)| name == "csrf").unwrap().1.clone();
        for (path, fields) in FORMS {
            for csrf in ["", "wrong", csrf.as_str()] {
                let all = fields.iter().copied().chain([("csrf", csrf)]);
                let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(all).finish();
                let (status, cookie) = send(app, path, &form, &[]).await;
                assert_eq!((status.as_u16(), cookie.as_str()), (403, ""), "{path} without a cookie");
            }
        }
        assert!(browser.open("/auth/sessions").await.is_at("/auth/sessions"), "nobody was signed out");
    }

    async fn a_form_of_ones_own_is_refused_when_another_site_sends_it(app: &App) {
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
        // A token that was planted, or seen before signing in, is worth nothing afterwards.
        assert_ne!(session.split(';').next().unwrap(), cookie);
        let before = app.client.get(format!("{}/auth/sessions", app.base)).header("Cookie", cookie);
        assert_eq!(before.send().await.unwrap().status(), 303);
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(session.contains(attribute), "{session}");
        }
    }

    async fn every_page_forbids_frames_scripts_keeping_and_telling(app: &App) {
        let browser = Browser::new(app);
        let pages = ["/auth/sign-in", "/auth/sign-up", "/auth/sign-out", "/auth/forgot-password",
            "/auth/reset-password?token=x", "/auth/verify-email?token=x", "/auth/consent?request=x",
            "/auth/invite?invite=01940000-0000-7000-8000-00000000abcd"];
        for path in pages {
            let page = browser.open(path).await;
            let header = |name: &str| page.headers.get(name).map_or("", |value| value.to_str().unwrap());
            let policy = header("content-security-policy");
            for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
                assert!(policy.contains(part), "{path}: {policy}");
            }
            assert!(!policy.contains("unsafe") && !page.html.contains("<script") && !page.html.contains(" style="));
            assert_eq!((header("x-frame-options"), header("referrer-policy")), ("DENY", "no-referrer"), "{path}");
            assert_eq!((header("cache-control"), header("x-content-type-options")), ("no-store", "nosniff"), "{path}");
            assert_eq!(header("access-control-allow-origin"), "", "{path}");
            assert!(!header("x-request-id").is_empty());
        }
        let style = app.anon().get("/auth/style.css").await;
        assert!(style.status == 200 && style.header("Content-Type").starts_with("text/css"));
        for id in ["no-such-id", "stw_rq_x\r\nSet-Cookie: a=b", "//evil.example", "https://evil.example"] {
            let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("request", id).finish();
            for path in ["/auth/sign-in", "/auth/sign-up", "/auth/consent"] {
                let page = browser.open(&format!("{path}?{query}")).await;
                assert!(page.status == 404 && !page.left && !page.html.contains(id), "{page}");
            }
        }
        let put = app.client.put(format!("{}/auth/sign-in", app.base)).send().await.unwrap();
        assert_eq!((put.status().as_u16(), put.headers()["allow"].to_str().unwrap()), (405, "GET, HEAD, POST"));
    }

    async fn a_wrong_password_and_an_unknown_account_look_the_same(app: &App) {
        app.person("ann").await;
        let browser = Browser::new(app);
        let wrong = sign_in(&browser, "not the password").await;
        assert!(wrong.status == 400 && wrong.is_at("/auth/sign-in"), "{wrong}");
        let page = browser.open("/auth/sign-in").await;
        let unknown = browser.submit(&page, "/auth/sign-in", &[("login", "eve"), ("password", "anything")]).await;
        assert_eq!(wrong.html.replace("ann", "eve"), unknown.html);
        assert!(wrong.html.contains("role=\"alert\"") && wrong.html.contains("value=\"ann\""));
        assert!(sign_in(&browser, PASSWORD).await.is_at("/auth/sessions"));
    }

    async fn a_person_signs_up_and_out(app: &App) {
        let browser = Browser::new(app);
        let page = browser.open("/auth/sign-up").await;
        let bad = browser.submit(&page, "/auth/sign-up",
            &[("email", "ann"), ("password", "short"), ("username", "a b"), ("name", "<b>Ann</b>")]).await;
        assert!(bad.status == 400 && bad.html.contains("email-error") && bad.html.contains("password-error"), "{bad}");
        assert!(!bad.html.contains("<b>Ann"), "what is typed is escaped");
        let good = [("email", "ann@example.com"), ("password", PASSWORD), ("username", "ann"), ("name", "Ann")];
        let account = browser.submit(&bad, "/auth/sign-up", &good).await;
        assert!(account.is_at("/auth/sessions") && account.text().contains("ann@example.com"), "{account}");
        let other = Browser::new(app);
        let page = other.open("/auth/sign-up").await;
        let taken = other.submit(&page, "/auth/sign-up", &good).await;
        assert!(taken.status == 409, "{taken}");
        let page = browser.open("/auth/sign-out").await;
        let out = browser.submit(&page, "/auth/sign-out", &[]).await;
        assert!(cookie(&out).contains("Max-Age=0"), "{out}");
        assert!(browser.open("/auth/sessions").await.is_at("/auth/sign-in"));
        assert!(sign_in(&browser, PASSWORD).await.is_at("/auth/sessions"));
    }

    async fn sessions_are_seen_and_ended_from_elsewhere(app: &App) {
        app.person("ann").await;
        let (here, there) = (Browser::new(app), Browser::new(app));
        sign_in(&here, PASSWORD).await;
        sign_in(&there, PASSWORD).await;
        let page = here.open("/auth/sessions").await;
        assert_eq!(page.forms().iter().filter(|form| form.action.path() == "/auth/sessions/end").count(), 1, "{page}");
        here.submit(&page, "/auth/sessions/end", &[]).await;
        assert!(there.open("/auth/sessions").await.is_at("/auth/sign-in"), "ended elsewhere");
        assert!(here.open("/auth/sessions").await.is_at("/auth/sessions"));
    }

    async fn nobody_ends_the_session_of_another_person(app: &App) {
        app.person("ann").await;
        app.person("eve").await;
        let (ann, other, eve) = (Browser::new(app), Browser::new(app), Browser::new(app));
        sign_in(&ann, PASSWORD).await;
        sign_in(&other, PASSWORD).await;
        let row = ann.open("/auth/sessions").await.form("/auth/sessions/end");
        let id = row.fields.iter().find(|(name, _)| name == "id").unwrap().1.clone();
        for _ in 0..2 {
            let page = eve.open("/auth/sign-in").await;
            let page = if page.is_at("/auth/sign-in") {
                eve.submit(&page, "/auth/sign-in", &[("login", "eve"), ("password", PASSWORD)]).await
            } else {
                page
            };
            assert!(page.is_at("/auth/sessions"), "{page}");
        }
        let second = Browser::new(app);
        let page = second.open("/auth/sign-in").await;
        let page = second.submit(&page, "/auth/sign-in", &[("login", "eve"), ("password", PASSWORD)]).await;
        let page = second.submit(&page, "/auth/sessions/end", &[("id", &id)]).await;
        assert!(page.is_at("/auth/sessions"), "it says no more than of one that is gone: {page}");
        for browser in [&ann, &other] {
            assert!(browser.open("/auth/sessions").await.is_at("/auth/sessions"));
        }
    }

    async fn programs_that_administer_are_seen_and_signed_out(app: &App) {
        let ann = app.person("ann").await;
        let eve = app.person("eve").await;
        let browser = Browser::new(app);
        let page = sign_in(&browser, PASSWORD).await;
        assert!(page.text().contains("Programs that administer as you"), "{page}");
        ann.get("/team/").await.ok();
        let page = browser.submit(&page, "/auth/sessions/end-program", &[]).await;
        assert!(!page.text().contains("Programs that administer"), "{page}");
        ann.get("/team/").await.refused(401, "unauthorized");
        eve.get("/team/").await.ok();
    }

    async fn what_was_allowed_a_project_can_be_taken_back(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (client, browser) = (Client::of(app, &world), Browser::new(app));
        let code = client.code(&browser, "ann", &[]).await;
        let tokens = client.redeem(&code, &[]).await.ok();
        let in_flight = client.code(&browser, "ann", &[]).await;
        let user = app.bearer(tokens["access_token"].as_str().unwrap());
        let page = browser.open("/auth/sessions").await;
        assert!(page.text().contains("acme") && page.text().contains("Change your data in this app"), "{page}");
        let page = browser.submit(&page, "/auth/sessions/revoke", &[]).await;
        assert!(!page.text().contains("acme"), "{page}");
        user.get("/auth/userinfo").await.refused(401, "unauthorized");
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        client.redeem(&in_flight, &[]).await.refused(400, "invalid_grant");
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        assert_eq!(users["data"][0]["status"], "disconnected");
        let asked = browser.open(&client.authorize(&[])).await;
        assert!(asked.is_at("/auth/consent"), "it is asked about anew: {asked}");
        client.code(&browser, "ann", &[]).await;
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        assert_eq!(users["data"][0]["status"], "connected");
    }

    async fn whoever_uses_another_account_comes_back_to_the_request(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        app.person("bob").await;
        let (client, browser) = (Client::of(app, &world), Browser::new(app));
        let page = browser.open(&client.authorize(&[])).await;
        let consent = browser.submit(&page, "/auth/sign-in", &[("login", "bob"), ("password", PASSWORD)]).await;
        let out = browser.open(&format!("/auth/sign-out?{}", consent.url.query().unwrap())).await;
        let page = browser.submit(&out, "/auth/sign-out", &[]).await;
        assert!(page.is_at("/auth/sign-in") && page.text().contains("to continue to acme"), "{page}");
        let consent = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        assert!(consent.text().contains("ann@example.com"), "{consent}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_tls_the_cookie_is_bound_to_its_host() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_PUBLIC_URL", "https://steward.example")]).await;
    let answer = app.client.get(format!("{}/auth/sign-in", app.base)).send().await.unwrap();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    assert!(
        cookie.starts_with("__Host-steward=") && cookie.contains("; Secure") && cookie.contains("; Path=/"),
        "{cookie}"
    );
    let plain = app.client.get(format!("{}/auth/sessions", app.base)).header("Cookie", "steward=x");
    assert_eq!(plain.send().await.unwrap().status(), 303);
    let page = app.client.get(format!("{}/", app.base)).header("Accept", "text/html").send().await.unwrap();
    assert!(page.text().await.unwrap().contains("auth/sign-in"));
}
