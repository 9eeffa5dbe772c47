//! Where each operation is mounted, one file per concept.

pub(crate) mod account;
pub(crate) mod api_key;
pub(crate) mod audit;
pub(crate) mod did;
pub(crate) mod discovery;
pub(crate) mod docs;
pub(crate) mod health;
pub(crate) mod image;
pub(crate) mod invite;
pub(crate) mod item;
pub(crate) mod item_batch;
pub(crate) mod member;
pub(crate) mod oauth;
pub(crate) mod own_item;
pub(crate) mod personal_token;
pub(crate) mod project;
pub(crate) mod project_user;
pub(crate) mod schema;
pub(crate) mod settings;
pub(crate) mod team;
pub(crate) mod text;
pub(crate) mod user_data;
pub(crate) mod webhook;

use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, ALLOW,
};
use actix_web::middleware::from_fn;
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Responder, ResponseError as _, Route, guard, web};

use crate::error::{ApiError, RequestFault};
use crate::{lanes, repeat};

/// Mounts every operation. An address without parameters comes before one with them.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    health::mount(app);
    docs::mount(app);
    discovery::mount(app);
    did::mount(app);
    oauth::mount(app);
    account::mount(app);
    personal_token::mount(app);
    text::mount(app);
    audit::mount(app);
    webhook::mount(app);
    team::mount(app);
    member::mount(app);
    invite::mount(app);
    project::mount(app);
    api_key::mount(app);
    schema::mount(app);
    project_user::mount(app);
    item::mount(app);
    settings::mount(app);
    image::mount(app);
    own_item::mount(app);
    user_data::mount(app);
}

/// Answers an address that nothing is at.
pub(crate) async fn unknown() -> Result<HttpResponse, ApiError> {
    Err(RequestFault::UnknownRoute.into())
}

/// An address and the methods it takes. It answers with and without its trailing slash (contract 1.1), HEAD wherever GET
/// (1.12), OPTIONS (1.11), and any other method with 405 and what it takes instead (1.4).
pub(crate) struct Address {
    path: &'static str,
    methods: Vec<Method>,
    routes: Vec<Route>,
}

/// Begins an address.
pub(crate) fn at(path: &'static str) -> Address {
    Address { path, methods: Vec::new(), routes: Vec::new() }
}

impl Address {
    pub(crate) fn get<F, A>(mut self, handler: F) -> Self
    where
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.methods.extend([Method::GET, Method::HEAD]);
        self.routes.push(web::route().guard(guard::Any(guard::Get()).or(guard::Head())).to(handler));
        self
    }

    pub(crate) fn on<F, A>(mut self, method: Method, handler: F) -> Self
    where
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.routes.push(web::method(method.clone()).to(handler).wrap(from_fn(repeat::once)));
        self.methods.push(method);
        self
    }

    pub(crate) fn mount(self, app: &mut web::ServiceConfig) {
        let allowed = self.methods.iter().map(Method::as_str).chain(["OPTIONS"]).collect::<Vec<_>>().join(", ");
        let otherwise = move |request: HttpRequest| {
            let answer = other_method(&request, &allowed);
            async move { answer }
        };
        let stem = self.path.trim_end_matches('/');
        let resource =
            if stem.is_empty() { web::resource("/") } else { web::resource(vec![stem.to_owned(), format!("{stem}/")]) };
        let resource = self.routes.into_iter().fold(resource, |resource, route| resource.route(route));
        app.service(resource.default_service(web::to(otherwise)).wrap(from_fn(lanes::ended)));
    }
}

fn other_method(request: &HttpRequest, allowed: &str) -> HttpResponse {
    if request.method() != Method::OPTIONS {
        return ApiError::from(RequestFault::MethodNotAllowed { allowed: allowed.to_owned() }).error_response();
    }
    HttpResponse::NoContent()
        .insert_header((ALLOW, allowed))
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, allowed))
        .insert_header((
            ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id",
        ))
        .insert_header((ACCESS_CONTROL_MAX_AGE, "7200"))
        .finish()
}
