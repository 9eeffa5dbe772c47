//! Handlers of the API, one module per resource.

mod administration;
mod data;
pub(crate) mod did;
pub(crate) mod discovery;
pub(crate) mod docs;
pub(crate) mod health;
mod identity;
pub(crate) mod text;

use crate::route::ApiRoute;

/// Returns all routes of the API, in the order of the OpenAPI document.
pub(crate) fn all() -> Vec<ApiRoute> {
    [
        health::routes(),
        docs::routes(),
        discovery::routes(),
        did::routes(),
        identity::oauth::routes(),
        identity::client_registration::routes(),
        identity::account::routes(),
        identity::session::routes(),
        identity::personal_token::routes(),
        text::routes(),
        administration::audit::routes(),
        administration::webhook::routes(),
        administration::team::routes(),
        administration::member::routes(),
        administration::invite::routes(),
        administration::project::routes(),
        administration::request_log::routes(),
        administration::request_stats::routes(),
        administration::api_key::routes(),
        data::schema::routes(),
        data::project_user::routes(),
        data::user_session::routes(),
        data::item::routes(),
        data::item::of_project::routes(),
        data::sync_rejection::routes(),
        crate::sync::routes(),
        administration::settings::routes(),
        identity::identity_provider::routes(),
        identity::client::routes(),
        administration::image::routes(),
        identity::own_app::routes(),
        data::user_data::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
