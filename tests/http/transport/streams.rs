//! Response size limits: pages limited by bytes, streamed lists, and clients that do not read.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, World, on_both};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Stores `count` notes with a text of this length, in batches.
async fn store_notes(world: &World, count: usize, length: usize) {
    let text = "x".repeat(length);
    let batch_size = (900_000 / (length + 100)).clamp(1, 100);
    let numbers: Vec<usize> = (0..count).collect();
    for batch in numbers.chunks(batch_size) {
        let put = |number: &usize| {
            let value = json!({"title": format!("{number:05}"), "rank": number, "more": {"text": text}});
            json!({"op": "put", "id": format!("n{number:05}"), "value": value})
        };
        let operations: Vec<Value> = batch.iter().map(put).collect();
        world.owner.post(&format!("{}/batch", world.notes()), json!({"operations": operations})).await.ok();
    }
}

/// Stores `count` notes of about 250 kB. All but the first are copied directly in the database.
async fn store_large_notes(app: &App, world: &World, count: u64) {
    store_notes(world, 1, 250_000).await;
    app.execute_sql(&format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         SELECT project_id, user_id, table_name, id || '-' || n, value, created_at, updated_at, revision, bytes \
         FROM items CROSS JOIN {} WHERE id = 'n00000'",
        app.numbers(1, count - 1)
    ));
}

fn ids(data: &Value) -> Vec<String> {
    data.as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// Sends a request without reading the response.
async fn send_without_reading(app: &App, caller: &Actor, path: &str) -> TcpStream {
    let address = app.base.trim_start_matches("http://").replace("localhost", "127.0.0.1");
    let socket = TcpSocket::new_v4().unwrap();
    // Limits how much of the response the operating system buffers for the client.
    socket.set_recv_buffer_size(8 * 1024).unwrap();
    let mut stream = socket.connect(address.parse().unwrap()).await.unwrap();
    let credential = caller.credential.as_deref().unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {credential}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads the beginning of a response. Fails if the connection ends before it.
async fn head(stream: &mut TcpStream) -> io::Result<String> {
    let mut bytes = [0; 1024];
    let mut read = 0;
    while read < 12 {
        match stream.read(&mut bytes[read..]).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => read += count,
        }
    }
    Ok(String::from_utf8_lossy(&bytes[..read]).into_owned())
}

/// Reads a response to its end. Returns whether it was complete and the number of bytes read.
pub(crate) async fn read_to_end(mut response: reqwest::Response) -> (bool, usize) {
    let mut length = 0;
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => length += chunk.len(),
            Ok(None) => return (true, length),
            Err(_) => return (false, length),
        }
    }
}

