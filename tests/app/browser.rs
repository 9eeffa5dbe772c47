//! A browser without JavaScript: follows redirects, stores cookies and submits forms.

use std::fmt;
use std::sync::Arc;

use reqwest::cookie::{CookieStore as _, Jar};
use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, ORIGIN, REFERRER_POLICY,
};
use reqwest::{Method, RequestBuilder, StatusCode};
use scraper::{ElementRef, Html, Selector};
use url::{Origin, Url};

use crate::server::http_client;
use crate::{App, PASSWORD, SecretLeaks};

/// Maximum number of consecutive redirects. More are treated as a loop.
const MAX_REDIRECTS: usize = 10;

/// A browser with its own cookies. Clones share the cookies, like tabs of one browser.
#[derive(Clone)]
pub struct Browser {
    home: Url,
    /// An app whose pages the browser opens too.
    app: Option<Origin>,
    client: reqwest::Client,
    cookies: Arc<Jar>,
    canaries: Arc<SecretLeaks>,
}

/// The page that the browser shows after following redirects.
#[derive(Debug, Clone)]
pub struct Page {
    pub url: Url,
    /// Status, headers and body of the last response. If `left` is true, that response is the redirect to the other
    /// origin.
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub html: String,
    /// Whether the browser was redirected to another origin, whose pages it does not open.
    pub left: bool,
}

/// A form with its initial values.
#[derive(Debug, Clone)]
pub struct Form {
    pub method: Method,
    pub action: Url,
    /// Values that are submitted without pressing a button, including hidden inputs.
    pub fields: Vec<(String, String)>,
    /// Controls that are submitted only if selected: buttons, checkboxes, radio buttons and options.
    pub choices: Vec<(String, String)>,
    /// Names of the inputs for files.
    pub files: Vec<String>,
    /// Whether the form is sent as `multipart/form-data`, which files require.
    pub is_multipart: bool,
}

impl Browser {
    pub fn new(app: &App) -> Self {
        let cookies = Arc::new(Jar::default());
        let client = http_client().cookie_provider(cookies.clone()).build().unwrap();
        Self { home: Url::parse(&app.base).unwrap(), app: None, client, cookies, canaries: app.canaries.clone() }
    }

    /// A browser whose user reads these languages (RFC 9110 §12.5.4).
    pub fn reading(app: &App, languages: &str) -> Self {
        Self::with_header(app, ACCEPT_LANGUAGE, languages)
    }

    /// A browser that sends a header with each request.
    pub fn with_header(app: &App, name: HeaderName, value: &str) -> Self {
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())]);
        let cookies = Arc::new(Jar::default());
        let client = http_client().cookie_provider(cookies.clone()).default_headers(headers).build().unwrap();
        Self { cookies, client, ..Self::new(app) }
    }

    /// A browser that also opens the pages of an app at this origin.
    pub fn with_app(app: &App, origin: &str) -> Self {
        Self { app: Some(Url::parse(origin).unwrap().origin()), ..Self::new(app) }
    }

    /// The same browser at another replica of the service. Cookies do not depend on the port.
    pub fn at(&self, replica: &App) -> Self {
        Self { home: Url::parse(&replica.base).unwrap(), ..self.clone() }
    }

    /// Another browser with the cookies that this one has now, like that of a thief.
    pub fn stolen(&self, app: &App) -> Self {
        let copy = Self::new(app);
        for cookie in self.cookie_header().split("; ") {
            copy.cookies.add_cookie_str(cookie, &copy.home);
        }
        copy
    }

    /// The `Cookie` header that the browser sends to the service.
    pub fn cookie_header(&self) -> String {
        self.cookies.cookies(&self.home).unwrap().to_str().unwrap().to_owned()
    }

    /// Opens a URL or a path of the service. Follows redirects until a page loads or a redirect leads elsewhere.
    pub async fn open(&self, address: &str) -> Page {
        let url = self.home.join(address).unwrap();
        self.follow(self.client.get(url.clone()), url).await
    }

    /// Fills in the page's form that submits to the path `action`, and submits it. To press a button, pass its name and
    /// value. Panics if no such form has a control for each value.
    pub async fn submit(&self, page: &Page, action: &str, values: &[(&str, &str)]) -> Page {
        let form = page.form_for(action, values);
        let fields = form.filled_in(values);
        if form.method == Method::GET {
            let mut url = form.action;
            url.query_pairs_mut().clear().extend_pairs(fields);
            return self.follow(self.client.get(url.clone()), url).await;
        }
        let request = self.client.request(form.method.clone(), form.action.clone());
        let request = if form.is_multipart { form.multipart(request, &fields) } else { request.form(&fields) };
        self.follow(request.header(ORIGIN, page.origin()), form.action).await
    }

    /// Completes a client's authorization request: signs in and grants consent if the service asks for it. Returns the
    /// URL of the redirect back to the client.
    pub async fn sign_in_and_allow(&self, authorization_url: &str, username: &str) -> String {
        let page = self.open(authorization_url).await;
        let page = self.allow(page, username).await;
        assert!(page.left, "The browser was not redirected to the client. It is at {page}");
        page.url.into()
    }

    /// Signs in and grants consent if the service asks for it at this page. Returns the page that follows.
    pub async fn allow(&self, mut page: Page, username: &str) -> Page {
        if page.is_at("/auth/sign-in") {
            page = self.submit(&page, "/auth/sign-in", &[("login", username), ("password", PASSWORD)]).await;
        }
        if page.is_at("/auth/consent") {
            page = self.submit(&page, "/auth/consent", &[("decision", "allow")]).await;
        }
        page
    }

    async fn follow(&self, mut request: RequestBuilder, mut url: Url) -> Page {
        for _ in 0..=MAX_REDIRECTS {
            let response = request.header(ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8").send().await.unwrap();
            let (status, headers) = (response.status(), response.headers().clone());
            let html = response.text().await.unwrap();
            if url.origin() == self.home.origin() {
                self.canaries.watch(status, &headers, html.as_bytes());
            }
            let Some(location) = headers.get(LOCATION).filter(|_| status.is_redirection()) else {
                return Page { url, status, headers, html, left: false };
            };
            // With 307 and 308, a browser would resend the form, including the password, to the redirect target. The apps of
            // the tests may answer so where there is no form.
            let is_of_service = url.origin() == self.home.origin();
            assert!(!is_of_service || ![307, 308].contains(&status.as_u16()), "{url} -> {status}");
            url = url.join(location.to_str().unwrap()).unwrap();
            if url.origin() != self.home.origin() && self.app.as_ref() != Some(&url.origin()) {
                return Page { url, status, headers, html, left: true };
            }
            request = self.client.get(url.clone());
        }
        panic!("More than {MAX_REDIRECTS} redirects; the last one to {url}");
    }
}

