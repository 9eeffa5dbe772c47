//! Sign-up, sign-in and user info.

use serde_json::json;
use steward_tests::{App, Backend, Browser, on_both_in_full, on_sqlite};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const PASSWORD: &str = "correct horse battery";
/// A password with accents as most keyboards type them, as some programs send them, and with full-width characters.
const COMPOSED: &str = "cr\u{e9}me br\u{fb}l\u{e9}e du jeudi";
const DECOMPOSED: &str = "cre\u{301}me bru\u{302}le\u{301}e du jeudi";
const WIDE: &str = "ｃｒ\u{e9}ｍｅ\u{3000}ｂｒ\u{fb}ｌ\u{e9}ｅ\u{3000}ｄｕ\u{3000}ｊｅｕｄｉ";
/// The hash of the decomposed one, as an earlier version stored it.
const EARLIER_HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$YSBzYWx0IG9mIGl0cyBvd24$nhpQ6r9SAmyJyNCUhNneTcNsIkln6I8EIDYxIukbvAE";

on_both_in_full! {
    async fn a_person_signs_up_signs_in_and_reads_their_user_info(app: &App) {
        let signup = json!({"email": "Ann@Example.com", "password": PASSWORD, "username": "Ann", "name": " Ann  B "});
        let account = app.anonymous().post("/auth/signup", signup).await.created();
        assert_eq!(account["data"]["email"], "Ann@Example.com");
        assert_eq!(account["data"]["name"], "Ann  B");

        for name in [json!({"email": "ann@example.COM"}), json!({"username": "ANN"})] {
            let mut login = name.clone();
            login["password"] = json!(PASSWORD);
            let response = app.anonymous().post("/auth/login/", login).await;
            assert_eq!(response.header("Cache-Control"), "no-store");
            let session = response.ok();
            assert_eq!(session["token_type"], "Bearer");
            assert_eq!(session["expires_in"], 900);
            let ann = app.bearer(session["access_token"].as_str().unwrap());
            let info = ann.get("/auth/userinfo").await.ok();
            assert_eq!(info["sub"], account["data"]["id"]);
            assert_eq!(info["email_verified"], false);
        }
    }
}

