//! The wire contract of the Steward API, stated once: one row for each operation, and the types of its request and response
//! with their documentation, examples and limits. The service mounts its handlers on the rows and derives the OpenAPI
//! document from them; clients derive paths and types from them (docs/contract.md).

mod account;
mod api_key;
mod audit;
mod client;
mod client_registration;
mod did;
mod discovery;
mod docs;
mod error;
mod health;
mod identity_provider;
mod image;
mod invite;
mod item;
mod list;
mod member;
mod oauth;
mod operation;
mod own_app;
pub mod path;
mod personal_token;
mod project;
mod project_summary;
mod project_user;
mod request_log;
mod request_stats;
mod response;
mod row;
mod schema;
mod session;
mod settings;
mod sync_rejection;
mod team;
mod text;
mod user_data;
mod user_session;
mod values;
mod webhook;

pub use account::*;
pub use api_key::*;
pub use audit::*;
pub use client::*;
pub use client_registration::*;
pub use did::*;
pub use discovery::*;
pub use docs::*;
pub use error::*;
pub use health::*;
pub use identity_provider::*;
pub use image::*;
pub use invite::*;
pub use item::*;
pub use list::*;
pub use member::*;
pub use oauth::*;
pub use operation::{Operation, SERVICE};
pub use own_app::*;
pub use personal_token::*;
pub use project::*;
pub use project_summary::*;
pub use project_user::*;
pub use request_log::*;
pub use request_stats::*;
pub use response::*;
pub use row::*;
pub use schema::*;
pub use session::*;
pub use settings::*;
pub use sync_rejection::*;
pub use team::*;
pub use text::*;
pub use user_data::*;
pub use user_session::*;
pub use values::*;
pub use webhook::*;

/// The rows of all operations, in the order of the OpenAPI document.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    let all = [
        health::ROWS,
        docs::ROWS,
        discovery::ROWS,
        did::ROWS,
        oauth::ROWS,
        client_registration::ROWS,
        account::ROWS,
        account::SERVICE_ROWS,
        session::ROWS,
        personal_token::ROWS,
        text::ROWS,
        audit::PROJECT_ROWS,
        audit::TEAM_ROWS,
        webhook::PROJECT_ROWS,
        webhook::TEAM_ROWS,
        team::ROWS,
        member::ROWS,
        invite::ROWS,
        project::ROWS,
        request_stats::ROWS,
        request_log::ROWS,
        api_key::ROWS,
        schema::ROWS,
        schema::UTILITY_ROWS,
        project_user::ROWS,
        user_session::ROWS,
        item::USER_ROWS,
        item::OWN_ROWS,
        sync_rejection::ROWS,
        settings::ROWS,
        identity_provider::ROWS,
        client::ROWS,
        image::ROWS,
        image::SERVICE_ROWS,
        own_app::ROWS,
        user_data::ROWS,
        user_data::OWN_ROWS,
    ];
    all.into_iter().flatten().copied()
}

/// Returns the row of the operation with a name.
pub fn row(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.name == name)
}