impl Page {
    /// Whether the browser is on the service's page at this path.
    pub fn is_at(&self, path: &str) -> bool {
        !self.left && self.url.path() == path
    }

    /// Visible text with collapsed whitespace.
    pub fn text(&self) -> String {
        select(&Html::parse_document(&self.html), "body").map(visible_text).collect()
    }

    /// Text of the `h1` heading; empty if there is none.
    pub fn heading(&self) -> String {
        select(&Html::parse_document(&self.html), "h1").next().map(visible_text).unwrap_or_default()
    }

    /// All forms in document order.
    pub fn forms(&self) -> Vec<Form> {
        select(&Html::parse_document(&self.html), "form").map(|form| Form::read(form, &self.url)).collect()
    }

    /// Addresses of all links, style sheets and icons in document order.
    pub fn links(&self) -> Vec<String> {
        attributes(&self.html, " href=\"")
    }

    /// The ID in the first link that starts and ends like this.
    #[track_caller]
    pub fn id_in(&self, start: &str, end: &str) -> String {
        let links = self.links();
        let id = links.iter().find_map(|link| link.strip_prefix(start)?.strip_suffix(end));
        id.unwrap_or_else(|| panic!("There is no link {start}…{end} at {self}")).to_owned()
    }

    /// Address of the next page of a list; `None` on the last page.
    pub fn next_page(&self) -> Option<String> {
        let document = Html::parse_document(&self.html);
        let link = select(&document, "a[rel=next]").next()?;
        link.attr("href").map(str::to_owned)
    }

    /// Addresses that the forms submit to, in document order.
    pub fn actions(&self) -> Vec<String> {
        attributes(&self.html, " action=\"")
    }

    /// The first form that submits to the path `action`.
    #[track_caller]
    pub fn form(&self, action: &str) -> Form {
        self.form_for(action, &[])
    }

    /// The first form with this action that accepts these values. A list may have such a form in each row.
    #[track_caller]
    fn form_for(&self, action: &str, values: &[(&str, &str)]) -> Form {
        let matches = |form: &Form| form.action.path() == action && values.iter().all(|value| form.accepts(*value));
        let form = self.forms().into_iter().find(matches);
        form.unwrap_or_else(|| panic!("No form to {action} accepts {values:?} at {self}"))
    }

    /// The `Origin` header that a browser sends with a form of this page: `null` if the page's `Referrer-Policy` is
    /// `no-referrer` (Fetch, "append a request `Origin` header").
    fn origin(&self) -> String {
        let hidden = self.headers.get(REFERRER_POLICY).is_some_and(|policy| policy == "no-referrer");
        if hidden { "null".to_owned() } else { self.url.origin().ascii_serialization() }
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})\n{}", self.url, self.status, self.html)
    }
}

