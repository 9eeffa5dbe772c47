//! Operator commands while the service is busy.

use steward_tests::PASSWORD;

use super::{Load, nothing};
use crate::scene::{Callers, full_batch};

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
            writers.spawn(async move {
                for number in 0_u32.. {
                    let email = format!("operator-{number}@example.com");
                    let output = operator.run(&["account", "create", "--email", &email], PASSWORD).await;
                    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                }
            })
        })
    },
    leaves_work: false,
};
