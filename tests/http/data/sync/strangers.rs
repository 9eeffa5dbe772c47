//! Connections that nobody has authenticated: they end soon, send little, and take a bounded amount of memory.

use std::time::Duration;

use futures_util::future::join_all;
use steward_tests::device::DeviceState;
use steward_tests::{App, Backend, World, eventually};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Synced, WRITE};
use crate::transport::request_memory::unfinished_request;

/// How long a connection may take to end: the time for the first message, and more on a slow machine.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// Bits of the first two bytes of a frame (RFC 6455 section 5.2).
const FINAL: u8 = 0x80;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const MASKED: u8 = 0x80;

/// Opens a connection. Returns it with the status of the response.
async fn connect(app: &App) -> (TcpStream, String) {
    let (stream, head) = open(app, "").await;
    let status = head.split(' ').nth(1).unwrap_or_default().to_owned();
    (stream, status)
}

/// Opens a connection with further header lines. Returns it with the head of the response.
async fn open(app: &App, more: &str) -> (TcpStream, String) {
    let address = app.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let upgrade = format!(
        "GET /ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n"
    );
    stream.write_all(upgrade.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    let is_complete = |head: &[u8]| head.windows(4).any(|end| end == b"\r\n\r\n");
    while !is_complete(&head) && stream.read_buf(&mut head).await.is_ok_and(|read| read > 0) {}
    (stream, String::from_utf8_lossy(&head).to_ascii_lowercase())
}

/// A frame whose mask is zero.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match u16::try_from(payload.len()) {
        Ok(length) if length < 126 => bytes.push(MASKED | u8::try_from(length).unwrap()),
        Ok(length) => {
            bytes.push(MASKED | 126);
            bytes.extend(length.to_be_bytes());
        }
        Err(_) => {
            bytes.push(MASKED | 127);
            bytes.extend(u64::try_from(payload.len()).unwrap().to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// Returns the code with which the service closes the connection.
async fn close_code(mut stream: TcpStream) -> u16 {
    let mut received = Vec::new();
    timeout(MAX_WAIT, stream.read_to_end(&mut received)).await.expect("The connection stays open.").ok();
    let close = received.iter().position(|byte| *byte == FINAL | CLOSE).expect("There is no close frame.");
    u16::from_be_bytes([received[close + 2], received[close + 3]])
}

/// Resident memory of the service in MiB, without its files.
fn resident(app: &App) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_message_is_small_and_soon() {
    let app = App::start(Backend::Sqlite).await;
    let (silent, status) = connect(&app).await;
    assert_eq!(status, "101");
    let silent = tokio::spawn(close_code(silent));
    // A frame of the full size that never ends, one that is too large, fragments that are too large together, and many.
    let text = vec![b' '; 65_536];
    let whole = frame(FINAL | TEXT, &text);
    let large = frame(FINAL | TEXT, &vec![b' '; 65_537]);
    let fragments = [frame(TEXT, &text), frame(0, b" ")].concat();
    let many = [frame(TEXT, b" "), frame(0, b" ").repeat(128)].concat();
    for (sent, code) in [(&whole[..whole.len() - 1], 4401), (&large, 1009), (&fragments, 1009), (&many, 1008)] {
        let (mut stream, _) = connect(&app).await;
        stream.write_all(sent).await.ok();
        assert_eq!(close_code(stream).await, code);
    }
    assert_eq!(silent.await.unwrap(), 4401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_small_fragments_take_little_memory() {
    let app = App::start(Backend::Sqlite).await;
    let before = resident(&app);
    // 60,000 bytes in fragments of one byte.
    let flood = [frame(TEXT, b" "), frame(0, b" ").repeat(59_999)].concat();
    let mut open = Vec::new();
    for _ in 0..40 {
        let (mut stream, status) = connect(&app).await;
        assert_eq!(status, "101");
        timeout(MAX_WAIT, stream.write_all(&flood)).await.expect("The service does not read.").ok();
        open.push(stream);
    }
    let during = resident(&app);
    // 2.4 MB of text. Stored one by one, fragments take at least 32 bytes each, and what they were received with.
    assert!(during < before + 48, "{before} MiB before, {during} MiB during");
}

/// What the service may keep after many connections have ended, in MiB.
const MAX_KEPT: u64 = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_memory_of_connections_that_ended_is_given_back() {
    let app = App::start(Backend::Sqlite).await;
    let before = resident(&app);
    let whole = frame(FINAL | TEXT, &vec![b' '; 60_000]);
    let mut open = Vec::new();
    for _ in 0..300 {
        let (mut stream, status) = connect(&app).await;
        assert_eq!(status, "101");
        stream.write_all(&whole[..whole.len() - 1]).await.unwrap();
        open.push(stream);
    }
    let during = resident(&app);
    // 18 MB of text, which all has arrived unless the connections of a slow machine ended before.
    assert!(during < before + 100, "{before} MiB before, {during} MiB during");
    drop(open);
    eventually(async || (resident(&app) < before + MAX_KEPT).then_some(())).await;
}

/// Checks that a connection is refused, and when the client may try again.
#[track_caller]
fn is_refused(head: &str, status: &str) {
    assert_eq!(head.split(' ').nth(1), Some(status), "{head}");
    assert!(head.contains("retry-after: 5"), "{head}");
}

async fn strangers_are_counted(backend: Backend) {
    let settings = [("STEWARD_SYNC_UNAUTHENTICATED", "3"), ("STEWARD_TRUSTED_PROXIES", "127.0.0.1")];
    let app = App::start_with(backend, &settings).await;
    let ann = Synced::make(&app, WRITE).await;
    let from = |address: &str| format!("X-Forwarded-For: {address}\r\n");
    let is_open =
        async |address: &str| Some(open(&app, &from(address)).await).filter(|(_, head)| head.contains(" 101 "));
    // The devices of an office, which are authenticated, do not count.
    let mut devices = Vec::new();
    for _ in 0..5 {
        devices.push(ann.device(&app).await);
    }
    let mut strangers = Vec::new();
    for address in ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:ffff::3"] {
        strangers.push(is_open(address).await.expect("The network has few connections."));
    }
    let (_refused, head) = open(&app, &from("2001:db8:1:2::4")).await;
    is_refused(&head, "429");
    assert!(is_open("2001:db8:1:3::1").await.is_some(), "Another network has its own connections.");
    drop(strangers.pop());
    eventually(async || is_open("2001:db8:1:2::4").await).await;
    devices[0].hears_nothing().await;
}

async fn all_connections_are_counted(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_SYNC_CONNECTIONS", "3")]).await;
    let ann = Synced::make(&app, WRITE).await;
    let mut devices = Vec::new();
    for _ in 0..3 {
        devices.push(ann.device(&app).await);
    }
    let (_refused, head) = open(&app, "").await;
    is_refused(&head, "503");
    devices.pop().unwrap().vanish().await;
    let next = async || DeviceState::default().connect(&app.base, &ann.token, &ann.world.project).await.ok();
    let mut device = eventually(next).await;
    device.change(vec![]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_has_few_connections_that_are_not_authenticated() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        strangers_are_counted(backend).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_accepts_a_limited_number_of_connections() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        all_connections_are_counted(backend).await;
    }
}

/// Number of large bodies that leave a small part of the memory of a network.
const HELD_BODIES: usize = 31;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_of_a_network_share_its_memory_and_return_it() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_SYNC_UNAUTHENTICATED", "1000")]).await;
    let world = World::make(&app, "acme").await;
    // Bodies take most of it: so few connections remain that even a slow machine opens them before the first one ends.
    let bodies = join_all((0..HELD_BODIES).map(|_| unfinished_request(&app))).await;
    let whole = frame(FINAL | TEXT, &vec![b' '; 65_000]);
    let part = &whole[..whole.len() - 1];
    let (mut strangers, mut refused) = (Vec::new(), None);
    while refused.is_none() {
        assert!(strangers.len() < 1_000, "No connection was refused.");
        let (mut stream, head) = open(&app, "").await;
        stream.write_all(part).await.ok();
        if head.contains(" 101 ") { strangers.push(stream) } else { refused = Some(head) }
    }
    is_refused(&refused.unwrap(), "503");
    assert!(strangers.len() > 10, "{} connections", strangers.len());
    world.key.get(&world.item("first")).await.ok();
    drop(strangers);
    let is_accepted = async || Some(connect(&app).await.1).filter(|status| status == "101");
    eventually(is_accepted).await;
    drop(bodies);
}
