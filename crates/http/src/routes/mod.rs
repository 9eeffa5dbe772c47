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
use actix_web::middleware::from_fn;
use actix_web::{FromRequest, Handler, Responder, Route, web};

use crate::{idempotency, lanes};

/// Every address of the API, in any order.
pub(crate) fn all() -> Vec<Address> {
    let mut routes = Vec::new();
    for mount in [
        health::mount,
        docs::mount,
        discovery::mount,
        did::mount,
        oauth::mount,
        account::mount,
        personal_token::mount,
        text::mount,
        audit::mount,
        webhook::mount,
        team::mount,
        member::mount,
        invite::mount,
        project::mount,
        api_key::mount,
        schema::mount,
        project_user::mount,
        item::mount,
        settings::mount,
        image::mount,
        own_item::mount,
        user_data::mount,
    ] {
        mount(&mut routes);
    }
    routes
}

/// An address and the methods it takes. It answers with and without its trailing slash (contract 1.1), HEAD wherever GET
/// (1.12), OPTIONS (1.11), and any other method with 405 and what it takes instead (1.4).
pub(crate) struct Address {
    pub path: &'static str,
    pub handlers: Vec<(Method, Route)>,
}

/// Begins an address.
pub(crate) fn at(path: &'static str) -> Address {
    Address { path, handlers: Vec::new() }
}

impl Address {
    pub(crate) fn get<F, A>(mut self, handler: F) -> Self
    where
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.handlers.push((Method::GET, web::to(handler).wrap(from_fn(lanes::ended))));
        self
    }

    pub(crate) fn on<F, A>(mut self, method: Method, handler: F) -> Self
    where
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let route = web::to(handler).wrap(from_fn(idempotency::once)).wrap(from_fn(lanes::ended));
        self.handlers.push((method, route));
        self
    }

    pub(crate) fn mount(self, routes: &mut Vec<Self>) {
        routes.push(self);
    }

    /// The methods that it takes, as the header `Allow` lists them.
    pub(crate) fn allowed(&self) -> String {
        let methods = self.handlers.iter().flat_map(|(method, _)| match method {
            &Method::GET => vec!["GET", "HEAD"],
            other => vec![other.as_str()],
        });
        methods.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
    }
}
