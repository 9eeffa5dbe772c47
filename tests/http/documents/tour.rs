//! Runs the shell commands of the tour in `docs/guides/tour.md`.

use std::process::Command;

use steward_tests::on_sqlite;

/// Returns the first block of shell commands of a section of the tour.
fn commands(heading: &str) -> String {
    let tour = include_str!("../../../docs/guides/tour.md");
    let section = tour.split(heading).nth(1).expect("The tour does not contain the section.");
    let block = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    block.expect("The section contains no shell commands.").to_owned()
}

on_sqlite! {
    async fn the_commands_of_the_tour_work(app: &App) {
        let script = format!("{}\n{}", commands("## Teams, keys and items"), commands("## Signing people in"));
        let script = script.replace("http://localhost:3003", &app.base);
        let run = move || Command::new("sh").args(["-euc", &script]).output().unwrap();
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
        let lines: Vec<serde_json::Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let refused: Vec<&str> = lines.iter().filter_map(|line| line["error"].as_str()).collect();
        assert_eq!(refused, ["forbidden", "invalid_item"], "{stdout}");
        let list = lines.iter().find(|line| line["pagination"].is_object()).expect("The output lists no notes.");
        assert_eq!((&list["data"][0]["id"], &list["data"][0]["done"]), (&"first".into(), &true.into()), "{stdout}");
        let [.., settings, metadata] = lines.as_slice() else { panic!("{stdout}") };
        assert_eq!(settings["data"]["auth"]["redirect_uris"][1], "http://127.0.0.1/callback");
        assert_eq!(metadata["issuer"], app.base);
    }
}
