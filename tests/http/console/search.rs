//! The search of the console: what is in projects and teams, pages and settings, each only where the person may see it.

use serde_json::{Value, json};
use steward_tests::{Page, World, on_both_in_full, on_sqlite};

use super::{links_to, project_of, signed_in, team_of};

/// Labels of forms on pages of settings that are no settings: the fields that the layout adds.
const NO_SETTING: &[&str] = &["Search"];

/// The labels of the fields of a page, without what follows them in smaller letters and after a colon or period.
fn labels(page: &Page) -> Vec<String> {
    let labels = page.html.split("<label ").skip(1).filter_map(|after| {
        let text = after.split('>').nth(1)?.split('<').next()?.trim();
        let label = text.split([':', '.']).next()?.trim();
        (!NO_SETTING.contains(&label)).then(|| label.to_owned())
    });
    labels.collect()
}

/// Creates a webhook of the team, one of the project, a client, and items with an ID of the service and of an app, whose
/// letters are uppercase. Returns each ID with the address of its page.
async fn with_ids(world: &World) -> [(String, String); 5] {
    let (team, project) = (team_of(world), project_of(world));
    let [of_team, of_project] =
        [("team", &world.team), ("project", &world.project)].map(|(kind, id)| format!("/{kind}/{id}"));
    let create = async |path: String, body: Value| world.owner.post(&path, body).await.created().id();
    let hook = |name: &str| json!({"url": format!("https://hooks.example/{name}"), "events": ["schema.created"]});
    let team_hook = create(format!("{of_team}/webhook"), hook("of-team")).await;
    let hook = create(format!("{of_project}/webhook"), hook("of-project")).await;
    let shop = json!({"name": "Web shop", "type": "public", "redirect_uris": ["https://shop.example/callback"]});
    let client = create(format!("{of_project}/client"), shop).await;
    let item = world.owner.post(&world.notes(), json!({"value": {"title": "Generated"}})).await.ok().id();
    let uppercase = "6F9619FF-8B86-4011-B42D-00CF4FC964FF".to_owned();
    world.owner.put(&world.item(&uppercase), json!({"value": {"title": "Uppercase"}})).await.created();
    let items = format!("{project}/users/{}/tables/notes/items", world.user);
    [
        (team_hook.clone(), format!("{team}/webhooks/{team_hook}")),
        (hook.clone(), format!("{project}/webhooks/{hook}")),
        (client.clone(), format!("{project}/clients/{client}")),
        (item.clone(), format!("{items}/{item}")),
        (uppercase.clone(), format!("{items}/{uppercase}")),
    ]
}

on_both_in_full! {
    async fn webhooks_clients_and_items_are_found_by_their_ids(app: &App) {
        let (world, _) = (World::make(app, "acme").await, World::make(app, "other").await);
        let (browser, foreign) = (signed_in(app, "acme-owner").await, signed_in(app, "other-owner").await);
        let found = with_ids(&world).await;
        for (id, address) in &found {
            let search = format!("/console/search?q={id}");
            let page = browser.open(&search).await;
            assert!(page.status == 200 && links_to(&page, address), "{id} does not find {address}: {page}");
            let page = foreign.open(&search).await;
            assert!(page.text().contains("Nothing was found"), "{id} is found by another team: {page}");
        }
        let [team_hook, hook, client, ..] = &found;
        for (text, addresses) in [("HOOKS.example", vec![team_hook, hook]), ("web+shop", vec![client])] {
            let page = browser.open(&format!("/console/search?q={text}")).await;
            assert!(addresses.iter().all(|(_, address)| links_to(&page, address)), "{text}: {page}");
        }
        // Words are not looked up, nor is another ID than that of the item.
        for text in ["first", "6f9619ff-8b86-4011-b42d-00cf4fc964ff"] {
            let page = browser.open(&format!("/console/search?q={text}")).await;
            assert!(page.text().contains("Nothing was found"), "{text}: {page}");
        }
    }

    async fn users_keys_tables_and_pages_are_found(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let browser = signed_in(app, "acme-owner").await;
        let (project, foreign) = (project_of(&world), project_of(&other));
        let hint = world.owner.get(&format!("/project/{}/key", world.project)).await.ok();
        let hint = hint["data"][0]["hint"].as_str().unwrap().rsplit('.').next().unwrap().to_owned();
        let user = format!("{project}/users/{}", world.user);
        let key = format!("{project}/keys/{}", world.key_id);
        for (text, address) in [
            ("ACME-visit", user.as_str()),
            ("SERVER", &key),
            (&hint, &key),
            ("NOTE", &format!("{project}/schema")),
            ("webhooks", &format!("{project}/webhooks")),
            ("acme webhooks", &format!("{}/webhooks", team_of(&world))),
            ("redirect uris", &format!("{project}/sign-in")),
            ("password", "/console/account/password"),
            ("acme", &project),
            (&world.project, &project),
            (&world.user, &user),
            (&world.key_id, &key),
            (&world.team, &team_of(&world)),
            ("new key", &format!("{project}/keys/new")),
            ("2fa", "/console/account/two-factor"),
            ("acme logs", &format!("{project}/audit")),
            ("import", &format!("{project}/users")),
            ("webhook on localhost", "/docs/guides/webhooks#try-a-webhook-on-localhost"),
        ] {
            let page = browser.open(&format!("/console/search?q={}", text.replace(' ', "+"))).await;
            assert!(page.status == 200 && links_to(&page, address), "{text} does not find {address}: {page}");
            assert!(!page.html.contains(&foreign), "{text} finds another team's project: {page}");
        }
        for text in ["other", "nothing-like-it", "acme+nothing", "STEWARD_BIND"] {
            let page = browser.open(&format!("/console/search?q={text}")).await;
            assert!(page.text().contains("Nothing was found"), "{text}: {page}");
        }
    }
}