on_both! {
    async fn a_list_without_a_limit_returns_everything(app: &App) {
        let world = World::make(app, "acme").await;
        store_notes(&world, 2_500, 10).await;
        let all = world.key.get(&world.notes()).await;
        assert_eq!((all.header("Transfer-Encoding"), all.header("Content-Type")), ("chunked", "application/json"));
        assert_eq!(all.header("Link"), "");
        let all = all.ok();
        let found = ids(&all["data"]);
        assert_eq!((found.len(), found.iter().collect::<BTreeSet<_>>().len()), (2_501, 2_501));
        assert_eq!(found.last().unwrap(), "first", "The oldest item must be last.");
        assert_eq!(all["pagination"], json!({"limit": null, "offset": 0, "count": 2501}));
        assert_eq!(all.0.get("next_cursor"), None);

        // Few bytes are one chunk, whose length is known.
        let one_chunk = world.key.get(&format!("{}?rank=lt.1000", world.notes())).await;
        assert_eq!(one_chunk.header("Transfer-Encoding"), "");
        assert_eq!(one_chunk.ok()["pagination"], json!({"limit": null, "offset": 0, "count": 1000}));

        let some = world.key.get(&format!("{}?rank=gte.1000&order=title.asc&offset=2&select=rank", world.notes())).await.ok();
        let expected: Vec<Value> = (1_002..2_500).map(|n| json!({"id": format!("n{n:05}"), "rank": n})).collect();
        assert_eq!(some["data"], json!(expected));
        assert_eq!(some["pagination"], json!({"limit": null, "offset": 2, "count": 1498}));

        let head = world.key.send(reqwest::Method::HEAD, &world.notes(), None, &[]).await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
        let few = world.key.get(&format!("{}?limit=2", world.notes())).await.ok();
        assert_eq!(few["pagination"], json!({"limit": 2, "offset": 0, "count": 2}));
        assert!(few["next_cursor"].is_string());
        let exact = world.key.get(&format!("{}?rank=lt.3", world.notes())).await.ok();
        assert_eq!(exact["pagination"], json!({"limit": null, "offset": 0, "count": 3}));
    }

    async fn pages_are_limited_by_bytes_and_return_everything_once(app: &App) {
        let world = World::make(app, "acme").await;
        store_large_notes(app, &world, 40).await;
        let (mut found, mut path, mut pages) = (Vec::new(), format!("{}?limit=1000", world.notes()), 0);
        loop {
            let page = world.key.get(&path).await;
            assert!(page.body.len() < 4_400_000, "{} bytes", page.body.len());
            let page = page.ok();
            found.extend(ids(&page["data"]));
            pages += 1;
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            assert!(ids(&page["data"]).len() < 40);
            path = format!("{}?limit=1000&cursor={cursor}", world.notes());
        }
        assert_eq!((found.len(), found.iter().collect::<BTreeSet<_>>().len()), (41, 41));
        assert!((3..=4).contains(&pages), "{pages} pages");
        let all = world.key.get(&world.notes()).await.ok();
        assert_eq!(ids(&all["data"]), found);
    }

    async fn other_lists_without_a_limit_return_everything(app: &App) {
        let world = World::make(app, "acme").await;
        let copied = json!({"label": "copied", "roles": "read"});
        world.owner.post(&format!("/project/{}/key", world.project), copied).await.ok();
        let id = match app.backend() {
            Backend::Sqlite => "substr(id, 1, 24) || printf('%012x', n)",
            Backend::Postgres => "(left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid",
        };
        app.execute_sql(&format!(
            "INSERT INTO api_keys (id, project_id, label, roles, is_private, pepper, digest, hint, created_by, created_at, revision) \
             SELECT {id}, project_id, label, roles, is_private, pepper, digest || n, hint, created_by, created_at, revision \
             FROM api_keys CROSS JOIN {} WHERE label = 'copied'",
            app.numbers(1, 550)
        ));
        let keys = world.owner.get(&format!("/project/{}/key", world.project)).await;
        assert_eq!(keys.header("Transfer-Encoding"), "chunked");
        assert_eq!(ids(&keys.ok()["data"]).into_iter().collect::<BTreeSet<_>>().len(), 552);
        for version in 0..12 {
            let mut schema = steward_tests::notes_schema();
            schema["tables"][format!("more{version}")] = json!({"fields": {}});
            world.owner.patch(&format!("/project/{}/schema", world.project), json!({"schema": schema})).await.ok();
        }
        let versions = app.anonymous().get(&format!("/project/{}/schema?version=all", world.project)).await.ok();
        let found = versions["data"].as_array().unwrap();
        assert_eq!((found.len(), &versions["count"]), (13, &json!(13)));
        assert_eq!(found[0]["schema"]["version"], json!(13));
        assert_eq!(found[12]["schema"]["version"], json!(1));
        store_notes(&world, 600, 10).await;
        let log = world.owner.send(
            reqwest::Method::GET, &format!("/project/{}/audit", world.project), None, &[("Accept", "application/x-ndjson")],
        ).await;
        assert!(String::from_utf8(log.body).unwrap().lines().count() > 600);
    }

    async fn a_stream_ends_when_its_key_is_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        store_large_notes(app, &world, 60).await;
        let paths = [world.notes(), format!("/project/{}/user/{}/export", world.project, world.user)];
        let (complete, length) = read_to_end(world.key.begin(&world.notes()).await).await;
        assert!(complete && length > 15_000_000, "{length}");
        for path in &paths {
            let (keys, admin) = (format!("/project/{}/key", world.project), json!({"label": "short", "roles": "admin"}));
            let key = world.owner.post(&keys, admin).await.ok();
            let reader = app.bearer(key["key"]["value"].as_str().unwrap());
            let mut response = reader.begin(path).await;
            assert_eq!(response.status().as_u16(), 200);
            response.chunk().await.unwrap().unwrap();
            let id = key["key"]["id"].as_str().unwrap();
            world.owner.delete(&format!("{keys}/{id}")).await.ok();
            let (complete, length) = read_to_end(response).await;
            assert!(!complete && length < 12_000_000, "{path}: {length}");
        }
    }

    async fn a_stream_ends_when_its_reader_is_removed_from_the_team(app: &App) {
        let world = World::make(app, "acme").await;
        store_large_notes(app, &world, 60).await;
        let member = world.member(app, "guest", "db:read").await;
        let mut response = member.begin(&world.notes()).await;
        response.chunk().await.unwrap().unwrap();
        world.owner.delete(&format!("/team/{}/member/{}", world.team, member.id)).await.ok();
        let (complete, length) = read_to_end(response).await;
        assert!(!complete && length < 12_000_000, "{length}");
    }

    async fn clients_that_do_not_read_use_little_memory(app: &App) {
        let world = World::make(app, "acme").await;
        store_large_notes(app, &world, 65).await;
        app.reset_peak_memory();
        let mut streams = Vec::new();
        for _ in 0..60 {
            streams.push(send_without_reading(app, &world.key, &world.notes()).await);
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
        world.owner.get(&world.item("first")).await.ok();
        let peak = app.peak_memory();
        assert!(peak < 250, "{peak} MiB");
    }

    async fn memory_usage_stays_constant_during_a_large_export(app: &App) {
        let world = World::make(app, "acme").await;
        store_large_notes(app, &world, 420).await;
        app.reset_peak_memory();
        let before = app.peak_memory();
        let export = format!("/project/{}/user/{}/export", world.project, world.user);
        let (complete, length) = read_to_end(world.key.begin(&export).await).await;
        assert!(complete && length > 100_000_000, "{length}");
        let peak = app.peak_memory();
        assert!(peak < before + 60, "{before} MiB before, {peak} MiB peak");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_later_chunk_of_items_is_one_job() {
    let address = format!("127.0.0.1:{}", steward_tests::free_port());
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_METRICS_BIND", &address)]).await;
    let world = World::make(&app, "acme").await;
    store_notes(&world, 2_500, 10).await;
    let jobs = async || {
        let text = app.client.get(format!("http://{address}/metrics")).send().await.unwrap().text().await.unwrap();
        let of_heavy_lane = ["steward_lane_jobs_total{", "lane=\"heavy\"", "pool=\"sqlite-readers\""];
        let line = text.lines().find(|line| of_heavy_lane.iter().all(|part| line.contains(part)));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    let before = jobs().await;
    world.key.get(&world.notes()).await.ok();
    assert_eq!(jobs().await - before, 2.0, "The key was checked again.");
}

async fn the_connection_of_a_client_that_does_not_read_is_closed(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_READER_TIMEOUT_SECONDS", "1")]).await;
    let world = World::make(&app, "acme").await;
    store_large_notes(&app, &world, 65).await;
    // The client does not notice that the connection was closed until it reads. A busy machine may take longer to close
    // it, so later attempts wait longer.
    for seconds in [3, 6, 6, 12] {
        let mut stream = send_without_reading(&app, &world.key, &world.notes()).await;
        // After a pause of the machine, the connection may be closed before the test reads.
        let Ok(head) = head(&mut stream).await else { continue };
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        let (mut rest, mut bytes) = (stream.take(12_000_000), Vec::new());
        let ended = tokio::time::timeout(Duration::from_secs(60), rest.read_to_end(&mut bytes)).await;
        drop(ended.expect("The connection neither continued nor ended."));
        if bytes.len() < 12_000_000 {
            return;
        }
    }
    panic!("The connection was not closed while the client did not read.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_connection_of_a_client_that_does_not_read_is_closed_on_sqlite() {
    the_connection_of_a_client_that_does_not_read_is_closed(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_connection_of_a_client_that_does_not_read_is_closed_on_postgres() {
    the_connection_of_a_client_that_does_not_read_is_closed(Backend::Postgres).await;
}

async fn unread_pages_are_limited_by_total_bytes(backend: Backend) {
    // No page ends before all are requested, on a slow machine either.
    let app = &App::start_with(backend, &[("STEWARD_READER_TIMEOUT_SECONDS", "600")]).await;
    let world = World::make(app, "acme").await;
    store_large_notes(app, &world, 20).await;
    let other = World::make(app, "other").await;
    other.key.put(&other.item("large"), json!({"value": {"title": "x".repeat(200_000)}})).await.created();
    app.reset_peak_memory();
    let path = format!("{}?limit=1000", world.notes());
    let mut streams = Vec::new();
    for _ in 0..14 {
        let mut stream = send_without_reading(app, &world.key, &path).await;
        let head = head(&mut stream).await.unwrap();
        streams.push((stream, head));
    }
    let count = |status: &str| streams.iter().filter(|(_, head)| head.starts_with(status)).count();
    assert_eq!((count("HTTP/1.1 200"), count("HTTP/1.1 429")), (8, 6));
    assert_eq!(world.owner.get(&path).await.status.as_u16(), 429, "The limit is that of the team.");
    other.owner.get(&other.item("large")).await.ok();
    drop(streams);
    steward_tests::eventually(async || (world.key.get(&path).await.status.as_u16() == 200).then_some(())).await;
    let peak = app.peak_memory();
    assert!(peak < 250, "{peak} MiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_pages_are_limited_by_total_bytes_on_sqlite() {
    unread_pages_are_limited_by_total_bytes(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_pages_are_limited_by_total_bytes_on_postgres() {
    unread_pages_are_limited_by_total_bytes(Backend::Postgres).await;
}
