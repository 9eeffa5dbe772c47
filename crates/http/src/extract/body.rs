//! Request bodies: JSON and forms, with limits on their size and the time in which they arrive.

use std::marker::PhantomData;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};
use actix_web::rt::time::timeout;
use actix_web::web::BytesMut;
use chrono::{DateTime, Datelike as _, SubsecRound as _, Utc};
use futures_util::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use steward_api::BodySchema;
use steward_domain::identity::Parameters;
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::{Compute, Time, strict_json};
use steward_web::{MAX_DRAINED_BYTES, RequestBody, frame};
use url::form_urlencoded;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::error::{ApiError, RequestError};
use crate::extract::encoding::BodyEncoding;
use crate::extract::members::{self, Read};

/// Maximum size of a body, in bytes (docs/contract.md#request-bodies).
pub(crate) const MAX_BYTES: usize = 1024 * 1024;
/// Maximum size of the parameters of an OAuth request, in bytes (docs/contract.md#request-bodies). They are parsed on a
/// thread that serves requests.
pub(crate) const MAX_FORM_BYTES: usize = 64 * 1024;
/// Maximum time for a body to arrive.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Larger bodies, in bytes, are parsed on a compute thread instead of a thread that serves requests.
const LARGE_BODY_BYTES: usize = 32 * 1024;
/// Memory that a parsed value takes in addition to its text, in bytes.
const VALUE_BYTES: usize = 128;

/// A received body of the type `T`, valid or not. Errors are reported only when a handler reads it, so that an invalid
/// credential is reported first.
pub(crate) struct JsonBody<T = ()> {
    received: Result<Option<Value>, ApiError>,
    /// The response whose members are ignored, so that it can be sent back as a request
    /// (docs/contract.md#request-bodies).
    ignored: Option<BodySchema>,
    /// The IDs of the resource that the request changes, by the members of its response.
    ids: Vec<(&'static str, Uuid)>,
    of: PhantomData<fn() -> T>,
}

impl JsonBody {
    /// Receives the body of a request. The members of `ignored` are ignored.
    pub(crate) async fn receive(
        request: &HttpRequest,
        payload: &mut Payload,
        compute: &Arc<dyn Compute>,
        ignored: Option<BodySchema>,
    ) -> Self {
        let received = received(request, payload, compute).await;
        Self { received, ignored, ids: Vec::new(), of: PhantomData }
    }
}

impl<T> JsonBody<T> {
    /// Returns the body as one of another type.
    pub(crate) fn typed<U>(self) -> JsonBody<U> {
        let Self { received, ignored, ids, .. } = self;
        JsonBody { received, ignored, ids, of: PhantomData }
    }

    /// Requires that an ignored member with this name has this ID: that of the resource or of its owner, which an
    /// update cannot change.
    pub(crate) fn with_id(mut self, name: &'static str, id: Uuid) -> Self {
        self.ids.push((name, id));
        self
    }

    /// Returns a member that is not null.
    pub(crate) fn member(&self, name: &str) -> Option<&Value> {
        self.received.as_ref().ok()?.as_ref()?.get(name).filter(|value| !value.is_null())
    }

    /// Returns the body as an object, without checking the names of its members.
    pub(crate) fn object(self) -> Result<Map<String, Value>, ApiError> {
        match self.received? {
            None => Err(RequestError::InvalidJson("the body is empty, expected an object".into()).into()),
            Some(Value::Object(members)) => Ok(members),
            Some(_) => Err(Error::invalid("body", "must be a JSON object").into()),
        }
    }

    /// Removes the wrapper `data` that responses have (docs/contract.md#projects), if it is the only member.
    pub(crate) fn unwrapped(self) -> Self {
        let received = self.received.map(|body| {
            body.map(|body| match body {
                Value::Object(mut members)
                    if members.len() == 1 && members.get("data").is_some_and(Value::is_object) =>
                {
                    members.shift_remove("data").unwrap_or_default()
                }
                other => other,
            })
        });
        Self { received, ..self }
    }
}

impl<T: DeserializeOwned> JsonBody<T> {
    /// Parses the members of the body. Returns all violations together.
    pub(crate) fn read<C, E: Into<ApiError>>(
        self,
        parse: impl FnOnce(T, FieldViolations) -> Result<C, E>,
    ) -> Result<C, ApiError> {
        members::command(self.members()?, parse)
    }

