//! Clients of a fleet that go on through every fault: writers with `Idempotency-Key` that repeat their requests,
//! readers, devices, and a webhook receiver. At the end they show whether anything was lost, made twice or named twice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use steward_tests::device::{Device, DeviceState, Items, Lost, listed_items, put};
use steward_tests::{Actor, App, Client, Receiver, World, eventually};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::figures::Figures;
use crate::proxy::Proxy;

const WRITERS: usize = 4;
const READERS: usize = 4;
const DEVICES: usize = 3;
/// Pause of a writer and of a reader between two requests.
const PAUSE: Duration = Duration::from_millis(100);
/// Pause before a request is repeated.
const RETRY: Duration = Duration::from_millis(200);
/// For how long a client repeats a request.
const CURABLE: Duration = Duration::from_secs(180);
/// Number of items and events that are read at once.
const PAGE: usize = 1000;

/// A client that repeats requests through the proxy.
#[derive(Clone)]
struct Sender {
    http: reqwest::Client,
    base: String,
    credential: String,
    figures: Figures,
}

/// The outcome of a request.
enum Outcome {
    Done(Value),
    /// It was made, but its response is lost.
    Made,
    Failed,
}

/// What one writer knows of its writes.
#[derive(Default)]
struct Written {
    /// The titles of the items that it created, by ID.
    created: BTreeMap<String, String>,
    /// The titles of items whose responses are lost.
    unnamed: BTreeSet<String>,
    /// The last title of the item that it replaces again and again.
    last: Option<(String, String)>,
}

/// What a device did: its state, the titles that the service acknowledged, and how often it connected again.
struct Followed {
    state: DeviceState,
    acknowledged: BTreeMap<String, String>,
    reconnections: usize,
}

pub struct Traffic {
    world: World,
    owner: Actor,
    receiver: Receiver,
    is_stopped: watch::Sender<bool>,
    pub writes: Figures,
    pub reads: Figures,
    writers: JoinSet<Written>,
    readers: JoinSet<()>,
    devices: JoinSet<Followed>,
    base: String,
    token: String,
    began: Instant,
}

impl Traffic {
    /// Starts all clients. Their names begin with `name`.
    pub async fn start(proxy: &Proxy, app: &mut App, name: &str) -> Self {
        // Callers use the address of the proxy.
        let own = std::mem::replace(&mut app.base, proxy.base.clone());
        let (world, receiver) = (World::make(app, name).await, Receiver::start().await);
        let hook = json!({"url": receiver.url, "events": ["item.created", "item.updated"]});
        world.owner.post(&format!("/project/{}/webhook", world.project), hook).await.created();
        let scope = [("scope", "openid app:db:write")];
        let tokens = Client::of(app, &world).tokens(app, &format!("{name}-visitor"), &scope).await;
        let token = tokens["access_token"].as_str().unwrap().to_owned();
        app.base = own;

        let (is_stopped, stop) = watch::channel(false);
        let (writes, reads) = (Figures::default(), Figures::default());
        let (mut writers, mut readers, mut devices) = (JoinSet::new(), JoinSet::new(), JoinSet::new());
        let http = reqwest::Client::builder().timeout(Duration::from_secs(30)).build().unwrap();
        let sender = |figures: &Figures| Sender {
            http: http.clone(),
            base: proxy.base.clone(),
            credential: world.key.credential.clone().unwrap(),
            figures: figures.clone(),
        };
        for number in 0..WRITERS {
            writers.spawn(write(sender(&writes), world.notes(), number, stop.clone()));
        }
        for _ in 0..READERS {
            readers.spawn(read(sender(&reads), world.item("first"), stop.clone()));
        }
        for number in 0..DEVICES {
            let project = world.project.clone();
            devices.spawn(follow(proxy.base.clone(), token.clone(), project, number, stop.clone()));
        }
        let (base, owner) = (proxy.base.clone(), world.owner.clone());
        let traffic = Self {
            world,
            owner,
            receiver,
            is_stopped,
            writes,
            reads,
            writers,
            readers,
            devices,
            base,
            token,
            began: Instant::now(),
        };
        traffic.until_steady().await;
        traffic
    }

    /// Waits until more requests succeed than clients had sent before.
    pub async fn until_steady(&self) {
        for (figures, clients) in [(&self.writes, WRITERS), (&self.reads, READERS)] {
            let enough = figures.successes() + 5 * clients;
            eventually(async || (figures.successes() >= enough).then_some(())).await;
        }
    }

