//! Synchronization of items with devices over WebSocket (docs/decisions/0023). The use cases are in the domain; this
//! module reads and writes messages, and delivers changes to the connected devices.

mod connection;
mod hub;
mod mailbox;
mod message;
mod own;
mod sent;
mod unsent;

use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::{HttpRequest, HttpResponse, rt, web};
use steward_domain::error::Error;

use crate::Api;
use crate::endpoint::SYNC_PATH;
use crate::error::ApiError;
use crate::extract::caller::described;
use crate::route::ApiRoute;

pub use hub::SyncHub;

use connection::Connection;
use unsent::{CountedBody, Unsent};

/// Returns the route of sync. It is not part of the OpenAPI document, which cannot describe WebSocket.
pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![ApiRoute::undocumented(SYNC_PATH, open)]
}

/// Opens a connection. Any origin may, because the first message carries the credential.
async fn open(api: web::Data<Api>, request: HttpRequest, body: web::Payload) -> Result<HttpResponse, ApiError> {
    if api.shutdown.has_begun() {
        return Err(ApiError::shutting_down());
    }
    let Ok((response, session, messages)) = actix_ws::handle(&request, body) else {
        return Err(Error::invalid("Upgrade", "must be `websocket`: this endpoint accepts only WebSocket").into());
    };
    let messages = messages.max_frame_size(message::MAX_BYTES).aggregate_continuations();
    let messages = messages.max_continuation_size(message::MAX_BYTES);
    let origin = described(&request);
    let unsent = Arc::new(Unsent::default());
    let response = response.map_body(|_, body| BoxBody::new(CountedBody::new(body, unsent.clone())));
    rt::spawn(async move { Connection::serve(api, origin, (session, unsent), messages).await });
    Ok(response)
}
