//! The form on the page of an operation that sends its request, and the response to it.

use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, Uri};
use actix_web::web::Bytes;
use askama::Template;
use steward_docs::{EXAMPLE_PROJECT, Operation, Parameter, Place};
use steward_domain::error::Error;
use steward_web::ApiRequest;
use url::Url;

use crate::form::Form;
use crate::response::render;

use super::reader::DocsReader;

/// Fields of the form: the credential, the body, the confirmation of a change, and the key of the attempt.
const KEY: &str = "key";
const BODY: &str = "body";
const CONFIRM: &str = "confirm";
const ATTEMPT: &str = "attempt";

/// The form.
#[derive(Template)]
#[template(path = "docs/try.html")]
pub(super) struct TryForm<'a> {
    method: &'a str,
    /// Who sends the request with an empty field for the credential; `None` if nobody is signed in.
    reader: Option<&'a DocsReader>,
    fields: Vec<TryField>,
    body: Option<String>,
    is_write: bool,
    /// The ID of the attempt, so that a form that is sent twice has one effect. Empty if the page or the operation does not
    /// support it.
    attempt: String,
    error: Option<String>,
    response: Option<TryResponse>,
}

/// A parameter.
struct TryField {
    name: String,
    label: String,
    value: String,
    is_required: bool,
}

/// What the API returned.
pub(super) struct TryResponse {
    /// Such as `200 OK`.
    pub status: String,
    /// The headers that are shown.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// Whether the body is longer than what is shown.
    pub is_cut: bool,
}

/// How a page shows the form.
#[derive(Default)]
pub(super) struct Attempt {
    /// What the reader entered; `None` for a page that is opened.
    pub form: Option<Form>,
    pub error: Option<String>,
    pub response: Option<TryResponse>,
}

impl<'a> TryForm<'a> {
    /// `next_attempt`: a new unique ID; empty without one.
    pub(super) fn of(
        operation: &'a Operation,
        reader: Option<&'a DocsReader>,
        next_attempt: String,
        attempt: Attempt,
    ) -> Self {
        let Attempt { form, error, response } = attempt;
        let entered = |name: &str| form.as_ref().map(|form| form.text(name).to_owned());
        let project = reader.and_then(|reader| reader.project.clone()).unwrap_or_default();
        let fields = operation.parameters.iter().map(|parameter| {
            let name = field_name(parameter);
            let known = if is_project(operation, parameter) { project.clone() } else { String::new() };
            let value = entered(&name).unwrap_or(known);
            TryField { name, label: parameter.name.clone(), value, is_required: parameter.is_required }
        });
        let example = operation.body.as_ref().map(|body| match project.as_str() {
            "" => body.clone(),
            project => body.replace(EXAMPLE_PROJECT, project),
        });
        Self {
            method: &operation.method,
            reader,
            fields: fields.collect(),
            body: example.map(|example| entered(BODY).unwrap_or(example)),
            is_write: is_write(operation),
            attempt: if operation.is_keyed { next_attempt } else { String::new() },
            error,
            response,
        }
    }

    pub(super) fn html(&self) -> Result<String, Error> {
        render(self)
    }
}

/// Returns the credential that the reader entered, if any.
pub(super) fn credential(form: &Form) -> Option<&str> {
    form.given(KEY).map(str::trim)
}

/// Returns the request of a form, or what the reader has to correct.
pub(super) fn request(operation: &Operation, form: &Form) -> Result<ApiRequest, String> {
    if is_write(operation) && form.text(CONFIRM).is_empty() {
        return Err("Confirm that the request changes data.".to_owned());
    }
    let method = Method::from_bytes(operation.method.as_bytes()).map_err(|error| error.to_string())?;
    let mut headers = HeaderMap::new();
    if let Some(token) = credential(form) {
        headers.insert(AUTHORIZATION, header("The API key or token", &format!("Bearer {token}"))?);
    }
    for parameter in operation.parameters.iter().filter(|parameter| parameter.place == Place::Header) {
        if let Some(value) = form.given(&field_name(parameter)) {
            let name = HeaderName::from_bytes(parameter.name.as_bytes()).map_err(|error| error.to_string())?;
            headers.insert(name, header(&parameter.name, value)?);
        }
    }
    if let Some(attempt) = form.given(ATTEMPT).filter(|_| operation.is_keyed) {
        headers.insert(HeaderName::from_static("idempotency-key"), header("The attempt", attempt)?);
    }
    let body = operation.body.as_ref().map(|_| Bytes::copy_from_slice(form.text(BODY).as_bytes())).unwrap_or_default();
    if !body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(ApiRequest { method, uri: uri(operation, form)?, headers, body })
}

