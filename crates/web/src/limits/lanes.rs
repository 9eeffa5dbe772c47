//! Limits the time of each request, and produces the response that it streams as work of its lane and tenant.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::rt::time::timeout;
use actix_web::web::Bytes;
use actix_web::{Error as ActixError, HttpRequest};
use anyhow::anyhow;
use steward_api::Row;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::work::{Scope, Work};

use crate::frame::frame;
use crate::reject::reject;

/// Time that a request may take in addition to the time limit of its lane.
const MARGIN: Duration = Duration::from_millis(400);
/// Maximum time for a form with a file to arrive.
pub const UPLOAD_READ_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum time for storing an image, in addition to the time limit of the request.
const UPLOAD_STORE_TIMEOUT: Duration = Duration::from_secs(30);

/// A response body that is produced in the scope of its request, unless it exists already.
pub(crate) struct Scheduled {
    pub scope: Scope,
    pub body: BoxBody,
}

impl MessageBody for Scheduled {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn try_into_bytes(self) -> Result<Bytes, Self> {
        let Self { scope, body } = self;
        body.try_into_bytes().map_err(|body| Self { scope, body })
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        this.scope.enter(|| Pin::new(&mut this.body).poll_next(context))
    }
}

/// Middleware that cancels a request that takes too long, with everything that it waits for, and returns 503. The time
/// limit is that of the lane that the request is in. The time in which its body arrives does not count, because the
/// body has its own time limits.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn limit_time(request: ServiceRequest, next: Next<BoxBody>) -> Result<ServiceResponse, ActixError> {
    in_time(request.request().clone(), next.call(request)).await
}

/// Does without a middleware what [`limit_time`] does, for a request that is being handled.
///
/// # Errors
///
/// Returns the errors of the handler.
pub async fn in_time(
    timed_out: HttpRequest,
    handled: impl Future<Output = Result<ServiceResponse, ActixError>>,
) -> Result<ServiceResponse, ActixError> {
    let body = frame(&timed_out).body.clone();
    let upload = || frame(&timed_out).route.row.and_then(Row::upload);
    let storing = || upload().map_or(Duration::ZERO, |_| UPLOAD_STORE_TIMEOUT);
    let arrival = || match &body {
        Some(body) => body.streaming_time().unwrap_or_else(|| body.waited().min(UPLOAD_READ_TIMEOUT)),
        None => Duration::ZERO,
    };
    let limit = || Work::current().lane.time_limit() + MARGIN + storing() + arrival();

    match within(limit, handled).await {
        Some(response) => response,
        None => {
            let cause = anyhow!("The request did not complete within {:?}.", limit());
            let response = reject(&timed_out, Error::Unavailable(cause));
            Ok(ServiceResponse::new(timed_out, response))
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

#[cfg(test)]
mod tests {
    use std::future::pending;

    use actix_web::http::header::{CONTENT_LENGTH, RETRY_AFTER};
    use actix_web::middleware::from_fn;
    use actix_web::rt::time::sleep;
    use actix_web::test::{TestRequest, call_service, init_service};
    use actix_web::{App, HttpResponse, web};
    use futures_util::future::join;
    use steward_domain::kernel::policy::{Lane, Operation};
    use steward_domain::kernel::work::Tenant;

    use super::*;
    use crate::bodies::request::RequestBody;
    use crate::limits::byte_budget::ByteBudget;
    use crate::limits::rate_limit::begin_operation;

    async fn interactive(mut request: ServiceRequest, next: Next<BoxBody>) -> Result<ServiceResponse, ActixError> {
        let body = RequestBody::receive(&mut request, &ByteBudget::default(), Tenant::Service);
        frame(&request).body = body;
        Scope::of_request(Work::current()).run(next.call(request)).await
    }

    #[actix_web::test]
    async fn a_request_that_hangs_is_refused_after_the_time_limit_of_its_lane() {
        let hangs = web::to(|_: Bytes| pending::<HttpResponse>()).wrap(from_fn(limit_time));
        let app = App::new().wrap(from_fn(interactive)).route("/hangs", hangs);
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
        let app = init_service(App::new().wrap(from_fn(interactive)).route("/stores", stores)).await;
        let response = call_service(&app, TestRequest::post().uri("/stores").to_request()).await;
        assert_eq!(response.status(), 200);
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
