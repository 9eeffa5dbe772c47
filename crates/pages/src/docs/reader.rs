//! A reader who is signed in, whose project the samples are for.

use actix_web::{HttpRequest, HttpResponse};
use steward_docs::EXAMPLE_PROJECT;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Caller, PageRequest, PageSize, ProjectId};

use crate::Pages;
use crate::console::frame::Signed;
use crate::request::browser::Browser;
use crate::request::cookie::DOCS_PROJECT;

/// How many projects a reader can choose from.
const MAX_PROJECTS: PageSize = PageSize { rows: 50, bytes: 256 * 1024, ..PageSize::MAX };

/// A reader who is signed in.
pub(super) struct DocsReader {
    /// The reader, as the caller of the API.
    pub(super) caller: Caller,
    /// Name of the account.
    pub(super) account: String,
    /// The CSRF token that forms must contain.
    pub(super) csrf: String,
    /// IDs and names of the reader's projects.
    pub(super) projects: Vec<(String, String)>,
    /// The ID of the chosen one; `None` if there is none yet.
    pub(super) project: Option<String>,
}

impl DocsReader {
    /// Returns the reader who is signed in. A person who cannot use the console yet reads the pages as everyone.
    pub(super) async fn of(browser: Browser, request: &HttpRequest) -> Option<Self> {
        let signed = Signed::of(browser, request.clone()).ok()?;
        let page = PageRequest { size: MAX_PROJECTS, ..PageRequest::FIRST };
        // The documentation is readable during an outage of the database.
        let found = signed.steward().projects.list(&signed.caller, &page).await.ok();
        let found = found.into_iter().flat_map(|page| page.items);
        let projects = found.map(|found| (found.project.id.to_string(), found.project.name.to_string()));
        let projects: Vec<_> = projects.collect();
        let chosen = DOCS_PROJECT.read(&signed.browser.pages, request);
        let chosen = projects.iter().find(|(id, _)| Some(id) == chosen.as_ref()).or_else(|| projects.last());
        let project = chosen.map(|(id, _)| id.clone());
        let (csrf, account) = (signed.browser.csrf(), signed.signed_in.account.email.shown().to_owned());
        Some(Self { caller: signed.caller, account, csrf, projects, project })
    }

    /// Returns text with the ID of the project in its samples.
    pub(super) fn fill_in(&self, text: &str) -> String {
        let project = self.project.as_ref();
        project.map_or_else(|| text.to_owned(), |project| text.replace(EXAMPLE_PROJECT, project))
    }
}

/// Remembers the project in the browser.
pub(super) fn with_project(pages: &Pages, response: HttpResponse, project: ProjectId) -> Result<HttpResponse, Error> {
    DOCS_PROJECT.set(pages, response, &project.to_string())
}
