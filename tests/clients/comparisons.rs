//! What conditions and orders find with the Rust client (docs/contract.md#comparisons).

use serde_json::Value;
use steward_client::{Client, Credential, Item, Items, List};
use steward_tests::{App, Backend, Browser};

use crate::{CALLBACK, ann_and_a_project_of_olga};

const COMPARISONS: &str = include_str!("../../sdks/comparisons.json");

/// The expected IDs, without those of items that do not conform to the schema.
fn expected(ids: &Value) -> Vec<&str> {
    ids.as_str().unwrap().split_whitespace().filter(|id| !id.starts_with('_')).collect()
}

fn list(values: &Items, query: &str) -> List<Item> {
    let parameters = query.split('&').filter_map(|pair| pair.split_once('='));
    parameters.fold(values.list(), |list, (name, value)| match name {
        "limit" => list,
        _ => list.query(name.to_owned(), value),
    })
}

fn ids(found: &[Item]) -> Vec<&str> {
    found.iter().map(|item| item.0["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn conditions_and_orders_find_what_they_find_everywhere() {
    let app = App::start(Backend::Sqlite).await;
    let cases: Value = serde_json::from_str(COMPARISONS).unwrap();
    let settings = serde_json::json!({"redirect_uris": ["http://127.0.0.1/callback"]});
    let (olga, project) = ann_and_a_project_of_olga(&app, settings).await;
    let schema = serde_json::json!({"schema": cases["schema"]});
    olga.post(&format!("/project/{project}/schema"), schema).await.ok();
    let client = Client::builder(&app.base).build().unwrap();
    let sign_in = client.sign_in(&project, CALLBACK);
    let started = sign_in.start();
    let callback = Browser::new(&app).sign_in_and_allow(&started.url, "ann").await;
    let tokens = sign_in.complete(&callback, started.pending).await.unwrap();
    let token = Credential::Token(tokens.access_token().to_owned());
    let values = client.with_credential(token).own_items(&project, "values");
    for (id, value) in cases["items"].as_object().unwrap().iter().filter(|(id, _)| !id.starts_with('_')) {
        values.put(id, value.as_object().unwrap().clone()).data().await.unwrap();
    }
    for group in ["texts", "values"] {
        for (query, found) in cases[group]["conditions"].as_object().unwrap() {
            let items = list(&values, query).all().await.unwrap();
            let mut ids = ids(&items);
            ids.sort_unstable();
            assert_eq!(ids, expected(found), "{query}");
        }
        for (query, found) in cases[group]["orders"].as_object().unwrap() {
            let expected = expected(found);
            let items = list(&values, query).first(expected.len()).await.unwrap();
            assert_eq!(ids(&items), expected, "{query}");
        }
    }
}
