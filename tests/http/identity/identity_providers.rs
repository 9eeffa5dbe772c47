//! Identity providers: people sign in at another service. No provider takes over an account (RFC 9700, OpenID Connect
//! Core).

use futures_util::future::join_all;
use serde_json::{Value, json};
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{App, Authenticator, Backend, Browser, IdentityProvider, Mailbox, PASSWORD, Page, eventually};

use crate::identity::action_limits::SETTINGS;

const SIGN_IN: &str = "/auth/sign-in";
const AT_PROVIDER: &str = "/auth/sign-in/provider";
const HOME: &str = "/console/start";
const IDENTITIES: &str = "/console/account/identities";
const OF_SERVICE: &str = "/console/operator/providers";

/// Defines tests on both databases, with a mail server, an operator and a provider of the service. A short run leaves
/// out those on PostgreSQL.
macro_rules! with_provider {
    ($(async fn $name:ident($app:ident: &App, $mail:ident: &Mailbox, $provider:ident: &IdentityProvider) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn test_case(backend: Backend) {
                let ($mail, $provider) = (&Mailbox::start().await, &IdentityProvider::start().await);
                let $app = &start(backend, $mail, &[]).await;
                add(&operator($app).await, OF_SERVICE, $provider, &[]).await;
                $body
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                test_case(Backend::Sqlite).await;
            }

            mod full {
                use super::*;

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres() {
                    test_case(Backend::Postgres).await;
                }
            }
        }
    )+};
}

mod documented;
pub(crate) mod first_confirmation;
mod projects;
mod responses;
mod saving;

