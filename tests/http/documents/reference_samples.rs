//! The samples of curl and the command line in the reference run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use chrono::TimeDelta;
use serde_json::{Value, json};
use steward_crypto::SystemClock;
use steward_domain::kernel::Clock as _;
use steward_tests::{App, Backend, Browser, Client, World, binary};

const PNG: &[u8] = include_bytes!("../../images/small.png");
/// IDs and values in the samples.
const PROJECT: &str = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";
const IMAGE: &str = "018f2a3d-0a1b-7c2d-8e3f-405162738495.png";
const LATER: &str = "2027-01-31T12:00:00.000Z";
const KEY: &str = "stw_sk_ExampleExampleExampleExampleExampleExampleE000000";

/// How many samples of a language run at least.
const LEAST: usize = 100;

/// Runs samples: with variables, and values that are valid now instead of those of the examples.
struct Runner<'a> {
    app: &'a App,
    language: &'static str,
    directory: &'a Path,
    variables: BTreeMap<&'static str, String>,
    values: BTreeMap<&'static str, String>,
    ran: BTreeSet<String>,
}

impl Runner<'_> {
    /// Runs a sample that succeeds. Returns what it prints, or null if that is not JSON.
    async fn run(&mut self, operation: &str) -> Value {
        let page = self.app.anonymous().get(&format!("/docs/reference/{operation}.md")).await;
        let page = String::from_utf8(page.body).unwrap();
        let summary = format!("<summary>{}</summary>\n\n```sh\n", self.language);
        let after = page.split(&summary).nth(1).unwrap_or_else(|| panic!("{operation} has no sample: {page}"));
        let mut text = after.split("\n```").next().unwrap().to_owned();
        for (example, value) in &self.values {
            text = text.replace(example, value);
        }
        let script = format!("curl() {{ command curl -sS --fail-with-body \"$@\"; }}\n{text}");
        let mut shell = Command::new("sh");
        shell.args(["-euc", &script]).current_dir(self.directory).envs(&self.variables);
        let path = format!("{}:{}", binary().parent().unwrap().display(), std::env::var_os("PATH").unwrap().display());
        let config = self.directory.join("config");
        shell.env("PATH", path).env("STEWARD_SERVER", &self.app.base).env("XDG_CONFIG_HOME", config);
        let output = tokio::task::spawn_blocking(move || shell.output().unwrap()).await.unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}\n{printed}\n{}", String::from_utf8_lossy(&output.stderr));
        self.ran.insert(operation.to_owned());
        serde_json::from_str(&printed).unwrap_or_default()
    }

    async fn run_all(&mut self, operations: &str) {
        for operation in operations.split_whitespace() {
            self.run(operation).await;
        }
    }

    /// Runs a sample, and sets a variable to the first ID that it prints.
    async fn create(&mut self, operation: &str, variable: &'static str) -> Value {
        let printed = self.run(operation).await;
        let id = first(&printed, &["id", "client_id"]).unwrap_or_else(|| panic!("{operation}: {printed}"));
        self.variables.insert(variable, id);
        printed
    }

    async fn run_team(&mut self) {
        self.create("createTeam", "TEAM_ID").await;
        self.run_all("listTeams checkTeamSlug getTeam updateTeam listMembers listTeamAudit listTeamEvents").await;
        self.create("createTeamWebhook", "WEBHOOK_ID").await;
        self.run_all("listTeamWebhooks getTeamWebhook updateTeamWebhook rotateTeamWebhookSecret testTeamWebhook").await;
        self.run_all("listTeamWebhookDeliveries deleteTeamWebhook").await;
        self.create("createInvite", "INVITE_ID").await;
        self.run_all("listInvites deleteInvite").await;
    }

    async fn run_project(&mut self) {
        let created = self.run("createProject").await;
        self.values.insert(PROJECT, first(&created, &["id"]).unwrap());
        self.run_all("listProjects checkProjectSlug getProject updateProject listProjectAudit listProjectEvents").await;
        self.run_all("getProjectProfile getRequestStats listRequests getUserStats updateSettings getSettings").await;
        self.run_all("resetSettings").await;
        self.create("createPersonalToken", "TOKEN_ID").await;
        self.run_all("listPersonalTokens revokePersonalToken uploadIcon listImages").await;
        let images = self.run("listImages").await;
        self.values.insert(
            IMAGE,
            first(&images, &["icon", "icon_url", "url"]).unwrap().rsplit('/').next().unwrap().to_owned(),
        );
        self.run_all("getImage deleteIcon uploadBackground deleteBackground").await;
    }

    async fn run_keys(&mut self) {
        let created = self.create("createKey", "KEY_ID").await;
        self.values.insert(KEY, first(&created, &["value"]).unwrap());
        self.run_all("verifyKey listKeys getKey updateKey regenerateKey revokePreviousKeyValues deleteKey").await;
        self.create("createClient", "CLIENT_ID").await;
        self.run_all("listClients getClient updateClient uploadClientLogo deleteClientLogo rotateClientSecret").await;
        self.run_all("deleteClient").await;
        self.create("createProjectWebhook", "WEBHOOK_ID").await;
        self.run_all("listProjectWebhooks getProjectWebhook updateProjectWebhook rotateProjectWebhookSecret").await;
        self.create("testProjectWebhook", "DELIVERY_ID").await;
        self.run_all("listProjectWebhookDeliveries getProjectWebhookDelivery deleteProjectWebhook").await;
    }

    async fn run_schema(&mut self) {
        self.run_all(
            "publishSchema patchSchema compareSchema verifyUpdateSchema rollbackSchema getJsonSchema getSchema",
        )
        .await;
    }

    async fn run_items(&mut self, kind: &str) {
        self.create(&format!("create{kind}"), "ITEM_ID").await;
        for operation in ["list{kind}s", "get{kind}", "put{kind}", "patch{kind}", "delete{kind}"] {
            self.run(&operation.replace("{kind}", kind)).await;
        }
    }
}

