//! Devices of many users that write through every operation while processes are killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{Client as Http, Method, StatusCode};
use serde_json::{Value, json};
use steward_tests::device::{Device, DeviceState, Items, Lost, Pending};
use steward_tests::{App, Client, History, World};
use tokio::time::{Instant, sleep};

/// Number of items of a user that have a name.
const ITEMS: u64 = 20;
/// Pause before a device that lost its connection connects again.
const RECONNECT_PAUSE: Duration = Duration::from_millis(100);
/// How long a device may take to connect after all processes are running again.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(60);

/// A person who uses the project, and the writes to their items.
pub struct User {
    pub token: String,
    /// Path of the person's own items.
    pub notes: String,
    /// Path of the user in the project.
    pub path: String,
    pub history: History,
    /// Whether the user is being deleted.
    pub is_erased: AtomicBool,
    next_title: AtomicU64,
}

impl User {
    /// Signs up a person and signs them in to the project.
    pub async fn make(app: &App, world: &World, number: usize) -> Arc<Self> {
        let name = format!("user{number:04}");
        app.person(&name).await;
        let tokens = Client::of(app, world).tokens(app, &name, &[("scope", "openid app:db:write")]).await;
        let users = world.owner.get(&format!("/project/{}/user?q={name}", world.project)).await.ok();
        Arc::new(Self {
            token: tokens["access_token"].as_str().unwrap().to_owned(),
            notes: format!("/account/{}/db/notes", world.project),
            path: format!("/project/{}/user/{}", world.project, users["data"][0]["id"].as_str().unwrap()),
            history: History::default(),
            is_erased: AtomicBool::new(false),
            next_title: AtomicU64::new(0),
        })
    }

    /// A title that no other write has.
    pub fn next_title(&self) -> String {
        format!("Title {}", self.next_title.fetch_add(1, Ordering::Relaxed))
    }

    fn is_erased(&self) -> bool {
        self.is_erased.load(Ordering::Relaxed)
    }
}

/// What all devices have in common.
pub struct Service {
    /// Base URLs of the processes.
    bases: Vec<String>,
    project: String,
    key: String,
    http: Http,
}

impl Service {
    pub fn of(apps: &[App], world: &World) -> Arc<Self> {
        let bases = apps.iter().map(|app| app.base.clone()).collect();
        let key = world.key.credential.clone().unwrap();
        Arc::new(Self { bases, project: world.project.clone(), key, http: Http::new() })
    }
}

/// Random numbers that depend only on the seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// A device and its user.
pub struct Member {
    pub user: Arc<User>,
    service: Arc<Service>,
    random: Random,
    device: Option<Device>,
    /// What the device keeps while it is not connected.
    state: DeviceState,
    /// The message that is not acknowledged.
    pending: Option<Pending>,
    /// Number of the process that the device connects to next.
    next_process: usize,
    pub is_signed_out: bool,
}

impl Member {
    pub fn new(number: usize, user: Arc<User>, service: Arc<Service>) -> Self {
        let random = Random(u64::try_from(number).unwrap());
        let (device, state, pending) = (None, DeviceState::default(), None);
        Self { user, service, random, device, state, pending, next_process: number, is_signed_out: false }
    }

    /// Changes items and reads what others change until `stop`, or until the user is deleted.
    pub async fn live(mut self, stop: Arc<AtomicBool>) -> Self {
        while !stop.load(Ordering::Relaxed) && !self.is_signed_out {
            if let Err(lost) = self.act().await {
                self.lose(&lost).await;
            }
        }
        self
    }

    /// Waits until the device has these items.
    pub async fn converge(&mut self, stored: &Items) {
        self.device.as_mut().unwrap().converge(stored).await;
    }

    /// Connects until it succeeds, or until the user is found to be deleted.
    pub async fn arrive(&mut self) {
        let end = Instant::now() + ARRIVAL_TIMEOUT;
        while !self.is_signed_out {
            assert!(Instant::now() < end, "A device could not connect, or its connection did not end.");
            match self.connect_and_listen().await {
                Ok(()) if !self.user.is_erased() => return,
                Ok(()) => {}
                Err(lost) => self.lose(&lost).await,
            }
        }
    }

    async fn connect_and_listen(&mut self) -> Result<(), Lost> {
        let pause = Duration::from_millis(200 + self.random.below(400));
        self.connect().await?.listen(pause).await
    }

    async fn act(&mut self) -> Result<(), Lost> {
        self.connect().await?;
        match self.random.below(10) {
            0..5 => self.change().await?,
            5..8 => self.write().await,
            _ => {}
        }
        self.connect_and_listen().await
    }

