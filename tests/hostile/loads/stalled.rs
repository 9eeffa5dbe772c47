//! Clients that request large lists and do not read the responses.

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::sleep;

use super::{Load, proof};
use crate::callers::{Callers, Run};
use crate::scene::Scene;
use crate::slow_reader::SlowReader;

pub const READERS: Load = Load {
    name: "120 readers of 16 MB who stall",
    prepare: fill,
    start: stall,
    proofs: &[proof("200", |seconds| (3 * seconds).min(60), 20)],
    leaves_work: false,
};

/// Number of keys. They share the limit of their team, which is 64 lists.
const KEYS: usize = 4;
/// Pause after a rejected request.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Stores large items. At full scale they add up to 16 MB.
fn fill(scene: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(scene.fill_large(scene.number(68, 17)))
}

fn stall(scene: &Scene) -> BoxFuture<'_, Callers> {
    Box::pin(async move {
        let mut keys = Vec::new();
        for _ in 0..KEYS {
            keys.push(scene.another_key().await);
        }
        (0..scene.number(120, 40)).fold(Callers::default(), |callers, client| {
            let (base, path, key) = (scene.app.base.clone(), scene.world.notes(), keys[client % KEYS].clone());
            callers.spawn(move |run| async move { stay(&run, &base, &path, &key).await })
        })
    })
}

/// Requests the complete list until it is accepted, and then never reads it.
async fn stay(run: &Run, base: &str, path: &str, key: &str) {
    while !run.is_over() {
        let mut reader = SlowReader::send(base, path, Some(key)).await.unwrap();
        let status = reader.status().await.unwrap_or_else(|_| "connection lost".to_owned());
        run.record(&status);
        if status == "200" {
            return run.over().await;
        }
        sleep(RETRY_PAUSE).await;
    }
}
