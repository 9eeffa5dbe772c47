//! A person at a browser without JavaScript: follows links and redirects, keeps cookies, fills in forms.

use std::fmt;
use std::sync::Arc;

use reqwest::header::{ACCEPT, HeaderMap, LOCATION, ORIGIN, REFERRER_POLICY};
use reqwest::{Method, RequestBuilder, StatusCode};
use scraper::{ElementRef, Html, Selector};
use url::Url;

use crate::{App, Canaries, PASSWORD};

/// More redirects than this in a row are a loop.
const REDIRECTS: usize = 10;

/// A browser with cookies of its own. A clone shares them, as a second tab does.
#[derive(Clone)]
pub struct Browser {
    home: Url,
    client: reqwest::Client,
    canaries: Arc<Canaries>,
}

/// Where the browser stands after redirects.
#[derive(Debug, Clone)]
pub struct Page {
    pub url: Url,
    /// The status, headers and body of the service's last answer. After leaving, that is the redirect that left.
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub html: String,
    /// Whether the service sent the browser to another origin. Nothing was fetched there.
    pub left: bool,
}

/// A form as it stands on a page, before anybody types.
#[derive(Debug, Clone)]
pub struct Form {
    pub method: Method,
    pub action: Url,
    /// What would be sent if no button were pressed: hidden inputs as well.
    pub fields: Vec<(String, String)>,
    /// Controls that are sent only when somebody picks them: buttons, boxes, radio buttons.
    pub choices: Vec<(String, String)>,
}

impl Browser {
    pub fn new(app: &App) -> Self {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .cookie_provider(Arc::new(reqwest::cookie::Jar::default()))
            .build()
            .unwrap();
        Self { home: Url::parse(&app.base).unwrap(), client, canaries: app.canaries.clone() }
    }

    /// Opens an address, or a path of the service, and follows redirects until a page, or until they leave the service.
    pub async fn open(&self, address: &str) -> Page {
        let url = self.home.join(address).unwrap();
        self.follow(self.client.get(url.clone()), url).await
    }

    /// Types these values into the page's form that posts to the path `action`, and sends it. A button is pressed by
    /// giving its name and value. A value that the form has no control for is a mistake in the test.
    pub async fn submit(&self, page: &Page, action: &str, values: &[(&str, &str)]) -> Page {
        let form = page.form_for(action, values);
        let fields = form.filled_in(values);
        if form.method == Method::GET {
            let mut url = form.action;
            url.query_pairs_mut().clear().extend_pairs(fields);
            return self.follow(self.client.get(url.clone()), url).await;
        }
        let request = self.client.request(form.method, form.action.clone()).form(&fields);
        self.follow(request.header(ORIGIN, page.origin()), form.action).await
    }

    /// Goes from a client's authorization address all the way back to the client, signing in and allowing where the
    /// service asks; answers the address that the client is called back at.
    pub async fn sign_in_and_allow(&self, authorization_url: &str, username: &str) -> String {
        let mut page = self.open(authorization_url).await;
        if page.is_at("/auth/sign-in") {
            page = self.submit(&page, "/auth/sign-in", &[("login", username), ("password", PASSWORD)]).await;
        }
        if page.is_at("/auth/consent") {
            page = self.submit(&page, "/auth/consent", &[("decision", "allow")]).await;
        }
        assert!(page.left, "not back at the client, but at {page}");
        page.url.into()
    }

    async fn follow(&self, mut request: RequestBuilder, mut url: Url) -> Page {
        for _ in 0..=REDIRECTS {
            let answer = request.header(ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8").send().await.unwrap();
            let (status, headers) = (answer.status(), answer.headers().clone());
            let html = answer.text().await.unwrap();
            self.canaries.watch(status, &headers, html.as_bytes());
            let Some(location) = headers.get(LOCATION).filter(|_| status.is_redirection()) else {
                return Page { url, status, headers, html, left: false };
            };
            // A browser would send the form, and the password in it, to the next address once more.
            assert!(![307, 308].contains(&status.as_u16()), "{url} -> {status}");
            url = url.join(location.to_str().unwrap()).unwrap();
            if url.origin() != self.home.origin() {
                return Page { url, status, headers, html, left: true };
            }
            request = self.client.get(url.clone());
        }
        panic!("redirected more than {REDIRECTS} times, at last to {url}");
    }
}

impl Page {
    /// Whether this is the service's page at that path.
    pub fn is_at(&self, path: &str) -> bool {
        !self.left && self.url.path() == path
    }