/// Returns the path and query with the values of the form.
fn uri(operation: &Operation, form: &Form) -> Result<Uri, String> {
    // Only its path and query are used.
    let mut url = Url::parse("http://localhost/").map_err(|error| error.to_string())?;
    let mut path = Vec::new();
    for segment in operation.path.split('/').skip(1) {
        let name = segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'));
        path.push(match name {
            None => segment,
            Some(name) => match form.text(&format!("path.{name}")).trim() {
                "" => return Err(format!("Enter {name}.")),
                // They would be removed, and the path would be that of another operation.
                "." | ".." => return Err(format!("Enter another value of {name}: it cannot be . or ..")),
                value => value,
            },
        });
    }
    url.path_segments_mut().map_err(|()| "The path is not valid.")?.clear().extend(path);
    for parameter in operation.parameters.iter().filter(|parameter| parameter.place == Place::Query) {
        match form.given(&field_name(parameter)) {
            Some(value) => _ = url.query_pairs_mut().append_pair(&parameter.name, value),
            None if parameter.is_required => return Err(format!("Enter {}.", parameter.name)),
            None => {}
        }
    }
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}{query}", url.path()).parse().map_err(|_| "The path is not valid. Enter shorter values.".to_owned())
}

fn header(label: &str, value: &str) -> Result<HeaderValue, String> {
    HeaderValue::from_str(value).map_err(|_| format!("{label} has characters that a header cannot contain."))
}

fn field_name(parameter: &Parameter) -> String {
    let place = match parameter.place {
        Place::Path => "path",
        Place::Query => "query",
        Place::Header => "header",
    };
    format!("{place}.{}", parameter.name)
}

/// Whether a parameter is the ID of the project, which is known for a reader who has one.
fn is_project(operation: &Operation, parameter: &Parameter) -> bool {
    let is_of_path = parameter.name == "id" && operation.path.starts_with("/project/");
    parameter.place == Place::Path && (is_of_path || parameter.name == "project_id")
}

fn is_write(operation: &Operation) -> bool {
    operation.method != "GET"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(path: &str) -> Operation {
        let parameter = |place, name: &str, is_required| Parameter { place, name: name.to_owned(), is_required };
        let parameters = vec![
            parameter(Place::Path, "id", true),
            parameter(Place::Query, "q", false),
            parameter(Place::Header, "If-Match", false),
        ];
        Operation { method: "GET".to_owned(), path: path.to_owned(), parameters, body: None, is_keyed: false }
    }

    fn sent(fields: &str) -> Result<ApiRequest, String> {
        request(&operation("/team/{id}/member"), &Form::of_text(fields))
    }

    #[test]
    fn values_are_encoded_and_stay_in_their_segment() {
        let to = |fields: &str| sent(fields).map(|request| request.uri.to_string());
        assert_eq!(to("path.id=acme").unwrap(), "/team/acme/member");
        assert_eq!(to("path.id=a%2Fb%3Fc%23d&query.q=x%26y%3Dz").unwrap(), "/team/a%2Fb%3Fc%23d/member?q=x%26y%3Dz");
        for refused in ["", "path.id=+", "path.id=.", "path.id=.."] {
            assert!(to(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn headers_are_one_line() {
        let headers = sent("path.id=acme&header.If-Match=%225%22&key=+secret+").unwrap().headers;
        assert_eq!(headers.get("if-match").unwrap(), "\"5\"");
        assert_eq!(headers.get("authorization").unwrap(), "Bearer secret");
        assert!(sent("path.id=acme&header.If-Match=%0D%0AX:1").is_err());
        assert!(sent("path.id=acme&key=a%0Ab").is_err());
    }

    #[test]
    fn a_change_is_confirmed() {
        let operation = Operation { method: "DELETE".to_owned(), ..operation("/team/{id}") };
        assert!(request(&operation, &Form::of_text("path.id=acme")).is_err());
        assert!(request(&operation, &Form::of_text("path.id=acme&confirm=on")).is_ok());
    }
}
