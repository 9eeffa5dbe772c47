//! The password is asked for again before every operation that the table of operations marks, and only if the sign-in
//! is more than 15 minutes old.

use std::collections::BTreeSet;

use serde_json::json;
use steward_domain::kernel::policy::{Callers, Confirmation, Operation};
use steward_tests::{Browser, ConsoleWorld, PASSWORD, Page, on_sqlite};

use super::signed_in;

/// The provider of the fixture of which nobody has an identity.
const SERVICE_PROVIDER: &str = "01940000-0000-7000-8000-000000000011";

/// An operation, the page with its form, and the fields that are filled in.
type Case<'a> = (Operation, &'a str, Vec<(&'a str, &'a str)>);

/// A form of every operation that asks for the password: those with fields and those that ask only sometimes, and each
/// other one of the table of pages.
fn cases(slug: &'static str) -> Vec<Case<'static>> {
    use Operation as O;
    let (team, project, account) =
        ("/console/teams/{team}", "/console/projects/{project}", "/console/operator/accounts/{account}");
    let providers = "/console/operator/providers";
    let at = |base: &str, rest: &str| -> &'static str { format!("{base}{rest}").leak() };
    let hook = vec![("url", "https://example.com/other"), ("events", "schema.created")];
    let listed: Vec<Case> = vec![
        (O::PersonalTokenCreate, "/console/account/tokens/new", vec![("label", "CI"), ("roles", "viewer")]),
        (O::TeamUpdate, at(team, "/settings"), vec![("second_factor_from", "")]),
        (O::TeamDelete, "/console/teams/{empty}/delete", vec![("confirm", "empty")]),
        (O::MemberUpdate, at(team, "/members/{member}"), vec![("roles", "admin")]),
        (O::MemberUpdate, at(team, "/members/{member}/transfer"), vec![]),
        (O::MemberRemove, at(team, "/members/{owner}/remove"), vec![]),
        (O::InviteCreate, at(team, "/invites/new"), vec![("recipient", "a@example.com"), ("roles", "admin")]),
        (O::TeamWebhookCreate, at(team, "/webhooks/new"), hook.clone()),
        (O::TeamWebhookUpdate, at(team, "/webhooks/{webhook}/edit"), vec![("url", "https://example.com/other")]),
        (O::ProjectDelete, at(project, "/delete"), vec![("confirm", slug)]),
        (O::SettingsUpdate, at(project, "/sign-in"), vec![("redirect_uris", "https://new.example/")]),
        (O::SettingsUpdate, at(project, "/sign-in"), vec![("legacy_scopes", "yes")]),
        (O::KeyCreate, at(project, "/keys/new"), vec![("label", "CI"), ("roles", "read")]),
        (O::KeyUpdate, at(project, "/keys/{weak}/edit"), vec![("roles", "write")]),
        (O::ProjectWebhookCreate, at(project, "/webhooks/new"), hook),
        (O::ProjectWebhookUpdate, at(project, "/webhooks/{webhook}/edit"), vec![("url", "https://example.com/other")]),
        (O::IdentityProviderCreate, at(project, "/providers/new"), vec![("kind", "google"), ("client_id", "x")]),
        (O::IdentityProviderUpdate, at(project, "/providers/{provider}/edit"), vec![("name", "Other")]),
        (
            O::ClientCreate,
            at(project, "/clients/new"),
            vec![("name", "Shop"), ("redirect_uris", "https://shop.example/callback")],
        ),
        (O::ClientUpdate, at(project, "/clients/{client}/edit"), vec![("name", "Other")]),
        (O::UserDelete, at(project, "/users/{user}/erase"), vec![("confirm", "acme-visitor")]),
        (O::SessionEnd, "/console/account/sessions", vec![]),
        (O::OwnAccountExport, "/console/account/export", vec![]),
        (O::EmailChange, "/console/account/email", vec![("email", "new@example.com")]),
        (O::IdentityLink, "/console/account/identities", vec![("provider", SERVICE_PROVIDER)]),
        (O::OwnAccountDelete, "/console/account/delete", vec![]),
        (O::ServiceProviderCreate, at(providers, "/new"), vec![("kind", "google"), ("client_id", "x")]),
        (O::ServiceProviderUpdate, at(providers, "/{provider}/edit"), vec![("name", "Other")]),
        (O::AccountDisable, at(account, "/disable"), vec![]),
        (O::AccountEnable, at(account, "/enable"), vec![]),
        (O::AccountSignOut, at(account, "/sign-out"), vec![]),
        (O::SecondFactorsRemove, at(account, "/remove-factors"), vec![]),
        (O::AccountEmailConfirm, at(account, "/confirm-email"), vec![("choice", "keep")]),
        (O::AccountDelete, at(account, "/delete"), vec![("confirm", "acme-visitor@example.com")]),
    ];
    let is_listed = |operation: Operation| listed.iter().any(|(one, ..)| *one == operation);
    let asks = |operation: Operation| operation.rule().confirmation == Confirmation::Always && !is_listed(operation);
    let others = steward_pages::forms().filter(|(_, operation)| asks(*operation));
    let others: Vec<Case> = others.map(|(path, operation)| (operation, path, Vec::new())).collect();
    [listed, others].concat()
}

/// Submits the form at an address.
async fn submit(browser: &Browser, address: &str, values: &[(&str, &str)]) -> Page {
    let page = browser.open(address).await;
    let action = match address {
        "/console/account/sessions" => "/console/account/sessions/end",
        address => address,
    };
    browser.submit(&page, action, values).await
}

on_sqlite! {
    async fn every_operation_that_widens_authority_asks_for_the_password(app: &App) {
        let fixture = ConsoleWorld::make(app, "acme").await;
        let world = &fixture.world;
        let other_owner = world.member(app, "other-owner", "owner").await;
        let weak = json!({"label": "weak", "roles": "db:read"});
        let weak = world.owner.post(&format!("/project/{}/key", world.project), weak).await.ok();
        let weak = weak["key"]["id"].as_str().unwrap().to_owned();
        // A rule that the form removes.
        app.execute_sql("UPDATE teams SET second_factor_from = '2199-01-01T00:00:00.000000Z'");
        // Only a team without projects can be deleted.
        let empty = world.owner.post("/team/", json!({"name": "Empty", "slug": "empty"})).await.created().id();
        app.make_operator("acme-owner").await;
        let (browser, elsewhere) = (signed_in(app, "acme-owner").await, signed_in(app, "acme-owner").await);
        // The last owner of a team cannot delete the account, which is another person's here.
        let lone = app.person("lone").await;
        let lone_browser = signed_in(app, "lone").await;

        let mut covered = BTreeSet::new();
        for (operation, path, values) in cases("acme") {
            let path = path.replace("{owner}", &other_owner.id).replace("{weak}", &weak).replace("{empty}", &empty);
            let address = fixture.address(&path, "");
            let (browser, values) = match operation {
                Operation::OwnAccountDelete => (&lone_browser, vec![("confirm", "lone@example.com")]),
                _ => (&browser, values),
            };
            app.age_sessions();
            let asked = submit(browser, &address, &values).await;
            let name = operation.rule().name;
            assert_eq!(asked.heading(), "Confirm that it is you", "{name} at {address}: {asked}");
            covered.insert(name);
        }
        // Nothing was done.
        assert_eq!(elsewhere.open("/console/account").await.status, 200);
        lone.get("/team/").await.ok();
        world.key.get(&world.notes()).await.ok();
        world.visitor.get("/team/").await.ok();

        let has_page = |operation: Operation| match operation.rule().callers {
            Callers::System => false,
            // The page of the settings has no button for it.
            _ => operation != Operation::SettingsReset,
        };
        let asks = Operation::RULES.iter().filter(|rule| rule.confirmation != Confirmation::Never);
        let asks: BTreeSet<_> = asks.filter(|rule| has_page(rule.operation)).map(|rule| rule.name).collect();
        assert_eq!(covered, asks, "Every operation that asks must have a form here.");
    }

    async fn a_change_that_widens_nothing_does_not_ask(app: &App) {
        let fixture = ConsoleWorld::make(app, "acme").await;
        let (world, browser) = (&fixture.world, signed_in(app, "acme-owner").await);
        world.settings(&["https://one.example/", "https://two.example/"], true).await;
        app.age_sessions();
        for (path, values) in [
            ("/console/projects/{project}/sign-in", vec![("redirect_uris", "https://one.example/")]),
            ("/console/projects/{project}/sign-in", vec![("redirect_uris", "")]),
            ("/console/projects/{project}/keys/{key}/edit", vec![("label", "Renamed")]),
            ("/console/teams/{team}/members/{member}", vec![("role_name", "Reader")]),
            ("/console/teams/{team}/members/{member}/remove", vec![]),
        ] {
            let address = fixture.address(path, "");
            let done = submit(&browser, &address, &values).await;
            assert!(done.status == 200 && done.heading() != "Confirm that it is you", "{address}: {done}");
        }
    }

    async fn a_redirect_uri_is_added_and_the_data_is_exported_after_the_password_is_entered(app: &App) {
        let fixture = ConsoleWorld::make(app, "acme").await;
        let (world, browser) = (&fixture.world, signed_in(app, "acme-owner").await);
        let sign_in = format!("/console/projects/{}/sign-in", world.project);
        let uris = async || {
            let settings = world.owner.get(&format!("/project/{}/settings", world.project)).await.ok();
            settings["data"]["auth"]["redirect_uris"].clone()
        };
        app.age_sessions();
        let asked = submit(&browser, &sign_in, &[("redirect_uris", "https://new.example/")]).await;
        assert!(asked.text().contains("Change how people sign in to acme?"), "{asked}");
        let wrong = browser.submit(&asked, &sign_in, &[("confirm_password", "not the password")]).await;
        assert!(wrong.status == 400 && wrong.text().contains("The password is wrong."), "{wrong}");
        assert_eq!(uris().await, json!([]));
        let changed = browser.submit(&wrong, &sign_in, &[("confirm_password", PASSWORD)]).await;
        assert!(changed.text().contains("The sign-in settings were changed."), "{changed}");
        assert_eq!(uris().await, json!(["https://new.example/"]));

        let (export, file) = ("/console/account/export", "/console/account/export/file");
        app.age_sessions();
        let page = browser.open(file).await;
        assert!(page.is_at(export) && !page.html.contains("acme-owner@example.com\""), "{page}");
        let asked = browser.submit(&page, export, &[]).await;
        assert!(asked.text().contains("Export your data?"), "{asked}");
        let confirmed = browser.submit(&asked, export, &[("confirm_password", PASSWORD)]).await;
        assert!(confirmed.is_at(export) && confirmed.links().iter().any(|link| link == file), "{confirmed}");
        let exported = browser.open(file).await;
        assert!(exported.html.contains("\"email\":\"acme-owner@example.com\""), "{exported}");
    }
}
