//! Providers of a project.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{
    App, Authenticator, Backend, Browser, Client, IdentityProvider, Mailbox, PASSWORD, Page, World, on_both_in_full,
};

use super::{
    AT_PROVIDER, HOME, IDENTITIES, OF_SERVICE, SIGN_IN, add, asks_to_sign_in_first, is_refused, operator, person,
    sign_in, start,
};

/// Signs in to a project at its provider, whose button is the last one.
pub(super) async fn sign_in_to(
    client: &Client,
    browser: &Browser,
    provider: &IdentityProvider,
    claims: &Value,
) -> Page {
    let page = browser.open(&client.authorize(&[])).await;
    let button = page.form(AT_PROVIDER).choices.into_iter().map(|(_, id)| id).next_back().unwrap();
    let page = browser.submit(&page, AT_PROVIDER, &[("provider", &button)]).await;
    browser.open(&provider.sign_in(&page.url, claims)).await
}

with_provider! {
    async fn a_provider_of_a_project_counts_for_this_project_only(app: &App, mail: &Mailbox, provider: &IdentityProvider) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let own = IdentityProvider::start().await;
        let owner = Browser::signed_in(app, "acme-owner").await;
        let pages = format!("/console/projects/{}/providers", world.project);
        add(&owner, &pages, &own, &[("name", "Acme ID")]).await;
        assert!(!Browser::new(app).open(SIGN_IN).await.html.contains("Acme ID"));
        let (client, elsewhere) = (Client::of(app, &world), Client::of(app, &other));
        assert!(!Browser::new(app).open(&elsewhere.authorize(&[])).await.html.contains("Acme ID"));
        let to_acme = async |browser: &Browser, claims: &Value| sign_in_to(&client, browser, &own, claims).await;

        // The account of a person who has confirmed the address is theirs, whatever the provider of a project claims.
        app.provision("ann").await;
        asks_to_sign_in_first(&to_acme(&Browser::new(app), &person("x-1", "ann", true)).await);
        // A new person is signed in to the project, and to nothing else. The address is not confirmed.
        let browser = Browser::new(app);
        let page = to_acme(&browser, &person("new-1", "new", true)).await;
        let back = browser.allow(page, "").await;
        assert!(back.left && back.url.as_str().contains("code="), "{back}");
        for page in [HOME, "/console/account", IDENTITIES, "/auth/invite?invite=x"] {
            let page = browser.open(page).await;
            assert!(page.is_at(SIGN_IN) || page.status == 404, "{page}");
        }
        assert!(browser.open(&elsewhere.authorize(&[])).await.is_at(SIGN_IN));
        let again = browser.open(&client.authorize(&[])).await;
        assert!(browser.allow(again, "").await.left, "The session goes on in the project.");
        let first_party = format!(
            "/auth/authorize?client_id=steward-cli&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&response_type=code\
             &scope=admin&code_challenge={}&code_challenge_method=S256",
            steward_tests::CHALLENGE
        );
        assert!(browser.open(&first_party).await.is_at(SIGN_IN));
        // A link that confirms the address shows that it is the person's, but not that the account is.
        app.person("eve").await;
        let (stranger, link) = (Browser::signed_in(app, "eve").await, mail.nth_to("eve@example.com", 1).await.link());
        let linking = Browser::new(app);
        let page = to_acme(&linking, &person("eve-1", "eve", false)).await;
        asks_to_sign_in_first(&page);
        linking.submit(&page, SIGN_IN, &[("login", "eve"), ("password", PASSWORD)]).await;
        let victim = Browser::new(app);
        let page = to_acme(&victim, &person("eve-1", "eve", false)).await;
        assert!(victim.allow(page, "").await.left, "The stranger linked the identity.");
        let page = victim.submit(&victim.open(&link).await, "/auth/verify-email", &[]).await;
        assert_eq!(page.status, 200, "{page}");
        assert!(stranger.open(HOME).await.is_at(SIGN_IN), "The session of the stranger has ended.");
        let page = stranger.submit(&stranger.open(SIGN_IN).await, SIGN_IN, &[("login", "eve"), ("password", PASSWORD)]).await;
        assert_eq!(page.status, 400, "The password has ended: {page}");
        asks_to_sign_in_first(&to_acme(&Browser::new(app), &person("eve-1", "eve", false)).await);
        // It proves no account: an identity that waits for one is not linked.
        let waiting = Browser::new(app);
        asks_to_sign_in_first(&sign_in(&waiting, provider, &person("new-9", "new", false)).await);
        to_acme(&waiting, &person("new-1", "new", true)).await;
        asks_to_sign_in_first(&sign_in(&Browser::new(app), provider, &person("new-9", "new", false)).await);
        // Who signs in with the password is signed in everywhere.
        let ann = Browser::new(app);
        let page = to_acme(&ann, &person("x-1", "ann", true)).await;
        let page = ann.submit(&page, SIGN_IN, &[("login", "ann"), ("password", PASSWORD)]).await;
        assert!(ann.allow(page, "ann").await.left && ann.open(HOME).await.is_at(HOME));
        let linked = Browser::new(app);
        let page = to_acme(&linked, &person("x-1", "ann", true)).await;
        assert!(linked.allow(page, "").await.left && linked.open(HOME).await.is_at(SIGN_IN));
        assert!(mail.to("new@example.com").iter().all(|mail| mail.subject != "Confirm your email address"));
    }

    async fn nobody_signs_in_at_a_provider_that_ends_with_the_admin_who_added_it(app: &App, _mail: &Mailbox, _provider: &IdentityProvider) {
        let (world, own) = (World::make(app, "acme").await, IdentityProvider::start().await);
        let (adam, client) = (world.member(app, "adam", "admin").await, Client::of(app, &world));
        let pages = format!("/console/projects/{}/providers", world.project);
        add(&Browser::signed_in(app, "adam").await, &pages, &own, &[("name", "Adam ID")]).await;
        let claims = person("new-1", "new", true);
        sign_in_to(&client, &Browser::new(app), &own, &claims).await;
        // Who controls the provider signs in as its people, also after losing every permission.
        let member = format!("/team/{}/member/{}", world.team, adam.id);
        let demoted = world.owner.patch(&member, json!({"roles": "viewer"})).await.ok();
        assert_eq!(demoted["affected_identity_providers"][0]["ended"], json!(false), "{demoted:?}");
        let browser = Browser::new(app);
        let page = sign_in_to(&client, &browser, &own, &claims).await;
        assert!(browser.allow(page, "").await.left, "The provider goes on.");

        let started = Browser::new(app);
        let page = started.open(&client.authorize(&[])).await;
        let button = page.form(AT_PROVIDER).choices.into_iter().map(|(_, id)| id).next_back().unwrap();
        let waiting = started.submit(&page, AT_PROVIDER, &[("provider", &button)]).await;
        let removed = world.owner.delete(&format!("{member}?end=identity_providers")).await.ok();
        assert_eq!(removed["affected_identity_providers"][0]["ended"], json!(true), "{removed:?}");
        assert!(!Browser::new(app).open(&client.authorize(&[])).await.html.contains("Adam ID"));
        let refused = started.open(&own.sign_in(&waiting.url, &claims)).await;
        assert!(!refused.left && !refused.is_at("/auth/consent"), "{refused}");
    }

    async fn a_sign_in_to_a_project_stays_limited_after_the_second_factor(app: &App, _mail: &Mailbox, _provider: &IdentityProvider) {
        let (world, own) = (World::make(app, "acme").await, IdentityProvider::start().await);
        let client = Client::of(app, &world);
        let pages = format!("/console/projects/{}/providers", world.project);
        add(&Browser::signed_in(app, "acme-owner").await, &pages, &own, &[]).await;
        app.provision("ann").await;
        let (_, codes) = Authenticator::set_up(&Browser::signed_in(app, "ann").await).await;
        let claims = person("ann-1", "ann", true);
        let first = Browser::new(app);
        let page = sign_in_to(&client, &first, &own, &claims).await;
        let page = first.submit(&page, SIGN_IN, &[("login", "ann"), ("password", PASSWORD)]).await;
        first.submit(&page, "/auth/second-factor", &[("code", &codes[0])]).await;
        let browser = Browser::new(app);
        let page = sign_in_to(&client, &browser, &own, &claims).await;
        assert!(page.is_at("/auth/second-factor"), "The identity was linked: {page}");
        let page = browser.submit(&page, "/auth/second-factor", &[("code", &codes[1])]).await;
        assert!(browser.allow(page, "").await.left);
        assert!(browser.open(HOME).await.is_at(SIGN_IN));
    }
}

