//! What providers respond: only what belongs to the sign-in, in time, is accepted.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_tests::{Backend, Browser, Client, IdentityProvider, Mailbox, ProviderBehavior, World, eventually};

use super::{
    AT_PROVIDER, HOME, OF_SERVICE, SIGN_IN, account, add, asks_to_sign_in_first, go, is_refused, operator, person,
    sign_in, start,
};

/// How often the keys of the provider were fetched.
fn jwks_requests(provider: &IdentityProvider) -> usize {
    provider.requests().iter().filter(|request| request.contains("/jwks")).count()
}

with_provider! {
    async fn a_name_that_people_cannot_see_does_not_stop_a_sign_in(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        let long = "x".repeat(101);
        let names =
            [("ann", "A\u{200b}nn\u{202e}", "Ann"), ("bob", "\u{3164}\u{2800}", ""), ("eve", long.as_str(), "")];
        for (username, sent, kept) in names {
            let mut claims = person(&format!("{username}-1"), username, true);
            claims["name"] = json!(sent);
            let browser = Browser::new(app);
            assert!(sign_in(&browser, provider, &claims).await.is_at(HOME), "{username}");
            let profile = browser.open("/console/account").await;
            let fields = profile.form("/console/account").fields;
            assert!(fields.contains(&("name".to_owned(), kept.to_owned())), "{username}: {profile}");
        }
    }

    async fn responses_that_are_not_for_this_sign_in_are_refused(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        app.provision("ann").await;
        let failed = "The provider did not complete the sign-in.";
        for (name, value) in [
            ("nonce", json!("of-another-sign-in")),
            ("nonce", Value::Null),
            ("aud", json!("another-client")),
            ("aud", json!(["steward", "another-client"])),
            ("azp", json!("another-client")),
            ("iss", json!("https://attacker.example")),
            ("exp", json!(1_700_000_000)),
            ("sub", json!("")),
            ("sub", json!("s".repeat(256))),
            ("at_hash", json!("AAAAAAAAAAAAAAAAAAAAAA")),
        ] {
            let mut claims = person("ann-1", "ann", true);
            claims[name] = value;
            let browser = Browser::new(app);
            is_refused(&sign_in(&browser, provider, &claims).await, failed);
            assert!(browser.open(HOME).await.is_at(SIGN_IN), "{claims}");
        }

        let browser = Browser::new(app);
        let page = go(&browser, &browser.open(SIGN_IN).await).await;
        let callback = provider.sign_in(&page.url, &person("ann-1", "ann", true));
        let expired = "The sign-in has expired, or was started in another browser.";
        // Login CSRF: the attacker's response in the browser of the victim.
        let victim = Browser::new(app);
        is_refused(&victim.open(&callback).await, expired);
        assert!(victim.open(HOME).await.is_at(SIGN_IN));
        // Injection: the code of another sign-in, whose verifier this browser does not have.
        let mine = go(&victim, &victim.open(SIGN_IN).await).await;
        let own = provider.sign_in(&mine.url, &person("eve-1", "eve", true));
        let of = |address: &str, name| steward_tests::parameter(address, name).unwrap();
        let injected = own.replace(&format!("code={}", of(&own, "code")), &format!("code={}", of(&callback, "code")));
        is_refused(&victim.open(&injected).await, failed);
        // Mix-up: another issuer, and the redirect URI of another provider.
        let page = go(&browser, &browser.open(SIGN_IN).await).await;
        let callback = provider.sign_in(&page.url, &person("ann-1", "ann", true));
        let before = provider.requests().len();
        is_refused(&browser.open(&format!("{callback}&iss=https%3A%2F%2Fattacker.example")).await, failed);
        assert_eq!(provider.requests().len(), before, "The code is not redeemed.");
        let second = IdentityProvider::start().await;
        let root = Browser::signed_in(app, "root").await;
        let added = add(&root, OF_SERVICE, &second, &[("name", "Second")]).await;
        let before = second.requests().len();
        let id = added.url.path().rsplit('/').next().unwrap().to_owned();
        let page = go(&browser, &browser.open(SIGN_IN).await).await;
        let mut mixed: url::Url = provider.sign_in(&page.url, &person("ann-1", "ann", true)).parse().unwrap();
        mixed.set_path(&format!("/auth/provider/{id}"));
        is_refused(&browser.open(mixed.as_str()).await, expired);
        assert_eq!(second.requests().len(), before, "The code of one provider is not sent to another.");
        // A changed or missing state, and an error of the provider.
        for address in ["?code=x", "?code=x&state=00", "?error=access_denied"] {
            let path = format!("/auth/provider/{id}{address}");
            is_refused(&browser.open(&path).await, expired);
        }
        let page = go(&browser, &browser.open(SIGN_IN).await).await;
        let denied = format!("{}?error=access_denied&state={}", of(page.url.as_str(), "redirect_uri"), of(page.url.as_str(), "state"));
        is_refused(&browser.open(&denied).await, "The sign-in at the provider was canceled.");

        // Each code once.
        let page = go(&browser, &browser.open(SIGN_IN).await).await;
        let callback = provider.sign_in(&page.url, &person("ann-1", "ann", true));
        let copy = browser.stolen(app);
        assert!(browser.open(&callback).await.is_at(HOME));
        is_refused(&copy.open(&callback).await, failed);
        assert!(copy.open(HOME).await.is_at(SIGN_IN));
    }

    async fn only_signatures_of_the_published_keys_are_accepted(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        assert!(sign_in(&Browser::new(app), provider, &person("ann-1", "ann", true)).await.is_at(HOME));
        tokio::time::sleep(Duration::from_secs(5)).await;
        provider.rotate_key();
        let page = sign_in(&Browser::new(app), provider, &person("ann-1", "ann", true)).await;
        assert!(page.is_at(HOME), "A new key is fetched: {page}");
        let (before, started) = (jwks_requests(provider), Instant::now());
        for algorithm in ["none", "HS256", "RS256", "ES256", "RS256", "RS256", "RS256", "RS256", "RS256", "RS256"] {
            provider.claim_algorithm(algorithm);
            let page = sign_in(&Browser::new(app), provider, &person("ann-1", "ann", true)).await;
            is_refused(&page, "The provider did not complete the sign-in.");
        }
        let (fetched, seconds) = (jwks_requests(provider) - before, started.elapsed().as_secs());
        assert!(fetched as u64 <= 1 + seconds / 5, "Invalid tokens cause few requests: {fetched} in {seconds} s");
    }

    async fn the_log_and_the_console_say_which_claim_was_refused(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        let (world, own) = (World::make(app, "acme").await, IdentityProvider::start().await);
        let owner = Browser::signed_in(app, "acme-owner").await;
        let added = add(&owner, &format!("/console/projects/{}/providers", world.project), &own, &[]).await;
        let refused = [
            ("aud", json!(["steward", "another-client"]), "azp", "is missing"),
            ("aud", json!("another-client"), "aud", "must contain the client ID steward"),
            ("azp", json!("another-client"), "azp", "must be the client ID steward"),
            ("iss", json!("https://attacker.example"), "iss", "https://attacker.example"),
            ("exp", json!(1_700_000_000), "exp", "2023-11-14"),
            ("sub", json!(["ann"]), "sub", "must be a text"),
            ("nonce", json!("of-another-sign-in"), "nonce", "another sign-in"),
        ];
        let client = Client::of(app, &world);
        let id = added.url.path().rsplit('/').next().unwrap().to_owned();
        for (name, value, claim, reason) in &refused {
            let mut claims = person("ann-1", "ann", true);
            claims[*name] = value.clone();
            let page = sign_in(&Browser::new(app), provider, &claims).await;
            assert!(!page.text().contains(reason), "The person does not learn the reason: {page}");
            let browser = Browser::new(app);
            let page = browser.open(&client.authorize(&[])).await;
            let page = browser.submit(&page, AT_PROVIDER, &[("provider", &id)]).await;
            is_refused(&browser.open(&own.sign_in(&page.url, &claims)).await, "The provider did not complete the sign-in.");
            let said = format!("the claim `{claim}` of the provider was refused: ");
            let has_all = |line: &str| line.contains(&said) && line.contains(reason) && line.contains(&id);
            eventually(async || app.log().lines().any(has_all).then_some(())).await;
        }
        let root = Browser::signed_in(app, "root").await;
        let of_service = root.open(OF_SERVICE).await.links().into_iter().rfind(|link| link.starts_with(&format!("{OF_SERVICE}/")));
        for page in [root.open(&format!("{}/failed", of_service.unwrap())).await, owner.open(&format!("{}/failed", added.url.path())).await] {
            for (_, _, claim, reason) in &refused {
                assert!(page.html.contains(&format!("<code>{claim}</code>")) && page.text().contains(reason), "{claim}: {page}");
            }
        }
        let path = format!("/project/{}/audit?action=identity_provider.sign_in_failed", world.project);
        let events = world.owner.get(&path).await.ok()["data"].clone();
        let last = &events[0];
        assert_eq!((&last["target"]["id"], &last["after"]["claim"]), (&json!(id), &json!("nonce")), "{events}");
        assert_eq!(events.as_array().unwrap().len(), refused.len(), "{events}");
        // An error code instead of a code, and metadata of another issuer.
        let browser = Browser::new(app);
        let page = browser.open(&client.authorize(&[])).await;
        let page = browser.submit(&page, AT_PROVIDER, &[("provider", &id)]).await;
        let of = |name| steward_tests::parameter(page.url.as_str(), name).unwrap();
        browser.open(&format!("{}?error=invalid_scope&state={}", of("redirect_uri"), of("state"))).await;
        assert!(owner.open(&format!("{}/failed", added.url.path())).await.text().contains("it returned invalid_scope"));
        let other = IdentityProvider::start().await;
        add(&root, OF_SERVICE, &other, &[("name", "Other")]).await;
        other.behave(ProviderBehavior { issuer: Some("https://attacker.example".to_owned()), ..ProviderBehavior::default() });
        let page = browser.open(SIGN_IN).await;
        let (_, last) = page.form(AT_PROVIDER).choices.pop().unwrap();
        let page = browser.submit(&page, AT_PROVIDER, &[("provider", &last)]).await;
        is_refused(&page, "The provider did not complete the sign-in.");
        let page = root.open(&format!("{OF_SERVICE}/{last}/failed")).await;
        assert!(page.text().contains("`issuer` in its metadata must be"), "{page}");
    }

    async fn prompts_and_ages_of_clients_are_passed_on(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        for (parameters, is_passed) in [(vec![], false), (vec![("prompt", "login")], true), (vec![("max_age", "60")], true)] {
            let browser = Browser::new(app);
            let page = go(&browser, &browser.open(&client.authorize(&parameters)).await).await;
            let has = |name| steward_tests::parameter(page.url.as_str(), name);
            assert_eq!((has("prompt").as_deref() == Some("login"), has("max_age").as_deref() == Some("0")), (is_passed, is_passed), "{}", page.url);
            // The person signed in there long ago.
            let mut claims = person("ann-1", "ann", true);
            claims["auth_time"] = json!(1_700_000_000);
            let page = browser.open(&provider.sign_in(&page.url, &claims)).await;
            if is_passed {
                is_refused(&page, "The provider did not complete the sign-in.");
            } else {
                assert!(browser.allow(page, "").await.left);
            }
        }
    }
}

