//! What ends with an authority: each thing in the table of the domain meets each event. Ann is an admin of a team, and
//! has one of each thing; then something happens to her.

use serde_json::json;
use steward_domain::kernel::policy::{AuthorityEffect, AuthorityEvent, AuthorityKind};
use steward_tests::{
    Actor, App, Authenticator, Backend, Browser, Client, IdentityProvider, Mailbox, PasskeyDevice, World, eventually,
};

use crate::identity::clients::{Registered, devices, machine, own_token, text};
use crate::identity::identity_providers::first_confirmation::choose;
use crate::identity::personal_tokens::soon;
use crate::identity::{email_codes, identity_providers};
use crate::laws::strangers;

const EMAIL: &str = "ann@example.com";
const NEW_PASSWORD: &str = "a new horse battery";
const FORGOT: &str = "/auth/forgot-password";

/// Everything that Ann has.
struct Ann {
    world: World,
    session: Browser,
    tokens: Actor,
    personal: Actor,
    link: String,
    device: Actor,
    passkey: PasskeyDevice,
    client: Registered,
    key: Actor,
}

/// Asks for a link for a new password. Returns it.
async fn link(app: &App, mail: &Mailbox) -> String {
    let browser = Browser::new(app);
    browser.submit(&browser.open(FORGOT).await, FORGOT, &[("email", EMAIL)]).await;
    let found = || mail.to(EMAIL).into_iter().find(|mail| mail.subject.contains("password"));
    eventually(async || found()).await.link()
}

impl Ann {
    /// Gives Ann everything. `has_factors`: whether she has second factors.
    async fn make(app: &App, mail: &Mailbox, provider: &IdentityProvider, has_factors: bool) -> Self {
        let world = World::make(app, "acme").await;
        let tokens = world.member(app, "ann", "admin").await;
        app.person("carl").await;
        let as_ann = World { owner: tokens.clone(), ..strangers::copy(&world) };
        let invite = json!({"username": "carl", "roles": "viewer"});
        tokens.post(&format!("/team/{}/invite", world.team), invite).await.created();
        let token = json!({"label": "ci", "roles": "admin", "expires_at": soon()});
        let personal = tokens.post("/auth/pat", token).await.created();
        let key = json!({"label": "server", "roles": "admin"});
        let key = tokens.post(&format!("/project/{}/key", world.project), key).await.ok();
        let project = format!("/project/{}", world.project);
        let hook = json!({"url": "https://example.com/", "events": ["*"]});
        tokens.post(&format!("{project}/webhook"), hook).await.created();
        // Another owner, so that her account can be deleted.
        let own_team = tokens.post("/team/", json!({"name": "Hers", "slug": "hers"})).await.created().id();
        let invite = json!({"username": "acme-owner", "roles": "owner"});
        let invite = tokens.post(&format!("/team/{own_team}/invite"), invite).await.created().id();
        world.owner.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
        let client = machine(app, &as_ann, "admin").await;
        let device = app.bearer(&text(&devices::let_in(app, &world, "ann").await, "access_token"));
        Client::of(app, &world).tokens(app, "ann", &[]).await;

        let session = Browser::signed_in(app, "ann").await;
        let providers = format!("/console/projects/{}/providers", world.project);
        session.add_identity_provider(&providers, &provider.url, &[("client_secret", "hush")]).await;
        let mut passkey = PasskeyDevice::new(app);
        start_import(app, &world, &tokens.id);
        store_rows(app, &world, &tokens.id);
        if has_factors {
            passkey.set_up(&session, "Phone").await;
            Authenticator::set_up(&session).await;
        }
        Self {
            session,
            personal: app.bearer(personal["data"]["value"].as_str().unwrap()),
            link: link(app, mail).await,
            device,
            passkey,
            client,
            key: app.bearer(key["key"]["value"].as_str().unwrap()),
            tokens,
            world,
        }
    }

