//! The alert rules, and the runbook of each alert.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::{repository, run, yaml};

/// The title and the text of each section of the runbooks, by its anchor.
fn sections() -> BTreeMap<String, (String, String)> {
    let text = fs::read_to_string(repository().join("docs/runbooks.md")).unwrap();
    let sections = text.split("\n## ").skip(1).map(|section| section.split_once('\n').unwrap());
    sections.map(|(title, text)| (title.to_lowercase(), (title.to_owned(), text.trim().to_owned()))).collect()
}

fn alerts() -> Vec<Value> {
    let rules = yaml::read(&repository().join("docs/monitoring/alerts.yaml"));
    let groups = rules["groups"].as_array().unwrap();
    groups.iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}

#[test]
fn every_alert_has_a_severity_and_a_section_of_the_runbooks() {
    let (alerts, mut sections) = (alerts(), sections());
    assert!(alerts.len() > 15, "Only {} alerts were found.", alerts.len());
    for alert in alerts {
        let name = alert["alert"].as_str().unwrap();
        let severity = alert["labels"]["severity"].as_str().unwrap_or_else(|| panic!("{name} has no severity."));
        assert!(alert["annotations"]["summary"].as_str().is_some_and(|summary| summary.ends_with('.')), "{name}");
        let runbook = alert["annotations"]["runbook"].as_str().unwrap_or_else(|| panic!("{name} has no runbook."));
        let anchor = runbook.strip_prefix("docs/runbooks.md#").unwrap_or_else(|| panic!("{name}: {runbook}"));
        let (title, text) = sections.remove(anchor).unwrap_or_else(|| panic!("{runbook} does not exist."));
        assert_eq!(title, name);
        let urgency = match severity {
            "page" => "**Page.** ",
            "ticket" => "**Ticket.** ",
            other => panic!("{name} has the severity {other}."),
        };
        assert!(text.starts_with(urgency), "The section {name} does not begin with {urgency}");
        assert!(text.contains("\n- "), "The section {name} does not say what to do.");
    }
    assert!(sections.is_empty(), "These sections have no alert: {:?}", sections.keys());
}

/// `promtool` of the system, or the one that tests/install-tools.sh extracts.
fn promtool() -> Command {
    let extracted = repository().join("target/tools/promtool");
    Command::new(if extracted.exists() { extracted } else { PathBuf::from("promtool") })
}

#[test]
fn prometheus_accepts_the_alert_rules() {
    let rules = repository().join("docs/monitoring/alerts.yaml");
    run(promtool().args(["check", "rules", "--lint=all", "--lint-fatal"]).arg(rules));
}

#[test]
fn alerts_fire_when_they_should() {
    run(promtool().args(["test", "rules"]).arg(repository().join("tests/packages/alerts.yaml")));
}
