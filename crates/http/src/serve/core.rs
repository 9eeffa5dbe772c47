//! A request and its response without the types of its operation: compiled once, whatever the number of operations.

use std::cell::Cell;
use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, PRAGMA};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use futures_util::future::{FutureExt as _, try_join};
use steward_api::{Fact, Row};
use steward_domain::kernel::Precondition;
use steward_domain::kernel::error::{Error, ResourceKind};

use super::access::Access;
use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{Form, JsonBody};
use crate::extract::caller::api_of;
use crate::extract::page;
use crate::extract::path::Ids;
use crate::extract::precondition::{self, ReadConditions, ResourceTag};
use crate::extract::upload::Upload;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// What the row of an operation says about its requests and responses.
pub(crate) struct Served {
    row: &'static Row,
    /// The first media type that is accepted.
    accepts: Option<&'static str>,
    is_guarded: bool,
    is_cacheable: bool,
    status: StatusCode,
    is_json: bool,
    is_secret: bool,
}

/// A body that no handler has read yet.
#[derive(Default)]
enum Body {
    #[default]
    None,
    Json(JsonBody),
    Form(Form),
    Upload(Upload),
}

/// What the headers of a request require.
enum Conditions {
    None,
    Read(ReadConditions),
    Write { when: Precondition, is_read: Cell<bool> },
}

/// A request whose headers are valid.
pub(crate) struct Core {
    /// What all handlers need.
    pub(crate) api: web::Data<Api>,
    /// The request.
    pub(crate) request: HttpRequest,
    served: Rc<Served>,
    body: Cell<Body>,
    conditions: Conditions,
}

impl Served {
    pub(crate) fn of(row: &'static Row) -> Self {
        let first = row.responses.first();
        Self {
            row,
            accepts: row.request.as_ref().and_then(|body| body.media_types.first().copied()),
            is_guarded: row.is_guarded(),
            is_cacheable: row.is_cacheable(),
            status: first.and_then(|first| StatusCode::from_u16(first.status).ok()).unwrap_or_default(),
            is_json: first.is_some_and(|first| !first.content.is_empty()),
            is_secret: row.is(Fact::Secret),
        }
    }

    async fn receive(&self, api: &Api, request: &HttpRequest, payload: &mut Payload) -> Body {
        match self.accepts {
            None => Body::None,
            Some("application/json") => {
                Body::Json(JsonBody::receive(request, payload, &api.steward.compute, self.row.ignored).await)
            }
            Some("multipart/form-data") => Body::Upload(Upload::of(request, payload)),
            Some(_) => Body::Form(Form::receive(request, payload).await),
        }
    }

    fn conditions(&self, request: &HttpRequest) -> Result<Conditions, ApiError> {
        Ok(match (self.is_guarded, self.is_cacheable) {
            (false, false) => Conditions::None,
            (_, true) => Conditions::Read(ReadConditions::of(request)?),
            (true, false) => Conditions::Write { when: precondition::for_write(request)?, is_read: Cell::new(false) },
        })
    }
}

/// Checks the credential, the IDs and the headers, in this order. The errors of the query and the body are reported
/// when the handler reads them.
pub(crate) async fn open<A: Access, P: Ids>(
    served: Rc<Served>,
    request: HttpRequest,
    payload: &mut Payload,
) -> Result<(Core, A::Caller, P::Parsed), ApiError> {
    let api = api_of(&request)?.clone();
    let caller = A::of(&api, &request);
    let (caller, body) = match served.accepts {
        None => (caller.await?, Body::None),
        Some(_) => try_join(caller, served.receive(&api, &request, payload).map(Ok)).await?,
    };
    let path = P::read(&request)?;
    let conditions = served.conditions(&request)?;
    Ok((Core { api, request, served, body: Cell::new(body), conditions }, caller, path))
}

impl Conditions {
    fn when(&self) -> &Precondition {
        let Self::Write { when, is_read } = self else { return &Precondition::None };
        is_read.set(true);
        when
    }

    /// Returns whether a write may have changed the resource although the headers forbid it.
    fn are_ignored(&self) -> bool {
        matches!(self, Self::Write { is_read, .. } if !is_read.get())
    }
}

