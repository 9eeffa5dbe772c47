//! Schema documents with very many violations, sent to the public verification endpoint.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{Load, nothing, proof};
use crate::callers::Callers;
use crate::scene::Scene;

pub const THIRTY_THOUSAND_FIELDS: Load = Load {
    name: "verify, 30,000 fields",
    prepare: nothing,
    start: |scene| verify(scene, 30_000),
    proofs: &[proof("200", |seconds| 5 * seconds, 3)],
    leaves_work: false,
};

pub const NINETY_THOUSAND_FIELDS: Load = Load {
    name: "verify, 90,000 fields",
    prepare: nothing,
    start: |scene| verify(scene, 90_000),
    proofs: &[proof("200", |seconds| 5 * seconds, 2)],
    leaves_work: false,
};

fn verify(scene: &Scene, fields: usize) -> BoxFuture<'_, Callers> {
    Box::pin(async move {
        let (http, body, url) = (scene.http.clone(), document(fields), scene.url("/utils/schema/verifyUpdateSchema"));
        Callers::default().send(2, move |caller, _| {
            // The loads run one after the other, so each has its own addresses and rate limits.
            let from = format!("192.0.2.{}", fields / 1_000 + caller);
            let request = http.post(&url).header("X-Forwarded-For", from).header("Content-Type", "application/json");
            request.body(body.clone())
        })
    })
}

/// Returns a request body with a document that has `fields` fields, each of which is an invalid one-byte value.
pub fn document(fields: usize) -> String {
    let fields: Map<String, Value> = (0..fields).map(|number| (format!("{number:x}"), json!(1))).collect();
    json!({"schema": {"tables": {"t": {"fields": fields}}}}).to_string()
}
