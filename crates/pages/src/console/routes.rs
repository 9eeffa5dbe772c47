//! All pages of the console, relative to `/console`: one line each, `page` for one that is only read and `form` for one
//! that is also submitted. Every path can be opened with GET. Tests read this table.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{FromRequest, Handler, HttpResponse, Resource, Responder, guard, web};

use crate::resource::{asset, other_method, page as form};

use super::{
    account, account_delete, account_email, account_export, account_password, account_sessions, apps, audit,
    audit_chain, deliveries, first_run, images, import_progress, invites, item_delete, item_deletions, item_export,
    item_form, item_import, items, key_form, key_value, keys, member_removal, members, operator, operator_accounts,
    operator_action, operator_sizes, ownership, project_new, project_settings, projects, schema, schema_compare,
    schema_draft, schema_editor, schema_json, schema_publish, search, sign_in_settings, team_settings, teams, tokens,
    user, users, webhook_form, webhook_secret, webhooks,
};

/// The methods of a page that is only read.
const READ_METHODS: &str = "GET, HEAD, OPTIONS";
const STYLE: &str = include_str!("../../assets/console.css");
const SCRIPT: &str = include_str!("../../assets/console.js");
const HTMX: &str = include_str!("../../assets/htmx/htmx-2.0.11.min.js");

/// Returns every page and file of the console.
pub(super) fn all() -> Vec<Resource> {
    let pages = [
        form("/start", first_run::show, first_run::submit),
        page("/search", search::show),
        // Teams.
        form("/teams/new", teams::show_new, teams::submit_new),
        page("/teams/{team}", teams::show),
        page("/teams/{team}/members", members::list),
        form("/teams/{team}/members/{member}", members::show, members::submit),
        form("/teams/{team}/members/{member}/remove", member_removal::show, member_removal::submit),
        form("/teams/{team}/members/{member}/transfer", ownership::show, ownership::submit),
        page("/teams/{team}/invites", invites::list),
        form("/teams/{team}/invites/new", invites::show_new, invites::submit_new),
        page("/teams/{team}/invites/{invite}", invites::show),
        form("/teams/{team}/invites/{invite}/renew", invites::show_renew, invites::submit_renew),
        form("/teams/{team}/invites/{invite}/revoke", invites::show_revoke, invites::submit_revoke),
        form("/teams/{team}/settings", team_settings::show, team_settings::submit),
        form("/teams/{team}/delete", team_settings::show_delete, team_settings::submit_delete),
        form("/teams/{team}/projects/new", project_new::show, project_new::submit),
        page("/teams/{team}/audit", audit::show),
        page("/teams/{team}/audit/chain", audit_chain::show),
        page("/teams/{team}/audit/export", audit::export),
        page("/teams/{team}/webhooks", webhooks::list),
        form("/teams/{team}/webhooks/new", webhook_form::show_new, webhook_form::submit_new),
        page("/teams/{team}/webhooks/{webhook}", webhooks::show),
        form("/teams/{team}/webhooks/{webhook}/edit", webhook_form::show_edit, webhook_form::submit_edit),
        form("/teams/{team}/webhooks/{webhook}/pause", webhooks::show_pause, webhooks::submit_pause),
        form("/teams/{team}/webhooks/{webhook}/resume", webhooks::show_resume, webhooks::submit_resume),
        form("/teams/{team}/webhooks/{webhook}/rotate", webhook_secret::show_rotate, webhook_secret::submit_rotate),
        form("/teams/{team}/webhooks/{webhook}/deliveries", deliveries::list, deliveries::redeliver),
        form("/teams/{team}/webhooks/{webhook}/test", deliveries::back, deliveries::send_test),
        form("/teams/{team}/webhooks/{webhook}/delete", webhooks::show_delete, webhooks::submit_delete),
        // Projects.
        page("/projects/new", project_new::choose),
        page("/projects/{project}", projects::show),
        form("/projects/{project}/settings", project_settings::show, project_settings::submit),
        form("/projects/{project}/sign-in", sign_in_settings::show, sign_in_settings::submit),
        form("/projects/{project}/images/{use}", images::show, images::submit),
        form("/projects/{project}/images/{use}/remove", images::show_remove, images::submit_remove),
        form("/projects/{project}/delete", project_settings::show_delete, project_settings::submit_delete),
        page("/projects/{project}/audit", audit::show),
        page("/projects/{project}/audit/chain", audit_chain::show),
        page("/projects/{project}/audit/export", audit::export),
        page("/projects/{project}/schema", schema::show),
        page("/projects/{project}/schema/compare", schema_compare::show),
        page("/projects/{project}/schema/download", schema::download),
        form("/projects/{project}/schema/draft", schema_draft::show, schema_draft::submit),
        form("/projects/{project}/schema/edit", schema_editor::show, schema_editor::submit),
        form("/projects/{project}/schema/json", schema_json::show, schema_json::submit),
        form("/projects/{project}/schema/publish", schema_publish::show, schema_publish::submit),
        page("/projects/{project}/schema/versions/{version}", schema::show_version),
        form(
            "/projects/{project}/schema/versions/{version}/rollback",
            schema_publish::show_rollback,
            schema_publish::submit_rollback,
        ),
        page("/projects/{project}/keys", keys::list),
        form("/projects/{project}/keys/new", key_form::show_new, key_form::submit_new),
        form("/projects/{project}/keys/verify", key_value::show_verify, key_value::submit_verify),
        page("/projects/{project}/keys/{key}", keys::show),
        form("/projects/{project}/keys/{key}/edit", key_form::show_edit, key_form::submit_edit),
        form("/projects/{project}/keys/{key}/rotate", key_value::show_rotate, key_value::submit_rotate),
        form("/projects/{project}/keys/{key}/delete", keys::show_delete, keys::submit_delete),
        page("/projects/{project}/webhooks", webhooks::list),
        form("/projects/{project}/webhooks/new", webhook_form::show_new, webhook_form::submit_new),
        page("/projects/{project}/webhooks/{webhook}", webhooks::show),
        form("/projects/{project}/webhooks/{webhook}/edit", webhook_form::show_edit, webhook_form::submit_edit),
        form("/projects/{project}/webhooks/{webhook}/pause", webhooks::show_pause, webhooks::submit_pause),
        form("/projects/{project}/webhooks/{webhook}/resume", webhooks::show_resume, webhooks::submit_resume),
        form(
            "/projects/{project}/webhooks/{webhook}/rotate",
            webhook_secret::show_rotate,
            webhook_secret::submit_rotate,
        ),
        form("/projects/{project}/webhooks/{webhook}/deliveries", deliveries::list, deliveries::redeliver),
        form("/projects/{project}/webhooks/{webhook}/test", deliveries::back, deliveries::send_test),
        form("/projects/{project}/webhooks/{webhook}/delete", webhooks::show_delete, webhooks::submit_delete),
        // Project users and their data.
        page("/projects/{project}/users", users::show),
        page("/projects/{project}/users/{user}", user::show),
        form("/projects/{project}/users/{user}/meta", user::show_meta, user::submit_meta),
        form("/projects/{project}/users/{user}/block", user::show_block, user::submit_block),
        form("/projects/{project}/users/{user}/sign-out", user::show_sign_out, user::submit_sign_out),
        form("/projects/{project}/users/{user}/erase", user::show_erase, user::submit_erase),
        page("/projects/{project}/users/{user}/export", item_export::user),
        page("/projects/{project}/users/{user}/tables/{table}", items::show),
        form("/projects/{project}/users/{user}/tables/{table}/new", item_form::show_new, item_form::submit_new),
        form("/projects/{project}/users/{user}/tables/{table}/delete", items::show_delete, items::submit_delete),
        form("/projects/{project}/users/{user}/tables/{table}/undo", item_deletions::back, item_deletions::undo),
        form("/projects/{project}/users/{user}/tables/{table}/import", item_import::show, item_import::submit),
        form(
            "/projects/{project}/users/{user}/tables/{table}/imports/{import}",
            import_progress::show,
            import_progress::cancel,
        ),
        page("/projects/{project}/users/{user}/tables/{table}/imports/{import}/report", import_progress::report),
        page("/projects/{project}/users/{user}/tables/{table}/export", item_export::items),
        form("/projects/{project}/users/{user}/tables/{table}/items/{item}", item_form::show, item_form::submit),
        form(
            "/projects/{project}/users/{user}/tables/{table}/items/{item}/delete",
            item_delete::show,
            item_delete::submit,
        ),
    ];
    let files = [
        web::resource("/assets/console.css").get(|| async { asset("text/css; charset=utf-8", STYLE) }),
        web::resource("/assets/console.js").get(|| async { asset("text/javascript; charset=utf-8", SCRIPT) }),
        web::resource("/assets/htmx-2.0.11.min.js").get(htmx),
    ];
    pages.into_iter().chain(of_account()).chain(of_operator()).flatten().chain(files).collect()
}

