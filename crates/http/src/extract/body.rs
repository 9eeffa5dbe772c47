//! Request bodies. JSON that two parsers could interpret differently is rejected (contract 1.6).

use std::fmt;
use std::time::Duration;

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::CONTENT_TYPE;
use actix_web::rt::time::timeout;
use actix_web::web::{self, Bytes, BytesMut};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use futures_util::StreamExt as _;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{Parameters, Time};
use url::form_urlencoded;
use utoipa::PartialSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::Api;
use crate::error::{ApiError, RequestError};
use crate::extract::members;

/// Maximum size of a body, in bytes (contract 1.6).
pub(crate) const MAX_BYTES: usize = 1024 * 1024;
/// Maximum number of bytes of a body that is too large that are read and discarded, so that the client can read the
/// response.
const MAX_DRAINED_BYTES: usize = 8 * 1024 * 1024;
/// Maximum time for a body to arrive.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Larger bodies, in bytes, are parsed on a compute thread instead of a thread that serves requests.
const LARGE_BODY_BYTES: usize = 32 * 1024;
/// Maximum nesting depth of arrays and objects (contract 1.6).
const MAX_DEPTH: usize = 32;

/// A received body, valid or not. Errors are reported only when a handler reads it, so that an invalid credential is
/// reported first.
pub(crate) struct JsonBody {
    received: Result<Option<Value>, RequestError>,
    ignored: fn() -> Vec<String>,
}

impl JsonBody {
    fn of(received: Result<Option<Value>, RequestError>) -> Self {
        Self { received, ignored: Vec::new }
    }

    /// Ignores members of the entity's response that the request does not have, so that a response can be sent back as
    /// a request (contract 1.6).
    pub(crate) fn ignoring_fields_of<E: PartialSchema>(self) -> Self {
        Self { ignored: member_names::<E>, ..self }
    }

    /// Parses the members of the body. Returns all violations together.
    pub(crate) fn read<T: DeserializeOwned, C, E: Into<ApiError>>(
        self,
        parse: impl FnOnce(T, FieldViolations) -> Result<C, E>,
    ) -> Result<C, ApiError> {
        let ignored = self.ignored;
        members::command(members::read(&self.object()?, ignored)?, parse)
    }

    /// Parses the members of the body. Returns `None` if the body is empty.
    pub(crate) fn read_if_any<T: DeserializeOwned, C, E: Into<ApiError>>(
        self,
        parse: impl FnOnce(T, FieldViolations) -> Result<C, E>,
    ) -> Result<Option<C>, ApiError> {
        if matches!(self.received, Ok(None)) {
            return Ok(None);
        }
        self.read(parse).map(Some)
    }

    /// Returns the body as an object, without checking the names of its members.
    pub(crate) fn object(self) -> Result<Map<String, Value>, ApiError> {
        match self.received? {
            None => Err(RequestError::InvalidJson("the body is empty, expected an object".into()).into()),
            Some(Value::Object(members)) => Ok(members),
            Some(_) => Err(Error::invalid("body", "must be a JSON object").into()),
        }
    }

    /// Removes the wrapper `data` that responses have (contract 4), if it is the only member.
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

/// Returns the body, for types that have no rules beyond those of their members.
pub(crate) fn unchecked<T>(body: T, errors: FieldViolations) -> Result<T, Error> {
    errors.or(Some(body))
}

/// Returns the names of the members of an entity's response.
fn member_names<E: PartialSchema>() -> Vec<String> {
    match E::schema() {
        RefOr::T(Schema::Object(object)) => object.properties.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// The parameters of an OAuth request: a form (RFC 6749), or a JSON object with string values (contract 3).
pub(crate) struct Form(Result<Parameters, RequestError>);

impl Form {
    /// Returns the parameters, or why the body is not valid.
    pub(crate) fn read(self) -> Result<Parameters, ApiError> {
        Ok(self.0?)
    }
}

impl FromRequest for Form {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (media_type, mut payload) = (media_type(request), payload.take());
        async move {
            let outcome = timeout(READ_TIMEOUT, receive(&mut payload, MAX_BYTES)).await;
            let bytes = outcome.unwrap_or(Err(RequestError::BodyTooSlow));
            Ok(Self(bytes.and_then(|bytes| parameters(&media_type, &bytes))))
        }
        .boxed_local()
    }
}

fn parameters(media_type: &str, bytes: &[u8]) -> Result<Parameters, RequestError> {
    if bytes.is_empty() {
        return Ok(Parameters::new(Vec::new()));
    }
    if media_type == "application/x-www-form-urlencoded" {
        return Ok(Parameters::new(form_urlencoded::parse(bytes).into_owned().collect()));
    }
    if !is_json(media_type) {
        return Err(RequestError::ExpectedForm);
    }
    let not_strings = || RequestError::InvalidJson("expected an object with string values".into());
    let value = parse(bytes).map_err(|error| RequestError::InvalidJson(error.to_string()))?;
    let members = value.as_object().ok_or_else(not_strings)?.iter().filter(|(_, value)| !value.is_null());
    let pairs = members.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    pairs.collect::<Option<_>>().map(Parameters::new).ok_or_else(not_strings)
}

impl FromRequest for JsonBody {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (is_json, mut payload) = (is_json(&media_type(request)), payload.take());
        let compute = request.app_data::<web::Data<Api>>().map(|api| api.steward.compute.clone());
        async move {
            let outcome = timeout(READ_TIMEOUT, receive(&mut payload, MAX_BYTES)).await;
            let value = match outcome.unwrap_or(Err(RequestError::BodyTooSlow)) {
                Ok(bytes) if bytes.is_empty() => Ok(None),
                Ok(_) if !is_json => Err(RequestError::ExpectedJson),
                Ok(bytes) => {
                    let is_large = bytes.len() > LARGE_BODY_BYTES;
                    let read = move || parse(&bytes);
                    let parsed = match compute {
                        Some(compute) => compute.call(is_large, read).await?,
                        None => read(),
                    };
                    parsed.map(Some).map_err(|error| RequestError::InvalidJson(error.to_string()))
                }
                Err(error) => Err(error),
            };
            Ok(Self::of(value))
        }
        .boxed_local()
    }
}

/// Returns the media type of the body, in lower case and without parameters.
pub(crate) fn media_type(request: &HttpRequest) -> String {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.starts_with("application/") && media_type.ends_with("+json")
}

/// Reads the body, up to a limit. Content-Length is not trusted.
async fn receive(payload: &mut Payload, limit: usize) -> Result<BytesMut, RequestError> {
    let (mut bytes, mut seen) = (BytesMut::new(), 0_usize);
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| RequestError::InvalidJson(error.to_string()))?;
        seen = seen.saturating_add(chunk.len());
        if seen <= limit {
            bytes.extend_from_slice(&chunk);
        } else if seen > MAX_DRAINED_BYTES {
            break;
        }
    }
    if seen > limit { Err(RequestError::BodyTooLarge) } else { Ok(bytes) }
}

