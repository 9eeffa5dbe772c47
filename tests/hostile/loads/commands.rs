//! Operator commands while the service is busy.

use std::sync::atomic::{AtomicU32, Ordering};

use steward_tests::PASSWORD;

use super::{Load, nothing, proof};
use crate::callers::Callers;
use crate::scene::full_batch;

/// The outcome of a successful command.
const CREATED: &str = "account created";

/// Number of the next account. Each account has another email address, even if the load starts several times.
static NEXT_ACCOUNT: AtomicU32 = AtomicU32::new(0);

pub const ACCOUNT_CREATE: Load = Load {
    name: "account create with 4 writers",
    prepare: nothing,
    start: |scene| {
        Box::pin(async move {
            let (http, key) = (scene.http.clone(), scene.key().to_owned());
            let url = scene.url(&format!("{}/batch", scene.world.notes()));
            let writers = Callers::default().send(4, move |caller, number| {
                http.post(&url).bearer_auth(&key).json(&full_batch(&format!("w{caller}-{number}")))
            });
            let operator = scene.app.operator();
            writers.spawn(move |run| async move {
                while !run.is_over() {
                    let number = NEXT_ACCOUNT.fetch_add(1, Ordering::Relaxed);
                    let email = format!("operator-{number}@example.com");
                    let output = operator.run(&["account", "create", "--email", &email], PASSWORD).await;
                    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                    run.record(CREATED);
                }
            })
        })
    },
    proofs: &[proof("200", |seconds| 5 * seconds, 5), proof(CREATED, |seconds| seconds / 4, 1)],
    leaves_work: false,
};
