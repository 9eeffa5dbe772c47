//! A public list of all versions of a large schema is streamed, so that it uses little memory.

use std::time::Duration;

use serde_json::{Map, Value, json};
use steward_tests::{App, Backend, World, notes_schema};
use tokio::time::sleep;

use crate::fill;
use crate::scenario::scenarios;
use crate::slow_reader::SlowReader;

/// Number of versions of about 120 kB.
const VERSIONS: usize = 30;
/// Number of clients that do not read the response.
const SLOW_READERS: usize = 12;
/// How much more memory than before one complete response may use, in MiB.
const MAX_GROWTH: u64 = 60;

/// A schema with 4,000 fields.
fn large_schema() -> Value {
    let fields: Map<String, Value> =
        (0..100).map(|number| (format!("field_{number:03}"), json!({"type": "string"}))).collect();
    let mut schema = notes_schema();
    for number in 0..40 {
        schema["tables"][format!("table_{number}")] = json!({"fields": fields});
    }
    schema
}

scenarios! { &[];
    async fn all_versions_of_a_large_schema_are_returned_in_little_memory(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/schema", world.project);
        world.owner.post(&path, json!({"schema": large_schema()})).await.ok();
        fill::copies_of_schema_version(app, &world, 2, VERSIONS);
        let all = format!("{path}?version=all");

        app.reset_peak_memory();
        let before = app.peak_memory();
        let response = app.client.get(format!("{}{all}", app.base)).send().await.unwrap();
        let length = response.bytes().await.unwrap().len();
        assert!(length > VERSIONS * 100_000, "{length} bytes");
        let peak = app.peak_memory();
        assert!(peak < before + MAX_GROWTH, "{before} MiB before, {peak} MiB peak");

        let mut readers = Vec::new();
        for _ in 0..SLOW_READERS {
            readers.push(SlowReader::send(&app.base, &all, None).await.unwrap());
        }
        let mut accepted = 0;
        for reader in &mut readers {
            accepted += usize::from(reader.status().await.unwrap() == "200");
        }
        assert!(accepted >= SLOW_READERS / 2, "Only {accepted} of {SLOW_READERS} responses began.");
        sleep(Duration::from_secs(1)).await;
        world.owner.get(&world.item("first")).await.ok();
    }
}
