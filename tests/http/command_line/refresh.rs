//! Several processes use one sign-in: the tokens are refreshed once, and none of the processes loses them.

use serde_json::{Value, json};
use steward_tests::{App, Browser, on_sqlite};

use super::CommandLine;
use crate::command_line::commands::{open_loopback, start_login};

/// Number of processes that use the rejected token at the same time.
const PROCESSES: usize = 4;

/// Number of requests for tokens so far.
async fn token_requests(app: &App) -> usize {
    let log = app.complete_log().await;
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["route"] == "/auth/token" && line["method"] == "POST").count()
}

on_sqlite! {
    async fn processes_that_refresh_at_the_same_time_share_the_new_tokens(app: &App) {
        app.person("ann").await;
        let file = app.directory().join("cli").join("credentials.json").display().to_string();
        let (mut process, address) = start_login(app, &file).await;
        let back = Browser::new(app).sign_in_and_allow(&address, "ann").await;
        open_loopback(&back).await;
        assert!(process.wait().await.unwrap().success());
        let line = CommandLine::with(app, &[]);

        for round in 0..3 {
            let mut stored: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            stored["access_token"] = json!("expired");
            std::fs::write(&file, stored.to_string()).unwrap();
            let before = token_requests(app).await;
            let arguments = ["whoami", "--credentials", file.as_str()];
            let running: Vec<_> = (0..PROCESSES).map(|_| line.spawn(&arguments)).collect();
            for process in running {
                let output = process.wait_with_output().await.unwrap();
                assert!(output.status.success(), "{round}: {}", String::from_utf8_lossy(&output.stderr));
                let person: Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(person["username"], "ann");
            }
            assert_eq!(token_requests(app).await, before + 1, "The tokens are refreshed once.");
            let renewed: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            assert_ne!(renewed["refresh_token"], stored["refresh_token"]);
        }
        line.text(&["team", "list", "--credentials", &file]).await;
    }
}