on_sqlite! {
    async fn every_setting_of_a_team_and_a_project_is_found(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let (team, project) = (team_of(&world), project_of(&world));
        for address in [format!("{team}/settings"), format!("{project}/settings"), format!("{project}/sign-in")] {
            let labels = labels(&browser.open(&address).await);
            assert!(labels.len() > 1, "{address}: {labels:?}");
            for label in labels {
                let found = browser.open(&format!("/console/search?q={}", label.replace(' ', "+"))).await;
                assert!(links_to(&found, &address), "{label} does not find {address}: {found}");
            }
        }
    }

    async fn operators_find_their_pages_and_the_settings_of_the_service(app: &App) {
        app.person("ann").await;
        let browser = signed_in(app, "ann").await;
        for (text, address) in [("sizes", "/console/operator/sizes"), ("steward_bind", "/console/operator/settings")] {
            let search = format!("/console/search?q={text}");
            let before = browser.open(&search).await;
            assert!(!links_to(&before, address), "{before}");
        }
        app.make_operator("ann").await;
        for (text, address) in [("sizes", "/console/operator/sizes"), ("steward_bind", "/console/operator/settings")] {
            let found = browser.open(&format!("/console/search?q={text}")).await;
            assert!(links_to(&found, address), "{text}: {found}");
        }
    }

    async fn users_and_keys_are_found_only_with_permission_to_list_them(app: &App) {
        let world = World::make(app, "acme").await;
        let project = project_of(&world);
        for (member, roles, finds_user, finds_key) in [
            ("una", "user:read", true, false),
            ("kay", "key:read", false, true),
            ("vic", "viewer", true, true),
            ("tom", "team:read", false, false),
        ] {
            world.member(app, member, roles).await;
            let browser = signed_in(app, member).await;
            let users = browser.open("/console/search?q=acme-visitor").await;
            let keys = browser.open("/console/search?q=server").await;
            let settings = browser.open("/console/search?q=slug").await;
            assert_eq!(links_to(&users, &format!("{project}/users/{}", world.user)), finds_user, "{roles}: {users}");
            assert_eq!(links_to(&keys, &format!("{project}/keys/{}", world.key_id)), finds_key, "{roles}: {keys}");
            assert!(settings.text().contains("Nothing was found"), "{roles}: {settings}");
        }
    }

    async fn webhooks_clients_and_items_are_found_only_with_permission_to_list_them(app: &App) {
        let world = World::make(app, "acme").await;
        let ids = with_ids(&world).await;
        for (member, roles, expected) in [
            ("una", "user:read", [false, false, false, false, false]),
            ("dan", "db:read", [false, false, false, true, true]),
            ("pam", "project:read", [false, false, true, false, false]),
            ("wes", "webhook:read", [true, true, false, false, false]),
        ] {
            world.member(app, member, roles).await;
            let browser = signed_in(app, member).await;
            for ((id, address), expected) in ids.iter().zip(expected) {
                let page = browser.open(&format!("/console/search?q={id}")).await;
                assert_eq!(links_to(&page, address), expected, "{roles}: {page}");
            }
        }
    }

    async fn more_matches_than_are_shown_are_mentioned(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let create = async |index: usize| {
            let key = json!({"label": format!("worker {index}"), "roles": "admin"});
            world.owner.post(&format!("/project/{}/key", world.project), key).await.ok();
        };
        for index in 0..20 {
            create(index).await;
        }
        let all = browser.open("/console/search?q=worker").await;
        assert!(!all.text().contains("further matches") && all.text().contains("worker 0"), "{all}");
        create(20).await;
        let newest = browser.open("/console/search?q=worker").await;
        assert!(newest.text().contains("further matches") && newest.text().contains("worker 20"), "{newest}");
        assert_eq!(newest.html.matches("/keys/").count(), 20, "{newest}");
    }
}
