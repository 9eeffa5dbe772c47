//! Synchronization of items with devices over WebSocket (docs/sync.md, docs/decisions/0023-sync.md). The use cases are
//! in the domain; this module reads and writes messages, and delivers changes to the connected devices.

mod admission;
mod awaited;
mod connection;
mod frames;
mod hub;
mod incoming;
mod mailbox;
mod message;
mod own;
mod reply;
mod sent;
mod splitter;
mod stats;
mod unsent;

use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::dev::Payload;
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, rt, web};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::work::Tenant;
use steward_web::{ReadAhead, request_metadata};

use crate::Api;
use crate::endpoint::SYNC_PATH;
use crate::error::{ApiError, RequestError};
use crate::route::ApiRoute;

pub use admission::SyncLimits;
pub(crate) use admission::TooManyConnections;
pub use hub::SyncHub;

use connection::Connection;
use incoming::Incoming;
use unsent::{CountedBody, Unsent};

/// Returns the route of sync. It is not part of the OpenAPI document, which cannot describe WebSocket.
pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![ApiRoute::undocumented(SYNC_PATH, web::to(open))]
}

/// Opens a connection. Any origin may, because the first message carries the credential.
async fn open(api: web::Data<Api>, request: HttpRequest, body: web::Payload) -> Result<HttpResponse, ApiError> {
    if api.web.shutdown.has_begun() {
        return Err(ApiError::shutting_down());
    }
    let origin = request_metadata(&request);
    let tenant = origin.address.map_or(Tenant::Service, Tenant::at_address);
    let admission = api.sync.admit(tenant).map_err(RequestError::TooManyConnections)?;
    let awaited = request.conn_data::<ReadAhead>().map(ReadAhead::body);
    let messages = Incoming::new(&api.web.in_flight.requests, tenant, body.into_inner(), awaited);
    let messages = messages.map_err(|_| RequestError::TooManyReceived)?;
    // The library would hold each frame as a whole, so it gets nothing to read.
    let nothing = web::Payload::from_request(&request, &mut Payload::None).await;
    let Ok((response, session, _)) = nothing.and_then(|nothing| actix_ws::handle(&request, nothing)) else {
        return Err(Error::invalid("Upgrade", "must be `websocket`: this endpoint accepts only WebSocket").into());
    };
    let unsent = Arc::new(Unsent::default());
    let response = response.map_body(|_, body| BoxBody::new(CountedBody::new(body, unsent.clone())));
    rt::spawn(async move { Connection::serve(api, origin, (session, unsent), messages, admission).await });
    Ok(response)
}
