//! The pages around the texts.

use askama::Template;
use steward_docs::{Heading, Hit, Page, site};
use steward_domain::kernel::error::Error;

use crate::Pages;
use crate::response::render;

use super::reader::DocsReader;
use super::try_form::{Tried, TryForm};

/// A group of the navigation.
pub(super) struct NavGroup {
    title: &'static str,
    pages: &'static [Page],
    /// Whether the page that is shown is one of its pages, or one of its parts.
    is_open: bool,
    /// The groups within it, which the first page does not list: each operation and decision.
    parts: Vec<Self>,
}

/// What is around the content of a page.
struct Frame<'a> {
    title: String,
    path: &'a str,
    /// The address of the page as Markdown.
    markdown: Option<String>,
    /// The text in the field for a search; `None` on a site of files, which has no search.
    query: Option<&'a str>,
    groups: Vec<NavGroup>,
}

impl<'a> Frame<'a> {
    fn new(title: impl Into<String>, path: &'a str, query: Option<&'a str>) -> Self {
        Self { title: title.into(), path, markdown: None, query, groups: groups(path) }
    }
}

/// A page.
#[derive(Template)]
#[template(path = "docs/page.html")]
struct Text<'a> {
    frame: Frame<'a>,
    html: String,
    try_form: String,
    headings: &'a [Heading],
    reader: Option<&'a DocsReader>,
}

/// The first page.
#[derive(Template)]
#[template(path = "docs/home.html")]
struct Home<'a> {
    frame: Frame<'a>,
}

/// What a search found.
#[derive(Template)]
#[template(path = "docs/search.html")]
struct SearchResults<'a> {
    frame: Frame<'a>,
    hits: Vec<Hit>,
    is_empty_query: bool,
}

/// Returns a page as HTML, for a reader who is signed in or for everyone, with a form that tries its operation.
pub(super) fn page(pages: &Pages, page: &Page, reader: Option<&DocsReader>, tried: Tried) -> Result<String, Error> {
    let address = pages.steward.address.at("");
    let filled_in = |text: &str| {
        let text = steward_docs::with_address(text, &address);
        reader.map(|reader| reader.fill_in(&text)).unwrap_or(text)
    };
    let form = page.operation.as_ref().map(|operation| {
        let example = operation.body.as_deref().map(filled_in);
        // A page that is the same for everyone has no ID of its own.
        let next_attempt = reader.map(|_| pages.steward.ids.next().to_string()).unwrap_or_default();
        render(&TryForm::of(operation, reader, example, next_attempt, tried))
    });
    let html = filled_in(&page.html);
    text(page, html, reader, Some(form.transpose()?.unwrap_or_default()))
}

/// Returns a page for a site of files, which has no search and no forms.
pub(super) fn exported(page: &Page) -> Result<String, Error> {
    text(page, page.html.clone(), None, None)
}

/// Returns a page. `try_form`: `None` for a page that is exported as a file.
fn text(page: &Page, html: String, reader: Option<&DocsReader>, try_form: Option<String>) -> Result<String, Error> {
    let frame = Frame::new(page.title.as_str(), &page.path, try_form.is_some().then_some(""));
    let view = Text {
        frame: Frame { markdown: Some(format!("/docs/{}.md", page.path)), ..frame },
        html,
        try_form: try_form.unwrap_or_default(),
        headings: &page.headings,
        reader,
    };
    render(&view)
}

/// Returns the first page. `query`: the text in the field for a search; `None` on a site of files.
pub(super) fn home(query: Option<&str>) -> Result<String, Error> {
    render(&Home { frame: Frame::new("Start", "", query) })
}

/// Returns the page with the results of a search.
pub(super) fn search_results(query: &str, hits: Vec<Hit>) -> Result<String, Error> {
    let is_empty_query = query.trim().is_empty();
    let title = if is_empty_query { "Search".to_owned() } else { format!("Search: {query}") };
    render(&SearchResults { frame: Frame::new(title, "", Some(query)), hits, is_empty_query })
}

fn groups(path: &str) -> Vec<NavGroup> {
    let mut groups: Vec<NavGroup> = Vec::new();
    for group in &site().groups {
        let pages = group.pages(site());
        let is_open = pages.iter().any(|page| page.path == path);
        let found = NavGroup { title: &group.title, pages, is_open, parts: Vec::new() };
        match groups.last_mut() {
            Some(whole) if group.is_part => {
                whole.is_open |= is_open;
                whole.parts.push(found);
            }
            _ => groups.push(found),
        }
    }
    groups
}
