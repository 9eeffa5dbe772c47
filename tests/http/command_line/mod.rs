//! The command line as a client of the API: the real binary next to a running service.

mod account_commands;
mod backups;
pub mod clients;
mod commands;
mod confirmation;
mod exit_codes;
mod help;
mod imports;
mod initialization;
mod listening;
mod logging;
mod nouns;
mod operations;
mod operators;
mod output;
mod output_files;
mod projects_and_keys;
mod refresh;
mod schemas;
mod session;
mod webhooks_and_audit;

use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use insta::{Settings, assert_snapshot};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use steward_tests::{Actor, App, Operator, SecretLeaks};

/// Runs commands on the machine of a person or program.
#[derive(Clone)]
pub struct CommandLine {
    operator: Operator,
    canaries: Arc<SecretLeaks>,
}

impl CommandLine {
    /// Uses the credential of a caller.
    pub fn of(app: &App, caller: &Actor) -> Self {
        Self::with_token(app, caller.credential.as_deref().unwrap())
    }

    pub fn with_token(app: &App, token: &str) -> Self {
        Self::with(app, &[("STEWARD_SERVER", app.base.as_str()), ("STEWARD_TOKEN", token)])
    }

    /// Uses these environment variables.
    pub fn with(app: &App, variables: &[(&str, &str)]) -> Self {
        Self { operator: app.operator().with(variables), canaries: app.canaries.clone() }
    }

    /// Runs the commands in another directory.
    pub fn in_directory(&self, directory: &Path) -> Self {
        Self { operator: self.operator.clone().in_directory(directory), canaries: self.canaries.clone() }
    }

    /// Runs a command with this standard input. Secrets that it prints must not be in the log or the database.
    pub async fn run(&self, arguments: &[&str], input: &str) -> Output {
        let output = self.operator.run(arguments, input).await;
        if output.status.success() {
            self.canaries.watch(StatusCode::OK, &HeaderMap::new(), &output.stdout);
        }
        output
    }

    pub fn spawn(&self, arguments: &[&str]) -> tokio::process::Child {
        self.operator.spawn(arguments)
    }

    /// Starts a command as a person does, on a terminal.
    pub fn spawn_on_terminal(&self, arguments: &[&str]) -> tokio::process::Child {
        self.operator.spawn_on_terminal(arguments)
    }

    /// Runs a command that must succeed, and returns what it prints.
    pub async fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "").await;
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must succeed, with `--json --yes`, and returns the printed JSON.
    pub async fn json(&self, arguments: &[&str]) -> Value {
        let text = self.text(&[arguments, &["--json", "--yes"]].concat()).await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// Runs a command that must fail with this exit code, and returns its error message.
    pub async fn fails(&self, exit_code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments, "").await;
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(exit_code), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty() && !message.is_empty(), "{arguments:?}: {message}");
        message
    }
}

/// The ID in the JSON of a resource.
pub fn id(resource: &Value) -> String {
    resource["id"].as_str().unwrap_or_else(|| panic!("No `id` in {resource}")).to_owned()
}

/// Commands and the JSON that they print, for a snapshot.
#[derive(Default)]
pub struct Transcript(String);

impl Transcript {
    /// Runs a command as [`CommandLine::json`] does, and adds it to the transcript.
    pub async fn json(&mut self, line: &CommandLine, arguments: &[&str]) -> Value {
        let value = line.json(arguments).await;
        let printed = serde_json::to_string_pretty(&value).unwrap();
        self.0.push_str(&format!("$ steward {} --json\n{printed}\n\n", arguments.join(" ")));
        value
    }

    /// Compares the transcript with its snapshot.
    pub fn check(self, name: &str) {
        let name = format!("command-line-{name}");
        settings().bind(|| assert_snapshot!(name, self.0));
    }
}

/// Replaces what differs between two runs.
fn settings() -> Settings {
    let mut settings = crate::documents::snapshots::settings();
    for (pattern, replacement) in [
        (r#"("(?:took_ms|position|exp|iat)": )[0-9]+"#, "${1}[number]"),
        (r"msg_[0-9a-f]{32}_[0-9]+", "[message]"),
        (r"\b[0-9a-f]{32}\b", "[hex]"),
        (r"whsec_[0-9A-Za-z+/=]+", "[secret]"),
        (r"(stw_[a-z]+_)?\.\.\.[0-9A-Za-z]{4}\b", "[hint]"),
        (r#"("(?:icon|background)[a-z_]*": "[^"]*/)[^"/]+""#, "${1}[image]\""),
        (r#""\d{4}-\d\d-\d\d""#, "\"[day]\""),
        (r#"("file": ")[^"]*/"#, "${1}[directory]/"),
    ] {
        settings.add_filter(pattern, replacement);
    }
    settings
}
