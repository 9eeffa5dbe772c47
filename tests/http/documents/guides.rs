//! Runs the shell commands of the guides by task in `docs/guides`, and the scripts in `examples/migrate` that they use.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use steward_store::scratch::{ScratchDatabase, execute_sql};
use steward_tests::{
    Actor, App, Backend, SECRET, WEAK_PASSWORD_HASHES, binary, on_both_in_full, on_sqlite, program_directory,
};
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn guide(name: &str) -> String {
    fs::read_to_string(repository().join("docs/guides").join(name)).unwrap()
}

/// The blocks of a guide in this language, without the indentation of those in lists.
fn blocks(guide: &str, language: &str) -> Vec<String> {
    let (mut blocks, mut lines) = (Vec::new(), guide.lines());
    while let Some(line) = lines.next() {
        let indentation = line.len() - line.trim_start().len();
        if line.trim_start().strip_prefix("```") == Some(language) {
            let block = lines.by_ref().take_while(|line| line.trim() != "```");
            blocks.push(block.map(|line| format!("{}\n", line.get(indentation..).unwrap_or_default())).collect());
        }
    }
    assert!(!blocks.is_empty(), "The guide has no block of the language {language}.");
    blocks
}

/// The shell commands of a guide.
fn commands(name: &str) -> String {
    blocks(&guide(name), "sh").concat()
}

/// A directory with a Git repository, in which an owner of the team `acme` follows a guide on the service's host.
struct Desk<'a> {
    app: &'a App,
    owner: Actor,
    team: String,
    directory: TempDir,
    variables: Vec<(String, OsString)>,
}

impl<'a> Desk<'a> {
    async fn new(app: &'a App) -> Self {
        let owner = app.person("owner").await;
        let team = owner.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        let directory = tempfile::tempdir().unwrap();
        let port = app.base.rsplit(':').next().unwrap();
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let programs = [binary().parent().unwrap().to_owned(), program_directory()];
        let path = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&inherited))).unwrap();
        let mut variables: Vec<(String, OsString)> = [
            ("STEWARD_SERVER", app.base.as_str()),
            ("STEWARD_TOKEN", owner.credential.as_deref().unwrap()),
            ("STEWARD_BIND", &format!("127.0.0.1:{port}")),
            ("STEWARD_DATA_DIR", app.directory().to_str().unwrap()),
            ("STEWARD_SECRET", SECRET),
            ("STEWARD_LOG", "error"),
            (WEAK_PASSWORD_HASHES, "true"),
            // Python writes no files beside the scripts.
            ("PYTHONDONTWRITEBYTECODE", "1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.into()))
        .into();
        variables.push(("PATH".into(), path));
        variables.push(("HOME".into(), directory.path().into()));
        if app.backend() == Backend::Postgres {
            variables.push(("DATABASE_URL".into(), app.database().url().into()));
        }
        let desk = Self { app, owner, team, directory, variables };
        desk.shell("git init --quiet").await;
        desk
    }

    fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.into()));
    }

    /// Adds a project with the user `ann`, who has a note, and a viewer of the team.
    async fn with_project(self) -> Self {
        let project = json!({"name": "Rocket", "slug": "rocket", "team_id": self.team});
        let project = self.owner.post("/project/", project).await.created().id();
        let schema = json!({"tables": {"notes": {"fields": {
            "title": {"type": "string", "required": true}, "done": {"type": "boolean"}}}}});
        self.owner.post(&format!("/project/{project}/schema"), json!({"schema": schema})).await.ok();
        let ann = self.app.person("ann").await;
        let token = json!({"token": ann.credential});
        self.app.anonymous().post(&format!("/project/{project}/user/connect"), token).await.ok();
        let users = self.users().await;
        let [user] = users.as_slice() else { panic!("There is not one user.") };
        let note = format!("/project/{project}/user/{}/db/notes/first", user["id"].as_str().unwrap());
        self.owner.put(&note, json!({"value": {"title": "Buy milk", "done": true}})).await.created();
        let viewer = self.app.person("viewer").await;
        let invite = json!({"username": "viewer", "roles": "viewer"});
        let invite = self.owner.post(&format!("/team/{}/invite", self.team), invite).await.created().id();
        viewer.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    async fn run(&self, script: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-euc", script]).current_dir(self.directory.path()).env_clear();
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    /// Runs commands that must succeed. Returns what they print.
    async fn shell(&self, script: &str) -> String {
        let output = self.run(script).await;
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{printed}\n{}", String::from_utf8_lossy(&output.stderr));
        printed
    }

    /// Runs the commands of a guide.
    async fn follow(&self, guide: &str) -> String {
        self.shell(&commands(guide)).await
    }

    /// ID of the project.
    async fn project(&self) -> String {
        let projects = self.owner.get("/project").await.ok();
        let found = projects["data"].as_array().unwrap().iter().find(|project| project["slug"] == "rocket");
        found.expect("There is no project.")["id"].as_str().unwrap().to_owned()
    }

    async fn users(&self) -> Vec<Value> {
        let path = format!("/project/{}/user", self.project().await);
        self.owner.get(&path).await.ok()["data"].as_array().unwrap().clone()
    }

    /// The notes of a user, newest first.
    async fn notes(&self, user: &Value) -> Vec<Value> {
        let path = format!("/project/{}/user/{}/db/notes", self.project().await, user["id"].as_str().unwrap());
        self.owner.get(&path).await.ok()["data"].as_array().unwrap().clone()
    }

    async fn setting(&self, name: &str) -> Value {
        let path = format!("/project/{}/settings", self.project().await);
        self.owner.get(&path).await.ok()["data"]["auth"][name].clone()
    }

    /// Copies the scripts that move people and items.
    fn copy_scripts(&self) {
        let scripts = repository().join("examples/migrate");
        fs::create_dir(self.path("migrate")).unwrap();
        for entry in fs::read_dir(scripts).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.extension().is_some_and(|extension| extension == "py") {
                fs::copy(&entry, self.path("migrate").join(entry.file_name().unwrap())).unwrap();
            }
        }
    }

    /// Checks that two people were moved, and returns the notes of each.
    async fn moved_notes(&self) -> [Vec<Value>; 2] {
        let accounts = self.shell("steward account list").await;
        for email in ["ann@example.com", "bob@example.com"] {
            let account = accounts.lines().find(|line| line.to_lowercase().contains(email));
            let account: Value = serde_json::from_str(account.expect(email)).unwrap();
            assert_eq!(account["email_verified"], true, "{account}");
        }
        assert!(!accounts.contains("eve@example.com"), "{accounts}");
        let users = self.users().await;
        assert_eq!(users.len(), 2, "{users:?}");
        let ann = users.iter().position(|user| user["profile"]["name"] == "Ann Example").expect("Ann is not moved.");
        [self.notes(&users[ann]).await, self.notes(&users[1 - ann]).await]
    }
}

