//! The sign-in of the caller's access token (docs/contract.md#sessions).

use actix_web::http::StatusCode;
use actix_web::http::header::CACHE_CONTROL;
use steward_api as wire;
use steward_domain::administration::KeyValue;
use steward_domain::data::UserStatus;
use steward_domain::kernel::error::{AuthenticationError, Error};

use crate::extract::caller::{authenticated, credential};
use crate::route::serve;
use crate::serve::{Anyone, Call, Outcome};

serve! {
    GetSession => get;
}

async fn get(call: Call<wire::GetSession, Anyone>) -> Outcome<wire::GetSession> {
    let token = credential(&call.api, &call.request)?.ok_or(Error::from(AuthenticationError::Missing))?;
    let is_rejected = |status: StatusCode| matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let caller = match authenticated(&call.api, &call.request).await {
        Ok(caller) => Some(caller),
        // The sign-in may have ended, or the token may only have expired.
        Err(error) if is_rejected(error.status()) && !KeyValue::has_key_prefix(token.text()) => None,
        Err(error) => return Err(error),
    };
    let found = call.api.steward.token_grants.sign_in(caller.as_ref(), &token).await?;
    let reply = call.reply(wire::Session {
        active: true,
        session_id: found.id.to_string(),
        client_id: found.client.as_str().to_owned(),
        scope: found.scopes.to_string(),
        account_did: call.api.steward.address.account_did(found.account),
        connection_status: UserStatus::Connected.as_str().into(),
        last_seen_at: found.last_seen_at.map(Into::into),
    })?;
    Ok(reply.with(CACHE_CONTROL, "no-store"))
}
