//! Passes each request to the handler of its endpoint and method.

use std::future::ready;
use std::sync::LazyLock;

use actix_web::dev::{Service, ServiceFactory, ServiceRequest, ServiceResponse, always_ready, fn_factory};
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ALLOW, HeaderName, VARY,
};
use actix_web::{Error, HttpRequest, HttpResponse, Route};
use futures_util::future::{FutureExt as _, LocalBoxFuture, try_join_all};
use steward_web::{frame, in_time};

use crate::endpoint::{Endpoint, Endpoints};
use crate::error::RequestError;
use crate::error_page;
use crate::routes;

static ENDPOINTS: LazyLock<Endpoints> =
    LazyLock::new(|| Endpoints::of(routes::all().into_iter().map(|route| route.endpoint)));

/// The methods that a preflight allows at a path that does not exist.
const ALL_METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
/// The request headers that the service reads. Every preflight allows them.
const OWN_HEADERS: &str = "Authorization, Content-Type, DPoP, Idempotency-Key, If-Match, If-None-Match, X-Request-Id";
/// Maximum number of other headers that a preflight allows, and of characters of each.
const MAX_REQUESTED_HEADERS: usize = 64;
const MAX_HEADER_LENGTH: usize = 64;

/// Returns the endpoint at a path.
pub(crate) fn find(path: &str) -> Option<&'static Endpoint> {
    ENDPOINTS.find(path)
}

/// Returns the operations. Requires [`configure`](crate::configure) and, as it does, [`steward_web::serve`].
pub fn service()
-> impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = Error, InitError = ()> {
    fn_factory(async || {
        let handlers = routes::all().into_iter().map(|route| route.handler.new_service(()));
        Ok::<_, ()>(Dispatcher { handlers: try_join_all(handlers).await? })
    })
}

/// The handlers of one worker, in the order of [`routes::all`].
struct Dispatcher {
    handlers: Vec<<Route as ServiceFactory<ServiceRequest>>::Service>,
}

impl Service<ServiceRequest> for Dispatcher {
    type Response = ServiceResponse;
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<ServiceResponse, Error>>;

    always_ready!();

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let handler = frame(&request).route.handler.and_then(|position| self.handlers.get(position));
        if let Some(handler) = handler {
            return in_time(request.request().clone(), handler.call(request)).boxed_local();
        }
        let response = match find(request.match_info().as_str()) {
            Some(endpoint) => other_method(request.request(), endpoint),
            None => unknown_path(request.request()),
        };
        ready(Ok(request.into_response(response))).boxed_local()
    }
}

/// The response to a path that does not exist. It suggests the most similar one. A preflight succeeds nevertheless:
/// otherwise a browser would not send the request, and the script would see a network error instead of the 404.
fn unknown_path(request: &HttpRequest) -> HttpResponse {
    if request.method() == Method::OPTIONS {
        return preflight(request, ALL_METHODS, ALL_METHODS);
    }
    let nearest = ENDPOINTS.nearest(request.match_info().as_str(), request.method());
    let error = RequestError::UnknownRoute { path: request.path().to_owned(), nearest };
    error_page::page_or_json(request, &error.into())
}

/// The response to a method that an endpoint has no handler for: OPTIONS (docs/contract.md#cross-origin-requests), or
/// 405.
fn other_method(request: &HttpRequest, endpoint: &Endpoint) -> HttpResponse {
    let allowed = endpoint.allowed();
    if request.method() != Method::OPTIONS {
        return error_page::page_or_json(request, &RequestError::MethodNotAllowed { allowed }.into());
    }
    preflight(request, &allowed, &endpoint.allowed_across_origins())
}

/// The response to OPTIONS at a path with these methods, and with those that scripts of other origins may use.
fn preflight(request: &HttpRequest, allowed: &str, across_origins: &str) -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((ALLOW, allowed))
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, across_origins))
        .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(request)))
        .insert_header((ACCESS_CONTROL_MAX_AGE, "7200"))
        .insert_header((VARY, "Access-Control-Request-Headers"))
        .finish()
}

