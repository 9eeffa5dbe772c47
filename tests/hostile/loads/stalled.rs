//! Clients that request large lists and do not read the responses.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::time::sleep;

use super::Load;
use crate::scene::{Callers, Scene};

pub const READERS: Load =
    Load { name: "60 readers of 16 MB who stall", prepare: fill, start: stall, leaves_work: false };

const CLIENTS: usize = 60;
/// Number of items of 240 kB that add up to 16 MB.
const ITEMS: usize = 68;

fn fill(scene: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        let text = "x".repeat(240_000);
        for number in 0..ITEMS {
            let put = scene.http.put(scene.url(&scene.world.item(&format!("large{number}")))).bearer_auth(scene.key());
            let put = put.json(&json!({"value": {"title": text}})).send().await.unwrap();
            assert!(put.status().is_success(), "{}", put.text().await.unwrap());
        }
    })
}

fn stall(scene: &Scene) -> BoxFuture<'_, Callers> {
    Box::pin(async move {
        let address = scene.app.base.replace("http://localhost", "127.0.0.1").parse().unwrap();
        let request = format!(
            "GET {}?limit=1000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
            scene.world.notes(),
            scene.key()
        );
        (0..CLIENTS).fold(Callers::default(), |callers, _| {
            let request = request.clone();
            callers.spawn(async move {
                let socket = TcpSocket::new_v4().unwrap();
                // Otherwise the kernel would buffer much of the response.
                socket.set_recv_buffer_size(4096).unwrap();
                let mut stream = socket.connect(address).await.unwrap();
                stream.write_all(request.as_bytes()).await.unwrap();
                sleep(Duration::from_secs(3600)).await;
            })
        })
    })
}