    /// What a person reads, with single spaces.
    pub fn text(&self) -> String {
        select(&Html::parse_document(&self.html), "body").map(readable).collect()
    }

    /// The text of the page's main heading; empty when there is none.
    pub fn heading(&self) -> String {
        select(&Html::parse_document(&self.html), "h1").next().map(readable).unwrap_or_default()
    }

    /// All forms, in the page's order.
    pub fn forms(&self) -> Vec<Form> {
        select(&Html::parse_document(&self.html), "form").map(|form| Form::read(form, &self.url)).collect()
    }

    /// The first form that posts to the path `action`.
    #[track_caller]
    pub fn form(&self, action: &str) -> Form {
        self.form_for(action, &[])
    }

    /// Of the forms with this action the first that takes these values: a list may have such a form in each row.
    #[track_caller]
    fn form_for(&self, action: &str, values: &[(&str, &str)]) -> Form {
        let fits = |form: &Form| form.action.path() == action && values.iter().all(|value| form.takes(*value));
        let form = self.forms().into_iter().find(fits);
        form.unwrap_or_else(|| panic!("no form to {action} that takes {values:?} at {self}"))
    }

    /// What a browser sends as `Origin` with a form of this page: a page that hides its address hides that, too
    /// (Fetch, "append a request `Origin` header").
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
        let mut read = Self { method, action, fields: Vec::new(), choices: Vec::new() };
        for control in select_in(form, "input, button, textarea, select") {
            let Some(name) = control.attr("name").filter(|_| control.attr("disabled").is_none()) else { continue };
            read.add(name, control);
        }
        read
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
                    |option: &ElementRef<'_>| option.attr("value").map_or_else(|| readable(*option), Into::into);
                self.choices.extend(options.iter().map(|option| (name.to_owned(), value_of(option))));
                let chosen = options.iter().find(|option| option.attr("selected").is_some()).or(options.first());
                self.fields.extend(chosen.map(|option| (name.to_owned(), value_of(option))));
            }
            "button" | "reset" | "image" | "file" => {}
            _ => self.fields.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Whether a person could enter this: it is one of the choices, or there is a field to type it into.
    fn takes(&self, (name, value): (&str, &str)) -> bool {
        let mut choices = self.choices.iter().filter(|choice| choice.0 == name).peekable();
        if choices.peek().is_some() {
            return choices.any(|choice| choice.1 == value);
        }
        self.fields.iter().any(|field| field.0 == name)
    }

    /// What is sent after these values were entered.
    fn filled_in(&self, values: &[(&str, &str)]) -> Vec<(String, String)> {
        let untouched = self.fields.iter().filter(|field| values.iter().all(|value| value.0 != field.0)).cloned();
        let entered = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        untouched.chain(entered).collect()
    }
}

/// The text in an element, with single spaces; what stands in a line of its own is set apart.
fn readable(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    gather(element, &mut text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn gather(element: ElementRef<'_>, text: &mut String) {
    const INLINE: &[&str] = &["a", "abbr", "b", "bdi", "code", "em", "i", "small", "span", "strong", "time"];
    let apart = if INLINE.contains(&element.value().name()) { "" } else { " " };
    text.push_str(apart);
    for child in element.children() {
        if let Some(part) = child.value().as_text() {
            text.push_str(part);
        } else if let Some(child) = ElementRef::wrap(child) {
            gather(child, text);
        }
    }
    text.push_str(apart);
}

fn select<'a>(html: &'a Html, selector: &str) -> impl Iterator<Item = ElementRef<'a>> {
    select_in(html.root_element(), selector)
}

fn select_in<'a>(element: ElementRef<'a>, selector: &str) -> impl Iterator<Item = ElementRef<'a>> {
    let selector = Selector::parse(selector).unwrap();
    let found: Vec<_> = element.select(&selector).collect();
    found.into_iter()
}
