//! The commands of the page Connect, run as it shows them: in an empty directory, with nothing but the binary. The service
//! has the packages of its SDKs.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use steward_tests::{App, Backend, Browser, World, binary, free_port};
use tempfile::TempDir;
use tokio::process::Command as AsyncCommand;

use crate::chrome::ProcessGuard;

/// How long the commands before the last one may take. They install packages, and compile in Rust.
const INSTALL_TIMEOUT: Duration = Duration::from_mins(15);
/// How long the app may take to respond.
const START_TIMEOUT: Duration = Duration::from_mins(3);
/// The ports that the commands name.
const PORTS: [&str; 3] = ["5173", "3000", "8000"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_line_leads_to_an_app_in_typescript_and_python() {
    let (app, world) = start().await;
    for framework in ["html", "flask"] {
        follow(&app, &world, framework).await;
    }
}

/// A short run leaves this out.
mod full {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_line_leads_to_an_app_for_each_other_framework() {
        let (app, world) = start().await;
        for framework in ["react", "nextjs", "vue", "sveltekit", "express", "hono", "fastapi", "django", "axum"] {
            follow(&app, &world, framework).await;
        }
    }
}

async fn start() -> (App, World) {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    (app, world)
}

/// Runs the commands, and asks the app for its page.
async fn follow(app: &App, world: &World, framework: &str) {
    let browser = Browser::signed_in(app, "acme-owner").await;
    let page = browser.open(&format!("/console/projects/{}/connect?framework={framework}", world.project)).await;
    let current = format!("?framework={framework}\" aria-current=\"page\"");
    assert!(page.html.contains(&current), "{page}");
    let line = copyable(&page.html, "init");
    assert!(line.starts_with("steward init --project "), "{line}");
    let steps = copyable(&page.html, "steps");
    let (install, last) = steps.rsplit_once('\n').unwrap();
    let directory = tempfile::tempdir().unwrap();
    let shell = |script: String| shell(app, world, &directory, &script);

    // A command that runs the app also compiles it.
    let compiled = if last == "cargo run" { "\ncargo build" } else { "" };
    let mut command = AsyncCommand::from(shell(format!("{line}\n{install}{compiled}")));
    let output = tokio::time::timeout(INSTALL_TIMEOUT, command.kill_on_drop(true).output()).await;
    let output = output.unwrap_or_else(|_| panic!("{framework}: the commands take too long.")).unwrap();
    let printed = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{framework}: {}", String::from_utf8_lossy(&printed));

    let port = free_port().to_string();
    let mut own = PORTS.iter().fold(last.to_owned(), |command, known| command.replace(known, &port));
    if last == "cargo run" {
        own = format!("{own} -- {port}");
    }
    // Each script is a shell of its own.
    let activation = if install.contains(".venv") { ". .venv/bin/activate\n" } else { "" };
    let log = std::fs::File::create(directory.path().join("log")).unwrap();
    let mut command = shell(format!("{activation}exec env {own}"));
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).process_group(0);
    let _process = ProcessGuard(command.spawn().unwrap());
    let origin = format!("http://localhost:{port}");
    let html = responds(app, &origin, directory.path(), framework).await;
    // The module of a page, which imports the SDK: Vite compiles it on demand.
    for script in html.split("<script type=\"module\" src=\"").skip(1) {
        let path = script.split('"').next().unwrap().trim_start_matches('/');
        responds(app, &format!("{origin}/{path}"), directory.path(), framework).await;
    }
}

/// The value with this ID that a page offers to copy, as text.
fn copyable(html: &str, id: &str) -> String {
    let start = format!("<code id=\"{id}\">");
    let (_, rest) = html.split_once(&start).unwrap_or_else(|| panic!("There is no value {id}: {html}"));
    let text = rest.split("</code>").next().unwrap();
    let entities = [("&#34;", "\""), ("&#38;", "&"), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">")];
    entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

/// A shell in the directory of the app, with the binary in its path, and a token instead of a sign-in with the browser.
fn shell(app: &App, world: &World, directory: &TempDir, script: &str) -> Command {
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", script]).current_dir(directory.path()).stdin(Stdio::null());
    let path = format!("{}:{}", binary().parent().unwrap().display(), std::env::var_os("PATH").unwrap().display());
    command.env("PATH", path).env("STEWARD_TOKEN", world.owner.credential.as_deref().unwrap());
    // The service that the line names is the one of the test.
    command.env_remove("STEWARD_SERVER").env("XDG_CONFIG_HOME", app.directory());
    command.envs([("npm_config_audit", "false"), ("npm_config_fund", "false"), ("NEXT_TELEMETRY_DISABLED", "1")]);
    // The packages are those that the workspace has, so none is downloaded.
    command.env("CARGO_NET_OFFLINE", "true").env_remove("CARGO_TARGET_DIR").env_remove("RUSTC_WORKSPACE_WRAPPER");
    command
}

/// Waits until an address responds with 200. Returns the body.
async fn responds(app: &App, url: &str, directory: &Path, framework: &str) -> String {
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        let failed = match app.client.get(url).send().await {
            Ok(response) if response.status() == 200 => return response.text().await.unwrap(),
            Ok(response) => response.status().to_string(),
            Err(error) => error.to_string(),
        };
        let log = || std::fs::read_to_string(directory.join("log")).unwrap_or_default();
        assert!(Instant::now() < deadline, "{framework}: {url}: {failed}\n{}", log());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
