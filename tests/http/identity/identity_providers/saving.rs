//! Adding a provider: its metadata is read first, so that an issuer with which nobody could sign in is found then.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_tests::{
    Actor, Backend, Browser, Client, IdentityProvider, Mailbox, ProviderBehavior, World, on_both_in_full,
};

use super::{AT_PROVIDER, person, start};

/// A provider that names this issuer, in which `URL` is its address, and has other metadata.
async fn provider(issuer: &str, metadata: Value) -> IdentityProvider {
    let provider = IdentityProvider::start().await;
    let issuer = Some(issuer.replace("URL", &provider.url));
    provider.behave(ProviderBehavior { issuer, metadata, ..ProviderBehavior::default() });
    provider
}

fn path(world: &World) -> String {
    format!("/project/{}/identity-provider", world.project)
}

fn new(issuer: &str) -> Value {
    json!({"kind": "openid_connect", "issuer": issuer, "client_id": "steward", "client_secret": "hush"})
}

/// Whether the issuer is refused for this reason.
async fn is_refused(owner: &Actor, path: &str, issuer: &str, reason: &str) {
    let refused = owner.post(path, new(issuer)).await.is(400);
    assert_eq!(refused["errors"][0]["field"], "issuer", "{refused:?}");
    assert!(refused["errors"][0].to_string().contains(reason), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_issuer_is_stored_as_its_provider_names_it() {
    let mail = Mailbox::start().await;
    let app = start(Backend::Sqlite, &mail, &[]).await;
    let world = World::make(&app, "acme").await;
    let (with_slash, without) = (provider("URL/", Value::Null).await, provider("URL", Value::Null).await);
    for (provider, typed, stored) in [
        (&with_slash, with_slash.url.clone(), format!("{}/", with_slash.url)),
        (&with_slash, format!("{}/", with_slash.url), format!("{}/", with_slash.url)),
        (&without, format!("{}/", without.url), without.url.clone()),
        (&without, without.url.clone(), without.url.clone()),
    ] {
        let created = world.owner.post(&path(&world), new(&typed)).await.created();
        assert_eq!(created["data"]["issuer"], stored, "{typed}");
        // A person signs in with a token of this issuer.
        let (id, browser) = (created["data"]["id"].as_str().unwrap(), Browser::new(&app));
        let page = browser.open(&Client::of(&app, &world).authorize(&[])).await;
        let page = browser.submit(&page, AT_PROVIDER, &[("provider", id)]).await;
        assert!(page.url.as_str().starts_with(&provider.url), "{page}");
        let page = browser.open(&provider.sign_in(&page.url, &person(id, id, true))).await;
        assert!(browser.allow(page, "").await.left, "{typed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_with_which_nobody_could_sign_in_is_not_added() {
    let mail = Mailbox::start().await;
    let app = start(Backend::Sqlite, &mail, &[]).await;
    let world = World::make(&app, "acme").await;
    let path = path(&world);
    for (issuer, metadata, reason) in [
        ("https://login.microsoftonline.com/{tenantid}/v2.0", Value::Null, "that of one tenant"),
        ("https://other.example", Value::Null, "https://other.example"),
        ("URL//", Value::Null, "names another issuer"),
        ("not a URL", Value::Null, "not a valid URL"),
        ("URL", json!({"issuer": null}), "no `issuer`"),
        ("URL", json!({"issuer": ["https://id.example"]}), "no `issuer`"),
        ("URL", json!({"jwks_uri": null}), "no `jwks_uri`"),
        ("URL", json!({"token_endpoint": 7}), "no `token_endpoint`"),
        ("URL", json!({"authorization_endpoint": "authorize"}), "not a URL"),
        ("URL", json!({"long": "x".repeat(70_000)}), "too long"),
    ] {
        let provider = provider(issuer, metadata).await;
        is_refused(&world.owner, &path, &provider.url, reason).await;
        // The metadata is read before anything is stored, and nothing else.
        assert_eq!(provider.requests().len(), 1, "{:?}", provider.requests());
    }
    let gone = IdentityProvider::start().await.url.clone();
    is_refused(&world.owner, &path, &gone, "cannot be used").await;
    is_refused(&world.owner, &path, &format!("{}/nothing", app.base), "the status was 404").await;
    let slow = IdentityProvider::start().await;
    slow.delay_responses(Duration::from_secs(60));
    let started = Instant::now();
    is_refused(&world.owner, &path, &slow.url, "did not respond in time").await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(world.owner.get(&path).await.ok()["data"], json!([]));
}

/// The page of a new provider shows the redirect URI that the provider has afterwards, and the provider can be tested.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_redirect_uri_is_known_before_a_provider_is_added_and_it_is_tested_afterwards() {
    let mail = Mailbox::start().await;
    let app = start(Backend::Sqlite, &mail, &[]).await;
    let world = World::make(&app, "acme").await;
    let provider = provider("URL", Value::Null).await;
    let (owner, pages) = (Browser::signed_in(&app, "acme-owner").await, path_of_pages(&world));
    let new = format!("{pages}/new");
    let form = owner.open(&new).await;
    let id = form.form(&new).fields.iter().find(|(name, _)| name == "id").unwrap().1.clone();
    let redirect_uri = format!("{}/auth/provider/{id}", app.base);
    assert!(form.html.contains(&redirect_uri) && form.html.contains("class=\"logo\""), "{form}");
    let values = [("issuer", "https://nobody.invalid"), ("name", "Acme ID"), ("client_id", "steward")];
    let refused = owner.submit(&form, &new, &values).await;
    assert!(refused.status == 400 && refused.html.contains(&redirect_uri), "The URI must stay: {refused}");
    let added = owner.submit(&refused, &new, &[("issuer", &provider.url)]).await;
    assert!(added.is_at(&format!("{pages}/{id}")) && added.html.contains(&redirect_uri), "{added}");
    let taken = [("issuer", provider.url.as_str()), ("name", "Other"), ("client_id", "x"), ("id", &id)];
    let taken = owner.submit(&owner.open(&new).await, &new, &taken).await;
    assert!(taken.status == 400 && taken.text().contains("is the ID of another provider"), "{taken}");

    let test = format!("{pages}/{id}/test");
    let tested = owner.submit(&added, &test, &[]).await;
    assert!(tested.text().contains("The provider responded"), "{tested}");
    provider.behave(ProviderBehavior { metadata: json!({"jwks_uri": null}), ..ProviderBehavior::default() });
    let tested = owner.submit(&tested, &test, &[]).await;
    assert!(tested.text().contains("no `jwks_uri`"), "{tested}");
    let settings = owner.open(&format!("/console/projects/{}/sign-in", world.project)).await;
    assert!(settings.text().contains("Acme ID") && settings.html.contains("/auth/colors.svg?"), "{settings}");
}

fn path_of_pages(world: &World) -> String {
    format!("/console/projects/{}/providers", world.project)
}

/// A caller who may not add providers makes the service send no requests.
#[tokio::test]
async fn no_request_is_sent_for_a_caller_without_the_permission() {
    let mail = Mailbox::start().await;
    let app = start(Backend::Sqlite, &mail, &[]).await;
    let (world, other) = (World::make(&app, "acme").await, World::make(&app, "other").await);
    let provider = IdentityProvider::start().await;
    other.owner.post(&path(&world), new(&provider.url)).await.is_not_found();
    app.anonymous().post(&path(&world), new(&provider.url)).await.is(401);
    let mut invalid = new(&provider.url);
    invalid["client_id"] = json!("");
    world.owner.post(&path(&world), invalid).await.is(400);
    assert!(provider.requests().is_empty(), "{:?}", provider.requests());
}

on_both_in_full! {
    async fn a_provider_from_before_is_still_administered(app: &App) {
        let world = World::make(app, "acme").await;
        let path = path(&world);
        let new = json!({"kind": "google", "client_id": "steward"});
        let one = format!("{path}/{}", world.owner.post(&path, new).await.created().id());
        // An earlier version stored what was typed.
        app.execute_sql("UPDATE identity_providers SET kind = 'openid_connect', issuer = 'https://nobody.invalid/'");
        let listed = world.owner.get(&path).await.ok();
        assert_eq!(listed["data"][0]["issuer"], "https://nobody.invalid/", "{listed:?}");
        let changed = world.owner.patch(&one, json!({"name": "Ours", "is_enabled": false})).await.ok();
        assert_eq!(changed["data"]["issuer"], "https://nobody.invalid/", "{changed:?}");
        world.owner.delete(&one).await.ok();
        assert_eq!(world.owner.get(&path).await.ok()["data"], json!([]));
    }
}