on_sqlite! {
    async fn emails_and_usernames_are_unique_ignoring_case(app: &App) {
        app.person("ann").await;
        let again = json!({"email": "ANN@example.com", "password": PASSWORD});
        app.anonymous().post("/auth/signup", again).await.refused(409, "email_taken");
        let again = json!({"email": "other@example.com", "password": PASSWORD, "username": "ANN"});
        app.anonymous().post("/auth/signup", again).await.refused(409, "username_taken");
    }

    async fn every_invalid_field_of_a_sign_up_is_reported(app: &App) {
        let invalid = json!({"email": "nobody", "password": "short", "username": "a b", "name": ""});
        let error = app.anonymous().post("/auth/signup", invalid).await.refused(400, "invalid_request");
        for field in ["email", "password", "username", "name"] {
            assert!(error["message"].as_str().unwrap().contains(field), "{field} in {error:?}");
        }
        app.anonymous().post("/auth/signup", json!({"email": "a@example.com"})).await.refused(400, "invalid_request");
        app.anonymous().post("/auth/signup", json!({"email": 1, "password": PASSWORD})).await.refused(400, "invalid_request");
    }

    async fn a_password_that_is_easy_to_guess_is_refused(app: &App) {
        let own_words = ["ann.zimmermann@globex.example", "Zimmermann2026", "annie77annie77"];
        for easy in ["password123", "Password123!", "Summer2026!", "qwertyuiop[]"].into_iter().chain(own_words) {
            let person = json!({"email": "ann.zimmermann@globex.example", "username": "annie77", "password": easy});
            let error = app.anonymous().post("/auth/signup", person).await.refused(400, "invalid_request");
            assert_eq!(error["errors"][0]["field"], "password", "{error:?}");
            assert!(error["message"].as_str().unwrap().contains("easy to guess"), "{error:?}");
        }
        let browser = Browser::new(app);
        let form = browser.open("/auth/sign-up").await;
        let person = [("email", "bob@example.com"), ("password", "Password123!")];
        let refused = browser.submit(&form, "/auth/sign-up", &person).await;
        assert!(refused.status == 400 && refused.text().contains("is like a common password"), "{refused}");
        let joined = browser.submit(&refused, "/auth/sign-up", &[("email", "bob@example.com"), ("password", PASSWORD)]).await;
        assert!(joined.is_at("/console/start"), "{joined}");
    }

    async fn a_password_is_the_same_on_every_keyboard(app: &App) {
        let log_in = async |password: &str| {
            app.anonymous().post("/auth/login", json!({"username": "ann", "password": password})).await
        };
        let ann = json!({"email": "ann@example.com", "username": "ann", "password": DECOMPOSED});
        app.anonymous().post("/auth/signup", ann).await.created();
        for password in [COMPOSED, WIDE] {
            log_in(password).await.ok();
        }
        let session = log_in(DECOMPOSED).await.ok();

        // A password that an earlier version stored as it was typed.
        app.execute_sql(&format!("UPDATE accounts SET password_hash = '{EARLIER_HASH}'"));
        log_in(COMPOSED).await.refused(401, "invalid_credentials");
        let browser = Browser::new(app);
        let form = browser.open("/auth/sign-in").await;
        let signed_in = browser.submit(&form, "/auth/sign-in", &[("login", "ann"), ("password", DECOMPOSED)]).await;
        assert!(signed_in.is_at("/console/start"), "{signed_in}");
        log_in(COMPOSED).await.ok();
        app.bearer(session["access_token"].as_str().unwrap()).get("/auth/userinfo").await.ok();

        let address = "/console/account/password";
        let change = [("current_password", WIDE), ("password", "a\u{302}nes et cha\u{302}taignes")];
        let changed = browser.submit(&browser.open(address).await, address, &change).await;
        assert!(changed.is_at("/console/account/sessions"), "{changed}");
        log_in("\u{e2}nes et ch\u{e2}taignes").await.ok();
        let output = app.run(&["account", "set-password", "--email", "ann@example.com"], DECOMPOSED).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        log_in(COMPOSED).await.ok();
    }

    async fn a_wrong_password_and_an_unknown_account_get_the_same_error(app: &App) {
        app.person("ann").await;
        let attempts = [
            json!({"username": "ann", "password": "wrong password"}),
            json!({"username": "nobody", "password": PASSWORD}),
            json!({"email": "nobody@example.com", "password": PASSWORD}),
            json!({"email": "no email", "password": PASSWORD}),
        ];
        let mut bodies = Vec::new();
        for attempt in attempts {
            bodies.push(app.anonymous().post("/auth/login", attempt).await.refused(401, "invalid_credentials"));
        }
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{bodies:?}");
        app.anonymous().post("/auth/login", json!({"password": PASSWORD})).await.refused(400, "invalid_request");
    }

    async fn an_altered_token_is_refused(app: &App) {
        let ann = app.person("ann").await;
        let token = ann.credential.clone().unwrap();
        let (head, rest) = token.split_once('.').unwrap();
        let (payload, signature) = rest.split_once('.').unwrap();
        let none = "eyJhbGciOiJub25lIn0";
        let altered = [
            format!("{head}.{payload}.AAAA"),
            format!("{none}.{payload}."),
            format!("{head}.{payload}"),
            format!("{head}.{}.{signature}", &payload[..payload.len() - 4]),
            "x".repeat(20_000),
        ];
        for token in altered {
            let response = app.bearer(&token).get("/auth/userinfo").await;
            assert!(response.header("WWW-Authenticate").starts_with("Bearer"), "{response}");
            response.refused(401, "unauthorized");
        }
        ann.get("/auth/userinfo/").await.ok();
    }

    async fn the_old_userinfo_path_redirects_permanently(app: &App) {
        let response = app.anonymous().get("/auth/userInfo").await;
        assert_eq!(response.status.as_u16(), 301);
        assert!(response.header("Location").ends_with("/auth/userinfo"), "{:?}", response.headers);
        assert!(response.body.is_empty());
    }
}

/// Returns the URL of a service that lists each password whose hash begins with one of these digits.
async fn breach_service(hashes: &'static [&'static str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/range", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let length = connection.read(&mut request).await.unwrap();
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let listed = hashes.iter().filter(|hash| request.starts_with(&format!("GET /range/{} HTTP", &hash[..5])));
            let body: String = listed.map(|hash| format!("{}:3\r\n", &hash[5..])).collect();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            drop(connection.write_all((head + &body).as_bytes()).await);
        }
    });
    url
}

#[tokio::test]
async fn a_password_from_a_data_breach_is_refused() {
    // The SHA-1 hash of "correct horse battery staple".
    let url = breach_service(&["ABF7AAD6438836DBE526AA231ABDE2D0EEF74D42"]).await;
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_BREACHED_PASSWORDS_URL", &url)]).await;
    let sign_up = async |password: &str| {
        let person = json!({"email": "ann@example.com", "password": password});
        app.anonymous().post("/auth/signup", person).await
    };
    let error = sign_up("correct horse battery staple").await.refused(400, "invalid_request");
    assert!(error["message"].as_str().unwrap().contains("found in a data breach"), "{error:?}");
    sign_up(PASSWORD).await.created();
}

#[tokio::test]
async fn passwords_can_be_set_while_the_service_for_data_breaches_does_not_respond() {
    let url = "http://127.0.0.1:1/range";
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_BREACHED_PASSWORDS_URL", url)]).await;
    app.person("ann").await;
}