impl Core {
    pub(super) fn json(&self) -> Result<JsonBody, Error> {
        if let Body::Json(body) = self.body.take() { Ok(body) } else { Err(unexpected()) }
    }

    /// Returns the form in the body.
    pub(crate) fn form(&self) -> Result<Form, Error> {
        if let Body::Form(form) = self.body.take() { Ok(form) } else { Err(unexpected()) }
    }

    pub(super) fn upload(&self) -> Result<Upload, Error> {
        if let Body::Upload(upload) = self.body.take() { Ok(upload) } else { Err(unexpected()) }
    }

    /// Returns what the headers of a write require of the resource.
    pub(crate) fn when(&self) -> &Precondition {
        self.conditions.when()
    }

    /// Fails the tests of a handler that ignores what the headers require.
    pub(super) fn expect_conditions_read(&self) {
        debug_assert!(!self.conditions.are_ignored(), "{} ignores If-Match.", self.served.row.name);
    }

    /// Returns the builder of a response, with the headers that the row requires.
    pub(super) fn builder(&self) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(self.served.status);
        if self.served.is_json {
            response.insert_header((CONTENT_TYPE, JSON));
        }
        if self.served.is_secret {
            response.insert_header((CACHE_CONTROL, "no-store")).insert_header((PRAGMA, "no-cache"));
        }
        response
    }

    /// Returns a page of a list, with a link to the next one.
    pub(super) fn linked(&self, next_cursor: Option<&str>, text: Vec<u8>) -> HttpResponse {
        let mut response = self.builder();
        if let Some(cursor) = next_cursor {
            response.insert_header(page::next_link(&self.request, cursor));
        }
        response.body(text)
    }

    /// Returns a response with the tag of a resource: 304 or 412 if the headers of a read require it.
    pub(super) fn tagged(
        &self,
        kind: ResourceKind,
        tag: ResourceTag,
        text: impl FnOnce() -> Result<Vec<u8>, Error>,
    ) -> Result<HttpResponse, ApiError> {
        if let Conditions::Read(conditions) = &self.conditions
            && conditions.has(kind, tag)?
        {
            return Ok(HttpResponse::NotModified().insert_header(tag.header()).finish());
        }
        Ok(self.builder().insert_header(tag.header()).body(text()?))
    }
}

/// A handler reads a body that the row does not have, or twice.
fn unexpected() -> Error {
    Error::Internal(anyhow::anyhow!("The body has another type, or was read before."))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn conditions(row: &'static Row) -> Result<Conditions, ApiError> {
        let request = TestRequest::default().insert_header(("If-Match", "\"1\"")).to_http_request();
        Served::of(row).conditions(&request)
    }

    /// All tests that call a handler depend on this: a reply is an assertion failure otherwise.
    #[test]
    fn each_write_that_can_fail_with_412_must_read_its_conditions() {
        let mut guarded = 0;
        for row in steward_api::rows() {
            let conditions = conditions(row).unwrap();
            let is_guarded_write = row.is_guarded() && !row.is_cacheable();
            assert_eq!(conditions.are_ignored(), is_guarded_write, "{}", row.name);
            assert_eq!(*conditions.when() != Precondition::None, is_guarded_write, "{}", row.name);
            assert!(!conditions.are_ignored(), "{}", row.name);
            guarded += u32::from(is_guarded_write);
        }
        assert!(guarded > 20);
    }

    #[test]
    fn the_headers_of_a_request_are_read_before_its_handler_runs() {
        let request = TestRequest::default().insert_header(("If-None-Match", "unquoted")).to_http_request();
        for row in steward_api::rows() {
            let is_conditional = row.is_guarded() || row.is_cacheable();
            assert_eq!(Served::of(row).conditions(&request).is_err(), is_conditional, "{}", row.name);
        }
        for name in ["getDocs", "getOpenApi", "getJsonSchema", "getImage"] {
            assert!(Served::of(steward_api::row(name).unwrap()).conditions(&request).is_err(), "{name}");
        }
    }
}
