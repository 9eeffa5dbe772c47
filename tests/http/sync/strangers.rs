//! Connections that nobody has authenticated: they end soon, send little, and take a bounded amount of memory.

use std::time::Duration;

use steward_tests::{App, Backend, World, eventually};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a connection may take to end: the time for the first message, and more on a slow machine.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// Bits of the first two bytes of a frame (RFC 6455 section 5.2).
const FINAL: u8 = 0x80;
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const MASKED: u8 = 0x80;

/// Opens a connection. Returns it with the status of the response.
async fn connect(app: &App) -> (TcpStream, String) {
    let address = app.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let upgrade = format!(
        "GET /ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(upgrade.as_bytes()).await.unwrap();
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    (stream, head.split(' ').nth(1).unwrap_or_default().to_owned())
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
    // A frame of the full size that never ends, one that is too large, and fragments that are too large together.
    let (mut unfinished, mut large, mut fragments) =
        (connect(&app).await.0, connect(&app).await.0, connect(&app).await.0);
    let text = vec![b' '; 65_536];
    let whole = frame(FINAL | TEXT, &text);
    unfinished.write_all(&whole[..whole.len() - 1]).await.unwrap();
    large.write_all(&frame(FINAL | TEXT, &vec![b' '; 65_537])).await.ok();
    fragments.write_all(&[frame(TEXT, &text), frame(0, b" ")].concat()).await.ok();
    assert_eq!(close_code(large).await, 1009);
    assert_eq!(close_code(fragments).await, 1009);
    assert_eq!(close_code(unfinished).await, 4401);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_of_a_network_share_its_memory_and_return_it() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let whole = frame(FINAL | TEXT, &vec![b' '; 65_000]);
    let part = &whole[..whole.len() - 1];
    let mut open = Vec::new();
    let refused = loop {
        assert!(open.len() < 800, "No connection was refused.");
        let (mut stream, status) = connect(&app).await;
        if status != "101" {
            break status;
        }
        stream.write_all(part).await.ok();
        open.push(stream);
    };
    assert_eq!(refused, "503");
    assert!(open.len() > 200, "{} connections", open.len());
    world.key.get(&world.item("first")).await.ok();
    drop(open);
    let is_accepted = async || Some(connect(&app).await.1).filter(|status| status == "101");
    eventually(is_accepted).await;
}
