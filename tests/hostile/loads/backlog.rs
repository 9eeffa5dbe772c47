//! Loads during which a backlog of events is sealed.

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::sleep;

use super::{Load, nothing, passwords, proof};
use crate::callers::Callers;
use crate::fill;
use crate::scene::{Scene, unsealed_events};

pub const WRONG_PASSWORDS: Load = Load {
    name: "wrong passwords beside a backlog",
    prepare: nothing,
    start: |scene| Box::pin(async move { passwords::guess(scene, with_backlog(scene)) }),
    proofs: &[proof(BACKLOG, |seconds| seconds, 1), proof("401", |seconds| 5 * seconds, 5)],
    leaves_work: false,
};

pub const AUDIT_READERS: Load = Load {
    name: "4 readers of a log with a backlog",
    prepare: nothing,
    start: read_log,
    proofs: &[
        proof(BACKLOG, |seconds| seconds, 1),
        proof("project 200", |seconds| seconds, 1),
        proof("team 200", |seconds| seconds, 1),
    ],
    leaves_work: false,
};

/// The outcome that is recorded several times per second while some events are not sealed.
const BACKLOG: &str = "backlog";

/// Adds events that are not sealed, and a caller that records whether some of them remain.
fn with_backlog(scene: &Scene) -> Callers {
    fill::events(&scene.app, &scene.world, scene.number(600_000, 8_000));
    let (http, metrics) = (scene.http.clone(), scene.metrics.clone());
    Callers::default().spawn(move |run| async move {
        while !run.is_over() {
            if unsealed_events(&http, &metrics).await > 0.0 {
                run.record(BACKLOG);
            }
            sleep(Duration::from_millis(200)).await;
        }
    })
}

fn read_log(scene: &Scene) -> BoxFuture<'_, Callers> {
    Box::pin(async move {
        let (http, key) = (scene.http.clone(), scene.another_key().await);
        let project = scene.url(&format!("/project/{}/audit?limit=1000", scene.world.project));
        let team = scene.url(&format!("/team/{}/audit?limit=1000", scene.world.team));
        let get = move |url: &str| http.get(url).bearer_auth(&key);
        let get_of_team = get.clone();
        let readers = with_backlog(scene).send_as("project ", 2, move |_, _| get(&project));
        readers.send_as("team ", 2, move |_, _| get_of_team(&team))
    })
}
