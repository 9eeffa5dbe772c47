//! Complete lists of large items, requested at once.

use futures_util::future::{BoxFuture, join_all};

use super::{Load, proof};
use crate::callers::{Callers, outcome};
use crate::scene::Scene;

pub const UNLIMITED: Load = Load {
    name: "180 lists of 8 MB at once",
    prepare: fill,
    start: list,
    proofs: &[proof("200", |seconds| seconds, 3)],
    leaves_work: false,
};

/// Stores large items, more than the first chunk of a list reads. At full scale they add up to 8 MB.
fn fill(scene: &Scene) -> BoxFuture<'_, ()> {
    Box::pin(scene.fill_large(scene.number(34, 17)))
}

/// Requests all lists at once, reads those that are accepted to their end, and begins again. In a short run there are
/// only a few lists, because each caller must get a complete one in time.
fn list(scene: &Scene) -> BoxFuture<'_, Callers> {
    Box::pin(async move {
        let (http, key, url) = (scene.http.clone(), scene.another_key().await, scene.url(&scene.world.notes()));
        let count = scene.number(180, 12);
        Callers::default().spawn(move |run| async move {
            while !run.is_over() {
                let lists = (0..count).map(|_| async {
                    let outcome = outcome(http.get(&url).bearer_auth(&key)).await;
                    run.record(&outcome);
                });
                join_all(lists).await;
            }
        })
    })
}
