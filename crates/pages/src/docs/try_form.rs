//! The form on the page of an operation that sends its request, and the response to it.

use std::hash::{Hash as _, Hasher as _};

use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, Uri};
use actix_web::web::Bytes;
use askama::Template;
use siphasher::sip::SipHasher13;
use steward_docs::{Operation, Parameter, Place};
use steward_web::ApiRequest;
use url::Url;
use url::form_urlencoded::parse;

use crate::request::form::Form;

use super::reader::DocsReader;

/// Fields of the form: the credential, the body, the confirmation of a change, and the key of the attempt.
const KEY: &str = "key";
const BODY: &str = "body";
const CONFIRM: &str = "confirm";
const ATTEMPT: &str = "attempt";
/// What follows the name of parameters that are entered together.
const FIELDS_EXAMPLE: &str = ", such as done=is.true&rank=gte.3";

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
    /// Whether only a token of a project's user is accepted, and not the session of the reader.
    needs_user: bool,
    /// The ID of the attempt, so that a form that is sent twice has one effect. Empty if the page or the operation does
    /// not support it.
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
    /// Why only the beginning of the body is shown, if so.
    pub cut: Option<&'static str>,
}

/// What the reader entered, and what came of it.
#[derive(Default)]
pub(super) struct Tried {
    /// What the reader entered; `None` for a page that is opened.
    pub form: Option<Form>,
    pub error: Option<String>,
    pub response: Option<TryResponse>,
}

impl<'a> TryForm<'a> {
    /// `example`: the body of the example for this reader. `next_attempt`: a new unique ID; empty without one.
    pub(super) fn of(
        operation: &'a Operation,
        reader: Option<&'a DocsReader>,
        example: Option<String>,
        next_attempt: String,
        tried: Tried,
    ) -> Self {
        let Tried { form, error, response } = tried;
        let entered = |name: &str| form.as_ref().map(|form| form.text(name).to_owned());
        let project = reader.and_then(|reader| reader.project.clone()).unwrap_or_default();
        let fields = operation.parameters.iter().map(|parameter| {
            let name = field_name(parameter);
            let known = if is_project(operation, parameter) { project.clone() } else { String::new() };
            let value = entered(&name).unwrap_or(known);
            let example = if parameter.place == Place::Fields { FIELDS_EXAMPLE } else { "" };
            let label = format!("{}{example}", parameter.name);
            TryField { name, label, value, is_required: parameter.is_required }
        });
        Self {
            method: &operation.method,
            reader,
            fields: fields.collect(),
            body: example.map(|example| entered(BODY).unwrap_or(example)),
            is_write: !operation.is_safe,
            needs_user: operation.needs_user,
            attempt: if operation.is_keyed { next_attempt } else { String::new() },
            error,
            response,
        }
    }
}

/// Returns the credential that the reader entered, if any.
pub(super) fn credential(form: &Form) -> Option<&str> {
    form.given(KEY).map(str::trim)
}

/// Returns the request of a form, or what the reader has to correct.
pub(super) fn request(operation: &Operation, form: &Form) -> Result<ApiRequest, String> {
    if !operation.is_safe && form.text(CONFIRM).is_empty() {
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
    let body = operation.body.as_ref().map(|_| Bytes::copy_from_slice(form.text(BODY).as_bytes())).unwrap_or_default();
    if !body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let uri = uri(operation, form)?;
    if let Some(attempt) = form.given(ATTEMPT).filter(|_| operation.is_keyed) {
        // A form that is changed and sent again, after going back to it, is another attempt.
        let mut content = SipHasher13::new();
        (uri.to_string(), &body).hash(&mut content);
        let key = format!("{attempt}-{:016x}", content.finish());
        headers.insert(HeaderName::from_static("idempotency-key"), header("The attempt", &key)?);
    }
    Ok(ApiRequest { method, uri, headers, body })
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
                value if matches!(value, "." | "..") || value.contains(char::is_control) => {
                    return Err(format!(
                        "Enter another value of {name}: it cannot be ., .. or have control characters."
                    ));
                }
                value => value,
            },
        });
    }
    url.path_segments_mut().map_err(|()| "The path is not valid.")?.clear().extend(path);
    for parameter in &operation.parameters {
        match (parameter.place, form.given(&field_name(parameter))) {
            (Place::Query, Some(value)) => _ = url.query_pairs_mut().append_pair(&parameter.name, value),
            (Place::Fields, Some(value)) => _ = url.query_pairs_mut().extend_pairs(parse(value.as_bytes())),
            (Place::Query, None) if parameter.is_required => return Err(format!("Enter {}.", parameter.name)),
            _ => {}
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
        Place::Query | Place::Fields => "query",
        Place::Header => "header",
    };
    format!("{place}.{}", parameter.name)
}

/// Whether a parameter is the ID of the project, which is known for a reader who has one.
fn is_project(operation: &Operation, parameter: &Parameter) -> bool {
    let is_of_path = parameter.name == "id" && operation.path.starts_with("/project/");
    parameter.place == Place::Path && (is_of_path || parameter.name == "project_id")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(path: &str) -> Operation {
        let parameter = |place, name: &str, is_required| Parameter { place, name: name.to_owned(), is_required };
        let parameters = vec![
            parameter(Place::Path, "id", true),
            parameter(Place::Query, "q", false),
            parameter(Place::Fields, "conditions", false),
            parameter(Place::Header, "If-Match", false),
        ];
        let (method, path) = ("GET".to_owned(), path.to_owned());
        Operation { method, path, parameters, body: None, is_safe: true, is_keyed: false, needs_user: false }
    }

    fn sent(fields: &str) -> Result<ApiRequest, String> {
        request(&operation("/team/{id}/member"), &Form::of_text(fields))
    }

    #[test]
    fn values_are_encoded_and_stay_in_their_segment() {
        let to = |fields: &str| sent(fields).map(|request| request.uri.to_string());
        assert_eq!(to("path.id=acme").unwrap(), "/team/acme/member");
        assert_eq!(to("path.id=a%2Fb%3Fc%23d&query.q=x%26y%3Dz").unwrap(), "/team/a%2Fb%3Fc%23d/member?q=x%26y%3Dz");
        for refused in ["", "path.id=+", "path.id=.", "path.id=..", "path.id=.%09.", "path.id=a%0Ab"] {
            assert!(to(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn conditions_are_parameters_of_their_own() {
        let to = |fields: &str| sent(fields).map(|request| request.uri.to_string()).unwrap();
        let entered = "query.conditions=done%3Dis.true%26title%3Dlike.a+b*%26done%3Dnot.is.null&query.q=x";
        let expected = "/team/acme/member?q=x&done=is.true&title=like.a+b*&done=not.is.null";
        assert_eq!(to(&format!("path.id=acme&{entered}")), expected);
        assert_eq!(to("path.id=acme&query.conditions="), "/team/acme/member");
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
        let operation = Operation { method: "DELETE".to_owned(), is_safe: false, ..operation("/team/{id}") };
        assert!(request(&operation, &Form::of_text("path.id=acme")).is_err());
        assert!(request(&operation, &Form::of_text("path.id=acme&confirm=on")).is_ok());
    }
}