    /// Parses the members of the body, of which at least one is required: changes to a resource.
    pub(crate) fn read_changes<C, E: Into<ApiError>>(
        self,
        parse: impl FnOnce(T, FieldViolations) -> Result<C, E>,
    ) -> Result<C, ApiError>
    where
        T: Serialize,
    {
        members::command(self.members()?.with_any_member(), parse)
    }

    /// Returns the members of the body, or `None` if it is empty.
    pub(crate) fn read_if_any(self) -> Result<Option<T>, ApiError> {
        if matches!(self.received, Ok(None)) { Ok(None) } else { self.read(unchecked).map(Some) }
    }

    fn members(mut self) -> Result<Read<T>, ApiError> {
        let (ignored, ids) = (self.ignored, mem::take(&mut self.ids));
        let members = self.object()?;
        Ok(members::read(&members, || ignored.map(member_names).unwrap_or_default())?.with_ids(&members, &ids))
    }
}

/// Returns the body, for types that have no rules beyond those of their members.
pub(crate) fn unchecked<T>(body: T, errors: FieldViolations) -> Result<T, Error> {
    errors.finish(Some(body))
}

/// Returns the names of the members of a response.
pub(crate) fn member_names(response: BodySchema) -> Vec<String> {
    let mut components = Vec::new();
    (response.components)(&mut components);
    names_in(&(response.schema)(), &components)
}

fn names_in(schema: &RefOr<Schema>, components: &[(String, RefOr<Schema>)]) -> Vec<String> {
    match schema {
        RefOr::T(Schema::Object(object)) => object.properties.keys().cloned().collect(),
        RefOr::T(Schema::AllOf(all)) => all.items.iter().flat_map(|part| names_in(part, components)).collect(),
        RefOr::Ref(reference) => {
            let found = components.iter().find(|(name, _)| reference.ref_location.ends_with(&format!("/{name}")));
            found.map(|(_, schema)| names_in(schema, components)).unwrap_or_default()
        }
        RefOr::T(_) => Vec::new(),
    }
}

/// The parameters of an OAuth request: a form (RFC 6749), or a JSON object with string values
/// (docs/contract.md#token-endpoint).
pub(crate) struct Form(Result<Parameters, RequestError>);

impl Form {
    /// Receives the body of a request.
    pub(crate) async fn receive(request: &HttpRequest, payload: &mut Payload) -> Self {
        let (encoding, body) = (BodyEncoding::of(request), frame(request).body.clone());
        let bytes = receive(request.headers(), &mut payload.take(), MAX_FORM_BYTES, READ_TIMEOUT).await;
        Self(bytes.and_then(|bytes| parameters(&media_type(request), &encoding, &bytes, body.as_ref())))
    }