    /// Stops all clients and checks what they found.
    pub async fn end(mut self, trial: &str, fault: Option<Instant>) {
        self.is_stopped.send_replace(true);
        let took = self.began.elapsed();
        let written = finished(std::mem::take(&mut self.writers)).await;
        finished(std::mem::take(&mut self.readers)).await;
        let followed = finished(std::mem::take(&mut self.devices)).await;

        let stored = stored(&self.owner, &self.world.notes()).await;
        let titles = |id: &String| stored.get(&("notes".to_owned(), id.clone())).map(|item| item["title"].clone());
        let acknowledged = written.iter().flat_map(|written| &written.created);
        let acknowledged = acknowledged.chain(followed.iter().flat_map(|device| &device.acknowledged));
        let last = written.iter().filter_map(|written| written.last.as_ref()).map(|(id, title)| (id, title));
        let acknowledged: Vec<(&String, &String)> = acknowledged.chain(last).collect();
        let is_lost = |(id, title): &&(&String, &String)| titles(id).is_none_or(|stored| stored != title.as_str());
        let lost: Vec<_> = acknowledged.iter().filter(is_lost).collect();
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for item in stored.values() {
            *named.entry(item["title"].as_str().unwrap()).or_default() += 1;
        }
        let unnamed: BTreeSet<&String> = written.iter().flat_map(|written| &written.unnamed).collect();
        let missing: Vec<_> = unnamed.iter().filter(|title| !named.contains_key(title.as_str())).collect();
        let twice: Vec<_> = named.iter().filter(|(_, count)| **count > 1).collect();

        let reconnections: usize = followed.iter().map(|device| device.reconnections).sum();
        for device in &followed {
            let mut device = connect(&self.base, &self.token, &self.world.project, &device.state, &[]).await;
            device.converge(&stored).await;
        }
        let (messages, events) = self.until_delivered().await;
        let ((write_pause, writes_resumed), (read_pause, _)) =
            (self.writes.longest_pause(), self.reads.longest_pause());
        println!(
            "{trial} ({took:.1?}):\n  writes: {}; longest pause {write_pause:.2?}{}\n  reads: {}; longest pause \
             {read_pause:.2?}\n  {} acknowledged writes, {} lost; {} created with a lost response, {} missing; {} created \
             twice\n  {DEVICES} devices equal after {reconnections} reconnections; {messages} webhook messages for {events} \
             events, 0 IDs given twice",
            self.writes,
            fault.map_or_else(String::new, |fault| recovery(fault, writes_resumed)),
            self.reads,
            acknowledged.len(),
            lost.len(),
            unnamed.len(),
            missing.len(),
            twice.len(),
        );
        let failures = [self.writes.failures(), self.reads.failures()].concat();
        assert!(failures.is_empty(), "{failures:?}");
        assert!(lost.is_empty() && missing.is_empty() && twice.is_empty(), "{lost:?} {missing:?} {twice:?}");
    }

    /// Waits until the receiver has every event. Returns the number of messages and of events. Panics if an ID was
    /// given to two events.
    async fn until_delivered(&self) -> (usize, usize) {
        let events = self.events().await;
        eventually(async || {
            let messages = self.receiver.received();
            let received: BTreeSet<i64> =
                messages.iter().map(|message| message.event()["data"]["position"].as_i64().unwrap()).collect();
            events.is_subset(&received).then_some(())
        })
        .await;
        let messages = self.receiver.received();
        let mut named: BTreeMap<&str, &str> = BTreeMap::new();
        for message in &messages {
            let other = named.insert(&message.headers["webhook-id"], &message.body);
            assert!(other.is_none_or(|other| other == message.body), "{other:?} has the ID of {}.", message.body);
        }
        (messages.len(), events.len())
    }

    /// The positions of all events that the receiver must get.
    async fn events(&self) -> BTreeSet<i64> {
        let (mut positions, mut after) = (BTreeSet::new(), 0);
        loop {
            let path = format!("/project/{}/event?limit={PAGE}&after={after}", self.world.project);
            let feed = when_available(&self.owner, &path).await;
            let events = feed["data"].as_array().unwrap();
            let wanted = |event: &&Value| {
                let is_wanted = ["item.created", "item.updated"].map(Value::from).contains(&event["action"]);
                is_wanted && event["target"]["id"] != "first"
            };
            positions.extend(events.iter().filter(wanted).map(|event| event["position"].as_i64().unwrap()));
            if events.len() < PAGE {
                return positions;
            }
            after = feed["next"].as_i64().unwrap();
        }
    }
}

/// Waits until all clients have ended. Panics with the message of one that panicked: its own output is that of another
/// thread, so it does not appear with the output of the test.
async fn finished<T: 'static>(mut clients: JoinSet<T>) -> Vec<T> {
    let mut results = Vec::new();
    while let Some(ended) = clients.join_next().await {
        results.push(ended.unwrap_or_else(|error| panic!("A client failed: {error}")));
    }
    results
}

fn recovery(fault: Instant, resumed: Instant) -> String {
    let recovered = resumed.saturating_duration_since(fault);
    format!(", over {recovered:.2?} after the fault")
}

/// Reads as soon as the service can read.
async fn when_available(caller: &Actor, path: &str) -> Value {
    eventually(async || Some(caller.get(path).await).filter(|response| response.status.as_u16() == 200)).await.json()
}

