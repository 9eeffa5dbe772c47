//! The README's tour and what follows it, pasted into a shell.

use std::process::Command;

use steward_tests::on_both;

/// The shell commands of a section.
fn commands(heading: &str) -> String {
    let readme = include_str!("../../README.md");
    let section = readme.split(heading).nth(1).expect("the README has the section");
    section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("of shell commands").to_owned()
}

on_both! {
    async fn the_tour_works_when_pasted(app: &App) {
        let script = format!("{}\n{}", commands("## A tour"), commands("## Signing people in"));
        let script = script.replace("http://localhost:3003", &app.base);
        let run = move || Command::new("sh").args(["-euc", &script]).output().unwrap();
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
        let lines: Vec<serde_json::Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let refused: Vec<&str> = lines.iter().filter_map(|line| line["error"].as_str()).collect();
        assert_eq!(refused, ["forbidden", "invalid_item"], "{told}");
        let list = lines.iter().find(|line| line["pagination"].is_object()).expect("a list of notes");
        assert_eq!((&list["data"][0]["id"], &list["data"][0]["done"]), (&"first".into(), &true.into()), "{told}");
        let [.., settings, metadata] = lines.as_slice() else { panic!("{told}") };
        assert_eq!(settings["data"]["auth"]["redirect_uris"][1], "http://127.0.0.1/callback");
        assert_eq!(metadata["issuer"], app.base);
    }
}