/// GitHub has no ID tokens: its API says who signed in.
#[tokio::test]
async fn a_person_signs_in_at_github() {
    let (mail, github) = (Mailbox::start().await, IdentityProvider::start().await);
    let app = start(Backend::Sqlite, &mail, &[]).await;
    let values = [("kind", "github"), ("name", "GitHub")];
    add(&operator(&app).await, OF_SERVICE, &github, &values).await;
    let of = |id: u64, emails: Value| json!({"id": id, "login": "ann", "name": "Ann", "emails": emails});
    let emails = json!([
        {"email": "old@example.com", "primary": false, "verified": true},
        {"email": "ann@example.com", "primary": true, "verified": true},
    ]);
    let browser = Browser::new(&app);
    let page = go(&browser, &browser.open(SIGN_IN).await).await;
    assert!(
        page.url.path() == "/login/oauth/authorize" && page.url.as_str().contains("scope=read%3Auser"),
        "{}",
        page.url
    );
    let page = browser.open(&github.sign_in(&page.url, &of(7, emails.clone()))).await;
    assert!(page.is_at(HOME) && account(&browser).await == "ann@example.com", "{page}");
    // The number identifies the person, and an address that is not verified proves nothing.
    let other = Browser::new(&app);
    let unverified = json!([{"email": "ann@example.com", "primary": true, "verified": false}]);
    asks_to_sign_in_first(&sign_in(&other, &github, &of(8, unverified)).await);
    assert!(sign_in(&other, &github, &of(7, json!([]))).await.is_at(HOME));
    is_refused(&sign_in(&Browser::new(&app), &github, &of(9, json!([]))).await, "did not share an email address");
}