    /// Returns whether a thing works. `None` for one that another test proves.
    async fn has(&mut self, app: &App, kind: AuthorityKind) -> Option<bool> {
        let stored = |rows: &str| app.holds(&format!("EXISTS (SELECT 1 FROM {rows})"));
        let of_ann = |table: &str| {
            stored(&format!("{table} WHERE account_id = (SELECT id FROM accounts WHERE email = '{EMAIL}')"))
        };
        let project = format!("/project/{}", self.world.project);
        let is_ok = async |actor: &Actor, path: &str| actor.get(path).await.status == 200;
        Some(match kind {
            AuthorityKind::Session => {
                let page = self.session.open("/console/account").await;
                page.is_at("/console/account") && page.heading() == "Your account"
            }
            AuthorityKind::SignInTokens => is_ok(&self.tokens, "/auth/token").await,
            AuthorityKind::PersonalToken => self
                .personal
                .put(&self.world.item("hers"), json!({"value": {"title": "Hers"}}))
                .await
                .status
                .is_success(),
            AuthorityKind::PendingLink => Browser::new(app).open(&self.link).await.status == 200,
            AuthorityKind::DeviceRequest => is_ok(&self.device, "/auth/userinfo").await,
            AuthorityKind::Passkey => {
                let browser = Browser::new(app);
                let page = browser.open("/auth/sign-in").await;
                self.passkey.use_at(&browser, &page).await.status == 200
            }
            AuthorityKind::OneTimeCode => of_ann("authenticator_apps"),
            AuthorityKind::RecoveryCodes => of_ann("recovery_codes"),
            AuthorityKind::Grant => of_ann("grants"),
            AuthorityKind::ProjectUser => {
                stored(&format!("project_users WHERE status = 'connected' AND account_id = '{}'", self.tokens.id))
            }
            AuthorityKind::Invite => {
                stored(&format!("invites WHERE state = 'pending' AND invited_by = '{}'", self.tokens.id))
            }
            AuthorityKind::ItemImport => continues(app).await,
            AuthorityKind::Membership => {
                let members = self.world.key.get(&format!("/team/{}/member", self.world.team)).await.ok();
                members.0.to_string().contains(&self.tokens.id)
            }
            AuthorityKind::Team => stored("team_slugs WHERE slug = 'hers'"),
            AuthorityKind::ApiKey => is_ok(&self.key, &project).await,
            AuthorityKind::Client => {
                let tokens = own_token(app, "", self.client.basic()).await;
                tokens.status == 200 && is_ok(&app.bearer(&text(&tokens.ok(), "access_token")), &project).await
            }
            AuthorityKind::IdentityProvider => {
                let page = Browser::new(app).open(&Client::of(app, &self.world).authorize(&[])).await;
                page.html.contains("/auth/sign-in/provider")
            }
            AuthorityKind::Webhook => stored("webhooks WHERE paused_at IS NULL"),
            AuthorityKind::LinkedIdentity => of_ann("linked_identities"),
            AuthorityKind::SchemaDraft => of_ann("schema_drafts"),
            // A browser becomes known by a sign-in, see `account_notices`. Such a client is that of no person.
            AuthorityKind::KnownBrowser | AuthorityKind::RegisteredClient => return None,
        })
    }
}

/// The time, as SQL.
#[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
fn now() -> String {
    let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    now.to_rfc3339_opts(chrono::SecondsFormat::Micros, true)
}

/// Stores an identity of Ann at the provider of the project, and a draft of its schema.
fn store_rows(app: &App, World { project, user, .. }: &World, account: &str) {
    let now = now();
    app.execute_sql(&format!(
        "INSERT INTO linked_identities (id, account_id, provider_id, subject, created_at, last_used, revision) \
         SELECT '{user}', '{account}', id, 'ann-1', '{now}', '{now}', 1 FROM identity_providers"
    ));
    app.execute_sql(&format!(
        "INSERT INTO schema_drafts (project_id, account_id, editor, content, based_on, updated_at) \
         VALUES ('{project}', '{account}', 'json', '{{}}', 1, '{now}')"
    ));
}

/// Stores an import that Ann starts now, of a file whose portions were imported already.
fn start_import(app: &App, world: &World, account: &str) {
    let now = now();
    let World { project, user, .. } = world;
    app.execute_sql(&format!(
        "INSERT INTO item_imports (project_id, id, user_id, account_id, table_name, is_check, state, message, bytes, chunks, \
         next_chunk, lines, stored, refused, problems, created_at, updated_at, has_work) VALUES ('{project}', '{user}', \
         '{user}', '{account}', 'notes', FALSE, 'done', '', 0, 1, 0, 0, 0, 0, 0, '{now}', '{now}', FALSE)"
    ));
}

/// Lets the import of Ann run once more, as if it had not ended. Returns whether it is completed.
async fn continues(app: &App) -> bool {
    let has_ended = "NOT EXISTS (SELECT 1 FROM item_imports WHERE has_work)";
    eventually(async || app.holds(has_ended).then_some(())).await;
    app.execute_sql("UPDATE item_imports SET state = 'running', message = '', next_chunk = 0, has_work = TRUE");
    eventually(async || app.holds(has_ended).then_some(())).await;
    app.holds("EXISTS (SELECT 1 FROM item_imports WHERE state = 'done')")
}

/// Runs a command of the operator about Ann.
async fn run(app: &App, command: &str, input: &str) {
    let arguments: Vec<&str> = ["account"].into_iter().chain(command.split(' ')).chain(["--email", EMAIL]).collect();
    let output = app.run(&arguments, input).await;
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
}

