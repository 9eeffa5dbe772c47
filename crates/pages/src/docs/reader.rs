//! A reader who is signed in, whose project the samples are for.

use actix_web::{HttpRequest, HttpResponse};
use steward_docs::EXAMPLE_PROJECT;
use steward_domain::error::Error;
use steward_domain::model::{PageRequest, PageSize, ProjectId};

use crate::Pages;
use crate::browser::Browser;
use crate::console::frame::Signed;
use crate::cookie::{docs_project, with_docs_project};
use crate::error::PageError;

/// How many projects a reader can choose from.
const MAX_PROJECTS: PageSize = PageSize { rows: 50, bytes: 256 * 1024, ..PageSize::MAX };

/// A reader with at least one project.
pub(super) struct DocsReader {
    /// IDs and names.
    pub(super) projects: Vec<(String, String)>,
    /// The ID of the chosen one.
    pub(super) project: String,
}

impl DocsReader {
    /// Returns the reader who is signed in. A person who cannot use the console yet reads the pages as everyone.
    pub(super) async fn of(browser: Browser, request: &HttpRequest) -> Result<Option<Self>, PageError> {
        if browser.signed_in.is_none() {
            return Ok(None);
        }
        let Ok(signed) = Signed::of(browser, request.clone()) else { return Ok(None) };
        let page = PageRequest { size: MAX_PROJECTS, ..PageRequest::FIRST };
        // The documentation is readable during an outage of the database.
        let Ok(found) = signed.steward().projects.list(&signed.caller, &page).await else { return Ok(None) };
        let projects =
            found.items.into_iter().map(|found| (found.project.id.to_string(), found.project.name.to_string()));
        let projects: Vec<_> = projects.collect();
        let chosen = docs_project(&signed.browser.pages, request);
        let chosen = projects.iter().find(|(id, _)| Some(id) == chosen.as_ref()).or_else(|| projects.last());
        let Some((project, _)) = chosen.cloned() else { return Ok(None) };
        Ok(Some(Self { projects, project }))
    }

    /// Returns a page with the ID of the project in its samples.
    pub(super) fn fill_in(&self, html: &str) -> String {
        html.replace(EXAMPLE_PROJECT, &self.project)
    }
}

/// Remembers the project in the browser.
pub(super) fn with_project(pages: &Pages, response: HttpResponse, project: ProjectId) -> Result<HttpResponse, Error> {
    with_docs_project(pages, response, &project.to_string())
}