fn sample(name: &str) -> PathBuf {
    repository().join("examples/migrate/samples").join(name)
}

/// The members with these names.
fn members(item: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| ((*name).to_owned(), item[*name].clone())).collect()
}

on_both_in_full! {
    async fn production(app: &App) {
        let desk = Desk::new(app).await;
        let printed = desk.follow("production.md").await;
        assert!(printed.contains("\nready\n") && printed.contains(r#""holds":true"#), "{printed}");
        assert!(printed.contains(r#""is_operator":true"#), "{printed}");
        assert_eq!(fs::read_to_string(desk.path("steward.secret")).unwrap().trim().len(), 64);
    }

    async fn moving_from_supabase(app: &App) {
        let mut desk = Desk::new(app).await;
        let supabase = ScratchDatabase::create().unwrap();
        execute_sql(&supabase.url(), &fs::read_to_string(sample("supabase.sql")).unwrap()).unwrap();
        desk.set("SUPABASE_DB_URL", &supabase.url());
        desk.copy_scripts();
        desk.follow("moving-from-supabase.md").await;
        let [anns, bobs] = desk.moved_notes().await;
        let names = ["id", "title", "done", "rank", "tags", "details", "created"];
        assert_eq!(members(&anns[0], &names), json!({
            "id": "2", "title": "Two lines,\nand a \\ and \"quotes\"", "done": true, "rank": 2.5, "tags": null,
            "details": {"color": "red"}, "created": "2025-03-03T10:00:00+00:00"}));
        assert_eq!(members(&anns[1], &names[..5]), json!({
            "id": "1", "title": "Buy milk", "done": false, "rank": 1, "tags": ["home", "food"]}));
        assert_eq!((anns.len(), bobs.len(), &bobs[0]["title"]), (2, 1, &json!("Résumé")));
    }
}

// The commands and the script that loads are those of the guide to Supabase, which runs on both databases.
on_sqlite! {
    async fn moving_from_firebase(app: &App) {
        let desk = Desk::new(app).await;
        fs::create_dir(desk.path("export")).unwrap();
        for name in ["users.json", "notes.json"] {
            fs::copy(sample("firebase").join(name), desk.path("export").join(name)).unwrap();
        }
        desk.copy_scripts();
        let printed = desk.follow("moving-from-firebase.md").await;
        assert!(printed.contains("Ty4uIo7pAs0dFg3hJk6lQw9eRt25: has no email address"), "{printed}");
        let [anns, bobs] = desk.moved_notes().await;
        assert_eq!(members(&anns[0], &["id", "title", "rank", "tags", "place", "details"]), json!({
            "id": "Jd5FhG7sKq1WeR3tYu9i", "title": "Two lines,\nand \"quotes\"", "rank": 2.5, "tags": [],
            "place": {"latitude": 47.37, "longitude": 8.54}, "details": {"color": "red", "old": null}}));
        assert_eq!(members(&anns[1], &["title", "done", "rank", "due"]), json!({
            "title": "Buy milk", "done": false, "rank": 1, "due": "2025-03-09T12:00:00Z"}));
        assert_eq!((anns.len(), bobs.len(), &bobs[0]["list"]), (2, 1, &json!("lists/home")));
    }

    async fn moving_from_pocketbase(app: &App) {
        let desk = Desk::new(app).await;
        let statements = fs::read_to_string(sample("pocketbase.sql")).unwrap();
        execute_sql(desk.path("data.db").to_str().unwrap(), &statements).unwrap();
        desk.copy_scripts();
        desk.follow("moving-from-pocketbase.md").await;
        let [anns, bobs] = desk.moved_notes().await;
        let names = ["id", "title", "done", "rank", "tags", "details", "due", "created"];
        assert_eq!(members(&anns[0], &names), json!({
            "id": "n3d9s5ytv6e2r8c", "title": "Two lines,\nand \"quotes\"", "done": true, "rank": 2.5, "tags": [],
            "details": {"color": "red"}, "due": null, "created": "2025-03-03 10:00:00.000Z"}));
        assert_eq!(members(&anns[1], &["title", "tags"]), json!({"title": "Buy milk", "tags": ["home", "food"]}));
        assert_eq!((anns.len(), bobs.len(), &bobs[0]["title"]), (2, 1, &json!("Résumé")));
    }

    async fn an_account_with_an_unconfirmed_address_gets_no_items_of_a_person_who_is_moved(app: &App) {
        let desk = Desk::new(app).await.with_project().await;
        desk.copy_scripts();
        let statements = fs::read_to_string(sample("pocketbase.sql")).unwrap();
        execute_sql(desk.path("data.db").to_str().unwrap(), &statements).unwrap();
        desk.shell("python3 migrate/pocketbase.py data.db moving").await;
        desk.shell("steward schema push --project rocket --file moving/schema.json").await;
        let load = format!("python3 migrate/load.py moving --project {}", desk.project().await);
        let output = desk.run(&load).await;
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && message.contains("it is not confirmed"), "{message}");
        let loaded = fs::read_to_string(desk.path("moving/loaded.csv")).unwrap();
        assert_eq!(loaded.lines().count(), 1, "{loaded}");
        let ann = desk.users().await.into_iter().find(|user| user["profile"]["username"] == "ann").unwrap();
        assert_eq!(desk.notes(&ann).await.len(), 1, "The account of a stranger has only its own note.");

        // After the address is confirmed, the same command moves what is missing.
        app.execute_sql("UPDATE accounts SET email_verified = TRUE WHERE email = 'ann@example.com'");
        assert!(desk.shell(&load).await.contains("2 people loaded, 0 failed"));
        assert_eq!(desk.notes(&ann).await.len(), 3);
    }

    async fn roles_and_keys(app: &App) {
        let desk = Desk::new(app).await.with_project().await;
        let printed = desk.follow("roles-and-keys.md").await;
        assert!(printed.contains("is valid:        true\n"), "{printed}");
        assert!(printed.contains(r#""token_type":"Bearer""#), "{printed}");
        let members = desk.owner.get(&format!("/team/{}/member", desk.team)).await.ok();
        assert_eq!(members["data"].as_array().unwrap().len(), 1, "The viewer is removed.");
        let keys = desk.owner.get(&format!("/project/{}/key", desk.project().await)).await.ok();
        let labels: Vec<&str> = keys["data"].as_array().unwrap().iter().map(|key| key["label"].as_str().unwrap()).collect();
        assert!(labels.contains(&"Server, production") && !labels.contains(&"Worker"), "{labels:?}");
    }

    async fn items(app: &App) {
        let desk = Desk::new(app).await.with_project().await;
        let printed = desk.follow("items.md").await;
        assert!(printed.contains("Buy coffee"), "{printed}");
        assert_eq!(desk.notes(&desk.users().await[0]).await.len(), 3);
        let exported = fs::read_to_string(desk.path("exported.csv")).unwrap();
        assert!(exported.starts_with("id,") && exported.lines().count() == 4, "{exported}");
        let done = fs::read_to_string(desk.path("done.ndjson")).unwrap();
        assert_eq!(done.lines().count(), 2, "{done}");
    }

    async fn schema_as_code(app: &App) {
        let desk = Desk::new(app).await.with_project().await;
        let printed = desk.follow("schema-as-code.md").await;
        for shown in blocks(&guide("schema-as-code.md"), "text") {
            assert!(printed.contains(&shown), "{printed}");
        }
        let note = desk.notes(&desk.users().await[0]).await.remove(0);
        assert_eq!((&note["state"], note.get("done")), (&json!("done"), None));
        let newest = desk.owner.get(&format!("/project/{}/schema", desk.project().await)).await.ok();
        let fields = &newest["data"][0]["schema"]["tables"]["notes"]["fields"];
        assert!(fields["state"].is_object() && fields.get("done").is_none(), "{fields}");
        assert!(printed.contains("breaking"), "{printed}");
    }

    async fn users_and_sign_in(app: &App) {
        let mut desk = Desk::new(app).await.with_project().await;
        desk.set("PROVIDER_SECRET", "a secret of the provider");
        desk.follow("users-and-sign-in.md").await;
        assert_eq!(desk.setting("redirect_uris").await, json!(["https://app.example.com/callback"]));
        assert_eq!(desk.setting("accent_color").await, "#0a7d4b");
        assert_eq!(desk.setting("email_codes").await, true);
        let export: Value = serde_json::from_slice(&fs::read(desk.path("ann.json")).unwrap()).unwrap();
        assert_eq!(export["items"]["notes"][0]["title"], "Buy milk");
        assert_eq!(export["user"]["meta"]["plan"], "pro");
        assert_eq!(desk.users().await, Vec::<Value>::new(), "Ann is deleted.");
    }
}

/// The commands that the jobs of a pipeline run, after the package is installed.
fn jobs(pipeline: &str) -> Vec<&str> {
    let (mut commands, mut is_script) = (Vec::new(), false);
    for line in pipeline.lines().map(str::trim) {
        let listed = line.strip_prefix("- ");
        is_script = line == "script:" || is_script && listed.is_some();
        commands.extend(line.strip_prefix("- run: ").or(listed.filter(|_| is_script)));
    }
    // It downloads the package from the reader's own server.
    commands.retain(|command| !command.starts_with("curl -fsS https://downloads.example.com/"));
    commands
}

#[test]
fn pipelines_run_the_commands_of_the_guide() {
    let guide = guide("schema-as-code.md");
    let tested = commands("schema-as-code.md");
    for name in ["github-actions.yml", "gitlab-ci.yml"] {
        let pipeline = fs::read_to_string(repository().join("examples/ci").join(name)).unwrap();
        assert!(
            guide.contains(&format!("```yaml examples/ci/{name}\n{pipeline}```")),
            "The guide does not show {name}."
        );
        let run = jobs(&pipeline);
        assert_eq!(run.len(), 5, "{run:?}");
        for command in run {
            assert!(tested.lines().any(|line| line == command), "The guide's test does not run `{command}` of {name}.");
        }
    }
}

#[test]
fn settings_in_the_guide_to_production_exist() {
    let settings = fs::read_to_string(repository().join("docs/operations/settings.md")).unwrap();
    for setting in blocks(&guide("production.md"), "text").concat().lines() {
        let name = setting.split('=').next().unwrap();
        assert!(settings.contains(&format!("| `{name}` |")), "{name} is not a setting.");
    }
}
