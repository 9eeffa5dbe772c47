//! A flood of unknown credentials in a valid format.

use steward_domain::administration::KeyValue;

use super::{Load, nothing, proof};
use crate::callers::Callers;

pub const UNKNOWN: Load = Load {
    name: "unknown credentials, 32 at a time",
    prepare: nothing,
    start: |scene| {
        Box::pin(async move {
            let (http, url) = (scene.http.clone(), scene.url(&format!("/project/{}", scene.world.project)));
            Callers::default().send(32, move |caller, number| {
                let from = format!("198.51.{caller}.{}", number % 250);
                http.get(&url).header("X-Forwarded-For", from).bearer_auth(unknown_key(caller, number))
            })
        })
    },
    proofs: &[proof("401", |seconds| 100 * seconds, 100)],
    leaves_work: false,
};

/// Returns an unknown private key, different for each request.
fn unknown_key(caller: usize, number: usize) -> String {
    let mut bits = [7; 32];
    bits[..8].copy_from_slice(&caller.to_be_bytes());
    bits[8..16].copy_from_slice(&number.to_be_bytes());
    KeyValue::from_entropy(true, &bits.into()).secret().expose().to_owned()
}