/// Reads the body of a request before its handler does.
pub(crate) async fn read_bytes(request: &mut ServiceRequest, limit: usize, wait: Duration) -> Result<Bytes, ApiError> {
    let mut payload = request.take_payload();
    let outcome = timeout(wait, receive(&mut payload, limit)).await;
    Ok(outcome.unwrap_or(Err(RequestError::BodyTooSlow))?.freeze())
}

/// Parses a timestamp and truncates it to the precision that is stored.
pub(crate) fn parse_timestamp(text: &str) -> Result<Time, &'static str> {
    const MESSAGE: &str = "must be a timestamp like 2030-01-31T12:00:00Z (RFC 3339)";
    let at = DateTime::parse_from_rfc3339(text.trim()).map_err(|_| MESSAGE)?.with_timezone(&Utc);
    at.duration_trunc(TimeDelta::microseconds(1)).map_err(|_| MESSAGE)
}

/// Parses JSON strictly. Rejects duplicate members, NUL characters, deep nesting, numbers outside the range of a double
/// and strings that are not valid Unicode.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { levels: MAX_DEPTH }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Builds a value in one pass and rejects ambiguous input.
#[derive(Clone, Copy)]
struct Strict {
    /// Number of further levels that may be nested.
    levels: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        let levels = self.levels.checked_sub(1).ok_or_else(|| E::custom("more than 32 levels of nesting"))?;
        Ok(Self { levels })
    }

    fn text<E: serde::de::Error>(text: String) -> Result<String, E> {
        if text.contains('\0') { Err(E::custom("a string contains a NUL character")) } else { Ok(text) }
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        serde_json::Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        Self::text(value.to_owned()).map(Value::String)
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Value, E> {
        Self::text(value).map(Value::String)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut values = Vec::new();
        while let Some(value) = access.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            let name = Self::text(name)?;
            if members.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the object has two members named \"{name}\"")));
            }
            members.insert(name, access.next_value_seed(inner)?);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ambiguous_json_is_rejected() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for invalid in [
            r#"{"a": 1, "a": 2}"#,
            r#"[{"a": {"b": 1, "b": 1}}]"#,
            r#"{"a\u0000": 1}"#,
            r#""a\u0000""#,
            r#""\ud800""#,
            r#""\udc00\ud800""#,
            "1e999",
            "-1e999",
            "[1] 2",
            "{",
            "",
            "NaN",
            "01",
            &deep(33),
        ] {
            assert!(parse(invalid.as_bytes()).is_err(), "{invalid}");
        }
        assert!(parse(b"\"\xff\"").is_err());
    }

    #[test]
    fn valid_json_is_parsed_without_change() {
        let text = r#"{"z":1,"a":[null,true,-1,1.5,1e22,18446744073709551615,"\ud83d\ude00"],"":{}}"#;
        assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert!(parse(format!("{}{}", "[".repeat(32), "]".repeat(32)).as_bytes()).is_ok());
        assert_eq!(parse(b" {\"b\": 1, \"a\": 2} ").unwrap().to_string(), r#"{"b":1,"a":2}"#);
        assert_eq!(parse(b"1.0").unwrap(), json!(1.0));
    }
}