/// Without the setting for closed networks, a project cannot make the service send requests into its own network.
#[tokio::test]
async fn a_provider_of_a_project_is_not_in_a_private_network() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let owner = Browser::signed_in(&app, "acme-owner").await;
    let (pages, provider) = (format!("/console/projects/{}/providers", world.project), IdentityProvider::start().await);
    let new = format!("{pages}/new");
    for (issuer, reason) in [
        (provider.url.as_str(), "must be an https URL"),
        ("https://127.0.0.1:8443", "must not be a private network address"),
        ("https://169.254.169.254/latest", "must not be a private network address"),
        ("https://localhost:8443", "The address is in a private network"),
    ] {
        let values = [("issuer", issuer), ("name", "Acme ID"), ("client_id", "x")];
        let page = owner.submit(&owner.open(&new).await, &new, &values).await;
        assert!(page.status == 400 && page.text().contains(reason), "{issuer}: {page}");
    }
    // A name can get another address after the provider was added.
    let values = [("kind", "google"), ("name", "Acme ID"), ("client_id", "x")];
    owner.submit(&owner.open(&new).await, &new, &values).await;
    app.execute_sql("UPDATE identity_providers SET issuer = 'https://localhost:8443'");
    let browser = Browser::new(&app);
    let page = browser.open(&Client::of(&app, &world).authorize(&[])).await;
    let id = page.form(AT_PROVIDER).choices[0].1.clone();
    is_refused(
        &browser.submit(&page, AT_PROVIDER, &[("provider", &id)]).await,
        "The provider did not complete the sign-in.",
    );
    assert!(app.log().contains("The address is in a private network."), "{}", app.log());
}

