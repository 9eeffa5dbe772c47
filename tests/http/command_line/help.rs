//! Completion scripts and manual pages.

use std::collections::BTreeSet;

use steward_tests::{App, Backend};

use super::CommandLine;

/// The help of every command, which a test keeps up to date.
pub const HELP: &str = include_str!("../snapshots/help.snap");

/// All commands, such as `team list`, without `steward` itself.
pub fn commands() -> BTreeSet<&'static str> {
    let commands = HELP.lines().filter_map(|line| line.strip_prefix("$ steward ")?.strip_suffix(" --help"));
    let commands: BTreeSet<&str> = commands.collect();
    assert!(commands.contains("team list"), "{commands:?}");
    commands
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_shell_has_a_completion_script() {
    let app = App::start(Backend::Sqlite).await;
    let line = CommandLine::with(&app, &[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = line.text(&["completions", shell]).await;
        for expected in ["steward", "webhook", "rotate-secret", "destructive"] {
            assert!(script.contains(expected), "{shell}: {expected}");
        }
    }
    let script = line.text(&["completions", "bash"]).await;
    std::fs::write(app.directory().join("steward.bash"), script).unwrap();
    let check = std::process::Command::new("bash").arg("-n").arg(app.directory().join("steward.bash")).status();
    assert!(check.unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_command_has_a_manual_page() {
    let app = App::start(Backend::Sqlite).await;
    let line = CommandLine::with(&app, &[]);
    let page = line.text(&["man"]).await;
    assert!(page.contains(".TH steward 1") && page.contains("webhook"), "{page}");

    let directory = app.directory().join("share").join("man1");
    line.text(&["man", directory.to_str().unwrap()]).await;
    let pages = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let expected = commands().into_iter().map(|command| format!("steward-{}.1", command.replace(' ', "-")));
    assert_eq!(pages.collect::<BTreeSet<_>>(), expected.chain(["steward.1".to_owned()]).collect());
    let page = std::fs::read_to_string(directory.join("steward-webhook-create.1")).unwrap();
    assert!(page.contains("\\-\\-events") && page.contains("Examples:"), "{page}");
}
