//! Synchronization of items with devices over WebSocket.

mod atomic;
mod convergence;
mod everything;
mod expiry;
mod long_messages;
mod quotas;
mod strangers;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_tests::device::{Device, Items, Received, delete, listed_items, put, update};
use steward_tests::{Actor, App, Backend, Client, World, eventually, on_both, on_sqlite};

/// A project, and a person with a token for it.
pub(crate) struct Synced {
    pub world: World,
    pub token: String,
    pub refresh: String,
}

impl Synced {
    pub async fn make(app: &App, scope: &str) -> Self {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let tokens = Client::of(app, &world).tokens(app, "ann", &[("scope", scope)]).await;
        let text = |name: &str| tokens[name].as_str().unwrap_or_default().to_owned();
        Self { token: text("access_token"), refresh: text("refresh_token"), world }
    }

    pub async fn device(&self, app: &App) -> Device {
        Device::start(app, &self.token, &self.world.project).await
    }

    pub fn notes(&self) -> String {
        format!("/account/{}/db/notes", self.world.project)
    }

    pub fn ann(&self, app: &App) -> Actor {
        app.bearer(&self.token)
    }

    /// The stored items of ann.
    pub async fn stored(&self, app: &App) -> Items {
        listed_items("notes", &self.ann(app).get(&self.notes()).await.ok().0)
    }

    /// Path of ann in the project's list of users.
    pub async fn user(&self) -> String {
        let users = self.world.owner.get(&format!("/project/{}/user", self.world.project)).await.ok();
        let user = users["data"].as_array().unwrap().iter().find(|user| user["id"] != json!(self.world.user)).unwrap();
        format!("/project/{}/user/{}", self.world.project, user["id"].as_str().unwrap())
    }

    async fn rejections(&self) -> Vec<(String, String)> {
        let listed = self.world.owner.get(&format!("/project/{}/sync/rejections", self.world.project)).await.ok();
        let text = |rejection: &Value, name: &str| rejection[name].as_str().unwrap().to_owned();
        let data = listed["data"].as_array().unwrap();
        data.iter().map(|rejection| (text(rejection, "key"), text(rejection, "code"))).collect()
    }
}

const WRITE: &str = "openid app:db:write";

/// Number of changes in a large message: few enough to be stored within the time limit on a slow machine.
const MESSAGE_CHANGES: usize = 250;

/// Number of times that a delay is measured. A pause of the machine affects few of them, so the median has a limit.
const MEASUREMENTS: usize = 5;

/// Creates this many notes on a device, `n0000` to the last, in large messages.
async fn add_notes(device: &mut Device, count: usize) {
    let ids: Vec<String> = (0..count).map(|number| format!("n{number:04}")).collect();
    for ids in ids.chunks(MESSAGE_CHANGES) {
        device.change(ids.iter().map(|id| put(id, json!({"id": id, "title": "x"}))).collect()).await;
    }
}

fn median(mut durations: Vec<Duration>) -> Duration {
    durations.sort_unstable();
    durations[durations.len() / 2]
}