/// The first text with one of these names, in depth.
fn first(value: &Value, names: &[&str]) -> Option<String> {
    match value {
        Value::Object(members) => names
            .iter()
            .find_map(|name| members.get(*name)?.as_str().map(str::to_owned))
            .or_else(|| members.values().find_map(|member| first(member, names))),
        Value::Array(entries) => entries.iter().find_map(|entry| first(entry, names)),
        _ => None,
    }
}

async fn run_samples(language: &'static str) {
    let app = &App::start_with(Backend::Sqlite, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let world = World::make(app, "dev").await;
    let directory = tempfile::tempdir().unwrap();
    for image in ["icon.png", "logo.png", "background.jpg"] {
        std::fs::write(directory.path().join(image), PNG).unwrap();
    }
    let owner = world.owner.clone();
    app.person("ann").await;
    let variables = BTreeMap::from([("STEWARD_TOKEN", owner.credential.clone().unwrap())]);
    let directory = directory.path();
    let next_month = (SystemClock.now() + TimeDelta::days(30)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let (values, ran) = (BTreeMap::from([(LATER, next_month)]), BTreeSet::new());
    let mut runner = Runner { app, language, directory, variables, values, ran };
    runner.run_team().await;
    runner.run_project().await;
    runner.run_keys().await;
    runner.run_schema().await;

    let project = runner.values[PROJECT].clone();
    let client = Client::of(app, &World { project: project.clone(), ..world });
    let code = client.code(&Browser::new(app), "ann", &[("scope", "openid profile app:db:write app:db:read")]).await;
    let tokens = client.redeem(&code, &[]).await.ok();
    let users = runner.run("listUsers").await;
    runner.variables.insert("USER_ID", first(&users, &["id"]).unwrap());
    runner.run_all("getUser updateUser listUserSessions exportUser").await;
    for item in ["bread", "tea"] {
        let path = format!("/project/{project}/user/{}/db/notes/{item}", runner.variables["USER_ID"]);
        owner.put(&path, json!({"value": {"title": item}})).await.created();
    }
    runner.run("batchItems").await;
    runner.run_all("listProjectTables listProjectItems").await;
    runner.run_items("Item").await;
    runner.variables.insert("STEWARD_TOKEN", tokens["access_token"].as_str().unwrap().to_owned());
    runner.run_items("OwnItem").await;
    runner.run_all("getSession getOwnCredential getUserInfo getOwnApp exportOwnData leaveOwnApp").await;
    runner.variables.insert("STEWARD_TOKEN", owner.credential.unwrap());
    runner.run_all("signOutUser deleteUser getRoot getAuthMetadata getOAuthMetadata getOpenIdMetadata getKeySet").await;
    runner.run_all("getLiveness getReadiness slugify getDocs getOpenApi deleteProject deleteTeam").await;
    assert!(runner.ran.len() >= LEAST, "{} samples ran", runner.ran.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_curl() {
    run_samples("curl").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_the_command_line() {
    run_samples("Command line").await;
}
