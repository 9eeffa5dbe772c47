//! Each request counts as work of a lane and of a tenant, by which the store schedules it; so does the response that it
//! streams. And each has an end.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use actix_web::middleware::Next;
use actix_web::rt::time::timeout;
use actix_web::web::Bytes;
use actix_web::{Error as ActixError, ResponseError as _, web};
use anyhow::anyhow;
use steward_domain::error::Error;
use steward_domain::policy::Lane;
use steward_domain::work::{Scope, Tenant, Work};

use crate::Api;
use crate::endpoint::operation_of;
use crate::error::ApiError;
use crate::upload;

/// What a request may take beside waiting for the store.
const MARGIN: Duration = Duration::from_millis(400);

/// Serves a request, of the API or of a page, as work of its operation's lane and of whoever sent it.
///
/// # Errors
///
/// As what it surrounds.
pub async fn scheduled<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<Scheduled<B>>, ActixError> {
    let lane = operation_of(&request).map_or(Lane::Interactive, |operation| operation.rule().lane);
    let scope = Scope::of_request(Work { lane, tenant: tenant_of(&request) });
    let response = scope.run(next.call(request)).await?;
    Ok(response.map_body(|_, body| {
        scope.is_streamed();
        Scheduled { scope, body: Box::pin(body) }
    }))
}

/// A response body that is produced in the scope of its request.
pub struct Scheduled<B> {
    scope: Scope,
    body: Pin<Box<B>>,
}

impl<B: MessageBody> MessageBody for Scheduled<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, B::Error>>> {
        let this = self.get_mut();
        this.scope.enter(|| this.body.as_mut().poll_next(context))
    }
}

/// Refuses a request that is not answered in time. What it waits for is cancelled with it.
pub(crate) async fn ended<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B, BoxBody>>, ActixError> {
    let lane = operation_of(&request).map_or(Lane::Interactive, |operation| operation.rule().lane);
    let has_body = [CONTENT_LENGTH, TRANSFER_ENCODING].iter().any(|name| request.headers().contains_key(name));
    let arrival = if has_body { upload::READ_TIMEOUT } else { Duration::ZERO };
    // A list may turn out to be heavy.
    let lane = if lane == Lane::Interactive && request.query_string().is_empty() { lane } else { Lane::Heavy };
    let limit = lane.time_limit() + MARGIN + arrival;

    let unanswered = request.request().clone();
    match timeout(limit, next.call(request)).await {
        Ok(response) => Ok(response?.map_into_left_body()),
        Err(_) => {
            let cause = anyhow!("the request was not answered in {limit:?}");
            let refusal = ApiError::from(Error::Unavailable(cause)).error_response();
            Ok(ServiceResponse::new(unanswered, refusal).map_into_right_body())
        }
    }
}

/// Whose credential it is, if that was valid before; else whoever has the address.
fn tenant_of(request: &ServiceRequest) -> Tenant {
    let api = request.app_data::<web::Data<Api>>();
    api.map_or(Tenant::Service, |api| api.known.tenant(request))
}
