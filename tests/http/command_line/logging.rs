//! `steward logs`.

use std::time::Duration;

use serde_json::Value;
use steward_tests::{World, on_sqlite};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::time::timeout;

use super::CommandLine;

on_sqlite! {
    async fn requests_are_shown_by_key_status_and_route_and_followed(app: &App) {
        let world = World::make(app, "acme").await;
        let line = CommandLine::of(app, &world.owner);
        world.key.get(&world.item("missing")).await.is_not_found();
        let logs = ["logs", "--project", world.project.as_str()];
        let shown = line.text(&[&logs[..], &["--key", "server", "--status", "4xx"]].concat()).await;
        assert_eq!(shown.lines().count(), 1, "{shown}");
        for expected in ["  404  ", " ms  GET ", "/db/{table_id}/{item_id}", "not_found", "key server"] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
        let all = line.text(&logs).await;
        assert!(all.contains("account acme-owner <acme-owner@example.com>"), "{all}");
        let message = line.fails(2, &[&logs[..], &["--key", "unknown"]].concat()).await;
        assert!(message.contains("steward key list"), "{message}");

        let follow = [&logs[..], &["--follow", "--route", "/db/", "--method", "GET", "--json", "--fields", "status"]].concat();
        let mut process = line.spawn(&follow);
        let mut printed = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut next = async || timeout(Duration::from_secs(60), printed.next_line()).await.unwrap().unwrap().unwrap();
        assert_eq!(next().await, "{\"status\":404}");
        for (item, status) in [("first", 200), ("other", 404)] {
            world.key.get(&world.item(item)).await;
            let request: Value = serde_json::from_str(&next().await).unwrap();
            assert_eq!(request["status"], status);
        }
        process.kill().await.unwrap();
    }
}