/// A provider that does not respond delays only who signs in there, and not for long.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_hangs_is_given_up() {
    let (mail, slow, other) =
        (Mailbox::start().await, IdentityProvider::start().await, IdentityProvider::start().await);
    let app = start(Backend::Sqlite, &mail, &[]).await;
    let root = operator(&app).await;
    add(&root, OF_SERVICE, &slow, &[("name", "Slow")]).await;
    add(&root, OF_SERVICE, &other, &[("name", "Other")]).await;
    slow.delay_responses(Duration::from_secs(60));
    let hanging: Vec<_> = (0..20)
        .map(|_| {
            let browser = Browser::new(&app);
            tokio::spawn(async move {
                let page = browser.open(SIGN_IN).await;
                let id = page.form(AT_PROVIDER).choices[0].1.clone();
                browser.submit(&page, AT_PROVIDER, &[("provider", &id)]).await
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let browser = Browser::new(&app);
    let page = browser.open(SIGN_IN).await;
    let id = page.form(AT_PROVIDER).choices[1].1.clone();
    // The limit of one provider does not apply to another.
    assert!(browser.submit(&page, AT_PROVIDER, &[("provider", &id)]).await.left);
    for page in hanging {
        is_refused(&page.await.unwrap(), "The provider did not complete the sign-in.");
    }
}
