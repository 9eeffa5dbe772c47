//! Assigns each request, and the response that it streams, to a lane and a tenant, by which the store schedules it.
//! Also limits the time of each request.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use actix_web::body::{BodySize, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::rt::time::timeout;
use actix_web::web::Bytes;
use actix_web::{Error as ActixError, HttpMessage as _, web};
use anyhow::anyhow;
use steward_api::Row;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Scope, Tenant, Work};

use crate::bodies::request::RequestBody;
use crate::operation::PageOperation;
use crate::reject::reject;
use crate::request_log::RequestProject;
use crate::route::route_of;
use crate::shared::Web;

/// Time that a request may take in addition to the time limit of its lane.
const MARGIN: Duration = Duration::from_millis(400);
/// Maximum time for a form with a file to arrive.
pub const UPLOAD_READ_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum time for storing an image, in addition to the time limit of the request.
const UPLOAD_STORE_TIMEOUT: Duration = Duration::from_secs(30);

/// The tenant that a request was processed for. It is stored in the request's extensions.
#[derive(Clone, Copy)]
pub(crate) struct RequestTenant(pub Tenant);

/// Middleware that runs a request, of the API or of a page, as work of its operation's lane and its caller's tenant.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn scheduled<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<Scheduled<B>>, ActixError> {
    let route = route_of(&request);
    let lane = route.map_or(Lane::Interactive, |route| route.lane);
    let scope = Scope::of_request(Work { lane, tenant: tenant_of(&request) });
    let response = scope.run(next.call(request)).await?;
    let web = response.request().app_data::<web::Data<Web>>();
    // A page may have forwarded it.
    let route = route_of(response.request());
    if let Some((web, project)) = route.and_then(|route| route.operation).and(web).zip(scope.project()) {
        web.steward.usage.count_request(project, web.steward.clock.now());
    }
    let tenant = scope.enter(Work::current).tenant;
    let mut extensions = response.request().extensions_mut();
    extensions.insert(RequestTenant(tenant));
    if let (Some(project), Tenant::Team(team)) = (scope.project(), tenant) {
        extensions.insert(RequestProject(project, team));
    }
    drop(extensions);
    Ok(response.map_body(|_, body| {
        scope.remove_time_limit();
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

/// Middleware that cancels a request that takes too long, with everything that it waits for, and returns 503. The time
/// limit is that of the lane that the request is in. The time in which its body arrives does not count, because the
/// body has its own time limits.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn limit_time<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, ActixError> {
    let body = RequestBody::of(request.request());
    let (timed_out, row) = (request.request().clone(), route_of(&request).and_then(|route| route.row));
    let row_of_page = || {
        let operation = timed_out.extensions().get::<PageOperation>().map(|page| page.0)?;
        steward_api::row(operation.rule().name)
    };
    let storing = || match row.or_else(row_of_page).and_then(Row::upload) {
        Some(_) => UPLOAD_STORE_TIMEOUT,
        None => Duration::ZERO,
    };
    let arrival = || match &body {
        Some(body) => body.streaming_time().unwrap_or_else(|| body.waited().min(UPLOAD_READ_TIMEOUT)),
        None => Duration::ZERO,
    };
    let limit = || Work::current().lane.time_limit() + MARGIN + storing() + arrival();

    match within(limit, next.call(request)).await {
        Some(response) => Ok(response?.map_into_left_body()),
        None => {
            let cause = anyhow!("The request did not complete within {:?}.", limit());
            let response = reject(&timed_out, Error::Unavailable(cause));
            Ok(ServiceResponse::new(timed_out, response).map_into_right_body())
        }
    }
}

/// Runs a future until its time limit, which may change while the future runs. Returns `None` on a timeout.
async fn within<F: Future>(limit: impl Fn() -> Duration, future: F) -> Option<F::Output> {
    let started = Instant::now();
    let mut future = pin!(future);
    loop {
        let remaining = limit().saturating_sub(started.elapsed());
        if remaining.is_zero() {
            return None;
        }
        if let Ok(output) = timeout(remaining, future.as_mut()).await {
            return Some(output);
        }
    }
}

/// Returns the tenant of the request's credential if that was valid recently, else the tenant of its address.
fn tenant_of(request: &ServiceRequest) -> Tenant {
    let web = request.app_data::<web::Data<Web>>();
    web.map_or(Tenant::Service, |web| web.credentials.tenant(request.request()))
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use actix_web::http::header::{CONTENT_LENGTH, RETRY_AFTER};
    use actix_web::middleware::from_fn;
    use actix_web::rt::time::sleep;
    use actix_web::test::{TestRequest, call_service, init_service};
    use actix_web::{App, HttpRequest, HttpResponse};
    use futures_util::future::join;
    use steward_domain::kernel::policy::Operation;
    use steward_domain::mocks::id_of;

    use super::*;
    use crate::bodies::request::bound_input;
    use crate::operation::begin_operation;

    #[actix_web::test]
    async fn a_request_that_hangs_is_refused_after_the_time_limit_of_its_lane() {
        let hangs = web::to(|_: Bytes| pending::<HttpResponse>()).wrap(from_fn(limit_time));
        let app = App::new().wrap(from_fn(scheduled)).wrap(from_fn(bound_input)).route("/hangs", hangs);
        let app = init_service(app).await;
        // Neither a body nor a query gives a request more time.
        let with_body = TestRequest::post().uri("/hangs").insert_header((CONTENT_LENGTH, 4)).set_payload("body");
        let with_query = TestRequest::get().uri("/hangs?limit=1000");
        let started = Instant::now();
        let responses = join(call_service(&app, with_body.to_request()), call_service(&app, with_query.to_request()));
        let (with_body, with_query) = responses.await;
        let elapsed = started.elapsed();
        for response in [with_body, with_query] {
            assert_eq!(response.status(), 503);
            assert!(response.headers().contains_key(RETRY_AFTER));
        }
        // This limit allows for a pause of the machine, but not for the time limit of heavy work.
        assert!(elapsed > Lane::Interactive.time_limit() && elapsed < Lane::Heavy.time_limit(), "{elapsed:?}");
    }

    #[actix_web::test]
    async fn a_page_that_stores_an_image_has_the_time_of_an_upload() {
        let stores = web::to(|request: HttpRequest| async move {
            begin_operation(&request, Operation::IconUpload, 0).unwrap();
            sleep(Lane::Interactive.time_limit() + Duration::from_secs(1)).await;
            HttpResponse::Ok().finish()
        });
        let stores = stores.wrap(from_fn(limit_time));
        let app = init_service(App::new().wrap(from_fn(scheduled)).route("/stores", stores)).await;
        let response = call_service(&app, TestRequest::post().uri("/stores").to_request()).await;
        assert_eq!(response.status(), 200);
    }

    #[actix_web::test]
    async fn a_response_belongs_to_the_tenant_that_its_request_was_processed_for() {
        let team = Tenant::Team(id_of("acme").into());
        let sets_tenant = web::to(move || async move {
            Work::set_tenant(team);
            HttpResponse::Ok().finish()
        });
        let app = init_service(App::new().wrap(from_fn(scheduled)).route("/", sets_tenant)).await;
        let response = call_service(&app, TestRequest::get().uri("/").to_request()).await;
        let tenant = response.request().extensions().get::<RequestTenant>().map(|tenant| tenant.0);
        assert_eq!(tenant, Some(team));
    }

    #[actix_web::test]
    async fn a_time_limit_can_grow_while_a_request_runs() {
        const SHORT: Duration = Duration::from_millis(200);
        assert_eq!(within(|| SHORT, pending::<()>()).await, None);
        let started = Instant::now();
        let grows = || if started.elapsed() < SHORT { SHORT } else { SHORT * 100 };
        assert_eq!(within(grows, sleep(SHORT * 4)).await, Some(()));
    }
}
