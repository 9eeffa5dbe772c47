//! The README's tour, pasted into a shell.

use std::process::Command;

use steward_tests::on_both;

/// The shell commands of the tour.
fn tour() -> String {
    let readme = include_str!("../../README.md");
    let section = readme.split("## A tour").nth(1).expect("the README has a tour");
    section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("of shell commands").to_owned()
}

on_both! {
    async fn the_tour_works_when_pasted(app: &App) {
        let script = tour().replace("http://localhost:3003", &app.base);
        let run = move || Command::new("sh").args(["-euc", &script]).output().unwrap();
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
        let lines: Vec<serde_json::Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let refused: Vec<&str> = lines.iter().filter_map(|line| line["error"].as_str()).collect();
        assert_eq!(refused, ["forbidden", "invalid_item"], "{told}");
        let list = &lines[lines.len() - 2];
        assert_eq!((&list["data"][0]["id"], &list["data"][0]["done"]), (&"first".into(), &true.into()), "{told}");
    }
}
