//! Texts that people read: no operation accepts characters that people cannot see, or a name of the service itself for
//! something else. What earlier versions accepted is still read, exported and deleted (docs/contract.md#text).

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Browser, Client, Described, PASSWORD, World, on_both_in_full, on_sqlite};

use crate::laws::operations;
use crate::laws::unknown_members::with_json_body;

/// Characters of different kinds that people cannot see between Latin letters.
const HIDDEN: [char; 6] = ['\u{200b}', '\u{3164}', '\u{2800}', '\u{200d}', '\u{202e}', '\u{e0067}'];

/// Members of requests with the texts that people give to things, and with URLs that people see.
const TEXTS: [&str; 3] = ["name", "label", "role_name"];
const URLS: [&str; 3] = ["website", "url", "issuer"];

/// Names that people would take for one of the service.
const OF_SERVICE: [&str; 4] = ["Steward", "Steward command line", "STEWARD-CLI", "Stеwаrd соmmаnd linе"];

/// The members of a request body in the OpenAPI document.
fn members(described: &Described, document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut schemas: Vec<&Value> =
        described.operation.pointer("/requestBody/content/application~1json/schema").into_iter().collect();
    while let Some(schema) = schemas.pop() {
        let reference = schema["$ref"].as_str().and_then(|reference| document.pointer(reference.strip_prefix('#')?));
        schemas.extend(reference);
        for combination in ["allOf", "anyOf", "oneOf"] {
            schemas.extend(schema[combination].as_array().into_iter().flatten());
        }
        let members = schema["properties"].as_object().into_iter().flatten();
        // What a request ignores is not stored.
        found.extend(members.filter(|(_, member)| member["readOnly"] != true).map(|(name, _)| name.clone()));
    }
    found
}

/// What is wrong with a field, according to an error.
fn violation(error: &Value, field: &str) -> String {
    let listed = error["errors"].as_array().unwrap();
    let found = listed.iter().find(|one| one["field"] == field).unwrap_or_else(|| panic!("No `{field}` in {error}"));
    found["message"].as_str().unwrap().to_owned()
}

on_both_in_full! {
    async fn what_an_earlier_version_accepted_is_still_read_exported_and_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        let created = async |path: &str, body: Value| {
            let list = format!("{project}/{path}");
            format!("{list}/{}", world.owner.post(&list, body).await.created().id())
        };
        let client = json!({"name": "Web shop", "type": "public", "redirect_uris": ["https://app.example/"]});
        let client = created("client", client).await;
        let provider = created("identity-provider", json!({"kind": "google", "client_id": "x"})).await;
        let webhook = created("webhook", json!({"url": "https://hooks.invalid/hook", "events": ["*"]})).await;
        let (text, url) = ("Ac\u{3164}\u{200b}me", "https://a.example/\u{200b}x");
        for (table, column, value) in [
            ("teams", "name", text),
            ("members", "role_name", text),
            ("accounts", "name", text),
            ("projects", "name", text),
            ("projects", "website", url),
            ("projects", "tos_uri", url),
            ("api_keys", "label", text),
            ("project_clients", "name", text),
            ("identity_providers", "name", text),
            ("identity_providers", "issuer", url),
            ("webhooks", "url", url),
        ] {
            app.execute_sql(&format!("UPDATE {table} SET {column} = '{value}'"));
        }

        let (keys, settings) = (format!("{project}/key"), format!("{project}/settings"));
        for (path, values) in [
            ("/team", [text, text]),
            (team.as_str(), [text, text]),
            ("/project", [text, text]),
            (project.as_str(), [text, url]),
            (settings.as_str(), [url, url]),
            (keys.as_str(), [text, text]),
            (client.as_str(), [text, text]),
            (provider.as_str(), [text, url]),
            (webhook.as_str(), [url, url]),
        ] {
            let shown = world.owner.get(path).await.ok().0.to_string();
            assert!(values.iter().all(|value| shown.contains(value)), "{path}: {shown}");
        }
        let browser = Browser::signed_in(app, "acme-owner").await;
        assert!(browser.open("/console/account/export/file").await.html.contains(text));
        world.owner.patch(&team, json!({"slug": "renamed"})).await.ok();
        for path in [&format!("{keys}/{}", world.key_id), &client, &provider, &webhook, &project, &team] {
            world.owner.delete(path).await.ok();
        }
    }
}

