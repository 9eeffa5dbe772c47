//! Pages of the sign-in in the language of the reader, and in the look of the project
//! (docs/decisions/0061-languages-and-branding.md).

use serde_json::{Value, json};
use steward_tests::{App, Browser, Client, PASSWORD, Page, World, on_both_in_full, on_sqlite};

fn header<'a>(page: &'a Page, name: &str) -> Vec<&'a str> {
    page.headers.get_all(name).iter().map(|value| value.to_str().unwrap()).collect()
}

/// Opens a page with this `Accept-Language`. Returns the language of the page and the heading.
async fn opened(app: &App, languages: &str, path: &str) -> (String, String) {
    let page = Browser::reading(app, languages).open(path).await;
    let language = header(&page, "content-language").concat();
    assert!(page.html.contains(&format!("<html lang=\"{language}\" dir=\"ltr\">")), "{page}");
    assert!(header(&page, "vary").join(", ").contains("Accept-Language"), "{page}");
    (language, page.heading())
}

async fn set(world: &World, auth: Value) {
    world.owner.patch(&format!("/project/{}/settings", world.project), json!({"auth": auth})).await.ok();
}

on_sqlite! {
    async fn pages_are_shown_in_the_language_that_the_reader_prefers(app: &App) {
        for (languages, language, heading) in [
            ("en", "en", "Sign in"),
            ("de-DE,de;q=0.9,en;q=0.8", "de", "Anmelden"),
            ("fr-CA", "fr", "Se connecter"),
            ("es-MX,es;q=0.9", "es", "Iniciar sesión"),
            ("pt-BR", "pt", "Entrar"),
            ("ja", "ja", "ログイン"),
            ("en;q=0.2, ja;q=0.3, de;q=0", "ja", "ログイン"),
            ("sv, fr;q=0.1", "fr", "Se connecter"),
            ("sv", "en", "Sign in"),
            ("*", "en", "Sign in"),
            (";q=x,,", "en", "Sign in"),
        ] {
            let expected = (language.to_owned(), heading.to_owned());
            assert_eq!(opened(app, languages, "/auth/sign-in").await, expected, "{languages}");
        }
        let without_header = Browser::new(app).open("/auth/sign-in").await;
        assert_eq!((without_header.heading().as_str(), header(&without_header, "content-language")), ("Sign in", vec!["en"]));
    }

    async fn every_page_that_anyone_can_open_is_translated(app: &App) {
        for (path, heading) in [
            ("/", "Projektverwaltung"),
            ("/auth/sign-up", "Konto erstellen"),
            ("/auth/sign-in/email", "Mit einem Code anmelden"),
            ("/auth/forgot-password", "Passwort vergessen?"),
            ("/auth/device", "Gerät verbinden"),
            ("/auth/sign-out", "Sie sind abgemeldet"),
            ("/auth/consent?request=x", "Diese Anmeldung ist beendet"),
            ("/auth/verify-email?token=x", "Dieser Link ist nicht mehr gültig"),
            ("/auth/invite?invite=01940000-0000-7000-8000-00000000abcd", "Melden Sie sich an, um die Einladung zu sehen"),
            ("/nowhere", "Seite nicht gefunden"),
        ] {
            assert_eq!(opened(app, "de", path).await, ("de".to_owned(), heading.to_owned()), "{path}");
        }
        let technical = Browser::reading(app, "de").open("/auth/authorize?client_id=x").await;
        assert!(technical.html.contains("<p lang=\"en\" dir=\"ltr\">"), "{technical}");
    }

    async fn errors_of_forms_are_translated(app: &App) {
        app.person("ann").await;
        let browser = Browser::reading(app, "fr");
        let page = browser.open("/auth/sign-in").await;
        let wrong = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", "wrong horse")]).await;
        assert!(wrong.text().contains("ou le mot de passe est incorrect."), "{wrong}");
        let page = browser.open("/auth/sign-up").await;
        let values = [("email", "x"), ("password", "short"), ("username", "?")];
        let refused = browser.submit(&page, "/auth/sign-up", &values).await;
        for text in ["Saisissez une adresse e-mail", "Le mot de passe doit comporter", "Le nom d’utilisateur doit comporter"] {
            assert!(refused.text().contains(text), "{text}: {refused}");
        }
        let weak = [("email", "bo@example.com"), ("password", "password12")];
        let refused = browser.submit(&page, "/auth/sign-up", &weak).await;
        assert!(refused.text().contains("il ressemble à un mot de passe courant"), "{refused}");
        let page = browser.open("/auth/sign-in").await;
        let home = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        assert!(home.html.contains("lang=\"en\""), "The console is English: {home}");
    }

    async fn a_client_can_request_a_language(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = Browser::reading(app, "fr");
        let client = Client::of(app, &world);
        let page = browser.open(&client.authorize(&[("ui_locales", "sv de-AT en")])).await;
        assert_eq!((page.heading().as_str(), header(&page, "content-language")), ("Anmelden", vec!["de"]), "{page}");
        let values = [("login", "acme-visitor"), ("password", PASSWORD)];
        let consent = browser.submit(&page, "/auth/sign-in", &values).await;
        assert_eq!(consent.heading(), "acme möchte Ihr Konto verwenden", "{consent}");
        for tags in ["sv", "<script>", "x".repeat(3000).as_str()] {
            let page = browser.open(&client.authorize(&[("ui_locales", tags), ("prompt", "login")])).await;
            assert_eq!(page.heading(), "Se connecter", "{page}");
        }
        let metadata = app.anonymous().get("/.well-known/openid-configuration").await.ok();
        assert_eq!(metadata["ui_locales_supported"], json!(["en", "de", "fr", "es", "pt", "ja"]));
    }

    async fn the_pages_of_a_request_look_like_the_project(app: &App) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        let plain = Browser::new(app).open(&client.authorize(&[])).await;
        assert!(plain.text().contains("acme") && !plain.html.contains("colors.css") && !plain.html.contains("Terms of"));
        let policy = header(&plain, "content-security-policy").concat();

        let look = json!({
            "accent_color": "#FFCC00", "background_color": "#102030", "tos_uri": "https://acme.example/terms?a=1&b=2",
            "policy_uri": "https://acme.example/privacy",
        });
        set(&world, look).await;
        let browser = Browser::new(app);
        let page = browser.open(&client.authorize(&[])).await;
        let sheet = "/auth/colors.css?accent=%23ffcc00&#38;background=%23102030";
        assert!(page.html.contains(&format!("<link rel=\"stylesheet\" href=\"{sheet}\">")), "{page}");
        for link in ["https://acme.example/terms?a=1&#38;b=2", "https://acme.example/privacy"] {
            assert!(page.html.contains(&format!("<a href=\"{link}\" rel=\"noreferrer noopener\"")), "{page}");
        }
        assert_eq!(header(&page, "content-security-policy").concat(), policy, "The colors need no weaker policy.");
        let host = url::Url::parse(&app.base).unwrap();
        let host = format!("Steward <bdi class=\"host\">{}</bdi>", host.host_str().unwrap());
        assert!(page.html.contains(&host) && !page.html.contains(" style="), "{page}");

        let sheet = app.anonymous().get(&sheet.replace("&#38;", "&")).await;
        assert!(sheet.header("Content-Type").starts_with("text/css") && sheet.header("Cache-Control").contains("max-age"));
        let css = String::from_utf8(sheet.body).unwrap();
        assert!(css.contains("--button:#ffcc00;") && css.contains("--on-button:#000000;"), "{css}");
        let (name, host) = (page.html.find("<div class=\"project\">"), page.html.find("class=\"host\""));
        let card = page.html.find("<main");
        assert!(name < card && card < host, "The name stands first, and the host on the card of the service: {page}");
        for hostile in ["red", "%23fff%3B%7Dbody%7Bdisplay%3Anone", "%23ffcc0", "url(https://evil.example)"] {
            for file in ["css", "svg"] {
                let path = format!("/auth/colors.{file}?accent={hostile}");
                assert_eq!(app.anonymous().get(&path).await.status, 404, "{path}");
            }
        }
        let elsewhere = browser.open("/auth/forgot-password").await;
        assert!(!elsewhere.html.contains("colors.css") && !elsewhere.text().contains("acme"), "{elsewhere}");
    }
}

