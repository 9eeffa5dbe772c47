//! Typed requests: each operation of the contract, with the types of its row.

use std::any::TypeId;
use std::fmt::Display;
use std::marker::PhantomData;
use std::pin::Pin;
use std::time::Duration;

use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use steward_api::{Data, Idempotency, Operation, Row};

use crate::{Client, Error, Request, Response, Versioned};

impl Client {
    /// Returns a request for an operation of the API. `parameters` are those of its path, in the same order.
    ///
    /// If the operation supports an `Idempotency-Key`, the request has a random one, so that it can be retried.
    pub fn call<O: Operation>(&self, parameters: &[&dyn Display]) -> CallOf<O> {
        let request = self.request_of(O::ROW, parameters);
        let request = if O::ROW.idempotency == Idempotency::Keyed { request.idempotent() } else { request };
        Call { request, types: PhantomData }
    }

    /// Returns a request for an operation of the API with the parameters of its query, as [`call`](Self::call) does.
    pub fn call_with<O: Operation<Query: Serialize>>(
        &self,
        parameters: &[&dyn Display],
        query: &O::Query,
    ) -> CallOf<O> {
        self.call::<O>(parameters).parameters(query)
    }

    /// Returns a request with the method and the path of a row, for programs that know operations as data. `parameters`
    /// are those of the path, in the same order.
    pub fn request_of(&self, row: &Row, parameters: &[impl Display]) -> Request {
        let method = Method::from_bytes(row.method.as_str().as_bytes()).unwrap_or_default();
        self.at(method, segments(row, parameters).and_then(|segments| self.server().at_segments(&segments)))
    }
}

/// Returns the parameters of a query, of one type or of a tuple of several. Those that are absent are null.
pub(crate) fn query_of(parameters: &impl Serialize) -> Vec<(String, String)> {
    let mut waiting = vec![(String::new(), serde_json::to_value(parameters).unwrap_or_default())];
    let mut query = Vec::new();
    while let Some((name, value)) = waiting.pop() {
        match value {
            Value::Null => {}
            Value::Object(members) => waiting.extend(members.into_iter().rev()),
            Value::Array(values) => waiting.extend(values.into_iter().rev().map(|value| (name.clone(), value))),
            Value::String(text) => query.push((name, text)),
            value => query.push((name, value.to_string())),
        }
    }
    query
}

/// Returns the segments of a path, with its parameters.
fn segments(row: &Row, parameters: &[impl Display]) -> Result<Vec<String>, Error> {
    let count = self::parameters(row.path.as_bytes());
    if count != parameters.len() {
        return Err(Error::InvalidRequest(format!("The path of {} has {count} parameters.", row.name)));
    }
    let mut values = parameters.iter().map(ToString::to_string);
    let parts = row.path.split('/').filter(|part| !part.is_empty());
    let segments = parts.map(|part| if part.starts_with('{') { values.next() } else { Some(part.to_owned()) });
    Ok(segments.flatten().collect())
}

/// Returns the number of parameters of a path.
pub(crate) const fn parameters(path: &[u8]) -> usize {
    match path {
        [] => 0,
        [b'{', rest @ ..] => 1 + parameters(rest),
        [_, rest @ ..] => parameters(rest),
    }
}

/// The request of an operation.
pub type CallOf<O> = Call<<O as Operation>::Request, <O as Operation>::Response>;

/// A request for an operation, with the types of its bodies. Sent by `.await`, which returns the body of the response,
/// or by [`data`](Self::data), [`versioned`](Self::versioned), [`done`](Self::done) or [`send`](Self::send), which also
/// report errors of the other methods.
#[derive(Debug)]
#[must_use]
pub struct Call<Q, R> {
    request: Request,
    types: PhantomData<fn(Q) -> R>,
}

impl<Q, R> Call<Q, R> {
    /// Sets the body, as JSON.
    pub fn body(self, body: &Q) -> Self
    where
        Q: Serialize,
    {
        self.with(|request| request.json(body))
    }

