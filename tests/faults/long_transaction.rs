//! A long transaction on the same server delays the delivery of changes to devices, and loses none.

use std::time::Duration;

use serde_json::json;
use steward_store::scratch::execute_sql;
use steward_tests::device::{Device, put, update};
use steward_tests::{App, Client, Cluster, World};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_without_an_item_that_the_device_changed_later_loses_no_change_of_others() {
    let cluster = Cluster::start().await;
    let app = App::start_on_database(&cluster.url(), &[]).await;
    let world = World::make(&app, "acme").await;
    app.person("ann").await;
    let tokens = Client::of(&app, &world).tokens(&app, "ann", &[("scope", "openid app:db:write")]).await;
    let (token, project) = (tokens["access_token"].as_str().unwrap(), world.project.as_str());
    let mut phone = Device::start(&app, token, project).await;
    let mut laptop = Device::start(&app, token, project).await;
    phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
    laptop.changes().await;
    let offline = phone.disconnect().await;
    laptop.change(vec![update("a", json!({"title": "Laptop"}))]).await;
    Device::start(&app, token, project).await.wait_for_title("a", "Laptop").await.unwrap();

    // Later changes are settled only after this statement, which is a transaction.
    let url = cluster.url();
    let statement = spawn_blocking(move || execute_sql(&url, "SELECT pg_current_xact_id(), pg_sleep(2)"));
    sleep(Duration::from_millis(500)).await;
    let mut phone = offline.connect(&app.base, token, project).await.unwrap();
    phone.change(vec![update("a", json!({"rank": 1}))]).await;
    phone.subscribe().await;
    statement.await.unwrap().unwrap();
    phone.wait_for_title("a", "Laptop").await.unwrap();
    assert_eq!(phone.items[&("notes".into(), "a".into())], json!({"id": "a", "title": "Laptop", "rank": 1}));
}
