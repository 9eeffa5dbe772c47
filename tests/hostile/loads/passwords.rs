//! Sign-ins: wrong passwords from very many addresses, and correct ones one after the other.

use serde_json::json;
use steward_tests::PASSWORD;

use super::{Load, nothing, proof};
use crate::callers::Callers;
use crate::scene::Scene;

pub const WRONG: Load = Load {
    name: "wrong passwords, 24 at a time",
    prepare: nothing,
    start: |scene| Box::pin(async move { guess(scene, Callers::default()) }),
    proofs: &[proof("401", |seconds| 10 * seconds, 10)],
    leaves_work: false,
};

pub const SIGN_INS: Load = Load {
    name: "sign-ins, one after the other",
    prepare: nothing,
    start: |scene| {
        Box::pin(async move {
            let (http, url) = (scene.http.clone(), scene.url("/auth/login"));
            Callers::default().send(1, move |_, number| {
                let from = format!("203.0.113.{}", number % 250);
                http.post(&url)
                    .header("X-Forwarded-For", from)
                    .json(&json!({"username": "mallory-owner", "password": PASSWORD}))
            })
        })
    },
    proofs: &[proof("200", |seconds| 5 * seconds, 5)],
    leaves_work: false,
};

/// Adds callers that guess passwords, 24 at a time.
pub fn guess(scene: &Scene, callers: Callers) -> Callers {
    let (http, url) = (scene.http.clone(), scene.url("/auth/login"));
    callers.send(24, move |caller, number| {
        let (login, from) = (format!("someone-{caller}-{number}"), format!("198.51.{caller}.{}", number % 250));
        let body = json!({"username": login, "password": "a wrong password"});
        http.post(&url).header("X-Forwarded-For", from).json(&body)
    })
}
