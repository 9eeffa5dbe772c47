//! Writers of batches with the maximum size.

use super::{Load, nothing, proof};
use crate::callers::Callers;
use crate::scene::full_batch;

pub const FULL_BATCHES: Load = Load {
    name: "12 writers of full batches",
    prepare: nothing,
    start: |scene| {
        Box::pin(async move {
            let (http, key) = (scene.http.clone(), scene.key().to_owned());
            let url = scene.url(&format!("{}/batch", scene.world.notes()));
            Callers::default().send(12, move |caller, number| {
                http.post(&url).bearer_auth(&key).json(&full_batch(&format!("w{caller}-{number}")))
            })
        })
    },
    proofs: &[proof("200", |seconds| 5 * seconds, 5)],
    leaves_work: true,
};
