//! The Markdown files that become pages, and their order.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::page::Operation;

/// A page to render.
pub(crate) struct Source {
    /// The path of the page below `/docs/`.
    pub(crate) path: String,
    /// The file in the repository, to which its relative links refer. `None` for a generated page, whose links are those of the service.
    pub(crate) file: Option<String>,
    pub(crate) markdown: String,
    /// The operation that the page describes, if a form can try it.
    pub(crate) operation: Option<Operation>,
}

/// A group of pages to render.
pub(crate) struct SourceGroup {
    pub(crate) title: String,
    /// Whether it is a part of the last group before it that is none.
    pub(crate) is_part: bool,
    pub(crate) sources: Vec<Source>,
}

/// The groups, with files relative to the root of the repository, without `.md`. A name that ends with `/` stands for all other
/// files of the directory, in alphabetical order. Files that do not exist are left out.
const GROUPS: &[(&str, &str)] = &[
    ("Get started", "docs/guides/quickstart docs/guides/tour docs/guides/README"),
    (
        "Frameworks",
        "docs/guides/react docs/guides/nextjs docs/guides/nextjs-server docs/guides/vue docs/guides/sveltekit \
         docs/guides/sveltekit-server docs/guides/html docs/guides/expo docs/guides/express docs/guides/hono docs/guides/fastapi docs/guides/flask docs/guides/django \
         docs/guides/python docs/guides/axum docs/guides/browser-libraries docs/guides/keycloak-js docs/guides/mcp-servers",
    ),
    (
        "Guides",
        "docs/guides/items docs/guides/users-and-sign-in docs/guides/roles-and-keys docs/guides/schema-as-code \
         docs/guides/webhooks docs/guides/production docs/guides/installing docs/guides/",
    ),
    ("SDKs", "sdks/typescript/README sdks/python/README crates/client/README docs/operations/command-line"),
    ("Concepts", "docs/contract docs/schema docs/sync docs/sdks docs/bad-days docs/api"),
    ("Operations", "docs/operations docs/operations/first-start docs/operations/ docs/runbooks"),
    (
        "Background",
        "docs/security docs/architecture docs/design docs/performance docs/conformance \
         docs/guides/adding-an-operation docs/guides/adding-a-page docs/guides/adding-a-field docs/guides/releasing",
    ),
    ("Decisions", "docs/decisions/"),
];

/// Returns the groups of pages that are files of the repository.
pub(crate) fn of_repository(root: &Path) -> Result<Vec<SourceGroup>> {
    let named: Vec<&str> = GROUPS.iter().flat_map(|(_, files)| files.split_whitespace()).collect();
    let mut groups = Vec::new();
    for (title, files) in GROUPS {
        let mut sources = Vec::new();
        for file in files.split_whitespace() {
            match file.strip_suffix('/') {
                Some(directory) => {
                    for file in files_in(root, directory)? {
                        if !named.contains(&file.as_str()) {
                            sources.extend(source(root, &file)?);
                        }
                    }
                }
                None => sources.extend(source(root, file)?),
            }
        }
        groups.push(SourceGroup { title: (*title).to_owned(), is_part: *title == "Decisions", sources });
    }
    Ok(groups)
}

/// Returns the Markdown files of a directory, without `.md`, in alphabetical order.
fn files_in(root: &Path, directory: &str) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(directory)).with_context(|| directory.to_owned())? {
        let name = entry?.file_name();
        files.extend(name.to_str().and_then(|name| name.strip_suffix(".md")).map(|name| format!("{directory}/{name}")));
    }
    files.sort();
    Ok(files)
}

fn source(root: &Path, name: &str) -> Result<Option<Source>> {
    let file = format!("{name}.md");
    if !root.join(&file).is_file() {
        return Ok(None);
    }
    let markdown = fs::read_to_string(root.join(&file)).with_context(|| file.clone())?;
    Ok(Some(Source { path: page_path(name), file: Some(file), markdown, operation: None }))
}

/// Returns the path of the page of a file, which is given without `.md`.
pub(crate) fn page_path(name: &str) -> String {
    let name = name.strip_suffix("/README").unwrap_or(name);
    match name {
        "crates/client" => "sdks/rust".to_owned(),
        _ => name.strip_prefix("docs/").unwrap_or(name).to_owned(),
    }
}