    async fn lose(&mut self, lost: &Lost) {
        if let Some(device) = self.device.take() {
            self.state = device.lose();
        }
        if lost.error.is_empty() {
            sleep(RECONNECT_PAUSE).await;
        } else {
            assert!(self.user.is_erased(), "A connection ended with {lost:?}.");
            self.is_signed_out = true;
        }
    }

    /// Connects the device to the next process if it is not connected: it sends its message, and gets what it lacks.
    async fn connect(&mut self) -> Result<&mut Device, Lost> {
        if self.device.is_none() {
            let base = &self.service.bases[self.next_process % self.service.bases.len()];
            self.next_process += 1;
            self.device = Some(self.state.connect(base, &self.user.token, &self.service.project).await?);
            self.send().await?;
            self.connected().try_subscribe().await?;
        }
        Ok(self.connected())
    }

    fn connected(&mut self) -> &mut Device {
        self.device.as_mut().unwrap()
    }

    /// Sends the message that is not acknowledged, or an empty one.
    async fn send(&mut self) -> Result<(), Lost> {
        let device = self.device.as_mut().unwrap();
        let Some(pending) = &mut self.pending else { return device.try_push(&[]).await };
        pending.begin(&self.user.history);
        device.try_push(&pending.changes).await?;
        pending.acknowledge(&self.user.history);
        self.pending = None;
        Ok(())
    }

    /// Changes up to three items with one message.
    async fn change(&mut self) -> Result<(), Lost> {
        let mut pending = Pending::default();
        for _ in 0..=self.random.below(3) {
            let (id, title) = (self.random_id(), self.user.next_title());
            match self.random.below(8) {
                0..3 => pending.put(&id, &title),
                3..5 => pending.set_title(&id, &title),
                5..7 => pending.set_rank(&id, self.random.below(1_000)),
                _ => pending.delete(&id),
            }
        }
        self.connected().edit(&pending.changes);
        self.pending = Some(pending);
        self.send().await
    }

    fn random_id(&mut self) -> String {
        format!("item{}", self.random.below(ITEMS))
    }

    /// Changes items with a request to any process.
    async fn write(&mut self) {
        let (id, other, title) = (self.random_id(), self.random_id(), self.user.next_title());
        let process = usize::try_from(self.random.below(1_000)).unwrap() % self.service.bases.len();
        let (user, Service { bases, key, http, .. }) = (&self.user, &*self.service);
        let notes = format!("{}{}", bases[process], user.notes);
        let (item, value) = (format!("{notes}/{id}"), json!({"value": {"title": title}}));
        let put = |id: &str| user.history.begin(id, Some(title.as_str()));
        let (writes, request) = match self.random.below(6) {
            0 | 1 => (vec![put(&id)], http.put(item).json(&value)),
            2 => (vec![put(&id)], http.patch(item).json(&value)),
            3 => (vec![user.history.begin(&id, None)], http.delete(item)),
            4 => (vec![put("")], http.post(notes).json(&value)),
            _ if id == other => return,
            _ => {
                let operations = json!([
                    {"op": "put", "id": id, "value": {"title": title}},
                    {"op": "delete", "id": other},
                ]);
                let batch = format!("{}{}/db/notes/batch", bases[process], user.path);
                let writes = vec![put(&id), user.history.begin(&other, None)];
                (writes, http.post(batch).json(&json!({"operations": operations})).bearer_auth(key))
            }
        };
        let is_batch = writes.len() > 1;
        let request = if is_batch { request } else { request.bearer_auth(&user.token) };
        let request = request.build().unwrap();
        let creates = matches!(*request.method(), Method::PUT | Method::POST) && !is_batch;
        // Without a response, the service may have stored the write or not.
        let Ok(response) = http.execute(request).await else { return };
        conclude(user, &writes, creates, response).await;
    }
}

/// Records the outcome of a request. `creates`: it needs no item, so none can be missing.
async fn conclude(user: &User, writes: &[usize], creates: bool, response: reqwest::Response) {
    let status = response.status();
    if status == StatusCode::CREATED
        && let Ok(created) = response.json::<Value>().await
        && let (Some(id), [write]) = (created["data"]["id"].as_str(), writes)
    {
        return user.history.created(*write, id);
    }
    let is_expected = match status.as_u16() {
        200 | 201 | 409 | 503 => true,
        // The item of a change may be missing.
        404 if !creates => true,
        // The access of a deleted user ends.
        400..500 => user.is_erased(),
        _ => false,
    };
    assert!(is_expected, "A request was refused with {status}.");
    for write in writes {
        if status.is_success() {
            user.history.acknowledge(*write);
        } else if status.is_client_error() {
            user.history.refuse(*write);
        }
    }
}