/// Returns the pages of the person's account.
fn of_account() -> [[Resource; 2]; 15] {
    [
        form("/account", account::show, account::submit),
        form("/account/email", account_email::show, account_email::submit),
        form("/account/email/confirm", account_email::show_confirm, account_email::submit_confirm),
        form("/account/password", account_password::show, account_password::submit),
        page("/account/sessions", account_sessions::show),
        form("/account/sessions/end", account_sessions::back, account_sessions::end),
        form("/account/sessions/end-program", account_sessions::back, account_sessions::end_program),
        page("/account/apps", apps::show),
        form("/account/apps/revoke", apps::back, apps::revoke),
        page("/account/tokens", tokens::list),
        form("/account/tokens/new", tokens::show_new, tokens::submit_new),
        form("/account/tokens/{token}/revoke", tokens::show_revoke, tokens::submit_revoke),
        form("/account/export", account_export::show, account_export::confirm),
        page("/account/export/file", account_export::file),
        form("/account/delete", account_delete::show, account_delete::submit),
    ]
}

/// Returns the pages of the operator.
fn of_operator() -> [[Resource; 2]; 8] {
    [
        page("/operator", operator::health),
        page("/operator/accounts", operator_accounts::list),
        page("/operator/accounts/{account}", operator_accounts::show),
        form("/operator/accounts/{account}/{action}", operator_action::show, operator_action::submit),
        page("/operator/sizes", operator_sizes::show),
        page("/operator/jobs", operator::jobs),
        page("/operator/settings", operator::settings),
        form("/operator/mail", operator::mail, operator::send_mail),
    ]
}

/// Returns a page that is only read, with and without a trailing slash.
fn page<S, A>(path: &str, show: S) -> [Resource; 2]
where
    S: Handler<A>,
    A: FromRequest + 'static,
    S::Output: Responder + 'static,
{
    [path.to_owned(), format!("{path}/")].map(|path| {
        let is_read = guard::Any(guard::Get()).or(guard::Head());
        web::resource(path)
            .route(web::route().guard(is_read).to(show.clone()))
            .default_service(web::to(|request| other_method(request, READ_METHODS)))
    })
}

/// Returns the script of htmx. Its address contains its version, so that browsers may keep it.
async fn htmx() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/javascript; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .body(HTMX)
}
