//! What a browser sends: a small form, or a query.

use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::rt::time::timeout;
use actix_web::web::BytesMut;
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt as _;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{InviteId, OpaqueKind};
use url::form_urlencoded;

use crate::error::PageError;
use crate::intent::SignInIntent;

/// The largest form, in bytes, and how long it may take to arrive.
const MAX_BYTES: usize = 16 * 1024;
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The fields of a form.
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// The query of an address as fields.
    pub(crate) fn of_query(request: &HttpRequest) -> Self {
        Self(form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect())
    }

    /// The one-time id of the client's request that a page is about, if it has the form of one: it goes into addresses.
    pub(crate) fn request(&self) -> Result<Option<&str>, PageError> {
        match self.given("request") {
            Some(id) if OpaqueKind::AuthorizationRequest.parse(id).is_none() => {
                Err(Error::NotFound(ResourceKind::AuthorizationRequest).into())
            }
            id => Ok(id),
        }
    }

    /// The invite that a page is about.
    pub(crate) fn invite(&self) -> Result<Option<InviteId>, PageError> {
        let gone = || Error::NotFound(ResourceKind::Invite).into();
        self.given("invite").map(|text| InviteId::parse(text).ok_or_else(gone)).transpose()
    }

    /// What the person came for.
    pub(crate) fn intent(&self) -> Result<Option<SignInIntent<'_>>, PageError> {
        match self.request()? {
            Some(id) => Ok(Some(SignInIntent::Request(id))),
            None => Ok(self.invite()?.map(SignInIntent::Invite)),
        }
    }

    /// The value of a field; of a repeated one the first. Empty when it is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.given(name).unwrap_or_default()
    }

    /// The value of a field, unless it is missing or empty.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        found.filter(|value| !value.is_empty())
    }
}

impl FromRequest for Form {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let named = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_form = named.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
        let mut payload = payload.take();
        async move {
            if !is_form {
                return Err(PageError::BadForm(StatusCode::UNSUPPORTED_MEDIA_TYPE));
            }
            let arrived = timeout(READ_TIMEOUT, received(&mut payload)).await;
            let bytes = arrived.unwrap_or(Err(PageError::BadForm(StatusCode::BAD_REQUEST)))?;
            Ok(Self(form_urlencoded::parse(&bytes).into_owned().collect()))
        }
        .boxed_local()
    }
}

async fn received(payload: &mut Payload) -> Result<BytesMut, PageError> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| PageError::BadForm(StatusCode::BAD_REQUEST))?;
        if bytes.len().saturating_add(chunk.len()) > MAX_BYTES {
            return Err(PageError::BadForm(StatusCode::PAYLOAD_TOO_LARGE));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
