//! The reference of the API, as Markdown, from the OpenAPI document.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::events;
use crate::operation::{Body, Operation, body, members, operations, resolved, text};
use crate::samples::Samples;
use crate::schema_table::{cell, kind, table};
use crate::sources::{Source, SourceGroup};

/// Names of the groups of operations, by their tags.
const TAGS: [(&str, &str); 9] = [
    ("auth", "Sign-in and tokens"),
    ("teams", "Teams"),
    ("projects", "Projects"),
    ("project-keys", "API keys"),
    ("project-schema", "Schemas"),
    ("project-users", "Users and items"),
    ("account", "Own items"),
    ("utils", "Utilities"),
    ("service", "Service"),
];

/// Returns the groups of the pages of the reference.
pub(crate) fn groups(root: &Path, document: &Value) -> Result<Vec<SourceGroup>> {
    let (samples, all) = (Samples::read(root)?, operations(document));
    let sources = vec![
        page("reference", index(document, &all, &samples)),
        page("reference/errors", errors(document, &all)),
        page("reference/permissions", permissions(&all)),
        page("reference/limits", limits(&all)),
        page("reference/events", events::markdown(document)),
    ];
    let mut groups = vec![SourceGroup { title: "API reference".to_owned(), is_part: false, sources }];
    for (tag, title) in TAGS {
        let own = all.iter().filter(|operation| operation.tag() == tag);
        let pages = own.map(|operation| {
            let page = page(&format!("reference/{}", operation.id()), operation_page(operation, &samples));
            Source { operation: operation.for_form(samples.body(operation)), ..page }
        });
        groups.push(SourceGroup { title: title.to_owned(), is_part: true, sources: pages.collect() });
    }
    Ok(groups)
}

fn page(path: &str, markdown: String) -> Source {
    Source { path: path.to_owned(), file: None, markdown, operation: None }
}

fn link(operation: &Operation<'_>) -> String {
    format!("[{}](/docs/reference/{})", operation.summary(), operation.id())
}