impl Form {
    fn read(form: ElementRef<'_>, page: &Url) -> Self {
        let action = page.join(form.attr("action").unwrap_or_default()).unwrap();
        let method = if form.attr("method").is_some_and(|method| method.eq_ignore_ascii_case("post")) {
            Method::POST
        } else {
            Method::GET
        };
        let is_multipart = form.attr("enctype") == Some("multipart/form-data");
        let (fields, choices, files) = (Vec::new(), Vec::new(), Vec::new());
        let mut result = Self { method, action, fields, choices, files, is_multipart };
        for control in select_in(form, "input, button, textarea, select") {
            let Some(name) = control.attr("name").filter(|_| control.attr("disabled").is_none()) else { continue };
            result.add(name, control);
        }
        result
    }

    fn add(&mut self, name: &str, control: ElementRef<'_>) {
        let value = control.attr("value").unwrap_or_default();
        let kind = match control.value().name() {
            "button" => control.attr("type").unwrap_or("submit"),
            "input" => control.attr("type").unwrap_or("text"),
            other => other,
        };
        match kind {
            "submit" => self.choices.push((name.to_owned(), value.to_owned())),
            "checkbox" | "radio" => {
                let pair = (name.to_owned(), control.attr("value").unwrap_or("on").to_owned());
                self.choices.push(pair.clone());
                self.fields.extend(control.attr("checked").map(|_| pair));
            }
            "textarea" => self.fields.push((name.to_owned(), control.text().collect())),
            "select" => {
                let options: Vec<_> = select_in(control, "option").collect();
                let value_of =
                    |option: &ElementRef<'_>| option.attr("value").map_or_else(|| visible_text(*option), Into::into);
                self.choices.extend(options.iter().map(|option| (name.to_owned(), value_of(option))));
                let chosen = options.iter().find(|option| option.attr("selected").is_some()).or(options.first());
                self.fields.extend(chosen.map(|option| (name.to_owned(), value_of(option))));
            }
            "file" => self.files.push(name.to_owned()),
            "button" | "reset" | "image" => {}
            _ => self.fields.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Whether a person can enter this value: it is one of the choices, or the form has a field with this name.
    fn accepts(&self, (name, value): (&str, &str)) -> bool {
        let mut choices = self.choices.iter().filter(|choice| choice.0 == name).peekable();
        if choices.peek().is_some() {
            return choices.any(|choice| choice.1 == value);
        }
        self.fields.iter().any(|field| field.0 == name) || self.files.iter().any(|file| file == name)
    }

    /// Adds the fields as `multipart/form-data` to a request. The value of a file is its content.
    fn multipart(&self, request: RequestBuilder, fields: &[(String, String)]) -> RequestBuilder {
        const BOUNDARY: &str = "----boundary-of-the-form";
        let mut body = String::new();
        for (name, value) in fields {
            let file = if self.files.contains(name) { "; filename=\"file\"" } else { "" };
            let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
            body.push_str(&format!("{head}{value}\r\n"));
        }
        body.push_str(&format!("--{BOUNDARY}--\r\n"));
        request.header(CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}")).body(body)
    }

    /// The fields that are submitted with these values filled in.
    fn filled_in(&self, values: &[(&str, &str)]) -> Vec<(String, String)> {
        let untouched = self.fields.iter().filter(|field| values.iter().all(|value| value.0 != field.0)).cloned();
        let entered = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        untouched.chain(entered).collect()
    }
}

/// Values of an attribute that starts like this. Parsing the page would take longer than loading it.
fn attributes(html: &str, start: &str) -> Vec<String> {
    let values = html.split(start).skip(1).filter_map(|rest| rest.split('"').next());
    values.map(|value| value.replace("&#38;", "&").replace("&amp;", "&")).collect()
}

/// Text of an element with collapsed whitespace. Block elements are separated by a space.
fn visible_text(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    collect_text(element, &mut text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn collect_text(element: ElementRef<'_>, text: &mut String) {
    const INLINE: &[&str] = &["a", "abbr", "b", "bdi", "code", "em", "i", "small", "span", "strong", "time"];
    let separator = if INLINE.contains(&element.value().name()) { "" } else { " " };
    text.push_str(separator);
    for child in element.children() {
        if let Some(part) = child.value().as_text() {
            text.push_str(part);
        } else if let Some(child) = ElementRef::wrap(child) {
            collect_text(child, text);
        }
    }
    text.push_str(separator);
}

fn select<'a>(html: &'a Html, selector: &str) -> impl Iterator<Item = ElementRef<'a>> {
    select_in(html.root_element(), selector)
}

fn select_in<'a>(element: ElementRef<'a>, selector: &str) -> impl Iterator<Item = ElementRef<'a>> {
    let selector = Selector::parse(selector).unwrap();
    let found: Vec<_> = element.select(&selector).collect();
    found.into_iter()
}
