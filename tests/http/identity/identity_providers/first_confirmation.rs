//! An address is confirmed for the first time by someone who is not signed in to the account: what the account holds is
//! listed, and ends or goes on as the person chooses, before anything is confirmed.

use std::collections::BTreeSet;

use serde_json::json;
use steward_tests::{App, Backend, Browser, Client, IdentityProvider, Mailbox, PASSWORD, Page, World};

use super::projects::sign_in_to;
use super::{HOME, OF_SERVICE, SIGN_IN, add, asks_to_sign_in_first, operator, person, start};
use crate::administration::left_behind::SetUp;
use crate::identity::email_codes::{self, CODE};

const RESET: &str = "/auth/reset-password";
const VERIFY: &str = "/auth/verify-email";
const CONFIRM: &str = "/auth/sign-in/provider/confirm";
const NEW_PASSWORD: (&str, &str) = ("password", "another horse battery");

/// The names of the fields with which a page asks what the account keeps. Nothing is chosen yet.
#[track_caller]
fn asked(page: &Page, action: &str) -> BTreeSet<String> {
    let (form, is_choice) = (page.form(action), |name: &str| name.starts_with("held-"));
    assert!(!form.fields.iter().any(|(name, _)| is_choice(name)), "There is a default: {page}");
    form.choices.into_iter().map(|(name, _)| name).filter(|name| is_choice(name)).collect()
}

/// Submits a page with a choice about everything: these things end, and the others go on.
pub(crate) async fn choose(
    browser: &Browser,
    page: &Page,
    action: &str,
    ended: impl Fn(&str) -> bool,
    more: &[(&str, &str)],
) -> Page {
    let names = asked(page, action);
    let choices = names.iter().map(|name| (name.as_str(), if ended(name.as_str()) { "end" } else { "keep" }));
    browser.submit(page, action, &choices.chain(more.iter().copied()).collect::<Vec<_>>()).await
}

/// What a stranger set up who had signed up with the address of someone else.
struct Account {
    world: World,
    email: String,
    set_up: SetUp,
    webhook: String,
}

impl Account {
    async fn make(app: &App, name: &str) -> Self {
        let world = World::make(app, name).await;
        let set_up = SetUp::by(app, &world.owner, &world.project).await;
        let hook = json!({"url": "https://example.com/", "events": ["*"]});
        let webhook = world.owner.post(&format!("/project/{}/webhook", world.project), hook).await.created().id();
        Self { email: format!("{name}-owner@example.com"), set_up, webhook, world }
    }

    /// Asserts that the page lists everything without a default, and that nothing is confirmed or has ended.
    async fn is_listed(&self, app: &App, page: &Page, action: &str) {
        let (key, client) = (&self.set_up.key.0, &self.set_up.client.0);
        let expected = [
            ("team", &self.world.team),
            ("key", &self.world.key_id),
            ("key", key),
            ("client", client),
            ("provider", &self.set_up.provider),
            ("webhook", &self.webhook),
        ];
        let expected: BTreeSet<String> = expected.map(|(kind, id)| format!("held-{kind}-{id}")).into();
        assert!(page.status == 200 && asked(page, action) == expected, "{page}");
        assert!(page.text().contains("Nothing is confirmed before that."), "{page}");
        assert!(!self.is_confirmed(app));
        self.set_up.key.1.get(&format!("/project/{}", self.world.project)).await.ok();
    }

    fn is_confirmed(&self, app: &App) -> bool {
        let confirmed = format!("SELECT 1 FROM accounts WHERE email = '{}' AND email_verified", self.email);
        app.holds(&format!("EXISTS ({confirmed})"))
    }

    /// Chooses to end a key, and to keep the rest.
    async fn end_key(&self, browser: &Browser, page: &Page, action: &str, more: &[(&str, &str)]) -> Page {
        let key = format!("held-key-{}", self.set_up.key.0);
        choose(browser, page, action, |name| name == key, more).await
    }

    /// Asserts that the address is confirmed, the key has ended, and the rest goes on.
    async fn has_lost_the_key(&self, app: &App) {
        let project = format!("/project/{}", self.world.project);
        assert!(self.is_confirmed(app));
        self.set_up.key.1.get(&project).await.refused(401, "unauthorized");
        self.world.key.get(&project).await.ok();
        self.set_up.token(app).await.ok();
        self.world.owner.get("/auth/userinfo").await.refused(401, "unauthorized");
        assert!(
            app.holds(&format!("EXISTS (SELECT 1 FROM webhooks WHERE id = '{}' AND paused_at IS NULL)", self.webhook))
        );
    }

