//! Handlers of the API, one module per resource.

pub(crate) mod account;
pub(crate) mod api_key;
pub(crate) mod audit;
pub(crate) mod client;
mod client_registration;
pub(crate) mod did;
pub(crate) mod discovery;
pub(crate) mod docs;
pub(crate) mod health;
pub(crate) mod identity_provider;
pub(crate) mod image;
pub(crate) mod invite;
pub(crate) mod item;
pub(crate) mod member;
pub(crate) mod oauth;
pub(crate) mod own_app;
pub(crate) mod personal_token;
pub(crate) mod project;
pub(crate) mod project_user;
pub(crate) mod request_log;
pub(crate) mod request_stats;
pub(crate) mod schema;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod sync_rejection;
pub(crate) mod team;
pub(crate) mod text;
pub(crate) mod user_data;
pub(crate) mod user_session;
pub(crate) mod webhook;

use crate::route::ApiRoute;

/// Returns all routes of the API, in the order of the OpenAPI document.
pub(crate) fn all() -> Vec<ApiRoute> {
    [
        health::routes(),
        docs::routes(),
        discovery::routes(),
        did::routes(),
        oauth::routes(),
        client_registration::routes(),
        account::routes(),
        session::routes(),
        personal_token::routes(),
        text::routes(),
        audit::routes(),
        webhook::routes(),
        team::routes(),
        member::routes(),
        invite::routes(),
        project::routes(),
        request_log::routes(),
        request_stats::routes(),
        api_key::routes(),
        schema::routes(),
        project_user::routes(),
        user_session::routes(),
        item::routes(),
        sync_rejection::routes(),
        crate::sync::routes(),
        settings::routes(),
        identity_provider::routes(),
        client::routes(),
        image::routes(),
        own_app::routes(),
        user_data::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
