//! The types of requests that are measured.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use steward_tests::{App, World};

use crate::Target;
use crate::load::Turn;
use crate::tenants::Tenant;

/// Number of clients of a request of the API.
const CLIENTS: u64 = 32;
/// Number of items that each client can delete in a run.
const DELETABLE_ITEMS: u64 = 400;
/// Maximum number of items in the table without an index.
const MAX_PLAIN_ITEMS: u64 = 1_000;
/// Number of ranks. A list by a filter finds the items of one rank.
const RANKS: u64 = 100;
/// Number of items in a batch.
const BATCH_SIZE: u64 = 100;
/// Number of items with an index that are created by requests. Further ones are copies of the first in the database,
/// which takes minutes instead of an hour for ten million.
const MAX_BY_REQUESTS: u64 = 10_000;
/// Number of batches at a time that create the items.
const BATCHES_AT_A_TIME: usize = 8;

/// The data for building requests.
#[derive(Clone)]
pub struct Request(Arc<Scene>);

struct Scene {
    host: String,
    /// A table with an indexed field, and one without.
    notes: String,
    plain: String,
    project: String,
    key: String,
    token: String,
    personal_token: String,
    /// The access token of the user who signed in to the project, and the path of the user's own items.
    access_token: String,
    own_notes: String,
    tenants: Arc<[Tenant]>,
    /// The `Cookie` header of a browser in which the owner is signed in.
    cookie: String,
    /// Paths of the console's pages of the team, the project and its user.
    team_page: String,
    project_page: String,
    user_page: String,
    items: u64,
    round: usize,
}

impl Request {
    pub async fn over(target: &Target, items: u64, round: usize) -> Self {
        let Target { app, world, personal_token, tenants, cookie, .. } = target;
        let project_page = format!("/console/projects/{}", world.project);
        Self(Arc::new(Scene {
            host: app.base.trim_start_matches("http://").to_owned(),
            notes: world.notes(),
            plain: plain(world),
            project: world.project.clone(),
            key: world.key.credential.clone().unwrap(),
            token: world.owner.credential.clone().unwrap(),
            personal_token: personal_token.clone(),
            access_token: target.access_token().await,
            own_notes: format!("/account/{}/db/notes", world.project),
            tenants: tenants.clone(),
            cookie: cookie.clone(),
            team_page: format!("/console/teams/{}", world.team),
            user_page: format!("{project_page}/users/{}", world.user),
            project_page,
            items,
            round,
        }))
    }

