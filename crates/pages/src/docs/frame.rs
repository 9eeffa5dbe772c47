//! The pages around the texts.

use askama::Template;
use serde_json::{Value, json};
use steward_docs::{Heading, Hit, Page, site};
use steward_domain::error::Error;

use crate::response::render;

use super::reader::DocsReader;

/// Where the files of the pages are.
const ASSETS: &str = "/docs/assets";

/// A group of the navigation.
pub(super) struct NavGroup {
    title: &'static str,
    pages: &'static [Page],
    is_current: bool,
    /// Whether the first page lists it. It does not list each operation and decision.
    is_listed: bool,
}

/// A page.
#[derive(Template)]
#[template(path = "docs/page.html")]
struct Text<'a> {
    title: &'a str,
    path: &'a str,
    markdown: Option<String>,
    query: Option<&'a str>,
    assets: &'a str,
    has_script: bool,
    groups: Vec<NavGroup>,
    html: String,
    headings: &'a [Heading],
    reader: Option<&'a DocsReader>,
}

/// The first page.
#[derive(Template)]
#[template(path = "docs/home.html")]
pub(super) struct Home {
    title: &'static str,
    path: &'static str,
    markdown: Option<String>,
    query: Option<&'static str>,
    assets: &'static str,
    has_script: bool,
    groups: Vec<NavGroup>,
}

/// What a search found.
#[derive(Template)]
#[template(path = "docs/search.html")]
pub(super) struct SearchResults<'a> {
    title: String,
    path: &'a str,
    markdown: Option<String>,
    query: Option<&'a str>,
    assets: &'a str,
    has_script: bool,
    groups: Vec<NavGroup>,
    hits: Vec<Hit>,
    is_empty_query: bool,
}

/// Returns a page as HTML, for a reader who is signed in or for everyone.
pub(super) fn page(page: &Page, reader: Option<&DocsReader>) -> Result<String, Error> {
    text(page, reader, true)
}

/// Returns a page for a site of files, which has no search.
pub(super) fn exported(page: &Page) -> Result<String, Error> {
    text(page, None, false)
}

fn text(page: &Page, reader: Option<&DocsReader>, is_served: bool) -> Result<String, Error> {
    let is_operation = is_served && page.path.starts_with("reference/");
    let project = reader.map(|reader| reader.project.as_str());
    let form = operation_of(page, project).filter(|_| is_operation).map(|operation| {
        let data = operation.to_string().replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        format!("<section data-operation=\"{data}\" hidden></section>")
    });
    let view = Text {
        title: &page.title,
        path: &page.path,
        markdown: Some(format!("/docs/{}.md", page.path)),
        query: is_served.then_some(""),
        assets: ASSETS,
        has_script: form.is_some(),
        groups: groups(&page.path),
        html: format!("{}{}", page.html, form.unwrap_or_default()),
        headings: &page.headings,
        reader,
    };
    render(&view)
}

/// Returns what the form that sends a request needs, from the page of an operation.
fn operation_of(page: &Page, project: Option<&str>) -> Option<Value> {
    let (method, path) = page.markdown.split("```text\n").nth(1)?.lines().next()?.split_once(' ')?;
    let section = |title: &str| {
        let rest = page.markdown.split(&format!("\n## {title}\n")).nth(1)?;
        rest.split("\n## ").next()
    };
    let query = section("Parameters").into_iter().flat_map(str::lines).filter(|line| line.contains(" | Query | "));
    let query: Vec<&str> = query.filter_map(|line| line.split('`').nth(1)).collect();
    let request = section("Request body");
    // Files and forms are sent by programs.
    if request.is_some_and(|request| !request.contains("`application/json`")) {
        return None;
    }
    let body = request
        .map(|request| request.split("```json\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap_or("{}"));
    Some(json!({"method": method, "path": path, "query": query, "body": body, "project": project}))
}

impl Home {
    pub(super) fn new() -> Self {
        let groups = groups("");
        Self { title: "Start", path: "", markdown: None, query: Some(""), assets: ASSETS, has_script: false, groups }
    }

    pub(super) fn exported() -> Self {
        Self { query: None, ..Self::new() }
    }

    pub(super) fn html(&self) -> Result<String, Error> {
        render(self)
    }
}

impl<'a> SearchResults<'a> {
    pub(super) fn new(query: &'a str, hits: Vec<Hit>) -> Self {
        let is_empty_query = query.trim().is_empty();
        let title = if is_empty_query { "Search".to_owned() } else { format!("Search: {query}") };
        Self {
            title,
            path: "",
            markdown: None,
            query: Some(query),
            assets: ASSETS,
            has_script: false,
            groups: groups(""),
            hits,
            is_empty_query,
        }
    }

    pub(super) fn html(&self) -> Result<String, Error> {
        render(self)
    }
}

fn groups(path: &str) -> Vec<NavGroup> {
    let mut is_operation = false;
    let groups = site().groups.iter().map(|group| {
        let pages = group.pages(site());
        let is_listed = !is_operation;
        is_operation |= group.title == "API reference";
        NavGroup { title: &group.title, pages, is_current: pages.iter().any(|page| page.path == path), is_listed }
    });
    groups.filter(|group| !group.pages.is_empty()).collect()
}