    /// Asks for a link for a new password.
    async fn reset_link(&self, browser: &Browser, mail: &Mailbox) -> String {
        let page = browser.open("/auth/forgot-password").await;
        browser.submit(&page, "/auth/forgot-password", &[("email", &self.email)]).await;
        mail.nth_to(&self.email, 2).await.link()
    }
}

with_provider! {
    async fn a_code_confirms_nothing_before_everything_is_chosen(app: &App, mail: &Mailbox, _provider: &IdentityProvider) {
        let (account, browser) = (Account::make(app, "acme").await, Browser::new(app));
        let mut page = email_codes::ask(&browser, &account.email).await;
        let (_, code) = email_codes::sent(mail, &account.email, 1).await;
        // More often than a code can be entered.
        for _ in 0..6 {
            page = browser.submit(&page, CODE, &[("code", &code)]).await;
            account.is_listed(app, &page, CODE).await;
        }
        // Something appeared since. Then one choice is about everything, so that nobody prevents the confirmation by
        // adding more.
        let key = json!({"label": "late", "roles": "read"});
        account.world.owner.post(&format!("/project/{}/key", account.world.project), key).await.ok();
        let again = account.end_key(&browser, &page, CODE, &[]).await;
        assert!(again.is_at(CODE) && !account.is_confirmed(app), "{again}");
        let names: BTreeSet<String> = again.form(CODE).choices.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, BTreeSet::from(["held-all".to_owned()]), "{again}");
        let done = browser.submit(&again, CODE, &[("held-all", "keep")]).await;
        assert!(done.is_at("/") && account.is_confirmed(app), "{done}");
        account.set_up.key.1.get(&format!("/project/{}", account.world.project)).await.ok();
    }

    async fn a_new_password_confirms_nothing_before_everything_is_chosen(app: &App, mail: &Mailbox, _provider: &IdentityProvider) {
        let (account, browser) = (Account::make(app, "acme").await, Browser::new(app));
        let page = browser.open(&account.reset_link(&browser, mail).await).await;
        account.is_listed(app, &page, RESET).await;
        let page = browser.submit(&page, RESET, &[NEW_PASSWORD]).await;
        account.is_listed(app, &page, RESET).await;
        let unknown = Page { html: page.html.replace("value=\"keep\"", "value=\"maybe\""), ..page.clone() };
        let name = format!("held-key-{}", account.set_up.key.0);
        let refused = browser.submit(&unknown, RESET, &[NEW_PASSWORD, (name.as_str(), "maybe")]).await;
        assert_eq!(refused.status, 400, "{refused}");
        // A password that is refused ends nothing.
        let refused = account.end_key(&browser, &page, RESET, &[("password", "aaaaaaaaaaaa")]).await;
        assert_eq!(refused.status, 400, "{refused}");
        account.set_up.key.1.get(&format!("/project/{}", account.world.project)).await.ok();
        let done = account.end_key(&browser, &page, RESET, &[NEW_PASSWORD]).await;
        assert_eq!(done.heading(), "Your password was changed", "{done}");
        account.has_lost_the_key(app).await;
    }

    async fn a_link_in_a_session_for_a_project_confirms_nothing_before_everything_is_chosen(app: &App, mail: &Mailbox, _provider: &IdentityProvider) {
        let (account, other) = (Account::make(app, "acme").await, World::make(app, "other").await);
        let link = mail.nth_to(&account.email, 1).await.link();
        let (own, client) = (IdentityProvider::start().await, Client::of(app, &other));
        let pages = format!("/console/projects/{}/providers", other.project);
        add(&Browser::signed_in(app, "other-owner").await, &pages, &own, &[]).await;
        let claims = person("owner-1", "acme-owner", false);
        let linking = Browser::new(app);
        let page = sign_in_to(&client, &linking, &own, &claims).await;
        asks_to_sign_in_first(&page);
        linking.submit(&page, SIGN_IN, &[("login", "acme-owner"), ("password", PASSWORD)]).await;
        let browser = Browser::new(app);
        let page = sign_in_to(&client, &browser, &own, &claims).await;
        assert!(browser.allow(page, "").await.left, "The identity is linked.");

        let page = browser.open(&link).await;
        account.is_listed(app, &page, VERIFY).await;
        let page = browser.submit(&page, VERIFY, &[]).await;
        account.is_listed(app, &page, VERIFY).await;
        let done = account.end_key(&browser, &page, VERIFY, &[]).await;
        assert_eq!(done.heading(), "Your email address is confirmed", "{done}");
        account.has_lost_the_key(app).await;
    }

    async fn a_sign_in_at_a_provider_confirms_nothing_before_everything_is_chosen(app: &App, _mail: &Mailbox, _provider: &IdentityProvider) {
        let (account, company) = (Account::make(app, "acme").await, IdentityProvider::start().await);
        let root = Browser::signed_in(app, "root").await;
        add(&root, OF_SERVICE, &company, &[("name", "Company"), ("email_domains", "example.com")]).await;
        let browser = Browser::new(app);
        let page = browser.open(SIGN_IN).await;
        let page = browser.submit(&page, SIGN_IN, &[("login", &account.email), ("password", "x")]).await;
        let claims = json!({"sub": "owner-1", "email": account.email});
        let page = browser.open(&company.sign_in(&page.url, &claims)).await;
        assert!(page.is_at(CONFIRM), "{page}");
        account.is_listed(app, &page, CONFIRM).await;
        let page = browser.submit(&page, CONFIRM, &[]).await;
        account.is_listed(app, &page, CONFIRM).await;
        // The identity waits in this browser only, and proves nothing elsewhere.
        assert!(Browser::new(app).open(CONFIRM).await.is_at(SIGN_IN));
        assert!(browser.open(HOME).await.is_at(SIGN_IN));
        let done = account.end_key(&browser, &page, CONFIRM, &[]).await;
        assert!(done.is_at("/"), "{done}");
        account.has_lost_the_key(app).await;
        assert!(browser.open(CONFIRM).await.is_at("/"), "The identity waits no longer.");
    }

    async fn memberships_end_and_a_team_without_another_owner_is_deleted(app: &App, mail: &Mailbox, _provider: &IdentityProvider) {
        let (account, other) = (Account::make(app, "acme").await, World::make(app, "other").await);
        let owner = &account.world.owner;
        let invite = json!({"username": "acme-owner", "roles": "admin"});
        let invite = other.owner.post(&format!("/team/{}/invite", other.team), invite).await.created().id();
        owner.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
        let elsewhere = SetUp::by(app, owner, &other.project).await;
        let hook = json!({"url": "https://example.com/", "events": ["*"]});
        owner.post(&format!("/team/{}/webhook", other.team), hook).await.created();

        let browser = Browser::new(app);
        let page = email_codes::ask(&browser, &account.email).await;
        let (_, code) = email_codes::sent(mail, &account.email, 1).await;
        let page = browser.submit(&page, CODE, &[("code", &code)]).await;
        assert!(page.text().contains("Delete the team and its projects") && page.text().contains("Leave the team"), "{page}");
        let client = format!("held-client-{}", elsewhere.client.0);
        let done = choose(&browser, &page, CODE, |name| name != client, &[]).await;
        assert!(done.is_at(HOME), "{done}");

        for key in [&account.world.key, &elsewhere.key.1] {
            key.get("/project/").await.refused(401, "unauthorized");
        }
        account.set_up.token(app).await.refused(400, "invalid_client");
        elsewhere.token(app).await.ok();
        let members = other.owner.get(&format!("/team/{}/member", other.team)).await.ok();
        assert!(!members.0.to_string().contains(&owner.id), "{members:?}");
        other.key.get(&format!("/project/{}", other.project)).await.ok();
        assert!(app.holds("NOT EXISTS (SELECT 1 FROM team_slugs WHERE slug = 'acme')"));
        assert!(app.holds("NOT EXISTS (SELECT 1 FROM webhooks)"), "A webhook is not only paused.");
    }

    async fn who_is_signed_in_is_asked_nothing_and_keeps_everything(app: &App, mail: &Mailbox, _provider: &IdentityProvider) {
        for (name, action) in [("one", VERIFY), ("two", RESET), ("three", CODE)] {
            let account = Account::make(app, name).await;
            let browser = Browser::signed_in(app, &format!("{name}-owner")).await;
            let (page, fields) = match action {
                VERIFY => (browser.open(&mail.nth_to(&account.email, 1).await.link()).await, vec![]),
                RESET => (browser.open(&account.reset_link(&browser, mail).await).await, vec![NEW_PASSWORD]),
                _ => {
                    email_codes::ask(&browser, &account.email).await;
                    let (link, _) = email_codes::sent(mail, &account.email, 1).await;
                    (browser.open(&link).await, vec![])
                }
            };
            assert!(asked(&page, action).is_empty(), "{page}");
            let done = browser.submit(&page, action, &fields).await;
            assert!(done.status == 200 && account.is_confirmed(app), "{action}: {done}");
            account.set_up.key.1.get(&format!("/project/{}", account.world.project)).await.ok();
            let revoked = app.holds(&format!(
                "EXISTS (SELECT 1 FROM accounts WHERE email = '{}' AND authority_since IS NOT NULL)", account.email
            ));
            assert!(!revoked, "{action}");
        }
    }
}
