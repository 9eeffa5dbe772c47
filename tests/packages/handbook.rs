//! The handbook for operators: its commands and settings exist, and the entry page leads to every page.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::{repository, run, settings};

fn pages() -> Vec<PathBuf> {
    let pages = fs::read_dir(repository().join("docs/operations")).unwrap().map(|entry| entry.unwrap().path());
    pages.collect()
}

/// The commands of the service in a line of a shell: the words after `steward` that are names of commands.
fn commands(line: &str) -> impl Iterator<Item = Vec<&str>> {
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
    let calls = line.split(|c: char| "|;&($'\"".contains(c)).map(str::trim);
    let calls = calls.filter_map(move |call| {
        let words = call.split_whitespace().skip_while(|word| word.contains('=') || *word == "exec");
        let mut words = words.skip_while(|word| *word == "env");
        (words.next() == Some("steward")).then(|| words.take_while(is_name).collect::<Vec<_>>())
    });
    calls.filter(|words| !words.is_empty())
}

/// The lines of the blocks of shell commands.
fn shell_lines(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
    blocks.flat_map(str::lines).map(str::trim).filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn the_entry_page_links_to_every_page_of_the_handbook() {
    let entry = fs::read_to_string(repository().join("docs/operations.md")).unwrap();
    assert!(pages().len() > 10, "Only {} pages were found.", pages().len());
    for page in pages() {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(entry.contains(&format!("(operations/{name})")), "docs/operations.md has no link to {name}.");
    }
}

#[test]
fn the_commands_of_the_handbook_exist() {
    let mut checked = BTreeSet::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for words in shell_lines(&text).into_iter().flat_map(commands) {
            if checked.insert(words.join(" ")) {
                // A word that is no command is an argument, which `--help` accepts.
                let help = run(Command::new(steward_tests::binary()).args(&words).arg("--help"));
                let usage = help.lines().find(|line| line.starts_with("Usage: ")).unwrap();
                assert!(usage.contains(&format!("steward {}", words[0])), "{}: {words:?}", page.display());
            }
        }
    }
    assert!(checked.len() > 15, "{checked:?}");
}

#[test]
fn the_handbook_uses_only_settings_that_exist() {
    let known = settings::known();
    for page in pages() {
        let used = settings::names(&fs::read_to_string(&page).unwrap());
        // A name that ends in an underscore stands for several settings.
        let is_known = |name: &String| {
            let has_prefix = |known: &String| name.ends_with('_') && known.starts_with(name.as_str());
            known.contains(name) || settings::OTHERS.contains(&name.as_str()) || known.iter().any(has_prefix)
        };
        let unknown: Vec<&String> = used.iter().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "{} uses {unknown:?}, which `steward --help` does not list.", page.display());
    }
}

#[test]
fn commands_are_found_in_lines_of_a_shell() {
    let found = |line| commands(line).map(|words| words.join(" ")).collect::<Vec<_>>();
    assert_eq!(found("A=1 steward account operator add --email EMAIL | jq ."), ["account operator add"]);
    assert_eq!(found("sh -c 'set -a; . env; A=/b exec steward doctor'"), ["doctor"]);
    assert!(found("systemctl restart steward").is_empty());
}
