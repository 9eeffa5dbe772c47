//! The wire contract of the Steward API, stated once: one row for each operation, and the types of its request and
//! response with their documentation, examples and limits. The service mounts its handlers on the rows and derives the
//! OpenAPI document from them; clients derive paths and types from them (docs/contract.md).

mod administration;
#[cfg(feature = "openapi")]
mod body;
mod data;
mod did;
mod discovery;
mod docs;
mod error;
mod health;
mod identity;
mod list;
#[cfg_attr(not(feature = "openapi"), path = "undescribed.rs")]
mod openapi;
mod operation;
pub mod path;
mod response;
mod row;
mod text;
mod values;

#[cfg(not(feature = "openapi"))]
use openapi as body;

pub use administration::api_key::*;
pub use administration::audit::*;
pub use administration::image::*;
pub use administration::invite::*;
pub use administration::member::*;
pub use administration::project::*;
pub use administration::project_summary::*;
pub use administration::request_log::*;
pub use administration::request_stats::*;
pub use administration::settings::*;
pub use administration::team::*;
pub use administration::webhook::*;
pub use body::BodySchema;
pub use data::item::*;
pub use data::project_items::*;
pub use data::project_user::*;
pub use data::schema::*;
pub use data::sync_rejection::*;
pub use data::user_data::*;
pub use data::user_session::*;
pub use did::*;
pub use discovery::*;
pub use docs::*;
pub use error::*;
pub use health::*;
pub use identity::account::*;
pub use identity::client::*;
pub use identity::client_registration::*;
pub use identity::identity_provider::*;
pub use identity::oauth::*;
pub use identity::own_app::*;
pub use identity::personal_token::*;
pub use identity::session::*;
pub use list::*;
pub use operation::{Operation, SERVICE};
pub use response::*;
pub use row::*;
pub use text::*;
pub use values::*;

/// The rows of all operations, in the order of the OpenAPI document.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let all = [
        health::ROWS,
        docs::ROWS,
        discovery::ROWS,
        did::ROWS,
        identity::oauth::ROWS,
        identity::client_registration::ROWS,
        identity::account::ROWS,
        identity::account::SERVICE_ROWS,
        identity::session::ROWS,
        identity::personal_token::ROWS,
        text::ROWS,
        administration::audit::PROJECT_ROWS,
        administration::audit::TEAM_ROWS,
        administration::webhook::PROJECT_ROWS,
        administration::webhook::TEAM_ROWS,
        administration::team::ROWS,
        administration::member::ROWS,
        administration::invite::ROWS,
        administration::project::ROWS,
        administration::request_stats::ROWS,
        administration::request_log::ROWS,
        administration::api_key::ROWS,
        data::schema::ROWS,
        data::schema::UTILITY_ROWS,
        data::project_user::ROWS,
        data::user_session::ROWS,
        data::project_items::ROWS,
        data::item::USER_ROWS,
        data::item::OWN_ROWS,
        data::sync_rejection::ROWS,
        administration::settings::ROWS,
        identity::identity_provider::ROWS,
        identity::client::ROWS,
        administration::image::ROWS,
        administration::image::SERVICE_ROWS,
        identity::own_app::ROWS,
        data::user_data::ROWS,
        data::user_data::OWN_ROWS,
    ];
    all.into_iter().flatten().copied()
}

/// Returns the row of the operation with a name.
pub fn row(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.name == name)
}
