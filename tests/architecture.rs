//! Checks the dependencies between crates, as reported by cargo, and the test names in `docs/security.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The workspace crates, each with the workspace crates that it may depend on.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("steward-domain", &[]),
    ("steward-store-contract", &["steward-domain"]),
    ("steward-store", &["steward-domain"]),
    ("steward-crypto", &["steward-domain"]),
    ("steward-delivery", &["steward-domain"]),
    ("steward-http", &["steward-domain"]),
    ("steward-pages", &["steward-domain"]),
    (
        "steward",
        &["steward-domain", "steward-store", "steward-crypto", "steward-delivery", "steward-http", "steward-pages"],
    ),
    ("steward-tests", &["steward-domain", "steward-store"]),
];

/// Libraries, each with the only crate that may depend on it.
const RESTRICTED_LIBRARIES: &[(&str, &str)] = &[
    ("diesel", "steward-store"),
    ("diesel_migrations", "steward-store"),
    ("r2d2", "steward-store"),
    ("jsonwebtoken", "steward-crypto"),
    ("ring", "steward-crypto"),
    ("argon2", "steward-crypto"),
    ("lettre", "steward-delivery"),
    ("object_store", "steward-delivery"),
    ("askama", "steward-pages"),
    ("utoipa", "steward-http"),
    ("actix-multipart", "steward-http"),
];

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The workspace crates with their dependencies, excluding dev-dependencies and build dependencies.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().map(|package| {
        let normal =
            package["dependencies"].as_array().unwrap().iter().filter(|dependency| dependency["kind"].is_null());
        let names = normal.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect();
        (package["name"].as_str().unwrap().to_owned(), names)
    });
    packages.collect()
}

#[test]
fn crates_depend_only_on_allowed_crates() {
    let dependencies = dependencies();
    let known: Vec<&str> = ALLOWED_DEPENDENCIES.iter().map(|(name, _)| *name).collect();
    assert_eq!(dependencies.len(), known.len(), "{:?}", dependencies.keys());
    for (name, allowed) in ALLOWED_DEPENDENCIES {
        for dependency in dependencies[*name].iter().filter(|dependency| known.contains(&dependency.as_str())) {
            assert!(allowed.contains(&dependency.as_str()), "{name} must not depend on {dependency}.");
        }
    }
}

#[test]
fn restricted_libraries_are_used_by_one_crate_only() {
    for (name, libraries) in dependencies() {
        for (library, owner) in RESTRICTED_LIBRARIES {
            assert!(!libraries.contains(*library) || name == *owner, "{name} must not depend on {library}.");
        }
    }
}

#[test]
fn the_domain_depends_on_no_framework_database_clock_or_randomness() {
    let tree = cargo(&[
        "tree",
        "-p",
        "steward-domain",
        "-e",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p} {f}",
        "--offline",
    ]);
    for line in tree.lines() {
        let name = line.split(' ').next().unwrap();
        let forbidden =
            ["actix-web", "diesel", "tokio", "ring", "jsonwebtoken", "aws-lc-rs", "rand", "reqwest", "openssl"];
        assert!(!forbidden.contains(&name), "The domain must not depend on {line}.");
        assert!(
            name != "chrono" || !line.contains("clock") && !line.contains("now"),
            "The domain must not use a clock: {line}."
        );
        assert!(
            name != "uuid" || !line.contains("v4") && !line.contains("v7") && !line.contains("rng"),
            "The domain must not use randomness: {line}."
        );
    }
}

/// All Rust files in a directory and its subdirectories.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let nested = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    nested.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

#[test]
fn every_test_named_in_the_security_documentation_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let all: Vec<PathBuf> = ["crates", "tests"].iter().flat_map(|directory| sources(&root.join(directory))).collect();
    let all: String = all.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let document = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
    let table = document.split("## Sign-in").nth(1).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Requirement"));
    let test_columns: Vec<&str> = rows.map(|row| row.trim_end_matches(" |").rsplit(" | ").next().unwrap()).collect();
    assert!(test_columns.len() > 20);
    for column in test_columns {
        for name in column.split('`').skip(1).step_by(2) {
            assert!(
                all.contains(&format!("fn {name}(")),
                "docs/security.md names the test {name}, which does not exist."
            );
        }
    }
}
