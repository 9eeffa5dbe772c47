//! The settings that the packages set exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{packaging, run};

/// Variables of Compose, of the proxy and of the build.
pub const OTHERS: &[&str] = &["STEWARD_DOMAIN", "STEWARD_REVISION"];

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| files(&entry.unwrap().path(), found));
    } else {
        found.push(path.to_owned());
    }
}

/// The names of settings in a text.
pub fn names(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("STEWARD_")).map(str::to_owned).collect()
}

/// The settings that the service knows.
pub fn known() -> BTreeSet<String> {
    names(&run(Command::new(steward_tests::binary()).arg("--help")))
}

#[test]
fn the_packages_use_only_settings_that_exist() {
    let (known, mut all) = (known(), Vec::new());
    files(&packaging(""), &mut all);
    let mut used = BTreeSet::new();
    for path in all {
        let unknown = &names(&fs::read_to_string(&path).unwrap()) - &known;
        let unknown: Vec<&String> = unknown.iter().filter(|name| !OTHERS.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{} uses {unknown:?}, which `steward --help` does not list.", path.display());
        used.extend(names(&fs::read_to_string(&path).unwrap()));
    }
    assert!(used.len() > 10, "{used:?}");
}
