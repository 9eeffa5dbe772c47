//! Adds requests to the logs of their projects.

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpMessage as _;
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use steward_api::Fact;
use steward_domain::administration::LoggedRequest;
use steward_domain::kernel::error::LoggedCode;
use steward_domain::kernel::{ProjectId, Request, TeamId};

use crate::route::route_of;
use crate::shared::Web;

/// The project to which the caller of a request has access, and its team. Stored in the request's extensions.
#[derive(Clone, Copy)]
pub(crate) struct RequestProject(pub ProjectId, pub TeamId);

/// Adds a request of the API to the log of its project, if it has one and its operation is logged.
pub(crate) fn record<B>(
    web: &Web,
    response: &ServiceResponse<B>,
    method: &Method,
    caller: Option<Arc<str>>,
    took: Duration,
) {
    static METHODS: [Method; 7] =
        [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    let project = response.request().extensions().get::<RequestProject>().copied();
    let Some(RequestProject(project, team)) = project else { return };
    let route = route_of(response.request());
    let logged = route.filter(|route| route.row.is_none_or(|row| !row.is(Fact::Unlogged)));
    let known = logged.and_then(|route| Some((route.operation?, route.path?)));
    let method = METHODS.iter().find(|known| *known == method).map(Method::as_str);
    let (Some((operation, route)), Some(method)) = (known, method) else { return };
    let extensions = response.request().extensions();
    let error = response.response().extensions().get::<LoggedCode>().map(|code| code.0.clone());
    web.steward.request_log.add(
        project,
        team,
        LoggedRequest {
            at: web.steward.clock.now(),
            request_id: extensions.get::<Request>().map(|request| request.id.as_str().into()).unwrap_or_default(),
            method,
            route,
            operation: operation.rule().name,
            status: response.status().as_u16(),
            error,
            took,
            caller,
        },
    );
}
