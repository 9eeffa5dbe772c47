//! Request bodies: JSON without the freedoms that two readers could understand differently (contract 1.6).

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
use crate::members;

/// The largest body, in bytes (contract 1.6).
pub(crate) const MAX_BYTES: usize = 1024 * 1024;
/// How much of a body that is too large is read and dropped, so that its sender gets to read the answer.
const MAX_DRAINED_BYTES: usize = 8 * 1024 * 1024;
/// How long a body may take to arrive.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// A body of more bytes takes so long to parse that this is not done on a thread that serves requests.
const LARGE_BODY_BYTES: usize = 32 * 1024;
/// How deep arrays and objects may be nested (contract 1.6).
const MAX_DEPTH: usize = 32;

/// A body that was received, valid or not. It is judged only when it is read: a refused credential is reported first.
pub(crate) struct JsonBody {
    received: Result<Option<Value>, RequestError>,
    ignored: fn() -> Vec<String>,
}

impl JsonBody {
    fn of(received: Result<Option<Value>, RequestError>) -> Self {
        Self { received, ignored: Vec::new }
    }

    /// The same body, of an entity that is answered like this: its members are ignored where they are not known, so that
    /// what was read can be sent back (contract 1.6).
    pub(crate) fn of_entity<E: PartialSchema>(self) -> Self {
        Self { ignored: member_names::<E>, ..self }
    }

    /// What is made of the members of the body, or all that is wrong with them.
    pub(crate) fn read<T: DeserializeOwned, C, E: Into<ApiError>>(
        self,
        parse: impl FnOnce(T, FieldViolations) -> Result<C, E>,
    ) -> Result<C, ApiError> {
        let ignored = self.ignored;
        members::command(members::read(&self.object()?, ignored)?, parse)
    }

    /// What is made of the members of the body, or nothing when there is none.
    pub(crate) fn read_if_any<T: DeserializeOwned, C, E: Into<ApiError>>(
        self,
        parse: impl FnOnce(T, FieldViolations) -> Result<C, E>,
    ) -> Result<Option<C>, ApiError> {
        if matches!(self.received, Ok(None)) {
            return Ok(None);
        }
        self.read(parse).map(Some)
    }

    /// The body as an object whose members are nobody's to know here.
    pub(crate) fn object(self) -> Result<Map<String, Value>, ApiError> {
        match self.received? {
            None => Err(RequestError::NotJson("it is empty; send an object".into()).into()),
            Some(Value::Object(members)) => Ok(members),
            Some(_) => Err(Error::invalid("body", "must be a JSON object").into()),
        }
    }