    /// Returns the parameters, or why the body is not valid.
    pub(crate) fn read(self) -> Result<Parameters, ApiError> {
        Ok(self.0?)
    }
}

fn parameters(
    media_type: &str,
    encoding: &BodyEncoding,
    bytes: &[u8],
    body: Option<&RequestBody>,
) -> Result<Parameters, RequestError> {
    if bytes.is_empty() {
        return Ok(Parameters::new(Vec::new()));
    }
    encoding.expect_identity()?;
    if media_type == "application/x-www-form-urlencoded" {
        let pairs: Vec<(String, String)> = form_urlencoded::parse(bytes).into_owned().collect();
        // Clients name another charset although what they send is ASCII.
        if !pairs.iter().all(|(name, value)| name.is_ascii() && value.is_ascii()) {
            encoding.expect_utf_8()?;
        }
        count_values(body, pairs.len())?;
        return Ok(Parameters::new(pairs));
    }
    if !is_json(media_type) {
        return Err(RequestError::ExpectedForm);
    }
    encoding.expect_json(bytes)?;
    let not_strings = || RequestError::InvalidJson("expected an object with string values".into());
    let (value, values) = strict_json::parse(bytes).map_err(|error| RequestError::InvalidJson(error.to_string()))?;
    count_values(body, values)?;
    let members = value.as_object().ok_or_else(not_strings)?.iter().filter(|(_, value)| !value.is_null());
    let pairs = members.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    pairs.collect::<Option<_>>().map(Parameters::new).ok_or_else(not_strings)
}

async fn received(
    request: &HttpRequest,
    payload: &mut Payload,
    compute: &Arc<dyn Compute>,
) -> Result<Option<Value>, ApiError> {
    let body = frame(request).body.clone();
    let bytes = receive(request.headers(), &mut payload.take(), MAX_BYTES, READ_TIMEOUT).await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !is_json(&media_type(request)) {
        return Err(RequestError::ExpectedJson.into());
    }
    BodyEncoding::of(request).expect_json(&bytes)?;
    let parsed = compute.call(bytes.len() > LARGE_BODY_BYTES, move || strict_json::parse(&bytes)).await?;
    let (value, values) = parsed.map_err(|error| RequestError::InvalidJson(error.to_string()))?;
    count_values(body.as_ref(), values)?;
    Ok(Some(value))
}

/// Counts the memory that parsed values take. Fails if the tenant already uses too much.
fn count_values(body: Option<&RequestBody>, values: usize) -> Result<(), RequestError> {
    Ok(body.map_or(Ok(()), |body| body.count(values.saturating_mul(VALUE_BYTES)))?)
}

/// Returns the media type of the body, in lower case and without parameters.
pub(crate) fn media_type(request: &HttpRequest) -> String {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.starts_with("application/") && media_type.ends_with("+json")
}

/// Returns the size that the client announced, in bytes.
fn announced(headers: &HeaderMap) -> usize {
    headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or_default()
}

/// Reads the body, up to a limit and for a limited time.
pub(crate) async fn receive(
    headers: &HeaderMap,
    payload: &mut Payload,
    limit: usize,
    wait: Duration,
) -> Result<BytesMut, RequestError> {
    let received = timeout(wait, read_up_to(limit, announced(headers), payload)).await;
    received.unwrap_or(Err(RequestError::BodyTooSlow))
}

/// Reads the body, up to a limit. The announced size is not trusted. It only saves that the memory grows step by step,
/// which would take twice as much.
async fn read_up_to(limit: usize, announced: usize, payload: &mut Payload) -> Result<BytesMut, RequestError> {
    let (mut bytes, mut seen) = (BytesMut::new(), 0_usize);
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| RequestError::InvalidJson(error.to_string()))?;
        seen = seen.saturating_add(chunk.len());
        if seen <= limit {
            if seen > bytes.capacity() {
                bytes.reserve(announced.min(limit).max(seen).saturating_sub(bytes.len()));
            }
            bytes.extend_from_slice(&chunk);
        } else if seen > MAX_DRAINED_BYTES {
            break;
        }
    }
    if seen > limit { Err(RequestError::BodyTooLarge { limit }) } else { Ok(bytes) }
}

/// Parses a timestamp and truncates it to the precision that is stored.
pub(crate) fn parse_timestamp(text: &str) -> Result<Time, &'static str> {
    const MESSAGE: &str = "must be a timestamp like 2030-01-31T12:00:00Z (RFC 3339)";
    let at = DateTime::parse_from_rfc3339(text.trim()).map_err(|_| MESSAGE)?.with_timezone(&Utc).trunc_subsecs(6);
    // An offset can lead to a year outside RFC 3339.
    if (0..=9999).contains(&at.year()) { Ok(at) } else { Err(MESSAGE) }
}

#[cfg(test)]
mod tests {
    use steward_domain::kernel::work::Tenant;
    use steward_web::ByteBudget;

    use super::*;

    #[test]
    fn a_timestamp_of_any_year_of_rfc_3339_is_read() {
        for text in ["0000-01-01T00:00:00Z", "2030-01-31T12:00:00.123456789+01:00", "9999-12-31T23:59:59Z"] {
            let at = parse_timestamp(text).unwrap();
            assert_eq!(at.timestamp_subsec_nanos() % 1_000, 0, "{text}");
        }
        for text in ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00", "2030-01-31", "10000-01-01T00:00:00Z"] {
            assert!(parse_timestamp(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parsed_values_are_counted_against_the_budget() {
        let budget = ByteBudget::default();
        let body = RequestBody::new(Payload::None, budget.clone(), Tenant::Service);
        let form = "a&".repeat(MAX_FORM_BYTES / 2);
        let (media_type, encoding) = ("application/x-www-form-urlencoded", BodyEncoding::default());
        parameters(media_type, &encoding, form.as_bytes(), Some(&body)).unwrap();
        assert_eq!(budget.total(), MAX_FORM_BYTES / 2 * VALUE_BYTES);
    }
}
