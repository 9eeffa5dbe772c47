//! Checks the dependencies between crates, as reported by cargo, and between files, and the test names and limits in
//! `docs`.

mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use steward_api::RateClass;
use steward_domain::kernel::policy::{AuthorityEvent, AuthorityKind, Lane, LimitedAction, Quota};

/// The workspace crates, each with the workspace crates that it may depend on.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("steward-domain", &[]),
    ("steward-api-derive", &[]),
    ("steward-api", &["steward-api-derive"]),
    ("steward-client", &["steward-api"]),
    ("notes-axum", &["steward-client"]),
    ("embed", &["steward-crypto", "steward-domain", "steward-store"]),
    ("steward-store-contract", &["steward-domain"]),
    ("steward-store", &["steward-domain"]),
    ("steward-crypto", &["steward-domain"]),
    ("steward-delivery", &["steward-domain"]),
    ("steward-web", &["steward-api", "steward-domain"]),
    ("steward-http", &["steward-api", "steward-domain", "steward-web"]),
    ("steward-docs", &[]),
    ("steward-sdks", &[]),
    ("steward-pages", &["steward-docs", "steward-domain", "steward-sdks", "steward-web"]),
    (
        "steward",
        &[
            "steward-api",
            "steward-client",
            "steward-domain",
            "steward-store",
            "steward-crypto",
            "steward-delivery",
            "steward-http",
            "steward-pages",
            "steward-web",
        ],
    ),
    ("steward-tests", &["steward-api", "steward-client", "steward-domain", "steward-pages", "steward-store"]),
];