on_sqlite! {
    async fn no_operation_accepts_a_text_that_people_cannot_see(app: &App) {
        let world = World::make(app, "acme").await;
        let document = app.anonymous().get("/docs/json").await.json();
        let mut checked = BTreeSet::new();
        for described in with_json_body(app) {
            let members = members(described, &document);
            for member in TEXTS.into_iter().chain(URLS).filter(|member| members.contains(*member)) {
                for hidden in HIDDEN {
                    let is_url = URLS.contains(&member);
                    let text = if is_url { format!("https://a.example/x{hidden}y") } else { format!("Ac{hidden}me") };
                    let mut body = operations::valid_body(described, &world);
                    body[member] = json!(text);
                    let path = operations::path(&described.path, &world);
                    let refused = world.owner.send(described.method.clone(), &path, Some(body), &[]).await;
                    let error = refused.refused(400, "invalid_request");
                    let code_point = format!("U+{:04X}", u32::from(hidden));
                    let message = violation(&error.0, member);
                    assert!(message.contains(&code_point), "{}: {member}: {message}", described.id);
                }
                checked.insert((described.id.as_str(), member));
            }
        }
        assert!(checked.len() >= 20, "{checked:?}");

        let team = format!("/team/{}", world.team);
        for alone in HIDDEN.map(String::from).into_iter().chain(["\u{301}".to_owned(), "\u{3000}".to_owned()]) {
            world.owner.patch(&team, json!({"name": alone})).await.refused(400, "invalid_request");
        }
        let settings = json!({"auth": {"tos_uri": "https://a.example/\u{200b}terms"}});
        let error = world.owner.patch(&format!("/project/{}/settings", world.project), settings).await;
        let error = error.refused(400, "invalid_request");
        assert!(violation(&error.0, "auth.tos_uri").contains("U+200B"), "{error:?}");
        // A program that registers a client cannot ask anyone for another name.
        let client = json!({"client_name": "Cur\u{200b}sor\u{202e}", "redirect_uris": ["https://app.example/"]});
        assert_eq!(world.key.post("/auth/register", client).await.created()["client_name"], "Cursor");
    }

    async fn names_in_every_script_are_kept(app: &App) {
        let world = World::make(app, "acme").await;
        let team = format!("/team/{}", world.team);
        for name in [
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "שלום\u{200f}!",
            "葛\u{e0100}城",
            "👨\u{200d}👩\u{200d}👧\u{200d}👦",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Team ❤\u{fe0f}",
            "1\u{fe0f}\u{20e3} 🇩🇪",
        ] {
            let shown = world.owner.patch(&team, json!({"name": name})).await.ok();
            assert_eq!(shown["data"]["name"], name, "{}", name.escape_unicode());
        }
    }

    async fn a_name_of_the_service_is_refused_for_anything_else(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        let (clients, providers) = (format!("{project}/client"), format!("{project}/identity-provider"));
        let shop = json!({"name": "Web shop", "type": "public", "redirect_uris": ["https://app.example/"]});
        let client = format!("{clients}/{}", world.owner.post(&clients, shop.clone()).await.created().id());
        let google = json!({"kind": "google", "client_id": "x", "name": "Google"});
        let provider = format!("{providers}/{}", world.owner.post(&providers, google.clone()).await.created().id());
        for name in OF_SERVICE {
            for (method, path, mut body) in [
                (Method::POST, "/team", json!({"slug": "other"})),
                (Method::PATCH, team.as_str(), json!({})),
                (Method::POST, "/project", json!({"team_id": world.team})),
                (Method::PATCH, project.as_str(), json!({})),
                (Method::POST, clients.as_str(), shop.clone()),
                (Method::PATCH, client.as_str(), json!({})),
                (Method::POST, providers.as_str(), google.clone()),
                (Method::PATCH, provider.as_str(), json!({})),
            ] {
                body["name"] = json!(name);
                let error = world.owner.send(method, path, Some(body), &[]).await.refused(400, "invalid_request");
                assert!(violation(&error.0, "name").contains("a name of the service itself"), "{path}: {error:?}");
            }
            let registration = json!({"client_name": name, "redirect_uris": ["https://app.example/"]});
            world.key.post("/auth/register", registration).await.refused(400, "invalid_client_metadata");
        }
        // The names of people and keys claim nothing.
        let person = json!({"email": "sam@example.com", "password": PASSWORD, "name": "Steward"});
        app.anonymous().post("/auth/signup", person).await.created();
        world.owner.post(&format!("{project}/key"), json!({"label": "Steward CLI", "roles": "read"})).await.ok();
        // A project that has the name already keeps it.
        app.execute_sql("UPDATE projects SET name = 'Steward command line'");
        let kept = json!({"name": "Steward command line", "website": "https://a.example"});
        world.owner.patch(&project, kept).await.ok();
    }

    async fn the_consent_says_what_belongs_to_the_service(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let shop = json!({"name": "Web shop", "type": "public", "redirect_uris": ["http://127.0.0.1/callback"]});
        let shop = world.owner.post(&format!("/project/{}/client", world.project), shop).await.created().id();
        // Before such names were refused.
        app.execute_sql("UPDATE projects SET name = 'Steward command line'");
        let browser = Browser::signed_in(app, "ann").await;
        let of_project = "This app is not part of this service. It belongs to the project Steward command line.";
        for (client, origin) in [
            ("steward-cli", "This is the command line of this service."),
            (world.project.as_str(), of_project),
            (shop.as_str(), of_project),
        ] {
            let page = browser.open(&Client::new(app, client).authorize(&[("scope", "openid")])).await;
            assert!(page.is_at("/auth/consent") && page.text().contains(origin), "{client}: {page}");
            let is_own = page.text().contains("the command line of this service");
            assert_eq!(is_own, client == "steward-cli", "{page}");
        }
    }
}
