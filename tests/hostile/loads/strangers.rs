//! Devices that never identify themselves, and clients whose requests never arrive completely.

use std::io;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::{Load, nothing, proof};
use crate::callers::{Callers, Run};
use crate::process::raise_file_limit;
use crate::scene::Scene;

pub const DEVICES: Load = Load {
    name: "2,000 devices without a token",
    prepare: nothing,
    start: connect,
    proofs: &[proof("101", |seconds| 20 * seconds, 40), proof("429", |seconds| seconds, 0)],
    leaves_work: false,
};

pub const FORMS: Load = Load {
    name: "400 forms that stall",
    prepare: nothing,
    start: stall,
    proofs: &[proof("stalled", |_| 400, 60)],
    leaves_work: false,
};

/// Number of networks of the devices. Each is allowed some of the connections.
const NETWORKS: usize = 2;
/// Size of a message that is accepted from a device without a token, in bytes.
const MESSAGE_BYTES: u16 = 60_000;
/// Sizes of its fragments, by turns. The smallest are not accepted.
const FRAGMENT_BYTES: [u16; 3] = [1, 600, MESSAGE_BYTES];
/// Size of a form, in bytes.
const FORM_BYTES: usize = 1_000_000;
/// Pause before a caller connects again.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// How long a message may take until the service receives it. What it does not receive waits in the socket.
const SEND_TIMEOUT: Duration = Duration::from_secs(2);

fn connect(scene: &Scene) -> BoxFuture<'_, Callers> {
    Box::pin(async move {
        let count = scene.number(2_000, 120);
        if count > 500 {
            raise_file_limit(2 * count + 2_000);
        }
        (0..count).fold(Callers::default(), |callers, client| {
            let base = scene.app.base.clone();
            let message = message(FRAGMENT_BYTES[client % FRAGMENT_BYTES.len()]);
            callers.spawn(move |run| async move { send_message(&run, &base, client % NETWORKS, &message).await })
        })
    })
}

/// Returns a message in fragments of this size, without the end.
fn message(size: u16) -> Vec<u8> {
    let fragment = |opcode: u8| {
        let [high, low] = size.to_be_bytes();
        [vec![opcode, 0xfe, high, low, 0, 0, 0, 0], vec![b' '; size.into()]].concat()
    };
    [fragment(1), fragment(0).repeat((MESSAGE_BYTES / size - 1).into())].concat()
}

/// Connects, sends the message, and connects again when the service ends the connection.
async fn send_message(run: &Run, base: &str, network: usize, message: &[u8]) {
    while !run.is_over() {
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let head = format!("GET /ws HTTP/1.1\r\nX-Forwarded-For: 198.51.100.{network}\r\n{upgrade}");
        let Ok(mut stream) = send(base, &head).await else { continue };
        let mut line = [0; 12];
        let status = stream.read_exact(&mut line).await.map(|_| String::from_utf8_lossy(&line).into_owned());
        let status = status.map_or_else(|_| "connection lost".to_owned(), |line| line[9..].to_owned());
        run.record(&status);
        if status == "101" {
            timeout(SEND_TIMEOUT, stream.write_all(message)).await.ok();
            let ended = async { while stream.read(&mut [0; 1024]).await.is_ok_and(|count| count > 0) {} };
            tokio::select! {
                () = ended => {}
                () = run.over() => {}
            }
        }
        drop(stream);
        sleep(RETRY_PAUSE).await;
    }
}

fn stall(scene: &Scene) -> BoxFuture<'_, Callers> {
    Box::pin(async move {
        (0..scene.number(400, 60)).fold(Callers::default(), |callers, _| {
            let (base, key) = (scene.app.base.clone(), scene.key().to_owned());
            callers.spawn(move |run| async move { send_form(&run, &base, &key).await })
        })
    })
}

/// Sends a form of the hostile team without its last byte.
async fn send_form(run: &Run, base: &str, key: &str) {
    let head = format!(
        "POST /team/new HTTP/1.1\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n",
        FORM_BYTES + 1
    );
    let Ok(mut stream) = send(base, &head).await else { return run.record("connection lost") };
    timeout(SEND_TIMEOUT, stream.write_all(&vec![b'a'; FORM_BYTES])).await.ok();
    run.record("stalled");
    run.over().await;
}

/// Connects and sends the head of a request.
async fn send(base: &str, head: &str) -> io::Result<TcpStream> {
    let address = base.trim_start_matches("http://").replace("localhost", "127.0.0.1");
    let mut stream = TcpStream::connect(&address).await?;
    stream.write_all(format!("{head}Host: {address}\r\n\r\n").as_bytes()).await?;
    Ok(stream)
}