    fn write(&self, method: &str, path: &str, credential: &str, body: Option<&Value>) -> Option<Vec<u8>> {
        let (host, body) = (&self.0.host, body.map(Value::to_string).unwrap_or_default());
        let credential =
            if credential.is_empty() { String::new() } else { format!("Authorization: Bearer {credential}\r\n") };
        let content = match body.len() {
            0 => String::new(),
            length => format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"),
        };
        Some(format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{credential}{content}\r\n{body}").into_bytes())
    }

    fn by_key(&self, method: &str, path: &str, body: Option<&Value>) -> Option<Vec<u8>> {
        self.write(method, path, &self.0.key, body)
    }

    fn by_token(&self, method: &str, path: &str) -> Option<Vec<u8>> {
        self.write(method, path, &self.0.token, None)
    }

    /// A request for the item of a tenant, of a different one for each request.
    fn of_tenant(&self, method: &str, turn: Turn, body: Option<&Value>) -> Option<Vec<u8>> {
        let number = usize::try_from(turn.client * 7919 + turn.number * 104_729).ok()?;
        let tenant = self.0.tenants.get(number % self.0.tenants.len().max(1))?;
        self.write(method, &tenant.item, &tenant.key, body)
    }

    fn page(&self, path: &str) -> Option<Vec<u8>> {
        let (host, cookie) = (&self.0.host, &self.0.cookie);
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\nCookie: {cookie}\r\n\r\n");
        Some(request.into_bytes())
    }

    /// A page for someone who is not signed in.
    fn sign_in_page(&self, path: &str) -> Option<Vec<u8>> {
        Some(format!("GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/html\r\n\r\n", self.0.host).into_bytes())
    }

    fn team_page(&self, path: &str) -> Option<Vec<u8>> {
        self.page(&format!("{}{path}", self.0.team_page))
    }

    fn project_page(&self, path: &str) -> Option<Vec<u8>> {
        self.page(&format!("{}{path}", self.0.project_page))
    }

    fn user_page(&self, path: &str) -> Option<Vec<u8>> {
        self.page(&format!("{}{path}", self.0.user_page))
    }

    /// Returns the path of an initial item, a different one for each request.
    fn some_item(&self, turn: Turn) -> String {
        Self::some_of(&self.0.notes, self.0.items, turn)
    }

    fn some_plain_item(&self, turn: Turn) -> String {
        Self::some_of(&self.0.plain, self.0.items.min(MAX_PLAIN_ITEMS), turn)
    }

    fn some_of(table: &str, items: u64, turn: Turn) -> String {
        let number = (turn.client * 7919 + turn.number * 104_729) % items.max(1);
        format!("{table}/i{number}")
    }
}

type Prepared<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// A type of request.
pub struct Shape {
    pub name: &'static str,
    /// Whether the baseline is upserts instead of reads.
    pub writes: bool,
    /// Number of clients. Each sends one request at a time.
    pub clients: u64,
    /// Number of items of each request that are compared with the baseline.
    pub items: u32,
    /// Returns the request, or `None` if there is nothing left to do.
    pub request: fn(&Request, Turn) -> Option<Vec<u8>>,
    pub prepare: Option<for<'a> fn(&'a App, &'a World, usize) -> Prepared<'a>>,
}

const fn reads(name: &'static str, request: fn(&Request, Turn) -> Option<Vec<u8>>) -> Shape {
    Shape { name, writes: false, clients: CLIENTS, items: 1, request, prepare: None }
}

/// A page of the console. A few people use it at a time, so its times are measured without a queue.
const fn page(name: &'static str, request: fn(&Request, Turn) -> Option<Vec<u8>>) -> Shape {
    Shape { name, writes: false, clients: 2, items: 1, request, prepare: None }
}

const fn writes(name: &'static str, request: fn(&Request, Turn) -> Option<Vec<u8>>) -> Shape {
    Shape { name, writes: true, clients: CLIENTS, items: 1, request, prepare: None }
}

/// Part of the names of the types of requests that need [`tenants`](crate::tenants).
pub const OF_TENANTS: &str = "1,000 tenants";

const READ: Shape = reads("read an item by key", |of, turn| of.by_key("GET", &of.some_item(turn), None));
const PUT: Shape = writes("put an item", |of, turn| {
    of.by_key("PUT", &of.some_plain_item(turn), Some(&json!({"value": value(turn.number)})))
});

pub const SHAPES: &[Shape] = &[
    READ,
    Shape { name: "read an item by key, 1 connection", clients: 1, ..READ },
    Shape { name: "read an item by key, 8 connections", clients: 8, ..READ },
    Shape { name: "read an item by key, 256 connections", clients: 256, ..READ },
    reads("read an item of 1,000 tenants", |of, turn| of.of_tenant("GET", turn, None)),
    reads("read an item by token", |of, turn| of.by_token("GET", &of.some_item(turn))),
    reads("read an item by personal token", |of, turn| {
        of.write("GET", &of.some_item(turn), &of.0.personal_token, None)
    }),
    reads("read an item by the token of a user", |of, turn| {
        let path = Request::some_of(&of.0.own_notes, of.0.items, turn);
        of.write("GET", &path, &of.0.access_token, None)
    }),
    writes("put an item by token", |of, turn| {
        let body = json!({"value": value(turn.number)});
        of.write("PUT", &of.some_plain_item(turn), &of.0.token, Some(&body))
    }),
    writes("put an item by the token of a user", |of, turn| {
        let path = Request::some_of(&of.0.own_notes.replace("/notes", "/plain"), of.0.items.min(MAX_PLAIN_ITEMS), turn);
        of.write("PUT", &path, &of.0.access_token, Some(&json!({"value": value(turn.number)})))
    }),
    PUT,
    Shape { name: "put an item, 1 connection", clients: 1, ..PUT },
    Shape { name: "put an item, 8 connections", clients: 8, ..PUT },
    Shape { name: "put an item, 256 connections", clients: 256, ..PUT },
    writes("put an item of 1,000 tenants", |of, turn| {
        of.of_tenant("PUT", turn, Some(&json!({"value": value(turn.number)})))
    }),
    writes("put with an indexed field", |of, turn| {
        of.by_key("PUT", &of.some_item(turn), Some(&json!({"value": value(turn.number)})))
    }),
    writes("patch an item", |of, turn| {
        of.by_key("PATCH", &of.some_item(turn), Some(&json!({"value": {"rank": turn.number % RANKS}})))
    }),
    writes("create an item", |of, turn| of.by_key("POST", &of.0.notes, Some(&json!({"value": unlisted(turn.number)})))),
    Shape {
        name: "delete an item",
        writes: true,
        clients: CLIENTS,
        items: 1,
        request: |of, turn| {
            // Some for the warm-up, most for full load, the rest for half load.
            let parts = [0, DELETABLE_ITEMS / 8, DELETABLE_ITEMS * 3 / 4, DELETABLE_ITEMS];
            let part = usize::try_from(turn.part).unwrap();
            let number = turn.number + parts[part];
            let is_available = number < parts[part + 1];
            let path = format!("{}/d{}-{}-{number}", of.0.notes, of.0.round, turn.client);
            is_available.then(|| of.by_key("DELETE", &path, None)).flatten()
        },
        prepare: Some(|app, world, round| Box::pin(create_deletable_items(app, world, round))),
    },
    Shape {
        items: 100,
        ..writes("batch of 100 puts, per item", |of, turn| {
            let first = (turn.client * 131 + turn.number * BATCH_SIZE) % of.0.items.max(1);
            let puts: Vec<Value> =
                (first..first + BATCH_SIZE).map(|number| put(&format!("i{number}"), value(number))).collect();
            of.by_key("POST", &format!("{}/batch", of.0.plain), Some(&json!({"operations": puts})))
        })
    },
    reads("list 100 items", |of, _| of.by_key("GET", &format!("{}?limit=100", of.0.notes), None)),
    reads("list 1,000 items", |of, _| of.by_key("GET", &format!("{}?limit=1000", of.0.notes), None)),
    reads("list by a filter without an index", |of, turn| {
        of.by_key("GET", &format!("{}?rank=eq.{}&limit=10", of.0.plain, turn.number % RANKS), None)
    }),
    reads("list by a filter", |of, turn| {
        of.by_key("GET", &format!("{}?rank=eq.{}&limit=10", of.0.notes, turn.number % RANKS), None)
    }),
    reads("verify a key", |of, _| {
        let path = format!("/project/{}/key/verify", of.0.project);
        of.by_key("POST", &path, Some(&json!({"key": of.0.key})))
    }),
    reads("describe the token", |of, _| of.by_token("GET", "/auth/token")),
    reads("list teams", |of, _| of.by_token("GET", "/team")),
    reads("public route with a token", |of, _| of.by_token("GET", "/utils/slugify?slug=Hello%20World")),
    reads("no database", |of, _| of.write("GET", "/utils/slugify?slug=Hello%20World", "", None)),
    page("page: sign in", |of, _| of.sign_in_page("/auth/sign-in")),
    page("page: sign up", |of, _| of.sign_in_page("/auth/sign-up")),
    page("page: code by email", |of, _| of.sign_in_page("/auth/sign-in/email")),
    page("page: device", |of, _| of.sign_in_page("/auth/device")),
    page("page: two-factor", |of, _| of.page("/console/account/two-factor")),
    page("page: passkeys", |of, _| of.page("/console/account/passkeys")),
    page("page: home", |of, _| of.page("/")),
    page("page: search", |of, _| of.page("/console/search?q=bench")),
    page("page: account", |of, _| of.page("/console/account")),
    page("page: team", |of, _| of.team_page("")),
    page("page: members", |of, _| of.team_page("/members")),
    page("page: audit log", |of, _| of.team_page("/audit")),
    page("page: project", |of, _| of.project_page("")),
    page("page: keys", |of, _| of.project_page("/keys")),
    page("page: webhooks", |of, _| of.project_page("/webhooks")),
    page("page: schema", |of, _| of.project_page("/schema")),
    page("page: schema editor", |of, _| of.project_page("/schema/edit")),
    page("page: users", |of, _| of.project_page("/users")),
    page("page: user", |of, _| of.user_page("")),
    page("page: items", |of, _| of.user_page("/tables/notes")),
    page("page: item", |of, turn| of.user_page(&format!("/tables/notes/items/i{}", turn.number % of.0.items.max(1)))),
];

/// A value of about 200 bytes.
pub fn value(number: u64) -> Value {
    json!({"title": "x".repeat(150), "done": number.is_multiple_of(2), "rank": number % RANKS})
}

/// A value that no filter finds, so that lists do not become longer from round to round.
fn unlisted(number: u64) -> Value {
    let mut value = value(number);
    value["rank"] = json!(RANKS);
    value
}

fn put(id: &str, value: Value) -> Value {
    json!({"op": "put", "id": id, "value": value})
}

/// Returns the path of the items in the table without an index.
fn plain(world: &World) -> String {
    world.notes().replace("/notes", "/plain")
}

/// Creates this number of items with an index on their rank, and up to 1,000 others without.
pub async fn fill(app: &App, world: &World, items: u64) {
    let fields = json!({"fields": {"rank": {"indexed": true}}});
    let field = |kind| json!({"type": kind, "required": false});
    let plain_fields = json!({"fields": {"title": field("string"), "done": field("boolean"), "rank": field("number")}});
    let path = format!("/project/{}/schema", world.project);
    world.owner.patch(&path, json!({"schema": {"tables": {"notes": fields, "plain": plain_fields}}})).await.ok();
    let by_requests = items.min(MAX_BY_REQUESTS);
    write(app, world, &world.notes(), items_upto(by_requests)).await;
    if items > by_requests {
        copy_first_item(app, by_requests, items);
    }
    write(app, world, &plain(world), items_upto(items.min(MAX_PLAIN_ITEMS))).await;
}

/// Inserts the items with these numbers.
fn copy_first_item(app: &App, from: u64, to: u64) {
    let numbers = app.numbers(from, to - 1);
    app.execute_sql(&format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes, position) \
         SELECT project_id, user_id, table_name, 'i' || n, value, created_at, updated_at, revision, bytes, position \
         FROM items, {numbers} WHERE table_name = 'notes' AND id = 'i0'"
    ));
    app.execute_sql(&format!(
        "INSERT INTO item_keys (project_id, field_id, owner_id, item_id, is_text, text_key, number_key) \
         SELECT project_id, field_id, owner_id, 'i' || n, is_text, text_key, n % 100 FROM item_keys, {numbers} \
         WHERE item_id = 'i0' ON CONFLICT DO NOTHING"
    ));
    for table in ["items", "item_keys"] {
        app.execute_sql(&format!("ANALYZE {table}"));
    }
}

fn items_upto(count: u64) -> impl Iterator<Item = Value> {
    (0..count).map(|number| put(&format!("i{number}"), value(number)))
}

async fn create_deletable_items(app: &App, world: &World, round: usize) {
    let names =
        (0..CLIENTS).flat_map(|client| (0..DELETABLE_ITEMS).map(move |number| format!("d{round}-{client}-{number}")));
    write(app, world, &world.notes(), names.map(|name| put(&name, unlisted(1)))).await;
}

async fn write(app: &App, world: &World, table: &str, mut puts: impl Iterator<Item = Value>) {
    let path = format!("{}{table}/batch", app.base);
    let batches = std::iter::from_fn(|| {
        let operations: Vec<Value> = puts.by_ref().take(usize::try_from(BATCH_SIZE).unwrap()).collect();
        (!operations.is_empty()).then_some(operations)
    });
    let requests = batches.map(async |operations| {
        let request = app.client.post(&path).bearer_auth(world.key.credential.as_ref().unwrap());
        let response = request.json(&json!({"operations": operations})).send().await.unwrap();
        assert!(response.status().is_success(), "{:?}", response.text().await);
    });
    stream::iter(requests).buffer_unordered(BATCHES_AT_A_TIME).collect::<()>().await;
}