pub(crate) async fn start(backend: Backend, mail: &Mailbox, settings: &[(&str, &str)]) -> App {
    App::start_with_mail(backend, mail, &[&[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")], settings].concat()).await
}

/// A browser in which an operator is signed in.
async fn operator(app: &App) -> Browser {
    app.provision("root").await;
    app.make_operator("root").await;
    Browser::signed_in(app, "root").await
}

/// Adds a provider with a secret on these pages. Returns its page.
async fn add(browser: &Browser, pages: &str, provider: &IdentityProvider, values: &[(&str, &str)]) -> Page {
    let values = [&[("client_secret", "hush")], values].concat();
    browser.add_identity_provider(pages, &provider.url, &values).await
}

/// Goes from this page to the provider.
async fn go(browser: &Browser, page: &Page) -> Page {
    let page = browser.go_to_provider(page).await;
    assert!(page.left, "{page}");
    page
}

/// Signs in at the provider as a person with these claims.
async fn sign_in(browser: &Browser, provider: &IdentityProvider, claims: &Value) -> Page {
    let page = go(browser, &browser.open(SIGN_IN).await).await;
    browser.open(&provider.sign_in(&page.url, claims)).await
}

/// Claims of a person with an address.
fn person(subject: &str, username: &str, email_verified: bool) -> Value {
    json!({"sub": subject, "email": format!("{username}@example.com"), "email_verified": email_verified, "name": "Someone"})
}

/// The address of the account in this browser.
async fn account(browser: &Browser) -> String {
    let page = browser.open("/console/account/email").await;
    let text = page.text();
    text.split_whitespace().find(|word| word.contains('@')).unwrap_or_default().trim_end_matches('.').to_owned()
}

/// Whether the address of the account in this browser is confirmed.
async fn is_confirmed(browser: &Browser) -> bool {
    let page = browser.open("/console/account").await;
    page.heading() == "Your account" && !page.text().contains("Not confirmed")
}

#[track_caller]
fn is_refused(page: &Page, reason: &str) {
    assert!(page.status == 400 && page.text().contains(reason), "{page}");
}

/// Whether the page says that an account with the address exists, and the identity is linked after a sign-in.
#[track_caller]
fn asks_to_sign_in_first(page: &Page) {
    assert!(page.is_at(SIGN_IN) && page.text().contains("Sign in to it another way once"), "{page}");
}

with_provider! {
    async fn a_person_signs_up_and_signs_in(app: &App, mail: &Mailbox, provider: &IdentityProvider) {
        let browser = Browser::new(app);
        let page = browser.open(SIGN_IN).await;
        assert!(page.html.contains("Continue with <bdi>Example ID</bdi>"), "{page}");
        let page = go(&browser, &page).await;
        let of = |name| steward_tests::parameter(page.url.as_str(), name).unwrap_or_default();
        assert!(of("redirect_uri").starts_with(&format!("{}/auth/provider/", app.base)) && of("client_id") == "steward");
        assert!(of("scope").split(' ').any(|scope| scope == "openid") && !of("nonce").is_empty());
        let page = browser.open(&provider.sign_in(&page.url, &person("ann-1", "ann", true))).await;
        assert!(page.is_at(HOME), "{page}");
        assert_eq!(account(&browser).await, "ann@example.com");
        assert!(is_confirmed(&browser).await);
        assert_eq!(browser.open("/console/account/password").await.heading(), "Set a password");

        // The address changes there, and only the name of the claim decides who it is.
        let other = Browser::new(app);
        let page = sign_in(&other, provider, &person("ann-1", "ann.new", true)).await;
        assert!(page.is_at(HOME) && account(&other).await == "ann@example.com", "{page}");
        assert!(other.open(IDENTITIES).await.text().contains("ann.new@example.com"));
        // The address at the userinfo endpoint counts too.
        let mut claims = person("bob-1", "bob", true);
        claims["only_userinfo"] = json!(true);
        let bob = Browser::new(app);
        assert!(sign_in(&bob, provider, &claims).await.is_at(HOME));
        assert_eq!(account(&bob).await, "bob@example.com");
        assert!(mail.to("ann@example.com").is_empty(), "Nothing needs to be confirmed.");
        // "steward:hush" in HTTP Basic.
        let is_basic = |request: &String| request == "POST /token Basic c3Rld2FyZDpodXNo";
        assert!(provider.requests().iter().any(is_basic), "{:?}", provider.requests());
        let stored = String::from_utf8_lossy(&app.stored()).into_owned();
        assert!(!stored.contains("hush"), "The secret is stored encrypted.");
    }

    async fn an_account_is_taken_over_by_no_provider_that_did_not_verify_the_address(app: &App, mail: &Mailbox, provider: &IdentityProvider) {
        // Both sides have verified the address.
        app.provision("ann").await;
        let ann = Browser::new(app);
        assert!(sign_in(&ann, provider, &person("ann-1", "ann", true)).await.is_at(HOME));
        assert_eq!(account(&ann).await, "ann@example.com");
        let linked = "Another way to sign in to your account was added";
        eventually(async || mail.to("ann@example.com").into_iter().find(|mail| mail.subject == linked)).await;

        // The provider did not verify it, or says nothing about that.
        app.provision("bob").await;
        for claims in [person("bob-1", "bob", false), json!({"sub": "bob-2", "email": "Bob@Example.com"})] {
            let thief = Browser::new(app);
            asks_to_sign_in_first(&sign_in(&thief, provider, &claims).await);
            assert!(thief.open(HOME).await.is_at(SIGN_IN));
        }
        // This service did not verify it: someone else may have signed up with the address.
        app.person("cleo").await;
        let cleo = Browser::new(app);
        asks_to_sign_in_first(&sign_in(&cleo, provider, &person("cleo-1", "cleo", true)).await);
        // The address passed to another person at the provider.
        asks_to_sign_in_first(&sign_in(&Browser::new(app), provider, &person("ann-2", "ann", true)).await);
        let to_others = ["bob@example.com", "cleo@example.com"].map(|address| mail.to(address)).concat();
        assert!(to_others.iter().all(|mail| mail.subject != linked), "{to_others:?}");
    }

    async fn an_identity_is_linked_once_its_holder_has_proven_the_account(app: &App, mail: &Mailbox, provider: &IdentityProvider) {
        app.provision("bob").await;
        let browser = Browser::new(app);
        let page = sign_in(&browser, provider, &person("bob-1", "bob", false)).await;
        asks_to_sign_in_first(&page);
        assert!(page.form(SIGN_IN).fields.contains(&("login".to_owned(), "bob@example.com".to_owned())), "{page}");
        // Another person who signs in in this browser gets nothing.
        app.provision("eve").await;
        let other = browser.stolen(app);
        let of_eve = other.submit(&other.open(SIGN_IN).await, SIGN_IN, &[("login", "eve"), ("password", PASSWORD)]).await;
        assert!(of_eve.is_at(HOME) && other.open(IDENTITIES).await.text().contains("Link Example ID"), "{of_eve}");

        let page = browser.submit(&page, SIGN_IN, &[("login", "bob"), ("password", PASSWORD)]).await;
        assert!(page.is_at(HOME) && page.text().contains("you can sign in to this account with the provider"), "{page}");
        assert!(browser.open(IDENTITIES).await.text().contains("bob@example.com"));
        let subject = "Another way to sign in to your account was added";
        eventually(async || mail.to("bob@example.com").into_iter().find(|mail| mail.subject == subject)).await;
        let later = Browser::new(app);
        assert!(sign_in(&later, provider, &person("bob-1", "bob", false)).await.is_at(HOME));
        assert_eq!(account(&later).await, "bob@example.com");
    }

    async fn a_stranger_who_came_first_keeps_nothing(app: &App, mail: &Mailbox, provider: &IdentityProvider) {
        // The provider did not verify that the address is that of the stranger.
        let stranger = Browser::new(app);
        assert!(sign_in(&stranger, provider, &person("eve-1", "ann", false)).await.is_at(HOME));
        assert!(!is_confirmed(&stranger).await);

        // Ann shows with a code that the address is hers.
        let ann = Browser::new(app);
        let page = ann.submit(&ann.open("/auth/sign-in/email").await, "/auth/sign-in/email", &[("login", "ann@example.com")]).await;
        let sent = eventually(async || mail.to("ann@example.com").into_iter().find(|mail| mail.text.contains("code to sign in is "))).await;
        let code = sent.text.split_once("code to sign in is ").unwrap().1[..6].to_owned();
        assert!(ann.submit(&page, "/auth/sign-in/code", &[("code", &code)]).await.is_at(HOME));
        assert!(ann.open(IDENTITIES).await.text().contains("Link Example ID"), "The identity was removed.");
        assert!(stranger.open(HOME).await.is_at(SIGN_IN), "The session has ended.");
        asks_to_sign_in_first(&sign_in(&stranger, provider, &person("eve-1", "ann", false)).await);
        // That of Ann, which the provider has verified, belongs to the account now.
        let other = Browser::new(app);
        assert!(sign_in(&other, provider, &person("ann-1", "ann", true)).await.is_at(HOME));
    }

    async fn an_email_domain_requires_its_provider(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        app.provision("ann").await;
        // Not confirmed, and signed up before the domain requires the provider.
        app.person("bob").await;
        let before = Browser::signed_in(app, "bob").await;
        let (root, company) = (Browser::signed_in(app, "root").await, IdentityProvider::start().await);
        let wrong = [("email_domains", "not a domain"), ("issuer", &company.url), ("client_id", "steward")];
        let new = format!("{OF_SERVICE}/new");
        let refused = root.submit(&root.open(&new).await, &new, &wrong).await;
        assert!(refused.status == 400 && refused.text().contains("must be a domain"), "{refused}");
        add(&root, OF_SERVICE, &company, &[("name", "Company"), ("email_domains", "EXAMPLE.com\nexample.org")]).await;
        let at_company = async |browser: &Browser, claims: &Value| {
            let page = browser.open(SIGN_IN).await;
            let page = browser.submit(&page, SIGN_IN, &[("login", "x@example.com"), ("password", "x")]).await;
            browser.open(&company.sign_in(&page.url, claims)).await
        };
        // The address leads to the provider, without a password.
        let browser = Browser::new(app);
        let page = browser.open(SIGN_IN).await;
        let page = browser.submit(&page, SIGN_IN, &[("login", "ann@example.com"), ("password", "x")]).await;
        assert!(page.left && page.url.as_str().starts_with(&company.url) && page.url.as_str().contains("login_hint="), "{page}");
        assert!(browser.open(&company.sign_in(&page.url, &person("ann-1", "ann", true))).await.is_at(HOME));
        // It is the only way in, so it proves the address, unless it says that it did not verify it. What a stranger
        // set up before ends.
        let bob = Browser::new(app);
        let page = bob.open(SIGN_IN).await;
        let page = bob.submit(&page, SIGN_IN, &[("login", "bob@example.com"), ("password", "x")]).await;
        let claims = json!({"sub": "bob-1", "email": "bob@example.com"});
        let unverified = company.sign_in(&page.url, &person("x-1", "bob", false));
        let stranger = "Ask an operator to remove it.";
        is_refused(&bob.open(&unverified).await, stranger);
        let page = bob.open(SIGN_IN).await;
        let page = bob.submit(&page, SIGN_IN, &[("login", "bob@example.com"), ("password", "x")]).await;
        let page = bob.open(&company.sign_in(&page.url, &claims)).await;
        assert!(page.is_at(HOME) && is_confirmed(&bob).await, "{page}");
        assert!(before.open(HOME).await.is_at(SIGN_IN));
        assert_eq!(bob.open("/console/account/password").await.heading(), "Set a password");
        // Only with an address of the domain, and the address of the account stays in it.
        let private = json!({"sub": "bob-1", "email": "bob@private.example", "email_verified": true});
        let page = at_company(&Browser::new(app), &private).await;
        is_refused(&page, "Your account requires an identity with an address of your company.");
        let change = "/console/account/email";
        let page = browser.submit(&browser.open(change).await, change, &[("email", "ann@private.example")]).await;
        let kept = page.status == 400 || page.heading() == "Confirm that it is you";
        assert!(kept && !page.text().contains("was sent"), "{page}");
        // The person who is signed in may confirm with the password.
        app.age_sessions();
        let token = "/console/account/tokens/new";
        let asked = browser.submit(&browser.open(token).await, token, &[("label", "CI"), ("roles", "viewer")]).await;
        let done = browser.submit(&asked, token, &[("confirm_password", PASSWORD)]).await;
        assert_eq!(done.heading(), "The token was created", "{done}");

        // No other way leads in: the password by username, for tokens, another provider, a code, and a new account.
        let required = "Accounts with an email address of this domain must sign in with Company.";
        let other = Browser::new(app);
        let page = other.submit(&other.open(SIGN_IN).await, SIGN_IN, &[("login", "ann"), ("password", PASSWORD)]).await;
        assert!(page.status == 403 && page.text().contains(required), "{page}");
        let login = json!({"username": "ann", "password": PASSWORD});
        app.anonymous().post("/auth/login", login).await.refused(403, "forbidden");
        let page = sign_in(&other, provider, &person("ann-9", "ann", true)).await;
        assert!(page.status == 403 && page.text().contains(required), "{page}");
        let page = sign_in(&other, provider, &person("new-9", "new", true)).await;
        assert!(page.status == 403 && page.text().contains(required), "{page}");
        let email = "/auth/sign-in/email";
        is_refused(&other.submit(&other.open(email).await, email, &[("login", "ann@example.com")]).await, required);
        let new = [("email", "new@example.com"), ("password", PASSWORD), ("username", "new")];
        let page = other.submit(&other.open("/auth/sign-up").await, "/auth/sign-up", &new).await;
        assert!(page.status == 403 && page.text().contains(required), "{page}");
        assert!(other.open(HOME).await.is_at(SIGN_IN));
        // Operators can always sign in, also by address if the provider fails.
        assert!(Browser::signed_in(app, "root").await.open(HOME).await.is_at(HOME));
        // The command line asks for a recent sign-in, which the person who is signed in confirms with the password.
        let first_party = format!(
            "/auth/authorize?client_id=steward-cli&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&response_type=code\
             &scope=admin&code_challenge={}&code_challenge_method=S256&max_age=0",
            steward_tests::CHALLENGE
        );
        let page = browser.open(&first_party).await;
        assert!(page.is_at(SIGN_IN) && !page.html.contains("Continue with"), "{page}");
        let page = browser.submit(&page, SIGN_IN, &[("login", "ann@example.com"), ("password", PASSWORD)]).await;
        assert!(page.is_at("/auth/consent"), "{page}");
    }

    async fn the_second_factor_of_the_account_is_asked_for(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        app.provision("ann").await;
        let (_, codes) = Authenticator::set_up(&Browser::signed_in(app, "ann").await).await;
        let browser = Browser::new(app);
        let page = sign_in(&browser, provider, &person("ann-1", "ann", true)).await;
        assert!(page.is_at("/auth/second-factor"), "{page}");
        let page = browser.submit(&page, "/auth/second-factor", &[("code", &codes[0])]).await;
        assert!(page.is_at(HOME), "{page}");
    }

    async fn first_sign_ins_at_once_create_one_account(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        let (browsers, claims) = ([(); 4].map(|()| Browser::new(app)), person("ann-1", "ann", true));
        let pages = join_all(browsers.iter().map(|browser| sign_in(browser, provider, &claims))).await;
        for (page, browser) in pages.iter().zip(&browsers) {
            assert!(page.is_at(HOME), "{page}");
            let page = browser.open(IDENTITIES).await;
            assert_eq!(page.links().iter().filter(|link| link.ends_with("/unlink")).count(), 1, "{page}");
        }
    }

    async fn a_person_links_and_unlinks_an_identity(app: &App, mail: &Mailbox, provider: &IdentityProvider) {
        app.provision("ann").await;
        let browser = Browser::signed_in(app, "ann").await;
        let link = async |browser: &Browser, claims: &Value| {
            let page = browser.open(IDENTITIES).await;
            let id = page.form(IDENTITIES).choices[0].1.clone();
            let page = browser.submit(&page, IDENTITIES, &[("provider", &id)]).await;
            let url = page.links().into_iter().find(|link| link.starts_with(&provider.url));
            let url = url.unwrap_or_else(|| panic!("No link to the provider at {page}"));
            (browser.open(&provider.sign_in(&url.parse().unwrap(), claims)).await, url)
        };
        // Another address, as the person has shown who they are on both sides.
        let (page, _) = link(&browser, &person("x-1", "private", false)).await;
        assert!(page.text().contains("The identity was linked.") && page.text().contains("private@example.com"), "{page}");
        let later = Browser::new(app);
        assert!(sign_in(&later, provider, &person("x-1", "private", false)).await.is_at(HOME));
        assert_eq!(account(&later).await, "ann@example.com");

        // A sign-in elsewhere is no confirmation.
        let unlink = format!("{IDENTITIES}/{}/unlink", page.id_in(&format!("{IDENTITIES}/"), "/unlink"));
        let asked = later.submit(&later.open(&unlink).await, &unlink, &[]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        // The identity of another account.
        app.provision("bob").await;
        let bob = Browser::signed_in(app, "bob").await;
        let (page, _) = link(&bob, &person("x-1", "private", false)).await;
        assert!(page.text().contains("This identity is linked to another account."), "{page}");

        let page = browser.submit(&browser.open(&unlink).await, &unlink, &[]).await;
        assert!(page.text().contains("The identity was unlinked."), "{page}");
        let page = sign_in(&Browser::new(app), provider, &person("x-1", "private", false)).await;
        assert!(page.is_at(HOME), "A new account: {page}");
        for subject in ["Another way to sign in to your account was added", "A way to sign in to your account was removed"] {
            eventually(async || mail.to("ann@example.com").into_iter().find(|mail| mail.subject == subject)).await;
        }
        // A link that began before the person signed out.
        let browser = Browser::signed_in(app, "ann").await;
        let page = browser.open(IDENTITIES).await;
        let id = page.form(IDENTITIES).choices[0].1.clone();
        let page = browser.submit(&page, IDENTITIES, &[("provider", &id)]).await;
        let url = page.links().into_iter().find(|link| link.starts_with(&provider.url)).unwrap();
        browser.submit(&browser.open("/auth/sign-out").await, "/auth/sign-out", &[]).await;
        let page = browser.open(&provider.sign_in(&url.parse().unwrap(), &person("x-7", "seven", true))).await;
        is_refused(&page, "The sign-in has expired");
    }

    async fn a_disabled_or_deleted_provider_signs_nobody_in(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        let browser = Browser::new(app);
        assert!(sign_in(&browser, provider, &person("ann-1", "ann", true)).await.is_at(HOME));
        let begun = Browser::new(app);
        let page = go(&begun, &begun.open(SIGN_IN).await).await;
        let callback = provider.sign_in(&page.url, &person("ann-1", "ann", true));
        let root = Browser::signed_in(app, "root").await;
        let links = root.open(OF_SERVICE).await.links();
        let address = links.into_iter().rfind(|link| link.starts_with(&format!("{OF_SERVICE}/"))).unwrap();
        let (edit, delete) = (format!("{address}/edit"), format!("{address}/delete"));
        let mut form = root.open(&edit).await;
        form.html = form.html.replace(" checked", "");
        let page = root.submit(&form, &edit, &[("name", "Renamed")]).await;
        assert!(page.text().contains("Renamed") && page.text().contains("Disabled"), "{page}");
        assert_eq!(begun.open(&callback).await.status, 404);
        assert!(!Browser::new(app).open(SIGN_IN).await.html.contains("Continue with"));
        assert!(browser.open(HOME).await.is_at(HOME), "Sessions go on.");
        let page = root.submit(&root.open(&delete).await, &delete, &[]).await;
        assert!(page.text().contains("The provider was deleted."), "{page}");
        assert!(!browser.open(IDENTITIES).await.text().contains("Renamed"));
        // Identities of a provider that was added again are those of another provider.
        add(&root, OF_SERVICE, provider, &[]).await;
        asks_to_sign_in_first(&sign_in(&Browser::new(app), provider, &person("ann-1", "ann", false)).await);
    }

    async fn a_form_and_a_redirect_elsewhere(app: &App, _mail: &Mailbox, provider: &IdentityProvider) {
        // Apple sends its response as a form from its own pages, without the cookies of this service.
        let browser = Browser::new(app);
        let page = go(&browser, &browser.open(SIGN_IN).await).await;
        let callback = provider.sign_in(&page.url, &person("ann-1", "ann", true));
        let (path, query) = callback.split_once('?').unwrap();
        let sent = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let form = format!("{query}&user=%7B%7D&next=https%3A%2F%2Fevil.example");
        let request = sent.post(path).header("Content-Type", "application/x-www-form-urlencoded").header("Sec-Fetch-Site", "cross-site");
        let response = request.body(form).send().await.unwrap();
        assert_eq!(response.status(), 303);
        let location = response.headers()["location"].to_str().unwrap().to_owned();
        assert!(location.starts_with("/auth/provider/") && !location.contains("evil"), "{location}");
        assert!(browser.open(&location).await.is_at(HOME));
        // Where the person goes on is a page of this service.
        let browser = Browser::new(app);
        for (next, is_kept) in [("/console/account/email", true), ("//evil.example/", false), ("https://evil.example/", false)] {
            let page = go(&browser, &browser.open(&format!("{SIGN_IN}?next={next}")).await).await;
            let page = browser.open(&provider.sign_in(&page.url, &person("ann-1", "ann", true))).await;
            assert!(page.is_at(if is_kept { next } else { HOME }), "{next}: {page}");
            browser.submit(&browser.open("/auth/sign-out").await, "/auth/sign-out", &[]).await;
        }
    }
}

/// A closed service stays closed, and an account that is disabled stays disabled.
#[tokio::test]
async fn a_provider_opens_neither_a_closed_service_nor_a_disabled_account() {
    let (mail, provider) = (Mailbox::start().await, IdentityProvider::start().await);
    let app = start(Backend::Sqlite, &mail, &[("STEWARD_SIGNUP", "closed")]).await;
    add(&operator(&app).await, OF_SERVICE, &provider, &[]).await;
    let page = sign_in(&Browser::new(&app), &provider, &person("new-1", "new", true)).await;
    assert!(page.status == 403 && page.text().contains("Sign-up is closed."), "{page}");
    app.provision("ann").await;
    let ann = Browser::new(&app);
    assert!(sign_in(&ann, &provider, &person("ann-1", "ann", true)).await.is_at(HOME));
    app.run(&["account", "disable", "--email", "ann@example.com"], "").await;
    assert!(ann.open(HOME).await.is_at(SIGN_IN));
    is_refused(&sign_in(&ann, &provider, &person("ann-1", "ann", true)).await, "The account is disabled.");
    asks_to_sign_in_first(&sign_in(&ann, &provider, &person("ann-2", "ann", true)).await);
}

/// An identity is another way to sign in, so it is not linked by a sign-in that the operator does not accept.
#[tokio::test]
async fn an_identity_waits_until_its_holder_signs_in_with_the_required_factors() {
    let (mail, provider) = (Mailbox::start().await, IdentityProvider::start().await);
    let later = [("STEWARD_SECOND_FACTOR", "everyone"), ("STEWARD_SECOND_FACTOR_FROM", "2199-01-01")];
    let mut app = start(Backend::Sqlite, &mail, &later).await;
    add(&operator(&app).await, OF_SERVICE, &provider, &[]).await;
    app.provision("bob").await;
    app.set("STEWARD_SECOND_FACTOR_FROM", "2026-01-01");
    app.restart().await;
    let (claims, password) = (person("bob-1", "bob", false), [("login", "bob"), ("password", PASSWORD)]);
    let browser = Browser::new(&app);
    let page = sign_in(&browser, &provider, &claims).await;
    asks_to_sign_in_first(&page);
    let page = browser.submit(&page, SIGN_IN, &password).await;
    assert_eq!(page.heading(), "Set up a second factor", "{page}");
    assert!(app.holds("NOT EXISTS (SELECT 1 FROM linked_identities)"));
    let (authenticator, _) = Authenticator::set_up(&browser).await;

    app.forget_used_codes();
    let browser = Browser::new(&app);
    let page = sign_in(&browser, &provider, &claims).await;
    asks_to_sign_in_first(&page);
    let page = browser.submit(&page, SIGN_IN, &password).await;
    let page = browser.submit(&page, "/auth/second-factor", &[("code", &authenticator.code(0))]).await;
    assert!(page.text().contains("you can sign in to this account with the provider"), "{page}");
}

/// Operators see, and remove, the identities of an account, which the export contains.
#[tokio::test]
async fn identities_are_exported_and_removed_with_the_second_factors() {
    let (mail, provider) = (Mailbox::start().await, IdentityProvider::start().await);
    let app = start(Backend::Sqlite, &mail, &[]).await;
    add(&operator(&app).await, OF_SERVICE, &provider, &[]).await;
    app.provision("ann").await;
    let ann = Browser::new(&app);
    assert!(sign_in(&ann, &provider, &person("ann-1", "ann", true)).await.is_at(HOME));
    let signed_in = Browser::signed_in(&app, "ann").await;
    let file = signed_in.open("/console/account/export/file").await;
    let exported: Value = serde_json::from_str(&file.html).unwrap();
    assert_eq!(exported["linked_identities"][0]["subject"], "ann-1", "{exported}");
    app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
    assert!(signed_in.open(IDENTITIES).await.text().contains("Link Example ID"));
}

/// The owner learns of wrong codes also if the first step was a sign-in at a provider.
#[tokio::test]
async fn the_owner_is_warned_of_wrong_codes_after_a_sign_in_at_a_provider() {
    let (mail, provider) = (Mailbox::start().await, IdentityProvider::start().await);
    let app = start(Backend::Sqlite, &mail, &SETTINGS).await;
    add(&operator(&app).await, OF_SERVICE, &provider, &[]).await;
    app.provision("ann").await;
    Authenticator::set_up(&Browser::signed_in(&app, "ann").await).await;
    let stranger = Browser::new(&app);
    let mut page = sign_in(&stranger, &provider, &person("ann-1", "ann", true)).await;
    for _ in 0..=LimitedAction::SecondFactorOf.limit().burst {
        assert!(page.is_at("/auth/second-factor"), "{page}");
        page = stranger.submit(&page, "/auth/second-factor", &[("code", "2345672345672345")]).await;
    }
    assert_eq!(page.status, 429, "{page}");
    let subject = "Someone is trying codes to sign in to your account";
    eventually(async || mail.to("ann@example.com").into_iter().find(|mail| mail.subject == subject)).await;
}