/// Libraries, each with the only crates that may depend on it.
const RESTRICTED_LIBRARIES: &[(&str, &[&str])] = &[
    ("diesel", &["steward-store"]),
    ("diesel_migrations", &["steward-store"]),
    ("r2d2", &["steward-store"]),
    ("jsonwebtoken", &["steward-crypto"]),
    ("ring", &["steward-crypto"]),
    ("argon2", &["steward-crypto"]),
    ("lettre", &["steward-delivery"]),
    ("object_store", &["steward-delivery"]),
    ("askama", &["steward-pages"]),
    ("utoipa", &["steward-api", "steward-http"]),
    ("actix-multipart", &["steward-http", "steward-pages"]),
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
fn restricted_libraries_are_used_only_by_their_crates() {
    for (name, libraries) in dependencies() {
        for (library, owners) in RESTRICTED_LIBRARIES {
            assert!(
                !libraries.contains(*library) || owners.contains(&name.as_str()),
                "{name} must not depend on {library}."
            );
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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The text of a section of a document.
fn section(document: &str, section: &str) -> String {
    let document = std::fs::read_to_string(root().join(document)).unwrap();
    document.split(&format!("\n## {section}\n")).nth(1).unwrap().split("\n## ").next().unwrap().to_owned()
}

/// The items of the list in a section of a document, each in one line.
fn list(document: &str, name: &str) -> Vec<String> {
    let section = section(document, name);
    let items = section.split("\n- ").skip(1).map(|item| item.split("\n\n").next().unwrap());
    items.map(in_one_line).collect()
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts in backticks.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The rows of the table in a section of a document, without the header.
fn table(document: &str, name: &str) -> Vec<Vec<String>> {
    let section = section(document, name);
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

#[test]
fn every_test_named_in_the_documentation_of_security_and_in_the_contract_exists() {
    let all: Vec<PathBuf> = ["crates", "tests"].iter().flat_map(|directory| sources(&root().join(directory))).collect();
    let all: String = all.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let assert_tested = |document: &str, claim: &str| {
        let names: Vec<&str> =
            claim.rsplit_once(" Test").into_iter().flat_map(|(_, tests)| code_spans(tests)).collect();
        assert!(!names.is_empty(), "{document} names no test for {claim:?}.");
        for name in names {
            // Some tests are expanded from a macro that is given their names.
            let exists = all.contains(&format!("fn {name}(")) || all.contains(&format!("{name},"));
            assert!(exists, "{document} names the test {name}, which does not exist.");
        }
    };
    let sections = [
        ("Sign-in: requirements of the standards and their tests", 20),
        ("Redirects", 5),
        ("Outgoing requests", 7),
        ("Attacks and their tests", 28),
    ];
    for (section, at_least) in sections {
        let items = list("docs/security.md", section);
        assert!(items.len() >= at_least, "{section}");
        items.iter().for_each(|item| assert_tested("docs/security.md", item));
    }
    let contract = std::fs::read_to_string(root().join("docs/contract.md")).unwrap();
    let sections = contract.split("\n## ").skip(1);
    assert!(sections.clone().count() >= 50, "docs/contract.md has few sections.");
    sections.for_each(|section| assert_tested("docs/contract.md", &in_one_line(section)));
}

/// Asserts that the list in a section of `docs/security.md` names exactly the source files that contain one of these
/// texts outside of tests.
fn assert_sources_listed(section: &str, directories: &[&str], texts: &[&str]) {
    let all = directories.iter().flat_map(|directory| sources(&root().join(directory)));
    let contains = |path: &PathBuf| {
        let source = std::fs::read_to_string(path).unwrap();
        let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
        let mut lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        !path.ends_with("tests.rs") && lines.any(|line| texts.iter().any(|text| line.contains(text)))
    };
    let found = all.filter(contains).map(|path| path.strip_prefix(root()).unwrap().display().to_string());
    let items = list("docs/security.md", section);
    let listed = items.iter().flat_map(|item| code_spans(item.split_once(" Confined by: ").unwrap().0));
    let listed: BTreeSet<String> = listed.filter(|name| name.ends_with(".rs")).map(str::to_owned).collect();
    assert_eq!(listed, found.collect::<BTreeSet<_>>(), "docs/security.md, {section}");
}

#[test]
fn the_security_documentation_lists_every_redirect() {
    // `see_other` of the pages redirects only to paths.
    let texts = [
        "LOCATION,",
        "LOCATION}",
        "use actix_web::http::header::LOCATION;",
        "to_client(",
        "web::redirect",
        "Redirect::to",
    ];
    assert_sources_listed("Redirects", &["crates/http/src", "crates/pages/src", "crates/web/src"], &texts);
}

#[test]
fn the_security_documentation_lists_every_outgoing_request() {
    let texts = [
        "Client::builder(",
        "lookup_host(",
        "AsyncSmtpTransport",
        "AsyncSmtpConnection",
        "AmazonS3Builder",
        "SpanExporter",
        "TcpStream::connect",
        "PgConnection::establish",
        "reqwest::get(",
        "reqwest::blocking::",
    ];
    let crates = ["client", "crypto", "delivery", "domain", "http", "server", "store", "web"]
        .map(|name| format!("crates/{name}/src"));
    assert_sources_listed("Outgoing requests", &crates.each_ref().map(String::as_str), &texts);
}

#[test]
fn every_module_of_the_conformance_suite_has_an_existing_test() {
    let mut modules = BTreeSet::new();
    for section in ["Basic OP", "Config OP", "RP-Initiated Logout OP"] {
        for row in table("docs/conformance.md", section) {
            let [module, _, tests] = row.as_slice() else { panic!("{row:?}") };
            assert!(modules.insert(module.clone()), "docs/conformance.md lists {module} twice.");
            let tests: Vec<&str> = code_spans(tests).collect();
            assert!(!tests.is_empty(), "docs/conformance.md names no test for {module}.");
            for test in tests {
                let (file, name) = test.split_once("::").unwrap();
                let source = std::fs::read_to_string(root().join("tests").join(file)).unwrap();
                assert!(
                    source.contains(&format!("fn {name}(")),
                    "docs/conformance.md names the test {test}, which does not exist."
                );
            }
        }
    }
    assert_eq!(modules.len(), 38 + 1 + 11);
}

/// Asserts that some columns of a table in `docs/security.md` have exactly these rows.
fn assert_documented<const N: usize>(
    section: &str,
    columns: [usize; N],
    expected: impl IntoIterator<Item = [String; N]>,
) {
    let rows = table("docs/security.md", section);
    let documented: Vec<[String; N]> = rows.iter().map(|row| columns.map(|column| row[column].clone())).collect();
    assert_eq!(documented, expected.into_iter().collect::<Vec<_>>(), "docs/security.md, {section}");
}

#[test]
fn the_security_documentation_lists_every_limit() {
    let code = |text: &str| format!("`{text}`");
    let classes = RateClass::LIMITED.iter().map(|class| [code(class.as_str())]);
    assert_documented("Rate limits", [0], classes);

    let actions = LimitedAction::ALL.iter().map(|action| {
        let (limit, counted_by) = (action.limit(), if action.is_shared() { "all replicas" } else { "each process" });
        let interval = Duration::from_millis(limit.interval.num_milliseconds().try_into().unwrap());
        [code(action.as_str()), limit.burst.to_string(), seconds(interval), counted_by.to_owned()]
    });
    assert_documented("Limited actions", [0, 2, 3, 4], actions);

    let quotas = Quota::ALL
        .iter()
        .map(|quota| [quota.description().to_owned(), quota.default_text().to_owned(), code(quota.setting())]);
    assert_documented("Quotas", [0, 1, 2], quotas);

    let lanes = Lane::ALL.iter().map(|lane| [lane.as_str().to_owned(), seconds(lane.time_limit())]);
    assert_documented("Lanes", [0, 3], lanes);
}

#[test]
fn the_security_documentation_says_what_ends_with_an_authority() {
    let mut columns = vec![String::new()];
    columns.extend(AuthorityEvent::ALL.map(|event| event.as_str().to_owned()));
    let heading = format!(
        "|{}|",
        columns.iter().map(|name| format!(" {name} ").replace("  ", " ")).collect::<Vec<_>>().join("|")
    );
    assert!(section("docs/security.md", "What ends with an authority").contains(&heading), "{heading}");
    let rows = AuthorityKind::ALL.iter().map(|kind| {
        let effects = kind.effects().map(|effect| effect.as_str().to_owned());
        let [confirmation, password, sign_out, removal, demotion, disabling, deletion, removed_factors, rule] = effects;
        let kind = kind.as_str().to_owned();
        [kind, confirmation, password, sign_out, removal, demotion, disabling, deletion, removed_factors, rule]
    });
    assert_documented("What ends with an authority", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], rows);
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}

/// Macros that make a test of each function in them, mostly for both databases.
const TEST_MACROS: &[&str] = &[
    "on_both",
    "on_both_in_full",
    "on_sqlite",
    "with_mail",
    "with_provider",
    "with_private_webhooks",
    "with_slow_receiver",
    "at_each_provider",
    "scenarios",
];

/// Returns whether a source has a test with this name: a function with the attribute of a test, or in a macro that
/// makes tests.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().collect();
    let declaration = format!("fn {name}(");
    let declared = lines.iter().enumerate().filter(|(_, line)| {
        let line = line.trim_start().trim_start_matches("pub ").trim_start_matches("async ");
        line.starts_with(&declaration)
    });
    declared.into_iter().any(|(number, _)| {
        let before = || lines[..number].iter().rev();
        let is_above = |line: &&str| line.starts_with("#[") || line.starts_with("//");
        let mut above = before().map(|line| line.trim_start()).take_while(is_above);
        let is_marked =
            above.any(|line| ["#[test]", "#[tokio::test", "#[actix_web::test"].iter().any(|one| line.starts_with(one)));
        // The item in which the function is.
        let item = before().find(|line| line.starts_with(|c: char| !c.is_whitespace()));
        let is_in_macro =
            item.and_then(|line| line.split_once("! {")).is_some_and(|(name, _)| TEST_MACROS.contains(&name));
        let indentation = lines[number].len() - lines[number].trim_start().len();
        is_marked || indentation == 4 && is_in_macro
    })
}

#[test]
fn every_requirement_of_asvs_names_existing_tests_or_a_reason() {
    let text = section("docs/security.md", "OWASP ASVS 5");
    // The tests of stores are made from a list of their names.
    let contract = "crates/store-contract/src";
    let listed = std::fs::read_to_string(root().join(contract).join("lib.rs")).unwrap();
    let listed: BTreeSet<&str> = listed.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut requirements = BTreeSet::new();
    for row in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Requirement |")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ["", requirement, level, _, shown, ""] = cells.as_slice() else { panic!("{row}") };
        let tests: Vec<_> = code_spans(shown)
            .filter_map(|span| span.split_once("::"))
            .filter(|(path, _)| path.ends_with(".rs"))
            .collect();
        // A row without a requirement continues the one above.
        if !requirement.is_empty() {
            assert!(requirements.insert(*requirement) && ["1", "2"].contains(level), "{row}");
        }
        let reasons = ["**Not met:** ", "**In part:** ", "**Not applicable:** ", "Documented"];
        let has_reason = !requirement.is_empty() && reasons.iter().any(|reason| shown.starts_with(reason));
        assert!(has_reason || !tests.is_empty(), "docs/security.md names neither a test nor a reason: {row}");
        for (path, name) in tests {
            let source = std::fs::read_to_string(root().join(path));
            let source =
                source.unwrap_or_else(|_| panic!("docs/security.md names the file {path}, which does not exist."));
            let is_test = has_test(&source, name) || path.starts_with(contract) && listed.contains(name);
            assert!(is_test, "docs/security.md names the test {path}::{name}, which does not exist.");
        }
    }
    assert!(requirements.len() >= 80, "Only {} requirements are listed.", requirements.len());
}

#[test]
fn tests_are_found_by_their_attributes_and_in_macros() {
    let source = "fn helper() {}\n\n#[tokio::test]\n#[ignore]\nasync fn a_test() {}\n\non_both! {\n    async fn another(app: &App) \
                  {\n        x();\n    }\n\n    async fn a_third(app: &App) {}\n}\n\nimpl X {\n    fn method() {}\n}\n";
    for name in ["a_test", "another", "a_third"] {
        assert!(has_test(source, name), "{name}");
    }
    for name in ["helper", "method", "a_te", "x", "missing"] {
        assert!(!has_test(source, name), "{name}");
    }
}