/// Returns the headers that a script may send: those of the service, and those that its preflight asks for. Programs
/// that trace requests add their own, and a browser would not send a request with one that is not allowed. Nothing
/// depends on a header that the service does not read.
fn allowed_headers(request: &HttpRequest) -> String {
    let asked = request.headers().get_all(ACCESS_CONTROL_REQUEST_HEADERS).filter_map(|value| value.to_str().ok());
    let names = asked.flat_map(|value| value.split(',')).filter(|name| name.len() <= MAX_HEADER_LENGTH);
    // A name that can be parsed is a token, and in lower case then.
    let names = names.filter_map(|name| HeaderName::from_bytes(name.trim().as_bytes()).ok());
    let is_own = |name: &str| OWN_HEADERS.split(", ").any(|own| own.eq_ignore_ascii_case(name));
    // `*` would stand for all headers.
    let others = names.filter(|name| name.as_str() != "*" && !is_own(name.as_str()));
    let mut allowed = OWN_HEADERS.to_owned();
    for name in others.take(MAX_REQUESTED_HEADERS) {
        allowed.push_str(", ");
        allowed.push_str(name.as_str());
    }
    allowed
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use steward_domain::kernel::policy::Operation;

    use super::*;

    /// Returns the documented path of the endpoint at a path.
    fn found(path: &str) -> Option<&str> {
        find(path).map(|endpoint| endpoint.path)
    }

    #[test]
    fn every_public_operation_has_one_route() {
        for rule in Operation::RULES.iter().filter(|rule| rule.operation.is_public()) {
            let found = routes::all().iter().filter(|route| route.endpoint.operation == Some(rule.operation)).count();
            assert_eq!(found, 1, "{}", rule.name);
        }
    }

    #[test]
    fn every_endpoint_is_found_with_and_without_a_trailing_slash() {
        for endpoint in &ENDPOINTS.all {
            let path = endpoint.path.replace(['{', '}'], "");
            assert_eq!(found(&path), Some(endpoint.path));
            let with_slash = format!("{}/", path.trim_end_matches('/'));
            assert_eq!(found(&with_slash), Some(endpoint.path));
        }
    }

    #[test]
    fn a_literal_segment_takes_precedence_over_a_parameter_unless_the_rest_does_not_match() {
        assert_eq!(found("/project/slug"), Some("/project/slug"));
        assert_eq!(found("/project/p1"), Some("/project/{id}"));
        assert_eq!(found("/project/slug/profile"), Some("/project/{id}/profile"));
        assert_eq!(found("/project/p1/user/stats"), Some("/project/{id}/user/stats"));
        assert_eq!(found("/project/p1/user/stats/export"), Some("/project/{id}/user/{user_id}/export"));
        assert_eq!(found("/account/apps/p1"), Some("/account/apps/{project_id}"));
        assert_eq!(found("/account/apps/db/notes"), Some("/account/{project_id}/db/{table_id}"));
        assert_eq!(found("/projects/p1/client-metadata.json"), Some("/projects/{id}/client-metadata.json"));
    }

    #[test]
    fn a_path_that_is_not_mounted_is_not_found() {
        let paths = ["", "*", "//", "//team", "/team//", "/team//member", "/project/p1/", "/project/p1//key", "/teams"];
        let found: Vec<_> = paths.into_iter().filter(|path| found(path).is_some()).collect();
        assert_eq!(found, ["/project/p1/"]);
        assert!(find("/auth/sign-in").is_none(), "This is a page.");
        assert!(find("/project/p1/unknown").is_none() && find("/project/p1/key/k1/regenerate/more").is_none());
    }

    #[test]
    fn an_unknown_path_suggests_the_most_similar_documented_one() {
        for (path, suggestion) in [
            ("/teams", "/team"),
            ("/teams/", "/team"),
            ("/Team", "/team"),
            ("/projects", "/project"),
            ("/teams/t1/members", "/team/{team_id}/member"),
            ("/project/p1/keys", "/project/{id}/key"),
            ("/project/p1/keys/k1", "/project/{id}/key/{key_id}"),
            ("/project/p1/users/u1/db/notes", "/project/{id}/user/{user_id}/db/{table_id}"),
        ] {
            assert_eq!((found(path), ENDPOINTS.nearest(path, &Method::GET)), (None, Some(suggestion)), "{path}");
        }
        let misspelled = "/project/p1/key/k1/regenrate";
        assert_eq!(ENDPOINTS.nearest(misspelled, &Method::POST), Some("/project/{id}/key/{key_id}/regenerate"));
        assert_eq!(ENDPOINTS.nearest(misspelled, &Method::GET), None, "The similar path has no GET.");
        for unknown in ["", "*", "//", "/nothing", "/favicon.ico", "/team//", "/doc/unknown-file"] {
            assert_eq!(ENDPOINTS.nearest(unknown, &Method::GET), None, "{unknown}");
        }
        assert_eq!(ENDPOINTS.nearest(&"/teams".repeat(10_000), &Method::GET), None);
    }

    #[test]
    fn a_parameter_is_read_from_its_segment() {
        let path = "/project/p1/user/u1/db/notes/batch/";
        let endpoint = find(path).unwrap();
        assert_eq!(endpoint.path, "/project/{id}/user/{user_id}/db/{table_id}/batch");
        let route = steward_web::Route { parameters: &endpoint.parameters, ..Default::default() };
        let values = ["id", "user_id", "table_id", "item_id"].map(|name| route.parameter(path, name));
        assert_eq!(values, [Some("p1"), Some("u1"), Some("notes"), Some("batch")]);
        assert_eq!(route.parameter(path, "db"), None);
    }

    #[test]
    fn a_preflight_allows_what_it_asks_for_within_limits() {
        let allowed = |asked: &str| {
            let request = TestRequest::default().insert_header((ACCESS_CONTROL_REQUEST_HEADERS, asked));
            let allowed = allowed_headers(&request.to_http_request());
            allowed.strip_prefix(OWN_HEADERS).unwrap().to_owned()
        };
        assert_eq!(allowed(""), "");
        assert_eq!(allowed("authorization,dpop,baggage, Sentry-Trace"), ", baggage, sentry-trace");
        assert_eq!(allowed("*, a b, (x), ,;, y"), ", y");
        let many: Vec<String> = (0..1_000).map(|number| format!("x-{number}")).collect();
        assert_eq!(allowed(&many.join(",")).matches(", ").count(), MAX_REQUESTED_HEADERS);
        assert_eq!(allowed(&"x".repeat(MAX_HEADER_LENGTH + 1)), "");
    }

    #[test]
    fn a_method_of_an_endpoint_is_an_operation() {
        let operation =
            |endpoint: &Endpoint, method| endpoint.method(&method).and_then(|method| method.route.operation);
        let team = find("/team/t1/").unwrap();
        assert_eq!(operation(team, Method::GET), Some(Operation::TeamGet));
        assert_eq!(operation(team, Method::HEAD), Some(Operation::TeamGet));
        assert_eq!(operation(team, Method::DELETE), Some(Operation::TeamDelete));
        assert_eq!(operation(team, Method::PUT), None);
        assert_eq!(operation(find("/health/ready").unwrap(), Method::GET), None);
        assert_eq!(team.allowed(), "GET, HEAD, PATCH, DELETE, OPTIONS");
        let batch = find("/project/p1/user/u1/db/notes/batch").unwrap();
        assert_eq!(batch.allowed(), "POST, OPTIONS");
        assert_eq!(batch.allowed_across_origins(), "POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
    }
}
