//! Tests of the rendered pages, and of the samples in Rust, which this file also writes.

#[path = "../build/operation.rs"]
#[expect(dead_code, reason = "The build script uses the rest.")]
mod operation;
mod rust_samples;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use super::*;

const DOCUMENT: &str = include_str!("../../../docs/openapi.json");

/// Returns the values of an attribute in HTML.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    html.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_link_leads_to_a_page_and_a_heading() {
    let ids = |page: &Page| attributes(&page.html, "id").into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    let mut dead = Vec::new();
    for page in &site().pages {
        for link in attributes(&page.html, "href") {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => page,
                "/docs" | "/docs/json" | "/docs/asyncapi.json" => continue,
                _ if path.contains("://") || path.starts_with("mailto:") => continue,
                _ => match path.strip_prefix("/docs/").and_then(|path| site().page(path)) {
                    Some(target) => target,
                    None => {
                        dead.push(format!("{}: {link}", page.path));
                        continue;
                    }
                },
            };
            if !anchor.is_empty() && !ids(target).contains(anchor) {
                dead.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn every_page_has_a_title_and_no_id_twice() {
    for page in &site().pages {
        assert!(!page.title.is_empty() && !page.html.is_empty() && !page.html.contains("<h1"), "{}", page.path);
        let ids = attributes(&page.html, "id");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{}", page.path);
    }
    let paths: BTreeSet<&str> = site().pages.iter().map(|page| page.path.as_str()).collect();
    assert_eq!(paths.len(), site().pages.len());
}

#[test]
fn the_navigation_has_at_most_eight_groups_and_names_each_page_once() {
    let groups = &site().groups;
    let titles: Vec<&str> = groups.iter().filter(|group| !group.is_part).map(|group| group.title.as_str()).collect();
    assert!(titles.len() <= 8 && !groups[0].is_part, "{titles:?}");
    assert!(groups.iter().all(|group| group.count > 0));
    assert_eq!(groups.iter().map(|group| group.count).sum::<usize>(), site().pages.len());
}

#[test]
fn the_form_of_a_list_asks_for_conditions() {
    let operation = site().page("reference/listItems").unwrap().operation.as_ref().unwrap();
    let conditions = operation.parameters.iter().find(|parameter| parameter.name == "conditions").unwrap();
    assert_eq!(conditions.place, Place::Fields);
}

#[test]
fn every_operation_has_a_page_with_samples_in_every_language() {
    let document = serde_json::from_str(DOCUMENT).unwrap();
    let operations = operation::operations(&document);
    assert!(operations.len() > 100);
    for operation in operations {
        let page = site().page(&format!("reference/{}", operation.id())).unwrap();
        // The command line does not send the forms of OAuth.
        let is_form =
            operation.request().is_some_and(|request| request.media_type == "application/x-www-form-urlencoded");
        let languages = ["curl", "TypeScript", "Python", "Rust", "Command line"];
        for language in languages.into_iter().filter(|language| !is_form || *language != "Command line") {
            let summary = format!("<summary>{language}</summary>");
            assert!(page.html.contains(&summary), "{} has no sample: {language}", operation.id());
        }
    }
}

#[test]
fn the_samples_in_rust_are_those_of_the_document() {
    let document = serde_json::from_str(DOCUMENT).unwrap();
    let expected = formatted(&rust_samples::file(&operation::operations(&document)));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/examples/operations.rs");
    if env::var_os("STEWARD_UPDATE_GOLDEN").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let current = fs::read_to_string(&path).unwrap_or_default();
    assert!(current == expected, "{} is not current. Run `make generate`.", path.display());
}

#[test]
fn the_code_of_guides_is_that_of_files_which_tests_compile_or_run() {
    const LANGUAGES: [&str; 13] =
        ["ts", "tsx", "js", "jsx", "mjs", "python", "py", "rust", "html", "vue", "svelte", "yaml", "yml"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in site().pages.iter().filter(|page| page.path.starts_with("guides/")) {
        let mut lines = page.markdown.lines();
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("```") else { continue };
            let code: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            let (language, path) = info.split_once(' ').unwrap_or((info, ""));
            if !LANGUAGES.contains(&language) {
                continue;
            }
            let file = fs::read_to_string(root.join(path)).unwrap_or_default();
            if !file.contains(&code.join("\n")) || path.is_empty() {
                wrong.push(format!("{}: {info}", page.path));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty() && count > 25, "{count}: {wrong:#?}");
}

/// Returns a source file as `cargo fmt` writes it.
fn formatted(source: &str) -> String {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let mut process = rustfmt.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Questions, and the page that answers each.
const QUESTIONS: &[(&str, &str)] = &[
    ("rotate an API key", "guides/roles-and-keys"),
    ("createTeam", "reference/createTeam"),
    ("list items of a user", "reference/listItems"),
    ("what does slug_taken mean", "reference/errors"),
    ("idempotency key retry", "contract"),
    ("backup", "operations/backup"),
    ("restore a backup", "operations/backup"),
    ("high availability patroni", "operations/high-availability"),
    ("pgbouncer transaction mode", "operations/pgbouncer"),
    ("upgrade rollback", "operations/upgrades"),
    ("TLS reverse proxy nginx", "operations/proxies"),
    ("smtp mail server", "operations/mail"),
    ("prometheus metrics alerts", "operations/monitoring"),
    ("install debian package", "guides/installing"),
    ("kubernetes", "guides/installing"),
    ("react", "guides/react"),
    ("typescript sdk", "sdks/typescript"),
    ("python sdk", "sdks/python"),
    ("verify webhook signature", "guides/webhooks"),
    ("create a webhook", "reference/createProjectWebhook"),
    ("webhook events", "reference/events"),
    ("publish a schema", "guides/schema-as-code"),
    ("patch a schema", "reference/patchSchema"),
    ("schema field types", "schema"),
    ("sync offline changes websocket", "sync"),
    ("delete a project", "reference/deleteProject"),
    ("create an invite", "reference/createInvite"),
    ("roles permissions owner admin developer", "contract"),
    ("rate limit", "reference/limits"),
    ("mcp server", "guides/mcp-servers"),
    ("keycloak-js", "guides/keycloak-js"),
    ("lost second factor", "operations/accounts"),
    ("export data of a user", "reference/exportUser"),
    ("revoke token", "reference/revokeToken"),
    ("citus several servers", "operations/several-servers"),
    ("how many requests per second capacity", "operations/capacity"),
    ("command line in CI", "operations/command-line"),
    ("import csv", "guides/items"),
    ("who can read which rows", "guides/items"),
    ("get the user ID from a token", "guides/users-and-sign-in"),
    ("realtime updates", "guides/items"),
    ("offline conflicts", "guides/items"),
    ("rename a column", "guides/schema-as-code"),
    ("ban a user", "guides/users-and-sign-in"),
    ("postgres url", "operations/settings"),
    ("webhook on localhost", "guides/webhooks"),
    ("rotate a key", "guides/roles-and-keys"),
    ("change the logo", "guides/users-and-sign-in"),
    ("password reset email does not arrive", "guides/users-and-sign-in"),
    ("add google login", "guides/users-and-sign-in"),
    ("invite a teammate", "guides/roles-and-keys"),
    ("change the port", "operations/settings"),
    ("docker compose", "guides/installing"),
    ("environment variables", "operations/settings"),
    ("filter items by a field", "guides/items"),
    ("unique field", "schema"),
    ("pagination", "contract"),
    ("cors error", "contract"),
    ("sign out everywhere", "guides/users-and-sign-in"),
    ("redirect uri not allowed", "guides/users-and-sign-in"),
    ("generate typescript types", "guides/schema-as-code"),
    ("verify a token on my server", "sdks/typescript"),
    ("passkeys", "guides/users-and-sign-in"),
    ("who changed what, audit log", "contract"),
    ("restore a deleted project", "operations/drills"),
    ("disk full", "operations/drills"),
    ("default value of a field", "schema"),
    ("log in on the command line without a browser", "operations/command-line"),
    ("delete an account", "operations/accounts"),
    ("send a webhook again", "guides/webhooks"),
    ("change my password", "guides/users-and-sign-in"),
    ("how long are tokens valid", "guides/users-and-sign-in"),
    ("self host with kubernetes", "guides/installing"),
    ("two factor authentication", "guides/users-and-sign-in"),
    ("export all data", "guides/users-and-sign-in"),
    ("next.js server components session", "guides/nextjs-server"),
    ("rate limit exceeded 429", "reference/limits"),
    ("move from sqlite to postgres", "operations/backup"),
    ("oidc-spa reload", "guides/browser-libraries"),
    ("interaction_required", "guides/browser-libraries"),
    ("steward command not found", "guides/installing"),
    ("invite a colleague", "guides/roles-and-keys"),
    ("upload files", "guides/items"),
    ("share items between users", "guides/items"),
    ("test person", "guides/users-and-sign-in"),
    ("start over delete all data", "operations/first-start"),
];

#[test]
fn the_search_answers_each_question_with_one_of_the_first_three_results() {
    let (mut missed, mut not_first) = (Vec::new(), Vec::new());
    for (question, answer) in QUESTIONS {
        let found: Vec<&str> = search(question, 3).iter().map(|hit| hit.page.path.as_str()).collect();
        let text = format!("{question}: {found:?} instead of {answer}");
        match found.iter().position(|path| path == answer) {
            Some(0) => {}
            Some(_) => not_first.push(text),
            None => missed.push(text),
        }
    }
    assert!(QUESTIONS.len() >= 80 && missed.is_empty(), "{missed:#?}");
    assert!(not_first.len() * 5 <= QUESTIONS.len(), "{not_first:#?}");
}

#[test]
fn a_search_is_bounded_and_finds_nothing_for_nothing() {
    assert!(search("", 10).is_empty() && search("the of", 10).is_empty() && search("xyzzyx", 10).is_empty());
    assert!(search(&"project ".repeat(100_000), 10).len() <= 10);
    assert!(search(&"ü".repeat(1_000), 10).is_empty());
}
