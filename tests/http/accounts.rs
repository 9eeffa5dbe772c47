//! Signing up, signing in, and who one is.

use serde_json::json;
use steward_tests::on_both;

const PASSWORD: &str = "correct horse battery";

on_both! {
    async fn a_person_signs_up_signs_in_and_sees_who_they_are(app: &App) {
        let signup = json!({"email": "Ann@Example.com", "password": PASSWORD, "username": "Ann", "name": " Ann  B "});
        let account = app.anon().post("/auth/signup", signup).await.created();
        assert_eq!(account["data"]["email"], "Ann@Example.com");
        assert_eq!(account["data"]["name"], "Ann  B");

        for name in [json!({"email": "ann@example.COM"}), json!({"username": "ANN"})] {
            let mut login = name.clone();
            login["password"] = json!(PASSWORD);
            let answer = app.anon().post("/auth/login/", login).await;
            assert_eq!(answer.header("Cache-Control"), "no-store");
            let session = answer.ok();
            assert_eq!(session["token_type"], "Bearer");
            assert_eq!(session["expires_in"], 900);
            let ann = app.bearer(session["access_token"].as_str().unwrap());
            let info = ann.get("/auth/userinfo").await.ok();
            assert_eq!(info["sub"], account["data"]["id"]);
            assert_eq!(info["email_verified"], false);
        }
    }

    async fn an_email_and_a_username_are_had_once_without_letter_case(app: &App) {
        app.person("ann").await;
        let again = json!({"email": "ANN@example.com", "password": PASSWORD});
        app.anon().post("/auth/signup", again).await.refused(409, "email_taken");
        let again = json!({"email": "other@example.com", "password": PASSWORD, "username": "ANN"});
        app.anon().post("/auth/signup", again).await.refused(409, "username_taken");
    }

    async fn every_fault_of_a_sign_up_is_told(app: &App) {
        let bad = json!({"email": "nobody", "password": "short", "username": "a b", "name": ""});
        let refusal = app.anon().post("/auth/signup", bad).await.refused(400, "invalid_request");
        for field in ["email", "password", "username", "name"] {
            assert!(refusal["message"].as_str().unwrap().contains(field), "{field} in {refusal:?}");
        }
        let common = json!({"email": "a@example.com", "password": "password123"});
        app.anon().post("/auth/signup", common).await.refused(400, "invalid_request");
        app.anon().post("/auth/signup", json!({"email": "a@example.com"})).await.refused(400, "invalid_request");
        app.anon().post("/auth/signup", json!({"email": 1, "password": PASSWORD})).await.refused(400, "invalid_request");
    }

    async fn a_wrong_password_and_an_unknown_account_look_the_same(app: &App) {
        app.person("ann").await;
        let attempts = [
            json!({"username": "ann", "password": "wrong password"}),
            json!({"username": "nobody", "password": PASSWORD}),
            json!({"email": "nobody@example.com", "password": PASSWORD}),
            json!({"email": "no email", "password": PASSWORD}),
        ];
        let mut bodies = Vec::new();
        for attempt in attempts {
            bodies.push(app.anon().post("/auth/login", attempt).await.refused(401, "invalid_credentials"));
        }
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{bodies:?}");
        app.anon().post("/auth/login", json!({"password": PASSWORD})).await.refused(400, "invalid_request");
    }

    async fn a_token_that_was_altered_is_refused(app: &App) {
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
            let answer = app.bearer(&token).get("/auth/userinfo").await;
            assert!(answer.header("WWW-Authenticate").starts_with("Bearer"), "{answer}");
            answer.refused(401, "unauthorized");
        }
        ann.get("/auth/userinfo/").await.ok();
    }

    async fn the_old_address_of_userinfo_redirects_for_good(app: &App) {
        let answer = app.anon().get("/auth/userInfo").await;
        assert_eq!(answer.status.as_u16(), 301);
        assert!(answer.header("Location").ends_with("/auth/userinfo"), "{:?}", answer.headers);
        assert!(answer.body.is_empty());
    }
}
