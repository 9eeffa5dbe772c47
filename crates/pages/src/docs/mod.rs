//! The documentation at `/docs`: guides and reference, in the look of the console.

mod assets;
mod export;
mod frame;
mod frameworks;
mod reader;
mod try_form;
mod try_operation;

use std::sync::{LazyLock, OnceLock};

use actix_web::dev::{HttpServiceFactory, ServiceRequest};
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::middleware::from_fn;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, guard, web};
use steward_docs::{Page, site};
use steward_domain::kernel::ProjectId;
use steward_domain::kernel::policy::Conditions;
use steward_web::{Asset, CredentialSource, RateClass, Route, limit_time};

use crate::Pages;
use crate::error::{PageError, PageResult};
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::resource;
use crate::response::{docs_headers, see_other};

pub use self::export::files;
pub(crate) use self::frameworks::FRAMEWORKS;
pub use self::frameworks::Framework;
pub(crate) use self::try_operation::forms;

use self::assets::FILES;
use self::reader::DocsReader;
use self::try_form::Tried;

const MARKDOWN: &str = "text/markdown; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
/// How many pages a search shows.
const MAX_HITS: usize = 20;

// What nobody's sign-in changes, compressed when it is first requested.
static HOME: OnceLock<Asset> = OnceLock::new();
static LLMS: OnceLock<Asset> = OnceLock::new();
static ASYNC_API: OnceLock<Asset> = OnceLock::new();
static PAGES: LazyLock<Vec<OnceLock<Asset>>> = LazyLock::new(|| site().pages.iter().map(|_| OnceLock::new()).collect());
static ASSETS: LazyLock<Vec<OnceLock<Asset>>> = LazyLock::new(|| FILES.iter().map(|_| OnceLock::new()).collect());

/// Returns what is known about a request for the documentation, except for its first page and the OpenAPI document,
/// which are operations of the API.
pub(crate) fn route(request: &ServiceRequest) -> Option<Route> {
    is_docs(request.match_info().as_str()).then_some(Route {
        path: Some("/docs/{page}"),
        // A reader who is signed in sends requests to the API.
        conditions: Conditions::All,
        rate: RateClass::Reads,
        credential: CredentialSource::Cookie,
        ..Route::default()
    })
}

fn is_docs(path: &str) -> bool {
    path.strip_prefix("/docs/").is_some_and(|rest| !matches!(rest, "" | "json" | "json/"))
}

/// Returns the pages below `/docs`.
pub(crate) fn scope() -> impl HttpServiceFactory {
    let scope = web::scope("/docs").guard(guard::fn_guard(|context| is_docs(context.head().uri.path())));
    let resources = [
        resource::page("/search", search),
        resource::page("/project", choose_project),
        resource::page("/llms.txt", llms),
        resource::page("/asyncapi.json", async_api),
        resource::page("/assets/{file}", file),
        resource::page("/{group}/{page}", page),
        resource::page("/{page}", page),
    ];
    let scope =
        resources.into_iter().flatten().fold(scope, |scope, page| scope.service(page.wrap(from_fn(limit_time))));
    scope.default_service(web::to(|| async { Err::<HttpResponse, _>(PageError::NoPage(StatusCode::NOT_FOUND)) }))
}

/// Returns the first page.
pub(crate) fn home(pages: &Pages, request: &HttpRequest) -> HttpResponse {
    let asset = HOME.get_or_init(|| {
        let html = frame::home(Some("")).unwrap_or_default();
        Asset::new(HTML, in_service(pages, &html).as_bytes())
    });
    asset.respond(request, |response| {
        docs_headers(response);
    })
}

async fn page(pages: web::Data<Pages>, browser: Browser, request: HttpRequest) -> PageResult {
    let path = request.path().trim_start_matches("/docs/").trim_end_matches('/');
    if let Some(found) = path.strip_suffix(".md").and_then(|path| site().page(path)) {
        let asset = Asset::new(MARKDOWN, in_service(&pages, &found.markdown).as_bytes());
        return Ok(asset.respond(&request, |_| ()));
    }
    let number = site().pages.iter().position(|page| page.path == path);
    let Some((number, found)) = number.and_then(|number| Some((number, site().pages.get(number)?))) else {
        return Err(PageError::NoPage(StatusCode::NOT_FOUND));
    };
    match DocsReader::of(browser, &request).await {
        Some(reader) => Ok(private(&request, &frame::page(&pages, found, Some(&reader), Tried::default())?)),
        None => fixed_page(&pages, &request, number, found),
    }
}

/// Returns a page for readers who are not signed in.
fn fixed_page(pages: &Pages, request: &HttpRequest, number: usize, found: &Page) -> PageResult {
    let asset = PAGES.get(number).ok_or(PageError::NoPage(StatusCode::NOT_FOUND))?;
    if asset.get().is_none() {
        let html = frame::page(pages, found, None, Tried::default())?;
        // Another request may have been faster.
        let _ = asset.set(Asset::new(HTML, html.as_bytes()));
    }
    let asset = asset.get().ok_or(PageError::NoPage(StatusCode::NOT_FOUND))?;
    Ok(asset.respond(request, |response| {
        docs_headers(response);
        response.append_header(("Vary", "Cookie"));
    }))
}

/// Returns a page that is not for others.
fn private(request: &HttpRequest, html: &str) -> HttpResponse {
    let mut response = Asset::new(HTML, html.as_bytes()).respond(request, |response: &mut HttpResponseBuilder| {
        docs_headers(response);
    });
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn search(pages: web::Data<Pages>, request: HttpRequest) -> PageResult {
    let form = Form::of_query(&request);
    let query = form.text("q");
    let hits = steward_docs::search(query, MAX_HITS);
    let html = in_service(&pages, &frame::search_results(query, hits)?);
    Ok(private(&request, &html))
}

/// Remembers the project that the samples of a reader are for, and returns to the page.
async fn choose_project(pages: web::Data<Pages>, request: HttpRequest) -> PageResult {
    let form = Form::of_query(&request);
    let (project, path) = (ProjectId::parse(form.text("id")), form.text("path"));
    let page = site().page(path).ok_or(PageError::NoPage(StatusCode::NOT_FOUND))?;
    let response = see_other(&page.address());
    Ok(match project {
        Some(project) => reader::with_project(&pages, response, project)?,
        None => response,
    })
}

async fn llms(pages: web::Data<Pages>, request: HttpRequest) -> HttpResponse {
    let asset = LLMS.get_or_init(|| {
        Asset::new("text/plain; charset=utf-8", export::llms(&pages.steward.address.at("")).as_bytes())
    });
    asset.respond(&request, |_| ())
}

async fn async_api(request: HttpRequest) -> HttpResponse {
    let asset = ASYNC_API.get_or_init(|| Asset::new("application/json", steward_docs::ASYNC_API.as_bytes()));
    asset.respond(&request, |_| ())
}

async fn file(request: HttpRequest) -> PageResult {
    let name = request.match_info().get("file").unwrap_or_default();
    let number = FILES.iter().position(|(file, ..)| *file == name);
    let found = number.and_then(|number| Some((FILES.get(number)?, ASSETS.get(number)?)));
    let ((_, content_type, content), asset) = found.ok_or(PageError::NoPage(StatusCode::NOT_FOUND))?;
    Ok(asset.get_or_init(|| Asset::new(content_type, content.as_bytes())).respond(&request, |_| ()))
}

/// Returns text with the address of this service in place of that of the samples.
fn in_service(pages: &Pages, text: &str) -> String {
    steward_docs::with_address(text, &pages.steward.address.at(""))
}
