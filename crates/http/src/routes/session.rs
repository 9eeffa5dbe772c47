//! The sign-in of the caller's access token (docs/contract.md#sessions).

use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use steward_domain::error::{AuthenticationError, Error};
use steward_domain::model::{KeyValue, UserStatus};
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::caller::{authenticated, credential};
use crate::response::format_timestamp;
use crate::route::{ApiRoute, operations};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        SessionGet => get;
    }
}

/// The sign-in that issued the access token.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionBody {
    /// Always `true`.
    active: bool,
    /// Unique ID of the sign-in.
    #[schema(example = "018f2a41-03d7-7a5e-8c19-5b2e6f7d8a90")]
    session_id: String,
    /// Client that the token was issued to, as the client sent its ID: UUID or DID of a project, or the ID of a
    /// first-party client.
    #[schema(example = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    client_id: String,
    /// Scopes of the token, separated by spaces.
    #[schema(example = "openid profile app:db:read")]
    scope: String,
    /// DID of the account.
    #[schema(example = "did:web:steward.example.com:u:018f2a3c91b77e028d546a0f3be27c19")]
    account_did: String,
    /// Always `connected`: otherwise the response is 401.
    #[schema(example = "connected")]
    connection_status: &'static str,
    /// When the person last used the project, with a precision of 15 minutes; null for a first-party token.
    #[schema(format = DateTime)]
    last_seen_at: Option<String>,
}

/// Get the current sign-in
///
/// Returns the sign-in that issued the access token. If it has ended, so that the person must sign in again, the
/// response is 401 with `active: false` and `reauth_required: true`. A 401 without them means that the access token is
/// not valid, or has expired and can be refreshed.
#[utoipa::path(get, path = "/auth/session", tag = "auth",
    responses((status = 200, body = SessionBody, description = "The sign-in is active.")))]
pub(crate) async fn get(api: web::Data<Api>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let token = credential(&request)?.ok_or(Error::from(AuthenticationError::Missing))?;
    let caller = match authenticated(&request).await {
        Ok(caller) => Some(caller),
        // The sign-in may have ended, or the token may only have expired.
        Err(error) if is_rejection(&error) && !KeyValue::has_key_prefix(&token) => None,
        Err(error) => return Err(error),
    };
    let found = api.steward.token_grants.sign_in(caller.as_ref(), &token).await?;
    let body = SessionBody {
        active: true,
        session_id: found.id.to_string(),
        client_id: found.client.as_str().to_owned(),
        scope: found.scopes.to_string(),
        account_did: api.steward.address.account_did(found.account),
        connection_status: UserStatus::Connected.as_str(),
        last_seen_at: found.last_seen_at.map(format_timestamp),
    };
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(body))
}

fn is_rejection(error: &ApiError) -> bool {
    matches!(error.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}
