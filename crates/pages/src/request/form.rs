//! Input from a browser: a small form or a query.

use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::rt::time::timeout;
use actix_web::web::BytesMut;
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt as _;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::identity::Parameters;
use steward_domain::kernel::OpaqueKind;
use steward_domain::kernel::error::{Error, ResourceKind};
use url::form_urlencoded;

use crate::error::PageError;
use crate::intent::{InviteLink, SignInIntent};

/// Maximum size of a form, in bytes, and the timeout for receiving it.
const MAX_BYTES: usize = 16 * 1024;
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of fields of a form. Very many small fields take much more memory than their text, and time to
/// search.
pub(crate) const MAX_FIELDS: usize = 10_000;

/// Fields of a form or a query.
#[derive(Default)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Parses the query of a request.
    pub(crate) fn of_query(request: &HttpRequest) -> Self {
        Self::of_text(request.query_string())
    }

    /// Parses a query.
    pub(crate) fn of_text(query: &str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// Returns a form with these fields.
    pub(crate) fn of_fields(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }

    /// Adds a field.
    pub(crate) fn add(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    /// Returns the number of fields.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns all fields as the parameters of an OAuth request.
    pub(crate) fn parameters(&self) -> Parameters {
        Parameters::new(self.0.clone())
    }

    /// Returns all fields as a query.
    pub(crate) fn to_query(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.0).finish()
    }

    /// Returns the one-time ID of the authorization request. Its format is checked, because it is used in URLs.
    pub(crate) fn request(&self) -> Result<Option<&str>, PageError> {
        match self.given("request") {
            Some(id) if OpaqueKind::AuthorizationRequest.parse(id).is_none() => {
                Err(Error::NotFound(ResourceKind::AuthorizationRequest).into())
            }
            id => Ok(id),
        }
    }

    /// Returns the link of the invite.
    pub(crate) fn invite(&self) -> Result<Option<InviteLink<'_>>, PageError> {
        let not_found = || Error::NotFound(ResourceKind::Invite).into();
        self.given("invite").map(|text| InviteLink::parse(text).ok_or_else(not_found)).transpose()
    }

    /// Returns why the person signs in.
    pub(crate) fn intent(&self) -> Result<Option<SignInIntent<'_>>, PageError> {
        if let Some(id) = self.request()? {
            return Ok(Some(SignInIntent::Request(id)));
        }
        let invite = self.invite()?.map(SignInIntent::Invite);
        Ok(invite.or_else(|| self.given("next").and_then(SignInIntent::page)))
    }

    /// Returns all fields in their order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the value of a field, the first one if it is repeated. Empty if it is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }

    /// Returns the value of a field, or `None` if it is missing or empty.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        found.filter(|value| !value.is_empty())
    }
}

/// Returns a path with these parameters in its query. Empty ones are left out.
pub(crate) fn with_query<'p>(path: &str, parameters: impl IntoIterator<Item = (&'p str, &'p str)>) -> String {
    let given = parameters.into_iter().filter(|(_, value)| !value.is_empty());
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

impl Form {
    /// Reads a form of at most `max_bytes` from the body of a request.
    pub(crate) fn read(
        request: &HttpRequest,
        payload: &mut Payload,
        max_bytes: usize,
    ) -> LocalBoxFuture<'static, Result<Self, PageError>> {
        let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_form = media_type.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
        let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        let (mut payload, expected_bytes) = (payload.take(), announced.unwrap_or(0).min(max_bytes));
        async move {
            if !is_form {
                return Err(PageError::InvalidForm(StatusCode::UNSUPPORTED_MEDIA_TYPE));
            }
            let bytes = timeout(READ_TIMEOUT, read(&mut payload, max_bytes, expected_bytes)).await;
            let bytes = bytes.unwrap_or(Err(PageError::InvalidForm(StatusCode::BAD_REQUEST)))?;
            Ok(Self(parse(&bytes)?))
        }
        .boxed_local()
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<(String, String)>, PageError> {
    let fields = form_urlencoded::parse(bytes).into_owned().take(MAX_FIELDS.saturating_add(1));
    let fields: Vec<_> = fields.collect();
    if fields.len() > MAX_FIELDS { Err(PageError::InvalidForm(StatusCode::PAYLOAD_TOO_LARGE)) } else { Ok(fields) }
}

impl FromRequest for Form {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        Self::read(request, payload, MAX_BYTES)
    }
}

/// Reads the body. The memory for a body of the expected size is allocated at once, because it would take twice as much
/// if it grew step by step.
async fn read(payload: &mut Payload, max_bytes: usize, expected_bytes: usize) -> Result<BytesMut, PageError> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| PageError::InvalidForm(StatusCode::BAD_REQUEST))?;
        let received = bytes.len().saturating_add(chunk.len());
        if received > max_bytes {
            return Err(PageError::InvalidForm(StatusCode::PAYLOAD_TOO_LARGE));
        }
        if received > bytes.capacity() {
            bytes.reserve(expected_bytes.max(received).saturating_sub(bytes.len()));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_fields_is_limited() {
        assert_eq!(parse("a=1&".repeat(MAX_FIELDS).as_bytes()).unwrap().len(), MAX_FIELDS);
        let error = parse("a&".repeat(MAX_FIELDS + 1).as_bytes()).unwrap_err();
        assert!(matches!(error, PageError::InvalidForm(StatusCode::PAYLOAD_TOO_LARGE)), "{error:?}");
    }

    #[test]
    fn a_query_has_the_parameters_with_a_value() {
        assert_eq!(with_query("/x", [("back", "")]), "/x");
        assert_eq!(with_query("/x", [("back", "f=a&v=1"), ("q", "")]), "/x?back=f%3Da%26v%3D1");
    }
}