fn index(document: &Value, all: &[Operation<'_>], samples: &Samples) -> String {
    let mut page = "# API reference\n\nEvery operation of the REST API, with samples in curl, TypeScript, Python, Rust and the command line. \
        The same is available as an [OpenAPI 3.1 document](/docs/json). The [contract](/docs/contract) states the rules that all \
        operations share: credentials, errors, lists, conditional requests and retries.\n\n"
        .to_owned();
    for (tag, title) in TAGS {
        let about = document["tags"].as_array().into_iter().flatten().find(|entry| entry["name"] == tag);
        page.push_str(&format!(
            "## {title}\n\n{}\n\n| | |\n|---|---|\n",
            about.map_or("", |about| text(about, "description"))
        ));
        for operation in all.iter().filter(|operation| operation.tag() == tag) {
            page.push_str(&format!("| {} | `{} {}` |\n", link(operation), operation.method, operation.path));
        }
        page.push('\n');
    }
    page.push_str("## How the samples begin\n\nThe samples use a client that is created once. In the samples of curl and the command line, \
        variables of the shell stand for IDs and the credential.\n\n");
    page + &samples.preambles()
}

fn operation_page(operation: &Operation<'_>, samples: &Samples) -> String {
    let document = operation.document;
    let mut page = format!("# {}\n\n", operation.summary());
    let description = text(operation.row, "description");
    if !description.is_empty() {
        page.push_str(&format!("{description}\n\n"));
    }
    page.push_str(&format!("```text\n{} {}\n```\n\n", operation.method, operation.path));
    page.push_str(&facts(operation));
    page.push_str("## Samples\n\n");
    page.push_str(&samples.markdown(operation));
    let places = [("path", "Path"), ("query", "Query"), ("header", "Header")];
    let rows: Vec<String> = places
        .iter()
        .flat_map(|(place, label)| operation.parameters(place).into_iter().map(move |parameter| (label, parameter)))
        .map(|(label, parameter)| parameter_row(document, label, parameter))
        .collect();
    if !rows.is_empty() {
        page.push_str(&format!("## Parameters\n\n| Name | In | Type | |\n|---|---|---|---|\n{}\n", rows.concat()));
    }
    if let Some(request) = operation.request() {
        page.push_str(&format!("## Request body\n\n`{}`\n\n", request.media_type));
        page.push_str(&body_markdown(document, &request));
    }
    page.push_str("## Responses\n\n");
    for (status, response) in operation.responses() {
        page.push_str(&format!("### {status}\n\n{}\n\n", text(response, "description")));
        if let Some(body) = body(response) {
            page.push_str(&body_markdown(document, &body));
        }
    }
    let errors = operation.errors();
    if !errors.is_empty() {
        page.push_str("## Errors\n\n| Status | Code | Example |\n|---|---|---|\n");
        for (status, code, example) in errors {
            let message = cell(text(example, "message"));
            page.push_str(&format!("| {status} | [`{code}`](/docs/reference/errors#{code}) | {message} |\n"));
        }
        page.push('\n');
    }
    page
}

/// Returns what a caller needs to know: credentials, permission, limits and retries.
fn facts(operation: &Operation<'_>) -> String {
    let row = operation.row;
    let mut facts = Vec::new();
    let schemes = &operation.document["components"]["securitySchemes"];
    let ways = row["security"].as_array().into_iter().flatten().flat_map(members);
    let ways: Vec<String> =
        ways.map(|(name, _)| text(&schemes[name], "description").trim_end_matches('.').to_owned()).collect();
    match ways.as_slice() {
        [] => facts.push("No credential is needed.".to_owned()),
        ways => facts.push(format!("**Credential:** {}.", ways.join("; or "))),
    }
    if let Some(permissions) = row["x-permission"].as_str() {
        let links: Vec<String> = permissions
            .split(' ')
            .map(|name| format!("[`{name}`](/docs/reference/permissions#{})", crate::markdown::slug(name)))
            .collect();
        facts.push(format!("**Permission:** {}", links.join(" and ")));
    }
    if let Some(scope) = row["x-scope"].as_str() {
        facts.push(format!("**Scope** of an access token: `{scope}`"));
    }
    if let Some(class) = row["x-rate-limit"].as_str() {
        facts.push(format!("**Rate limit:** [{class}](/docs/reference/limits#{class})"));
    }
    facts.extend(match row["x-idempotency"].as_str() {
        Some("safe") => Some("**Retries:** safe at any time.".to_owned()),
        Some("key") => Some("**Retries:** safe with an `Idempotency-Key`. The SDKs send one.".to_owned()),
        Some("none") => Some("**Retries:** a repeated request has an effect of its own.".to_owned()),
        _ => None,
    });
    facts.extend(match row["x-confirmation"].as_str() {
        Some("always") => Some("**Confirmation:** in the console the person confirms it with the password or a passkey; an access token needs a recent sign-in."),
        Some(_) => Some("**Confirmation:** if the change gives more rights, an access token needs a recent sign-in."),
        None => None,
    }.map(str::to_owned));
    let lines: String = facts.iter().map(|fact| format!("- {fact}\n")).collect();
    format!("{lines}\n")
}

fn parameter_row(document: &Value, place: &str, parameter: &Value) -> String {
    let required = if parameter["required"] == true { ", required" } else { "" };
    let kind = cell(&kind(document, &parameter["schema"]));
    let schema = &parameter["schema"];
    let range = match (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        (Some(least), Some(most)) => format!(" From {least} to {most}."),
        _ => String::new(),
    };
    format!(
        "| `{}` | {place} | {kind}{required} | {}{range} |\n",
        text(parameter, "name"),
        cell(text(parameter, "description"))
    )
}

fn body_markdown(document: &Value, body: &Body<'_>) -> String {
    let mut markdown = table(document, resolved(document, body.schema));
    if let Some(example) = body.example {
        let (language, text) = match example.as_str() {
            Some(text) => ("text", text.to_owned()),
            None => ("json", serde_json::to_string_pretty(example).unwrap_or_default()),
        };
        markdown.push_str(&format!("\n```{language}\n{}\n```\n\n", text.trim_end()));
    }
    markdown
}

fn errors(document: &Value, all: &[Operation<'_>]) -> String {
    let mut page =
        "# Errors\n\nAn error has a stable code in `error`, and a message that says what is wrong and how to fix it. \
        The SDKs have a type for each code.\n\n"
            .to_owned();
    page.push_str(&table(document, &document["components"]["schemas"]["ErrorBody"]));
    let mut found: BTreeMap<&str, BTreeMap<(&str, &str), usize>> = BTreeMap::new();
    for (status, code, example) in all.iter().flat_map(Operation::errors) {
        *found.entry(code).or_default().entry((status, text(example, "message"))).or_default() += 1;
    }
    let codes = document["components"]["schemas"]["ErrorBody"]["properties"]["error"]["enum"].as_array();
    for code in codes.into_iter().flatten().filter_map(Value::as_str) {
        page.push_str(&format!("\n## {code}\n\n"));
        let examples = found.get(code);
        for ((status, message), count) in examples.into_iter().flatten() {
            let operations = if *count == 1 { "1 operation".to_owned() } else { format!("{count} operations") };
            page.push_str(&format!("- Status {status}, of {operations}: “{}”\n", cell(message)));
        }
        if examples.is_none() {
            page.push_str("Returned by pages, by redirects to a client, or over WebSocket.\n");
        }
    }
    page
}

fn permissions(all: &[Operation<'_>]) -> String {
    let mut page =
        "# Permissions\n\nRoles of team members, API keys and personal access tokens grant permissions. The \
        [contract](/docs/contract) lists the roles and what they grant.\n"
            .to_owned();
    let mut by_name: BTreeMap<&str, Vec<&Operation<'_>>> = BTreeMap::new();
    for operation in all {
        for name in operation.row["x-permission"].as_str().into_iter().flat_map(|names| names.split(' ')) {
            by_name.entry(name).or_default().push(operation);
        }
    }
    for (name, operations) in by_name {
        page.push_str(&format!("\n## {name}\n\n"));
        operations.iter().for_each(|operation| page.push_str(&format!("- {}\n", link(operation))));
    }
    page
}

fn limits(all: &[Operation<'_>]) -> String {
    let mut page = "# Rate limits\n\nEach operation belongs to a class, which has a limit per credential and per IP address. A \
        response says how much is left in `RateLimit` and `RateLimit-Policy`; beyond the limit the status is 429, with `Retry-After`. \
        The operator of a service sets the limits: see [Operations](/docs/operations).\n"
        .to_owned();
    let mut by_class: BTreeMap<&str, Vec<&Operation<'_>>> = BTreeMap::new();
    for operation in all {
        by_class.entry(operation.row["x-rate-limit"].as_str().unwrap_or("unlimited")).or_default().push(operation);
    }
    for (class, operations) in by_class {
        page.push_str(&format!("\n## {class}\n\n"));
        operations.iter().for_each(|operation| page.push_str(&format!("- {}\n", link(operation))));
    }
    page
}
