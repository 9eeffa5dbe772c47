//! Tests a small Node.js program with the npm package `openid-client`.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use steward_tests::{App, Browser, TIMEOUT, install_npm_package, on_both_in_full, report_missing};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::{CALLBACK, SIGNED_OUT, ann_and_a_client, sign_out};

/// The files of all programs: names and contents.
const FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("npm/.npmrc")),
    (".spectral.yaml", include_str!("npm/.spectral.yaml")),
    ("client.mjs", include_str!("npm/client.mjs")),
    ("package.json", include_str!("npm/package.json")),
    ("package-lock.json", include_str!("npm/package-lock.json")),
    ("redocly.yaml", include_str!("npm/redocly.yaml")),
    ("tour.mts", include_str!("npm/tour.mts")),
    ("tsconfig.json", include_str!("npm/tsconfig.json")),
    ("verify.mjs", include_str!("../../examples/mcp/verify.mjs")),
];

on_both_in_full! {
    async fn openid_client_signs_in_a_user(app: &App) {
        let directory = tokio::task::spawn_blocking(install).await.unwrap();
        for client_id in ann_and_a_client(app).await {
            let result = tokio::time::timeout(TIMEOUT, run(app, &directory, &client_id)).await;
            let result = result.expect("The program exceeded its time limit.");
            assert!(result["sub"].as_str().is_some_and(|subject| !subject.is_empty()), "{result}");
            let expected = json!({
                "sub": result["sub"],
                "email": "ann@example.com",
                "name": "ann",
                "refreshed": true,
                "verified": [true, "ERR_JWT_CLAIM_VALIDATION_FAILED", "ERR_JWS_SIGNATURE_VERIFICATION_FAILED"],
                "reuse": "invalid_grant",
                "revoked": "invalid_grant",
            });
            assert_eq!(result, expected);
        }
    }
}

/// Runs the program while ann signs in and out with a browser. Returns the result that the program prints.
async fn run(app: &App, directory: &Path, client_id: &str) -> Value {
    let mut command = Command::new("node");
    command.args(["client.mjs", &app.base, client_id, CALLBACK, SIGNED_OUT]).current_dir(directory).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| report_missing("node", &error));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();

    let request = read_line(&mut child, &mut lines).await;
    let (browser, authorize) = (Browser::new(app), request["authorize"].as_str().unwrap());
    let callback = browser.sign_in_and_allow(authorize, "ann").await;
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{callback}\n").as_bytes()).await.unwrap();
    let result = read_line(&mut child, &mut lines).await;
    let logout = read_line(&mut child, &mut lines).await;
    sign_out(&browser, logout["logout"].as_str().unwrap(), authorize).await;
    result
}

/// Returns the next line that the program prints.
pub async fn read_line(child: &mut Child, lines: &mut Lines<BufReader<ChildStdout>>) -> Value {
    if let Some(line) = lines.next_line().await.unwrap() {
        return serde_json::from_str(&line).unwrap();
    }
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).await.unwrap();
    panic!("The program ended early:\n{errors}");
}

/// Installs the packages. Returns their directory.
pub fn install() -> PathBuf {
    install_npm_package(env!("CARGO_TARGET_TMPDIR"), "npm-clients", FILES)
}
