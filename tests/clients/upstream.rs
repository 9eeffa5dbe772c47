//! Runs OpenID providers that nobody here wrote, for tests in which the service is the relying party.

use std::process::Stdio;

use serde_json::{Value, json};
use steward_tests::{TIMEOUT, install_npm_package, install_python_packages};
use tempfile::NamedTempFile;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// The Node.js provider: names and contents.
const NPM_FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("npm-providers/.npmrc")),
    ("package.json", include_str!("npm-providers/package.json")),
    ("package-lock.json", include_str!("npm-providers/package-lock.json")),
    ("provider.mjs", include_str!("npm-providers/provider.mjs")),
];

/// The Python provider: names and contents.
const PYTHON_FILES: &[(&str, &str)] = &[
    ("provider.py", include_str!("python/provider.py")),
    ("requirements.txt", include_str!("python/requirements.txt")),
];

/// A running provider with one client. Its authorization endpoint shows no pages: it redirects with a code for the
/// person that the test has set last, and with `access_denied` before that. Dropping this value stops it.
pub struct Upstream {
    url: String,
    client: reqwest::Client,
    _process: Child,
    /// Kept open: the provider could otherwise not write to it.
    _output: Lines<BufReader<ChildStdout>>,
    log: NamedTempFile,
}

impl Upstream {
    /// Starts a provider of the npm package `oidc-provider`. Only its userinfo endpoint returns the email and the
    /// names, and its authorization responses have the parameter `iss` (RFC 9207). A client without a secret is public.
    pub async fn oidc_provider(client_id: &str, secret: &str, redirect_uri: &str) -> Self {
        let install = || install_npm_package(env!("CARGO_TARGET_TMPDIR"), "npm-providers", NPM_FILES);
        let directory = tokio::task::spawn_blocking(install).await.unwrap();
        let mut command = Command::new("node");
        command.arg("provider.mjs").current_dir(directory);
        Self::start(command, client_id, secret, redirect_uri).await
    }

    /// Starts a provider of the Python package Authlib. Its ID tokens contain the email and the names too. A client
    /// without a secret is public.
    pub async fn authlib(client_id: &str, secret: &str, redirect_uri: &str) -> Self {
        let install = || install_python_packages(env!("CARGO_TARGET_TMPDIR"), "python-providers", PYTHON_FILES);
        let directory = tokio::task::spawn_blocking(install).await.unwrap();
        let mut command = Command::new(directory.join("venv/bin/python"));
        command.arg("provider.py").current_dir(directory);
        Self::start(command, client_id, secret, redirect_uri).await
    }

    async fn start(mut command: Command, client_id: &str, secret: &str, redirect_uri: &str) -> Self {
        let log = NamedTempFile::new().unwrap();
        command.env("PORT", "0").env("CLIENT_ID", client_id).env("CLIENT_SECRET", secret);
        command.env("REDIRECT_URI", redirect_uri).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log.reopen().unwrap());
        let child = command.spawn();
        let mut process =
            child.unwrap_or_else(|error| panic!("{command:?} failed to start: {error}. Run tests/install-tools.sh."));

        let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(TIMEOUT, output.next_line()).await;
        let line = line.unwrap_or_else(|_| panic!("{command:?} did not start within {TIMEOUT:?}.")).unwrap();
        let url = line.as_deref().and_then(|line| line.strip_prefix("READY ")).map(str::to_owned);
        let url = url.unwrap_or_else(|| panic!("{command:?} did not start:\n{}", read(&log)));
        Self { url, client: reqwest::Client::new(), _process: process, _output: output, log }
    }

    /// The issuer.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Signs a person in at the provider: an object of claims, of which `sub` is required. With `{"denied": true}`, the
    /// person denies the following authorization requests.
    pub async fn person(&self, json: Value) {
        self.post("/test/person", &json).await;
    }

    /// Replaces the redirect URI of the client.
    pub async fn redirect_uri(&self, uri: &str) {
        self.post("/test/client", &json!({"redirect_uri": uri})).await;
    }

    /// Signs the following ID tokens with a new key for this algorithm: RS256, which is the default, ES256 or EdDSA.
    /// The key set contains a key for each of them, and no longer the previous key for this one.
    pub async fn signing(&self, alg: &str) {
        self.post("/test/signing", &json!({"alg": alg})).await;
    }

    /// Returns the authorization requests with their parameters and the token requests with their client
    /// authentication, oldest first.
    pub async fn requests(&self) -> Vec<Value> {
        let response = self.client.get(format!("{}/test/requests", self.url)).send().await.unwrap();
        response.error_for_status().unwrap().json().await.unwrap()
    }

    async fn post(&self, path: &str, body: &Value) {
        let response = self.client.post(format!("{}{path}", self.url)).json(body).send().await.unwrap();
        response.error_for_status().unwrap();
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- log of the provider ---\n{}", read(&self.log));
        }
    }
}

fn read(log: &NamedTempFile) -> String {
    std::fs::read_to_string(log.path()).unwrap_or_default()
}