    /// The same body without the wrapper `data`, in which answers come (contract 4). Nothing may stand beside it.
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

/// A body without anything that could be wrong but its members.
pub(crate) fn whole<T>(body: T, errors: FieldViolations) -> Result<T, Error> {
    errors.or(Some(body))
}

/// The names of the members of an answer.
fn member_names<E: PartialSchema>() -> Vec<String> {
    match E::schema() {
        RefOr::T(Schema::Object(object)) => object.properties.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// The parameters of an OAuth request: a form, as RFC 6749 has it, or a JSON object of texts (contract 3).
pub(crate) struct Form(Result<Parameters, RequestError>);

impl Form {
    /// The parameters.
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
            let arrived = timeout(READ_TIMEOUT, received(&mut payload, MAX_BYTES)).await;
            let bytes = arrived.unwrap_or(Err(RequestError::BodyTooSlow));
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
        return Err(RequestError::NotFormType);
    }
    let not_texts = || RequestError::NotJson("it must be an object whose members are texts".into());
    let value = parse(bytes).map_err(|error| RequestError::NotJson(error.to_string()))?;
    let members = value.as_object().ok_or_else(not_texts)?.iter().filter(|(_, value)| !value.is_null());
    let pairs = members.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    pairs.collect::<Option<_>>().map(Parameters::new).ok_or_else(not_texts)
}

impl FromRequest for JsonBody {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (is_json, mut payload) = (is_json(&media_type(request)), payload.take());
        let compute = request.app_data::<web::Data<Api>>().map(|api| api.steward.compute.clone());
        async move {
            let arrived = timeout(READ_TIMEOUT, received(&mut payload, MAX_BYTES)).await;
            let value = match arrived.unwrap_or(Err(RequestError::BodyTooSlow)) {
                Ok(bytes) if bytes.is_empty() => Ok(None),
                Ok(_) if !is_json => Err(RequestError::NotJsonType),
                Ok(bytes) => {
                    let is_large = bytes.len() > LARGE_BODY_BYTES;
                    let read = move || parse(&bytes);
                    let parsed = match compute {
                        Some(compute) => compute.call(is_large, read).await?,
                        None => read(),
                    };
                    parsed.map(Some).map_err(|error| RequestError::NotJson(error.to_string()))
                }
                Err(error) => Err(error),
            };
            Ok(Self::of(value))
        }
        .boxed_local()
    }
}

/// The media type of the body, in lower case and without parameters.
pub(crate) fn media_type(request: &HttpRequest) -> String {
    let named = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.starts_with("application/") && media_type.ends_with("+json")
}

/// The bytes of the body, if they are this many at most. What a Content-Length says is not believed.
async fn received(payload: &mut Payload, most: usize) -> Result<BytesMut, RequestError> {
    let (mut bytes, mut seen) = (BytesMut::new(), 0_usize);
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| RequestError::NotJson(error.to_string()))?;
        seen = seen.saturating_add(chunk.len());
        if seen <= most {
            bytes.extend_from_slice(&chunk);
        } else if seen > MAX_DRAINED_BYTES {
            break;
        }
    }
    if seen > most { Err(RequestError::BodyTooLarge) } else { Ok(bytes) }
}

/// Takes the body of a request that is to be told from others by it.
pub(crate) async fn taken(request: &mut ServiceRequest, most: usize, wait: Duration) -> Result<Bytes, ApiError> {
    let mut payload = request.take_payload();
    let arrived = timeout(wait, received(&mut payload, most)).await;
    Ok(arrived.unwrap_or(Err(RequestError::BodyTooSlow))?.freeze())
}

/// A moment that a caller sent, cut to the precision that is kept.
pub(crate) fn parse_timestamp(text: &str) -> Result<Time, &'static str> {
    const MESSAGE: &str = "must be a time like 2030-01-31T12:00:00Z (RFC 3339)";
    let at = DateTime::parse_from_rfc3339(text.trim()).map_err(|_| MESSAGE)?.with_timezone(&Utc);
    at.duration_trunc(TimeDelta::microseconds(1)).map_err(|_| MESSAGE)
}

/// Reads JSON strictly: no duplicate members, no NUL, nothing nested too deep; numbers must fit a double and text be
/// Unicode.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { room: MAX_DEPTH }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Builds a value in one pass and refuses what is ambiguous on the way.
#[derive(Clone, Copy)]
struct Strict {
    /// How many more levels may be nested.
    room: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        let room = self.room.checked_sub(1).ok_or_else(|| E::custom("it is nested more than 32 levels deep"))?;
        Ok(Self { room })
    }

    fn text<E: serde::de::Error>(text: String) -> Result<String, E> {
        if text.contains('\0') { Err(E::custom("a text holds a NUL character")) } else { Ok(text) }
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
                return Err(A::Error::custom(format_args!("the member \"{name}\" stands twice in one object")));
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
    fn what_two_readers_could_understand_differently_is_refused() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for bad in [
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
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(parse(b"\"\xff\"").is_err());
    }

    #[test]
    fn everything_else_comes_through_as_it_is() {
        let text = r#"{"z":1,"a":[null,true,-1,1.5,1e22,18446744073709551615,"\ud83d\ude00"],"":{}}"#;
        assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert!(parse(format!("{}{}", "[".repeat(32), "]".repeat(32)).as_bytes()).is_ok());
        assert_eq!(parse(b" {\"b\": 1, \"a\": 2} ").unwrap().to_string(), r#"{"b":1,"a":2}"#);
        assert_eq!(parse(b"1.0").unwrap(), json!(1.0));
    }
}
