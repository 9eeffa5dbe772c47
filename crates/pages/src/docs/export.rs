//! The documentation as files, for a site that serves nothing else.

use steward_docs::site;
use steward_domain::kernel::error::Error;

use super::assets::FILES;
use super::frame;

/// Returns the files of a site: paths and contents. `openapi`: the OpenAPI document.
///
/// # Errors
///
/// If a page cannot be rendered.
pub fn files(openapi: &str) -> Result<Vec<(String, String)>, Error> {
    let mut files = vec![
        ("index.html".to_owned(), relative(&frame::home(None)?)),
        ("llms.txt".to_owned(), llms("").replace("/docs/", "/")),
        ("openapi.json".to_owned(), openapi.to_owned()),
        ("asyncapi.json".to_owned(), steward_docs::ASYNC_API.to_owned()),
    ];
    for page in &site().pages {
        files.push((format!("{}/index.html", page.path), relative(&frame::exported(page)?)));
        files.push((format!("{}.md", page.path), page.markdown.clone()));
    }
    files.extend(FILES.iter().map(|(name, _, content)| (format!("assets/{name}"), (*content).to_owned())));
    Ok(files)
}

/// Returns a page with the links of a site that serves the documentation at `/`.
fn relative(html: &str) -> String {
    html.replace("\"/docs/json\"", "\"/openapi.json\"").replace("\"/docs\"", "\"/\"").replace("\"/docs/", "\"/")
}

/// Returns the index of the pages for language models (<https://llmstxt.org>). `base`: the URL of the service.
pub(super) fn llms(base: &str) -> String {
    let mut text = "# Steward\n\n> A self-hosted service that administers projects: teams, API keys, schemas, the people who use a project, and their \
        items, over one REST API.\n"
        .to_owned();
    for group in &site().groups {
        let title = if group.title == "Decisions" { "Optional" } else { &group.title };
        text.push_str(&format!("\n## {title}\n\n"));
        for page in group.pages(site()) {
            let summary = page.summary.split_whitespace().collect::<Vec<_>>().join(" ");
            text.push_str(&format!("- [{}]({base}/docs/{}.md): {summary}\n", page.title, page.path));
        }
    }
    text
}