on_both! {
    async fn a_device_gets_a_name_and_an_empty_load(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut first = Device::identify(app, &ann.token, &ann.world.project, Value::Null).await;
        first.push(vec![]).await;
        assert_eq!(first.subscribe().await, 1);
        assert!(first.items.is_empty() && first.revision.is_some());
        let named = Device::identify(app, &ann.token, &ann.world.project, json!(first.name)).await;
        assert_eq!(named.name, first.name);
    }

    async fn changes_are_acknowledged_stored_and_reach_other_devices_but_not_their_own(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let (mut phone, mut laptop) = (ann.device(app).await, ann.device(app).await);
        phone.change(vec![put("a", json!({"id": "a", "title": "A", "more": {"x": {"y": 1}, "z": 2}}))]).await;
        laptop.changes().await;
        assert_eq!(laptop.items, phone.items);
        let stored = ann.ann(app).get(&format!("{}/a", ann.notes())).await.ok();
        assert_eq!(stored["data"]["more"], json!({"x": {"y": 1}, "z": 2}));
        phone.hears_nothing().await;

        phone.push(vec![update("a", json!({"more.x.y": 2, "more.z": null, "done": true})), put("b", json!({"title": "B"}))]).await;
        laptop.changes().await;
        let expected = json!({"id": "a", "title": "A", "more": {"x": {"y": 2}}, "done": true});
        assert_eq!(laptop.items[&("notes".into(), "a".into())], expected);
        phone.change(vec![delete("b")]).await;
        laptop.changes().await;
        assert_eq!(laptop.title("b"), Value::Null);
        phone.hears_nothing().await;
    }

    async fn writes_through_the_api_reach_devices_and_changes_of_devices_are_recorded(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        let item = format!("{}/x", ann.notes());
        ann.ann(app).put(&item, json!({"value": {"title": "By token"}})).await.created();
        phone.changes().await;
        assert_eq!(phone.title("x"), "By token");
        let by_key = format!("{}/db/notes/x", ann.user().await);
        ann.world.key.patch(&by_key, json!({"value": {"title": "By key"}})).await.ok();
        phone.changes().await;
        assert_eq!(phone.title("x"), "By key");
        ann.world.key.post(&by_key.replace("/x", "/batch"), json!({"operations": [{"op": "delete", "id": "x"}]})).await.ok();
        phone.changes().await;
        assert_eq!(phone.title("x"), Value::Null);
        phone.change(vec![put("mine", json!({"title": "Mine"}))]).await;
        let log = ann.world.owner.get(&format!("/project/{}/audit?target=mine", ann.world.project)).await.ok();
        assert_eq!(log["data"][0]["actor"]["type"], "account");
    }

    async fn edits_made_offline_are_merged_field_by_field(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let (mut phone, mut laptop) = (ann.device(app).await, ann.device(app).await);
        phone.change(vec![put("a", json!({"id": "a", "title": "A", "rank": 1})), put("b", json!({"id": "b", "title": "B"}))]).await;
        laptop.changes().await;
        laptop.change(vec![update("a", json!({"title": "Laptop"})), delete("b")]).await;
        let offline = vec![update("a", json!({"rank": 2})), put("c", json!({"id": "c", "title": "C"}))];
        let mut phone = phone.reconnect(app, &ann.token, &ann.world.project, offline).await;
        let stored = ann.stored(app).await;
        for device in [&mut phone, &mut laptop] {
            device.converge(&stored).await;
        }
        assert_eq!(phone.items[&("notes".into(), "a".into())], json!({"id": "a", "title": "Laptop", "rank": 2}));
        assert_eq!((phone.title("b"), phone.title("c")), (Value::Null, json!("C")));
    }

    async fn a_change_that_does_not_fit_is_acknowledged_corrected_and_listed(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
        let unknown = json!({"type": 1, "table": "nothing", "key": "n", "obj": {"id": "n"}});
        phone.change(vec![
            update("a", json!({"title": 1})), put("b", json!({"id": "b"})), unknown,
            put("c", json!({"id": "c", "title": "C", "other": 1})), put("d", json!({"id": "d", "title": "x".repeat(270_000)})),
            put("e", json!({"id": "e", "title": "E"})),
        ]).await;
        let ids: Vec<&str> = phone.items.keys().map(|(_, id)| id.as_str()).collect();
        assert_eq!(ids, ["a", "c", "e"]);
        assert_eq!((phone.title("a"), phone.title("e")), (json!("A"), json!("E")));
        assert_eq!(phone.items[&("notes".into(), "c".into())], json!({"id": "c", "title": "C"}));
        let mut listed = ann.rejections().await;
        listed.sort();
        let expected = [("a", "invalid_item"), ("b", "invalid_item"), ("c", "unknown_field"), ("d", "item_too_large"),
            ("n", "unknown_table")];
        assert_eq!(listed, expected.map(|(key, code)| (key.to_owned(), code.to_owned())));
        phone.change(vec![put("f", json!({"id": "f", "title": "F"}))]).await;
        phone.hears_nothing().await;
    }

    async fn a_correction_is_sent_before_the_acknowledgement_so_that_it_is_not_lost(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut laptop = ann.device(app).await;
        let mut phone = Device::identify(app, &ann.token, &ann.world.project, Value::Null).await;
        let without_title = update("a", json!({"rank": 1}));
        for device in [&mut phone, &mut laptop] {
            let (revision, request) = (device.revision, device.begin_push(vec![without_title.clone()]).await);
            let correction = device.message().await;
            let mut deletion = delete("a");
            deletion["code"] = json!("invalid_item");
            deletion["message"] = json!("Field title is required");
            assert_eq!((&correction["changes"], &correction["partial"]), (&json!([deletion]), &json!(false)));
            assert_eq!(correction["currentRevision"], revision.unwrap_or_default());
            assert_eq!(device.message().await, json!({"type": "ack", "requestId": request}));
        }
        phone.subscribe().await;
        assert!(phone.items.is_empty());

        // The laptop made this change before it received the correction, which overwrites its copy of the item.
        laptop.push(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
        laptop.changes().await;
        assert_eq!(laptop.title("a"), "A");
    }

    async fn a_message_that_is_repeated_after_a_lost_acknowledgement_changes_nothing(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut laptop = ann.device(app).await;
        let mut phone = Device::identify(app, &ann.token, &ann.world.project, Value::Null).await;
        let (name, changes) = (phone.name.clone(), vec![put("a", json!({"id": "a", "title": "Phone"}))]);
        phone.begin_push(changes.clone()).await;
        laptop.changes().await;
        phone.vanish().await;
        laptop.change(vec![update("a", json!({"title": "Laptop"}))]).await;

        let mut phone = Device::identify(app, &ann.token, &ann.world.project, json!(name)).await;
        phone.change(changes).await;
        phone.subscribe().await;
        // Open transactions on the same server delay changes.
        while phone.title("a") != "Laptop" {
            phone.changes().await;
        }
        laptop.hears_nothing().await;
    }

    async fn a_large_first_load_is_sent_in_parts_and_an_interrupted_one_starts_again(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        add_notes(&mut phone, 2_500).await;
        // Open transactions on the same server delay changes. A load has only those that reached other devices.
        ann.device(app).await.wait_for_title("n2499", "x").await.unwrap();
        let mut other = Device::identify(app, &ann.token, &ann.world.project, Value::Null).await;
        other.push(vec![]).await;
        assert_eq!(other.subscribe().await, 3);
        assert_eq!(other.items, phone.items);

        let mut third = Device::identify(app, &ann.token, &ann.world.project, Value::Null).await;
        third.send(json!({"type": "subscribe", "syncedRevision": null})).await;
        let first = third.message().await;
        assert_eq!((&first["partial"], &first["currentRevision"]), (&json!(true), &json!(0)));
        let gone: Vec<Value> = (0..1_500).map(|n| delete(&format!("n{n:04}"))).collect();
        for part in gone.chunks(MESSAGE_CHANGES) {
            phone.change(part.to_vec()).await;
        }
        let mut other = other.reconnect(app, &ann.token, &ann.world.project, vec![]).await;
        other.converge(&phone.items).await;
        assert_eq!(other.items.len(), 1_000);
    }

    async fn a_device_that_may_have_lost_changes_gets_everything_and_an_interrupted_load_starts_again(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        add_notes(&mut phone, 1_100).await;
        let mut laptop = ann.device(app).await;
        laptop.wait_for_title("n1099", "x").await.unwrap();
        let offline = laptop.disconnect().await;
        // What devices received is recorded in the background, and not again before they receive more.
        let recorded = "(SELECT max(delivered) FROM audit_progress) >= (SELECT max(position) FROM item_changes)";
        eventually(async || app.holds(recorded).then_some(())).await;
        // As after a restart of the database before it recorded what the device received.
        // Both at once: the service opens a domain as soon as it sees another life.
        app.execute_sql(
            "BEGIN; UPDATE position_domains SET life = life - 1; UPDATE audit_progress SET delivered = 0; COMMIT",
        );

        let mut laptop = offline.connect(&app.base, &ann.token, &ann.world.project).await.unwrap();
        laptop.push(vec![]).await;
        laptop.send(json!({"type": "subscribe", "syncedRevision": laptop.revision})).await;
        laptop.part().await;
        assert!(offline.revision > Some(0) && laptop.revision == Some(0), "{:?}", laptop.revision);
        let mut laptop = laptop.lose().connect(&app.base, &ann.token, &ann.world.project).await.unwrap();
        laptop.push(vec![]).await;
        assert_eq!(laptop.subscribe().await, 2);
        assert!(laptop.revision >= offline.revision && laptop.items == phone.items, "{:?}", laptop.revision);
    }

    async fn an_item_that_was_created_again_survives_an_interrupted_load(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let (mut phone, mut laptop) = (ann.device(app).await, ann.device(app).await);
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
        laptop.changes().await;
        let offline = phone.disconnect().await;
        laptop.change(vec![delete("a")]).await;
        add_notes(&mut laptop, 1_500).await;
        let mut tablet = ann.device(app).await;
        tablet.wait_for_title("n1499", "x").await.unwrap();

        let mut phone = offline.connect(&app.base, &ann.token, &ann.world.project).await.unwrap();
        phone.push(vec![]).await;
        phone.send(json!({"type": "subscribe", "syncedRevision": phone.revision})).await;
        phone.part().await;
        let offline = phone.lose();
        laptop.change(vec![put("a", json!({"id": "a", "title": "Again"}))]).await;
        tablet.wait_for_title("a", "Again").await.unwrap();

        let mut phone = offline.connect(&app.base, &ann.token, &ann.world.project).await.unwrap();
        phone.push(vec![]).await;
        assert_eq!(phone.subscribe().await, 2);
        assert_eq!(phone.title("a"), "Again");
        assert_eq!(phone.items, laptop.items);
    }

    async fn ended_access_ends_the_connection_within_a_second(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let client = Client::of(app, &ann.world);
        let mut delays = Vec::new();
        for _ in 0..MEASUREMENTS {
            let tokens = client.tokens(app, "ann", &[("scope", WRITE)]).await;
            let (token, refresh) = (tokens["access_token"].as_str().unwrap(), tokens["refresh_token"].as_str().unwrap());
            let mut revoked = Device::start(app, token, &ann.world.project).await;
            client.post("/auth/revoke", &format!("token={refresh}")).await;
            let started = Instant::now();
            assert_eq!(revoked.end().await, (Some(json!("UNAUTHORIZED")), 4401));
            delays.push(started.elapsed());
        }
        assert!(median(delays.clone()) < Duration::from_millis(1_500), "{delays:?}");

        let tokens = client.tokens(app, "ann", &[("scope", WRITE)]).await;
        let token = tokens["access_token"].as_str().unwrap();
        let mut left = Device::start(app, token, &ann.world.project).await;
        app.bearer(token).delete(&format!("/account/apps/{}", ann.world.project)).await.ok();
        assert_eq!(left.end().await, (Some(json!("UNAUTHORIZED")), 4401));
        let mut refused = unidentified(app, token, &ann.world.project).await;
        assert_eq!(refused.end().await.0, Some(json!("UNAUTHORIZED")));
    }
}

on_sqlite! {
    async fn a_token_that_only_reads_changes_nothing(app: &App) {
        let ann = Synced::make(app, "openid app:db:read").await;
        let mut phone = ann.device(app).await;
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
        assert!(phone.items.is_empty());
        assert_eq!(ann.rejections().await, [("a".to_owned(), "forbidden".to_owned())]);
    }

    async fn a_token_can_be_renewed_and_only_by_one_of_the_same_user(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        let renewed = Client::of(app, &ann.world).refresh(&ann.refresh).await.ok();
        phone.send(json!({"type": "tokenUpdate", "authToken": renewed["access_token"]})).await;
        assert_eq!(phone.message().await, json!({"type": "tokenUpdateAck", "ok": true}));
        for invalid in [json!("x"), json!(ann.world.owner.credential)] {
            phone.send(json!({"type": "tokenUpdate", "authToken": invalid})).await;
            let reply = phone.message().await;
            assert_eq!((&reply["ok"], &reply["code"]), (&json!(false), &json!("UNAUTHORIZED")), "{reply}");
        }
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
    }

    async fn the_first_message_must_identify_a_user_of_the_project(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut silent = Device::begin_with(app, json!({"type": "subscribe", "syncedRevision": null})).await;
        assert_eq!(silent.end().await, (None, 4401));
        let key = ann.world.key.credential.clone().unwrap();
        let owner = ann.world.owner.credential.clone().unwrap();
        let (project, other) = (ann.world.project.as_str(), ann.world.team.as_str());
        for (token, project) in [("x", project), (key.as_str(), project), (owner.as_str(), project), (ann.token.as_str(), other)] {
            let mut device = unidentified(app, token, project).await;
            assert_eq!(device.end().await, (Some(json!("UNAUTHORIZED")), 4401), "{token}");
        }
    }

    async fn connections_and_messages_are_limited(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut devices = Vec::new();
        for _ in 0..20 {
            devices.push(ann.device(app).await);
        }
        let mut more = unidentified(app, &ann.token, &ann.world.project).await;
        assert_eq!(more.end().await, (None, 1013));
        let mut phone = devices.pop().unwrap();
        phone.send(json!({"type": "unknown"})).await;
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
        let mut other = devices.pop().unwrap();
        other.send(json!("not an object")).await;
        assert_eq!(other.end().await, (None, 1007));
    }

    async fn the_endpoint_accepts_only_websocket_from_any_origin(app: &App) {
        let response = app.client.get(format!("{}/ws", app.base)).header("Origin", "https://app.example").send().await.unwrap();
        assert_eq!(response.status(), 400);
        assert_eq!(response.headers()["Access-Control-Allow-Origin"], "*");
    }
}

/// A device that has sent its first message and not read the reply.
async fn unidentified(app: &App, token: &str, project: &str) -> Device {
    Device::begin(app, token, json!({"project_id": project}), Value::Null).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_of_two_replicas_see_each_others_changes() {
    let app = App::start(Backend::Postgres).await;
    let replica = app.start_replica().await;
    let ann = Synced::make(&app, WRITE).await;
    let (mut phone, mut laptop) = (ann.device(&app).await, ann.device(&replica).await);
    phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
    laptop.changes().await;
    let mut delays = Vec::new();
    for number in 0..MEASUREMENTS {
        let title = format!("A{number}");
        let started = Instant::now();
        phone.change(vec![update("a", json!({"title": title}))]).await;
        laptop.wait_for_title("a", &title).await.unwrap();
        delays.push(started.elapsed());
    }
    assert!(median(delays.clone()) < Duration::from_secs(2), "{delays:?}");
    laptop.change(vec![update("a", json!({"title": "B"}))]).await;
    phone.changes().await;
    assert_eq!((phone.title("a"), &phone.items), (json!("B"), &laptop.items));
    Client::of(&app, &ann.world).post("/auth/revoke", &format!("token={}", ann.refresh)).await;
    assert_eq!(laptop.end().await.0, Some(json!("UNAUTHORIZED")), "On the other replica.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_closes_the_connections_and_a_device_continues_after_it() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_SHUTDOWN_DELAY_SECONDS", "0")]).await;
    let ann = Synced::make(&app, WRITE).await;
    let mut phone = ann.device(&app).await;
    phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
    app.terminate();
    assert!(matches!(phone.receive().await, Received::Closed(1001)));
    assert!(app.exited_successfully().await);
    app.kill_and_restart().await;
    let mut phone = phone.reconnect(&app, &ann.token, &ann.world.project, vec![]).await;
    phone.change(vec![update("a", json!({"title": "B"}))]).await;
    let stored = async || ann.ann(&app).get(&format!("{}/a", ann.notes())).await.ok()["data"]["title"].clone();
    eventually(async || (stored().await == "B").then_some(())).await;
}
