//! Adds requests to the logs of their projects.

use std::time::Duration;

use actix_web::dev::ServiceResponse;
use steward_api::Fact;
use steward_domain::administration::LoggedRequest;
use steward_domain::kernel::error::LoggedError;
use steward_domain::kernel::work::{Scope, Tenant};

use crate::frame::Frame;
use crate::monitoring::metrics::known_method;
use crate::shared::Web;

/// Adds a request of the API to the log of its project, if the caller has access to one and its operation is logged.
pub(crate) fn record(web: &Web, scope: &Scope, known: &Frame, response: &ServiceResponse, took: Duration) {
    let (Some(project), Tenant::Team(team)) = (scope.project(), scope.work().tenant) else { return };
    let route = &known.route;
    let (Some(operation), Some(path)) = (route.operation, route.path) else { return };
    let method = known_method(response.request().method());
    let Some(method) = method.filter(|_| route.row.is_none_or(|row| !row.is(Fact::Unlogged))) else { return };
    let error = response.response().extensions().get::<LoggedError>().map(|error| error.code.clone());
    let request = LoggedRequest {
        at: web.steward.clock.now(),
        request_id: known.request.id.as_str().into(),
        method,
        route: path,
        operation: operation.rule().name,
        status: response.status().as_u16(),
        error,
        took,
        caller: known.holder.clone(),
    };
    web.steward.request_log.add(project, team, request);
}