/// All items of the user.
async fn stored(owner: &Actor, notes: &str) -> Items {
    let mut items = Items::new();
    for offset in (0..).step_by(PAGE) {
        let path = format!("{notes}?order=created_at.asc&limit={PAGE}&offset={offset}");
        let page = listed_items("notes", &when_available(owner, &path).await);
        let is_last = page.len() < PAGE;
        items.extend(page);
        if is_last {
            break;
        }
    }
    items
}

impl Sender {
    /// Sends a request, and repeats it with the same key until its outcome is known.
    async fn send(&self, method: Method, path: &str, key: &str, body: Option<Value>) -> Outcome {
        let (url, began) = (format!("{}{path}", self.base), Instant::now());
        loop {
            let mut request = self.http.request(method.clone(), &url).bearer_auth(&self.credential);
            if let Some(body) = &body {
                request = request.header("Idempotency-Key", key).json(body);
            }
            let reason = match attempt(request).await {
                Ok((200..300, body)) => {
                    self.figures.succeed();
                    return Outcome::Done(body);
                }
                Ok((409, body)) if body["error"] == "idempotency_answer_lost" => {
                    self.figures.succeed();
                    return Outcome::Made;
                }
                Ok((409, body)) if body["error"] == "idempotency_in_progress" => "in progress".to_owned(),
                Ok((status @ 501.., body)) => {
                    format!("{status} {}", body["error"].as_str().unwrap_or("of the proxy"))
                }
                Ok((status, body)) => {
                    self.figures.fail(format!("{method} {path} -> {status} {body}"));
                    return Outcome::Failed;
                }
                Err(error) => if error.is_timeout() { "timeout" } else { "connection lost" }.to_owned(),
            };
            if began.elapsed() > CURABLE {
                self.figures.fail(format!("{method} {path} -> {reason} for {CURABLE:?}"));
                return Outcome::Failed;
            }
            self.figures.retry(&reason);
            sleep(RETRY).await;
        }
    }
}

async fn attempt(request: RequestBuilder) -> reqwest::Result<(u16, Value)> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    Ok((status, serde_json::from_slice(&response.bytes().await?).unwrap_or_default()))
}

/// Creates items, and replaces another one in between.
async fn write(sender: Sender, notes: String, writer: usize, stop: watch::Receiver<bool>) -> Written {
    let (mut written, own) = (Written::default(), format!("writer{writer}"));
    for number in 0.. {
        if *stop.borrow() {
            break;
        }
        let title = format!("{own}-{number}");
        let body = Some(json!({"value": {"title": title}}));
        if number % 2 == 0 {
            match sender.send(Method::POST, &notes, &title, body).await {
                Outcome::Done(created) => {
                    let id = created["data"]["id"].as_str().unwrap().to_owned();
                    drop(written.created.insert(id, title));
                }
                Outcome::Made => drop(written.unnamed.insert(title)),
                Outcome::Failed => {}
            }
        } else if !matches!(sender.send(Method::PUT, &format!("{notes}/{own}"), &title, body).await, Outcome::Failed) {
            written.last = Some((own.clone(), title));
        }
        sleep(PAUSE).await;
    }
    written
}

async fn read(sender: Sender, item: String, stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        sender.send(Method::GET, &item, "", None).await;
        sleep(PAUSE).await;
    }
}

/// Connects a device as soon as the service can serve it, sends again what was not acknowledged, and subscribes.
async fn connect(base: &str, token: &str, project: &str, state: &DeviceState, unsent: &[Value]) -> Device {
    let began = Instant::now();
    loop {
        if let Ok(device) = try_connect(base, token, project, state, unsent).await {
            return device;
        }
        assert!(began.elapsed() < CURABLE, "The device could not connect for {CURABLE:?}.");
        sleep(RETRY).await;
    }
}

async fn try_connect(
    base: &str,
    token: &str,
    project: &str,
    state: &DeviceState,
    unsent: &[Value],
) -> Result<Device, Lost> {
    let mut device = state.connect(base, token, project).await?;
    device.try_push(unsent).await?;
    device.try_subscribe().await?;
    Ok(device)
}

/// Follows the changes of others on a device. The first device also makes changes.
async fn follow(base: String, token: String, project: String, number: usize, stop: watch::Receiver<bool>) -> Followed {
    let mut followed = Followed { state: DeviceState::default(), acknowledged: BTreeMap::new(), reconnections: 0 };
    let mut device = connect(&base, &token, &project, &followed.state, &[]).await;
    for change in 0.. {
        if *stop.borrow() {
            break;
        }
        let mut is_lost = device.listen(Duration::from_millis(500)).await.is_err();
        let (id, title) = (format!("device{number}-{change}"), format!("device{number} {change}"));
        let changes = if number == 0 { vec![put(&id, json!({"id": id, "title": title}))] } else { Vec::new() };
        device.edit(&changes);
        is_lost = is_lost || device.try_push(&changes).await.is_err();
        if is_lost {
            followed.reconnections += 1;
            device = connect(&base, &token, &project, &device.state(), &changes).await;
        }
        if number == 0 {
            followed.acknowledged.insert(id, title);
        }
    }
    followed.state = device.lose();
    followed
}