on_both_in_full! {
    async fn a_project_adds_changes_and_deletes_a_provider_over_the_api(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/identity-provider", world.project);
        let new = json!({"kind": "github", "client_id": " Iv1.8a61 ", "client_secret": "hush-hush"});
        let created = world.owner.post(&path, new).await.created();
        assert!(!created.0.to_string().contains("hush-hush"), "The secret is not shown: {created:?}");
        let provider = created["data"].clone();
        let id = provider["id"].as_str().unwrap().to_owned();
        let expected = json!({
            "id": id, "kind": "github", "name": "GitHub", "issuer": "https://github.com", "client_id": "Iv1.8a61",
            "has_client_secret": true, "is_enabled": true, "redirect_uri": format!("{}/auth/provider/{id}", app.base),
            "created_at": provider["created_at"],
        });
        assert_eq!(provider, expected);
        assert_eq!(world.owner.get(&path).await.ok()["data"], json!([expected]));

        let one = format!("{path}/{id}");
        let etag = world.owner.get(&one).await.header("etag").to_owned();
        let changes = json!({"name": "Our GitHub", "client_id": "other", "client_secret": "new", "is_enabled": false});
        let changed = world.owner.patch(&one, changes).await.ok();
        let of = |name: &str| changed["data"][name].clone();
        assert_eq!((of("name"), of("client_id"), of("is_enabled")), (json!("Our GitHub"), json!("other"), json!(false)));
        let body = Some(json!({"is_enabled": true}));
        let stale = world.owner.send(Method::PATCH, &one, body, &[("if-match", &etag)]).await;
        stale.refused(412, "precondition_failed");
        for (body, field) in [
            (json!({"kind": "github", "client_id": ""}), "client_id"),
            (json!({"kind": "myspace", "client_id": "x"}), "kind"),
            (json!({"kind": "microsoft", "client_id": "x"}), "issuer"),
            (json!({"kind": "google", "client_id": "x", "issuer": "https://id.example.com/?a=b"}), "issuer"),
            (json!({"kind": "google", "client_id": "x", "client_secret": ""}), "client_secret"),
            (json!({"kind": "google", "client_id": "x", "email_domains": ["example.com"]}), "email_domains"),
        ] {
            let refused = world.owner.post(&path, body.clone()).await.is(400);
            assert_eq!(refused["errors"][0]["field"], field, "{body}: {refused:?}");
        }
        world.owner.patch(&one, json!({"issuer": "https://other.example"})).await.is(400);
        let elsewhere = World::make(app, "other").await;
        let foreign = format!("/project/{}/identity-provider/{id}", elsewhere.project);
        elsewhere.owner.get(&foreign).await.is_not_found();
        elsewhere.owner.delete(&foreign).await.is_not_found();

        for number in 1..20 {
            let new = json!({"kind": "google", "client_id": format!("client-{number}")});
            world.owner.post(&path, new).await.created();
        }
        world.owner.post(&path, json!({"kind": "google", "client_id": "x"})).await.refused(409, "quota_exceeded");
        world.owner.delete(&one).await.ok();
        world.owner.get(&one).await.is_not_found();
        assert_eq!(world.owner.get(&path).await.ok()["data"].as_array().unwrap().len(), 19);
        let audit = world.owner.get(&format!("/project/{}/audit?action=identity_provider.updated", world.project)).await.ok();
        assert!(audit["data"].as_array().is_some_and(|events| events.len() == 1), "{audit:?}");
        assert!(!audit.0.to_string().contains("hush"), "{audit:?}");
    }
}
