//! Changes that require a recent sign-in: on a terminal the command line asks the person to sign in and repeats the
//! request.

use steward_tests::{Browser, World, on_sqlite};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::CommandLine;
use crate::command_line::commands::{open_loopback, start_login};

/// Returns the first line of the output that contains the text, without what precedes it.
async fn line_with(lines: &mut tokio::io::Lines<BufReader<tokio::process::ChildStdout>>, text: &str) -> String {
    loop {
        let line = lines.next_line().await.unwrap().unwrap_or_else(|| panic!("The output has no {text:?}."));
        if let Some(at) = line.find(text) {
            return line[at..].trim().to_owned();
        }
    }
}

on_sqlite! {
    async fn a_change_that_widens_authority_asks_to_sign_in_on_a_terminal_and_is_repeated(app: &App) {
        let world = World::make(app, "acme").await;
        let file = app.directory().join("cli").join("credentials.json").display().to_string();
        let browser = Browser::new(app);
        let (mut process, address) = start_login(app, &file).await;
        open_loopback(&browser.sign_in_and_allow(&address, "acme-owner").await).await;
        assert!(process.wait().await.unwrap().success());
        let line = CommandLine::with(app, &[("DISPLAY", ":0")]);
        let create = ["key", "create", "--project", &world.project, "--label", "CI", "--roles", "read"];
        let create = [&create[..], &["--credentials", file.as_str()]].concat();
        line.text(&create).await;

        app.age_sign_ins(&world.owner.id);
        app.age_sessions();
        let message = line.fails(4, &create).await;
        assert!(message.contains("within the last 15 minutes") && message.contains("STEWARD_TOKEN"), "{message}");
        let command = format!("steward login --server {} --profile default", app.base);
        assert!(message.contains(&command), "{message}");

        let mut terminal = line.spawn_on_terminal(&create);
        let mut lines = BufReader::new(terminal.stdout.take().unwrap()).lines();
        let address = line_with(&mut lines, "http").await;
        let page = browser.open(&address).await;
        assert!(page.is_at("/auth/sign-in"), "The sign-in of the browser is too old: {page}");
        open_loopback(&browser.sign_in_and_allow(&address, "acme-owner").await).await;
        line_with(&mut lines, "stw_sk_").await;
        assert!(terminal.wait().await.unwrap().success());
        // The new sign-in replaces the one of the profile.
        line.text(&create).await;
        let keys = world.owner.get(&format!("/project/{}/key", world.project)).await.ok();
        assert_eq!(keys["data"].as_array().unwrap().len(), 4);
    }

    async fn another_person_who_signs_in_does_not_make_the_change(app: &App) {
        let world = World::make(app, "acme").await;
        let file = app.directory().join("cli").join("credentials.json").display().to_string();
        let (mut process, address) = start_login(app, &file).await;
        open_loopback(&Browser::new(app).sign_in_and_allow(&address, "acme-owner").await).await;
        assert!(process.wait().await.unwrap().success());
        let before = std::fs::read_to_string(&file).unwrap();
        app.age_sign_ins(&world.owner.id);

        let line = CommandLine::with(app, &[("DISPLAY", ":0")]);
        let create = ["key", "create", "--project", &world.project, "--label", "CI", "--roles", "read"];
        let mut terminal = line.spawn_on_terminal(&[&create[..], &["--credentials", file.as_str()]].concat());
        let mut lines = BufReader::new(terminal.stdout.take().unwrap()).lines();
        let address = line_with(&mut lines, "http").await;
        open_loopback(&Browser::new(app).sign_in_and_allow(&address, "acme-visitor").await).await;
        line_with(&mut lines, "another account").await;
        assert!(!terminal.wait().await.unwrap().success());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    }
}