    /// Sets a body that is not JSON, and its media type.
    pub fn raw_body(self, media_type: &str, body: Vec<u8>) -> Self {
        self.with(|request| request.body(media_type, body))
    }

    /// Adds a parameter to the query.
    pub fn query(self, name: &str, value: impl Display) -> Self {
        self.with(|request| request.query(name, value))
    }

    /// Adds a parameter to the query, unless it is `None`.
    pub fn optional_query(self, name: &str, value: Option<impl Display>) -> Self {
        value.into_iter().fold(self, |call, value| call.query(name, value))
    }

    /// Adds parameters to the query.
    pub(crate) fn parameters(self, parameters: &impl Serialize) -> Self {
        query_of(parameters).into_iter().fold(self, |call, (name, value)| call.query(&name, value))
    }

    /// Changes the resource only if it still has this `ETag`.
    pub fn if_match(self, etag: &str) -> Self {
        self.with(|request| request.if_match(etag))
    }

    /// Stores the resource only if there is none with its ID.
    pub fn if_absent(self) -> Self {
        self.with(|request| request.header("if-none-match", "*"))
    }

    /// Sets the `Idempotency-Key`: 1 to 255 printable ASCII characters. If a call fails and it is unknown whether it took
    /// effect, a second call with the same key and body does not take effect twice. It fails with [`Error::Conflict`] and
    /// the code `idempotency_in_progress` if the first one has not finished yet, and `idempotency_answer_lost` if it took
    /// effect but its response was lost.
    pub fn idempotency_key(self, key: &str) -> Self {
        self.with(|request| request.idempotency_key(key))
    }

    /// Lets the call be retried. Only for calls whose repetition has no further effect.
    #[cfg(feature = "sign-in")]
    pub(crate) fn repeatable(self) -> Self {
        self.with(Request::repeatable)
    }

    /// Sets the timeout of one attempt.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.with(|request| request.timeout(timeout))
    }

    /// Sends the request, with retries, and returns the response.
    ///
    /// # Errors
    ///
    /// Those of [`Request::send`].
    pub async fn send(self) -> Result<Response, Error> {
        self.request.send().await
    }

    /// Sends the request, with retries. The body of the response is ignored.
    ///
    /// # Errors
    ///
    /// Those of [`Request::send`].
    pub async fn done(self) -> Result<(), Error> {
        self.send().await.map(drop)
    }

    /// Sends the request, with retries, and returns the body of the response.
    ///
    /// # Errors
    ///
    /// Those of [`Request::send`], and [`Error::Decode`].
    pub async fn json(self) -> Result<R, Error>
    where
        R: DeserializeOwned,
    {
        self.send().await?.json()
    }

    fn with(self, change: impl FnOnce(Request) -> Request) -> Self {
        Self { request: change(self.request), ..self }
    }
}

/// Sends the request, with retries, and returns the body of the response, as [`Call::json`] does. Nothing is read of a
/// response that is not JSON.
impl<Q, R: DeserializeOwned + 'static> IntoFuture for Call<Q, R> {
    type Output = Result<R, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let request = self.request;
        Box::pin(async move {
            let response = request.send().await?;
            if TypeId::of::<R>() == TypeId::of::<()>() {
                return serde_json::from_str("null").map_err(Error::Decode);
            }
            response.json()
        })
    }
}

impl<Q, T: DeserializeOwned> Call<Q, Data<T>> {
    /// Sends the request, with retries, and returns the member `data` of the body of the response.
    ///
    /// # Errors
    ///
    /// Those of [`Request::send`], and [`Error::Decode`].
    pub async fn data(self) -> Result<T, Error> {
        self.send().await?.data()
    }

    /// Sends the request, with retries, and returns the member `data` of the body of the response, with its version.
    ///
    /// # Errors
    ///
    /// Those of [`Request::send`], and [`Error::Decode`].
    pub async fn versioned(self) -> Result<Versioned<T>, Error> {
        let response = self.send().await?;
        Ok(Versioned { value: response.data()?, etag: response.etag().map(str::to_owned) })
    }
}