async fn happen(app: &mut App, mail: &Mailbox, ann: &Ann, event: AuthorityEvent) {
    let (owner, team) = (&ann.world.owner, &ann.world.team);
    let member = format!("/team/{team}/member/{}", ann.tokens.id);
    match event {
        AuthorityEvent::Confirmation => {
            let browser = Browser::new(app);
            let page = email_codes::ask(&browser, EMAIL).await;
            let (_, code) = email_codes::sent(mail, EMAIL, 1).await;
            let page = browser.submit(&page, email_codes::CODE, &[("code", &code)]).await;
            let page = choose(&browser, &page, email_codes::CODE, |_| false, &[]).await;
            assert!(page.is_at("/"), "{page}");
        }
        AuthorityEvent::NewPassword => run(app, "set-password", NEW_PASSWORD).await,
        AuthorityEvent::SignOut => {
            app.provision("root").await;
            app.make_operator("root").await;
            let address = format!("/console/operator/accounts/{}/sign-out", ann.tokens.id);
            let operator = Browser::signed_in(app, "root").await;
            let done = operator.submit(&operator.open(&address).await, &address, &[]).await;
            assert!(done.text().contains("was signed out everywhere"), "{done}");
        }
        AuthorityEvent::Removal => drop(owner.delete(&member).await.ok()),
        AuthorityEvent::Demotion => drop(owner.patch(&member, json!({"roles": "viewer"})).await.ok()),
        AuthorityEvent::Disabling => run(app, "disable", "").await,
        AuthorityEvent::Deletion => run(app, "delete --yes", "").await,
        AuthorityEvent::FactorRemoval => {
            run(app, "remove-factors", "").await;
            app.perform_factor_removals().await;
        }
        AuthorityEvent::FactorRule => {
            app.set("STEWARD_SECOND_FACTOR", "everyone");
            app.set("STEWARD_SECOND_FACTOR_FROM", "2026-01-01");
            app.restart().await;
        }
    }
}

/// Whether the thing is looked up, not used: then it is still there while it is refused.
fn is_looked_up(kind: AuthorityKind) -> bool {
    use AuthorityKind::{Grant, LinkedIdentity, Membership, OneTimeCode, RecoveryCodes};
    matches!(kind, Grant | LinkedIdentity | Membership | OneTimeCode | RecoveryCodes)
}

/// Whether the thing is one of the second factors, which Ann does not have where one is required of her.
fn is_factor(kind: AuthorityKind) -> bool {
    matches!(kind, AuthorityKind::Passkey | AuthorityKind::OneTimeCode | AuthorityKind::RecoveryCodes)
}

async fn walk(backend: Backend, event: AuthorityEvent) {
    let (mail, provider) = (Mailbox::start().await, IdentityProvider::start().await);
    let mut app = identity_providers::start(backend, &mail, &[]).await;
    let has_factors = event != AuthorityEvent::FactorRule;
    let mut ann = Ann::make(&app, &mail, &provider, has_factors).await;
    let kinds = || AuthorityKind::ALL.iter().copied().filter(|kind| has_factors || !is_factor(*kind));
    for kind in kinds() {
        assert_ne!(ann.has(&app, kind).await, Some(false), "Ann has no {}.", kind.as_str());
    }
    happen(&mut app, &mail, &ann, event).await;
    for kind in kinds() {
        let effect = kind.effect_of(event);
        let stays = match effect {
            // Ann keeps what she can choose.
            AuthorityEffect::Stays | AuthorityEffect::Listed | AuthorityEffect::Chosen => true,
            AuthorityEffect::Refused => is_looked_up(kind),
            AuthorityEffect::Ends | AuthorityEffect::Paused => false,
        };
        let has = ann.has(&app, kind).await;
        assert!(has.is_none_or(|has| has == stays), "{}: {} {}", event.as_str(), kind.as_str(), effect.as_str());
    }
}

macro_rules! walks {
    ($($name:ident $event:ident;)+) => {$(
        mod $name {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                walk(Backend::Sqlite, AuthorityEvent::$event).await;
            }

            mod full {
                use super::*;

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres() {
                    walk(Backend::Postgres, AuthorityEvent::$event).await;
                }
            }
        }
    )+};
}

walks! {
    a_first_confirmation Confirmation;
    a_new_password NewPassword;
    a_sign_out_everywhere SignOut;
    a_removal Removal;
    a_demotion Demotion;
    a_disabled_account Disabling;
    a_deleted_account Deletion;
    removed_factors FactorRemoval;
    a_required_factor FactorRule;
}
