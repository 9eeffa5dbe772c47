//! Emails in the language of the person, and in the look of the project to which they sign in
//! (docs/decisions/0079-emails.md).

use serde_json::json;
use steward_tests::{App, Browser, Client, PASSWORD, World, with_mail};

const CODE_ADDRESS: &str = "/auth/sign-in/email";

/// Asks for a link to choose a new password, in a browser with this language.
async fn forget(app: &App, languages: &str, email: &str) {
    let browser = Browser::reading(app, languages);
    let page = browser.open("/auth/forgot-password").await;
    browser.submit(&page, "/auth/forgot-password", &[("email", email)]).await;
}

/// Asks for a code while signing in to the project.
async fn ask_for_code(app: &App, world: &World, parameters: &[(&str, &str)], email: &str) {
    let browser = Browser::new(app);
    let page = browser.open(&Client::of(app, world).authorize(parameters)).await;
    let request = page.form("/auth/sign-in").fields.into_iter().find(|(name, _)| name == "request").unwrap().1;
    let page = browser.open(&format!("{CODE_ADDRESS}?request={request}")).await;
    browser.submit(&page, CODE_ADDRESS, &[("login", email)]).await;
}

with_mail! {
    async fn emails_have_the_language_of_the_page_that_the_person_used_first(app: &App, mail: &Mailbox) {
        let browser = Browser::reading(app, "de-DE");
        let form = browser.open("/auth/sign-up").await;
        browser.submit(&form, "/auth/sign-up", &[("email", "max@example.com"), ("password", PASSWORD)]).await;
        let sent = mail.nth_to("max@example.com", 1).await;
        assert_eq!(sent.subject, "Bestätigen Sie Ihre E-Mail-Adresse");
        assert!(sent.html.contains("<html lang=\"de\" dir=\"ltr\">") && sent.html.contains(&sent.link()), "{sent:?}");
        assert!(sent.text.contains("weil jemand diese Adresse bei localhost eingegeben hat."), "{sent:?}");
        forget(app, "en", "max@example.com").await;
        let sent = mail.nth_to("max@example.com", 2).await;
        assert_eq!(sent.subject, "Melden Sie sich an oder wählen Sie ein neues Passwort");

        // An account that a program created has no language until its first sign-in in a browser.
        app.person("ann").await;
        assert_eq!(mail.nth_to("ann@example.com", 1).await.subject, "Confirm your email address");
        forget(app, "fr", "ann@example.com").await;
        assert_eq!(mail.nth_to("ann@example.com", 2).await.subject, "Connectez-vous ou choisissez un nouveau mot de passe");
        let browser = Browser::reading(app, "es");
        let form = browser.open("/auth/sign-in").await;
        browser.submit(&form, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        forget(app, "fr", "ann@example.com").await;
        assert_eq!(mail.nth_to("ann@example.com", 3).await.subject, "Inicie sesión o elija una contraseña nueva");
    }

    async fn an_invite_has_the_language_of_the_invited_person(app: &App, mail: &Mailbox) {
        let world = World::make(app, "acme").await;
        let browser = Browser::reading(app, "ja");
        let form = browser.open("/auth/sign-up").await;
        browser.submit(&form, "/auth/sign-up", &[("email", "yuki@example.com"), ("password", PASSWORD)]).await;
        for email in ["yuki@example.com", "new@example.com"] {
            let invite = json!({"email": email, "roles": "viewer"});
            world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created();
        }
        assert_eq!(mail.nth_to("yuki@example.com", 2).await.subject, "チーム acme への招待");
        assert_eq!(mail.nth_to("new@example.com", 1).await.subject, "You are invited to join the team acme");
    }

    async fn the_code_of_a_sign_in_shows_the_project_to_a_confirmed_address(app: &App, mail: &Mailbox) {
        let world = World::make(app, "acme").await;
        let settings = format!("/project/{}/settings", world.project);
        world.owner.patch(&settings, json!({"auth": {"accent_color": "#ffcc00"}})).await.ok();
        app.provision("ann").await;
        app.person("bob").await;
        ask_for_code(app, &world, &[("ui_locales", "pt")], "ann@example.com").await;
        let sent = mail.nth_to("ann@example.com", 1).await;
        assert!(sent.subject == "Seu código para entrar" && sent.text.contains("Você está entrando em acme."), "{sent:?}");
        assert!(sent.html.contains("#ffcc00") && sent.html.contains("localhost"), "{sent:?}");
        // Nobody has shown yet that they read the mail of these.
        ask_for_code(app, &world, &[], "bob@example.com").await;
        ask_for_code(app, &world, &[], "new@example.com").await;
        for (email, count) in [("bob@example.com", 2), ("new@example.com", 1)] {
            let sent = mail.nth_to(email, count).await;
            assert!(sent.subject == "Your code to sign in" && !sent.text.contains("acme"), "{sent:?}");
            assert!(!sent.html.contains("#ffcc00"), "{sent:?}");
        }
        // What a mail program would make a link is not shown.
        let renamed = json!({"name": "Call evil.example"});
        world.owner.patch(&format!("/project/{}", world.project), renamed).await.ok();
        ask_for_code(app, &world, &[], "ann@example.com").await;
        let sent = mail.nth_to("ann@example.com", 2).await;
        assert!(!sent.text.contains("evil") && !sent.html.contains("evil"), "{sent:?}");
    }
}