on_both_in_full! {
    async fn the_look_is_validated_stored_and_reset(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/settings", world.project);
        for (name, valid, invalid) in [
            ("accent_color", "#17614f", vec![json!("17614f"), json!("red"), json!("#fff"), json!("#17614f;}"), json!(1)]),
            ("background_color", "#ffffff", vec![json!("#gggggg"), json!("url(x)"), json!(["#ffffff"])]),
            ("tos_uri", "https://acme.example/terms", vec![
                json!("http://acme.example/"), json!("javascript:alert(1)"), json!("java\nscript:alert(1)"), json!("/terms"),
                json!("https://steward.example@evil.example/"), json!("data:text/html,x"), json!(""),
            ]),
            ("policy_uri", "https://acme.example/privacy", vec![json!("ftp://acme.example/"), json!("https://"), json!({})]),
        ] {
            let changed = world.owner.patch(&path, json!({"auth": {name: valid}})).await.ok();
            assert_eq!(changed["data"]["auth"][name], valid);
            for invalid in invalid {
                let error = world.owner.patch(&path, json!({"auth": {name: invalid}})).await.refused(400, "invalid_request");
                assert_eq!(error["errors"][0]["field"], format!("auth.{name}"), "{invalid}");
            }
            assert_eq!(world.owner.get(&path).await.ok()["data"]["auth"][name], valid);
        }
        let reset = world.owner.delete(&format!("{path}?key=auth.accent_color&key=auth.tos_uri")).await.ok();
        let auth = &reset["data"]["auth"];
        assert_eq!((&auth["accent_color"], &auth["tos_uri"]), (&Value::Null, &Value::Null));
        assert_eq!((&auth["background_color"], &auth["policy_uri"]), (&json!("#ffffff"), &json!("https://acme.example/privacy")));
        let log = world.owner.get(&format!("/project/{}/audit", world.project)).await.ok().0;
        assert!(log.to_string().contains("#17614f") && log.to_string().contains("https://acme.example/terms"), "{log}");
    }
}
