//! All pages of the console, one row each: the path below `/console`, the operation that the page performs or offers,
//! the rate limit of what it does (to open a page is a read, unless it is costly), its lane, its tab, the handler that
//! shows it, and the handler of its form. Mounting, rate limits, lanes, tabs and the tests follow from this table.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, Resource, web};

use crate::page::{Page, pages};
use crate::resource::asset;

use super::{
    account, account_delete, account_email, account_export, account_password, account_sessions, apps, audit,
    audit_chain, deliveries, first_run, images, import_progress, invites, item_delete, item_deletions, item_export,
    item_form, item_import, items, key_form, key_value, keys, member_removal, members, operator, operator_accounts,
    operator_action, operator_sizes, ownership, project_new, project_settings, projects, schema, schema_compare,
    schema_draft, schema_editor, schema_json, schema_publish, search, sign_in_settings, team_settings, teams, tokens,
    user, users, webhook_form, webhook_secret, webhooks,
};

const STYLE: &str = include_str!("../../assets/console.css");
const SCRIPT: &str = include_str!("../../assets/console.js");
const HTMX: &str = include_str!("../../assets/htmx/htmx-2.0.11.min.js");

/// Every page of the console. The first page of a tab is the one that the tab opens.
pub(crate) const PAGES: &[Page] = pages! { "/console":
    "/start", TeamCreate, Writes, Interactive, None => first_run::show, first_run::submit;
    "/search", ProjectList, Reads, Interactive, None => search::show;
    // Teams.
    "/teams/new", TeamCreate, Writes, Interactive, None => teams::show_new, teams::submit_new;
    "/teams/{team}", TeamGet, Reads, Interactive, Overview => teams::show;
    "/teams/{team}/members", MemberList, Reads, Interactive, Members => members::list;
    "/teams/{team}/members/{member}", MemberUpdate, Writes, Interactive, Members => members::show, members::submit;
    "/teams/{team}/members/{member}/remove", MemberRemove, Writes, Interactive, Members => member_removal::show, member_removal::submit;
    "/teams/{team}/members/{member}/transfer", MemberUpdate, Writes, Interactive, Members => ownership::show, ownership::submit;
    "/teams/{team}/invites", InviteList, Reads, Interactive, Invites => invites::list;
    "/teams/{team}/invites/new", InviteCreate, Writes, Interactive, Invites => invites::show_new, invites::submit_new;
    "/teams/{team}/invites/{invite}", InviteList, Reads, Interactive, Invites => invites::show;
    "/teams/{team}/invites/{invite}/renew", InviteCreate, Writes, Interactive, Invites => invites::show_renew, invites::submit_renew;
    "/teams/{team}/invites/{invite}/revoke", InviteRevoke, Writes, Interactive, Invites => invites::show_revoke, invites::submit_revoke;
    "/teams/{team}/settings", TeamUpdate, Writes, Interactive, Settings => team_settings::show, team_settings::submit;
    "/teams/{team}/delete", TeamDelete, Writes, Interactive, Delete => team_settings::show_delete, team_settings::submit_delete;
    "/teams/{team}/projects/new", ProjectCreate, Writes, Interactive, None => project_new::show, project_new::submit;
    "/teams/{team}/audit", TeamAudit, Costly, Heavy, AuditLog => audit::show;
    "/teams/{team}/audit/chain", TeamEvents, Costly, Heavy, AuditLog => audit_chain::show;
    "/teams/{team}/audit/export", TeamAudit, Costly, Heavy, AuditLog => audit::export;
    "/teams/{team}/webhooks", TeamWebhookList, Reads, Interactive, Webhooks => webhooks::list;
    "/teams/{team}/webhooks/new", TeamWebhookCreate, Writes, Interactive, Webhooks => webhook_form::show_new, webhook_form::submit_new;
    "/teams/{team}/webhooks/{webhook}", TeamWebhookGet, Reads, Interactive, Webhooks => webhooks::show;
    "/teams/{team}/webhooks/{webhook}/edit", TeamWebhookUpdate, Writes, Interactive, Webhooks => webhook_form::show_edit, webhook_form::submit_edit;
    "/teams/{team}/webhooks/{webhook}/pause", TeamWebhookUpdate, Writes, Interactive, Webhooks => webhooks::show_pause, webhooks::submit_pause;
    "/teams/{team}/webhooks/{webhook}/resume", TeamWebhookUpdate, Writes, Interactive, Webhooks => webhooks::show_resume, webhooks::submit_resume;
    "/teams/{team}/webhooks/{webhook}/rotate", TeamWebhookRotate, Writes, Interactive, Webhooks => webhook_secret::show_rotate, webhook_secret::submit_rotate;
    "/teams/{team}/webhooks/{webhook}/deliveries", TeamWebhookDeliveries, Writes, Interactive, Webhooks => deliveries::list, deliveries::redeliver;
    "/teams/{team}/webhooks/{webhook}/test", TeamWebhookTest, Writes, Interactive, Webhooks => deliveries::back, deliveries::send_test;
    "/teams/{team}/webhooks/{webhook}/delete", TeamWebhookDelete, Writes, Interactive, Webhooks => webhooks::show_delete, webhooks::submit_delete;
    // Projects.
    "/projects/new", ProjectCreate, Reads, Interactive, None => project_new::choose;
    "/projects/{project}", ProjectGet, Reads, Interactive, Overview => projects::show;
    "/projects/{project}/settings", ProjectUpdate, Writes, Interactive, Settings => project_settings::show, project_settings::submit;
    "/projects/{project}/sign-in", SettingsGet, Writes, Interactive, SignIn => sign_in_settings::show, sign_in_settings::submit;
    "/projects/{project}/images/{use}", ProjectUpdate, Writes, Interactive, Settings => images::show, images::submit;
    "/projects/{project}/images/{use}/remove", ProjectUpdate, Writes, Interactive, Settings => images::show_remove, images::submit_remove;
    "/projects/{project}/delete", ProjectDelete, Writes, Interactive, Delete => project_settings::show_delete, project_settings::submit_delete;
    "/projects/{project}/audit", ProjectAudit, Costly, Heavy, AuditLog => audit::show;
    "/projects/{project}/audit/chain", ProjectEvents, Costly, Heavy, AuditLog => audit_chain::show;
    "/projects/{project}/audit/export", ProjectAudit, Costly, Heavy, AuditLog => audit::export;
    "/projects/{project}/schema", SchemaGet, Reads, Interactive, Schema => schema::show;
    "/projects/{project}/schema/compare", SchemaCompare, Costly, Heavy, Schema => schema_compare::show;
    "/projects/{project}/schema/download", SchemaGet, Reads, Interactive, Schema => schema::download;
    "/projects/{project}/schema/draft", SchemaPublish, Writes, Interactive, Schema => schema_draft::show, schema_draft::submit;
    "/projects/{project}/schema/edit", SchemaPublish, Writes, Interactive, Schema => schema_editor::show, schema_editor::submit;
    "/projects/{project}/schema/json", SchemaPublish, Writes, Interactive, Schema => schema_json::show, schema_json::submit;
    "/projects/{project}/schema/publish", SchemaPublish, Costly, Heavy, Schema => schema_publish::show, schema_publish::submit;
    "/projects/{project}/schema/versions/{version}", SchemaGet, Reads, Interactive, Schema => schema::show_version;
    "/projects/{project}/schema/versions/{version}/rollback", SchemaRollback, Costly, Heavy, Schema => schema_publish::show_rollback, schema_publish::submit_rollback;
    "/projects/{project}/keys", KeyList, Reads, Interactive, Keys => keys::list;
    "/projects/{project}/keys/new", KeyCreate, Writes, Interactive, Keys => key_form::show_new, key_form::submit_new;
    "/projects/{project}/keys/verify", KeyVerify, Writes, Interactive, Keys => key_value::show_verify, key_value::submit_verify;
    "/projects/{project}/keys/{key}", KeyGet, Reads, Interactive, Keys => keys::show;
    "/projects/{project}/keys/{key}/edit", KeyUpdate, Writes, Interactive, Keys => key_form::show_edit, key_form::submit_edit;
    "/projects/{project}/keys/{key}/rotate", KeyRegenerate, Writes, Interactive, Keys => key_value::show_rotate, key_value::submit_rotate;
    "/projects/{project}/keys/{key}/delete", KeyDelete, Writes, Interactive, Keys => keys::show_delete, keys::submit_delete;
    "/projects/{project}/webhooks", ProjectWebhookList, Reads, Interactive, Webhooks => webhooks::list;
    "/projects/{project}/webhooks/new", ProjectWebhookCreate, Writes, Interactive, Webhooks => webhook_form::show_new, webhook_form::submit_new;
    "/projects/{project}/webhooks/{webhook}", ProjectWebhookGet, Reads, Interactive, Webhooks => webhooks::show;
    "/projects/{project}/webhooks/{webhook}/edit", ProjectWebhookUpdate, Writes, Interactive, Webhooks => webhook_form::show_edit, webhook_form::submit_edit;
    "/projects/{project}/webhooks/{webhook}/pause", ProjectWebhookUpdate, Writes, Interactive, Webhooks => webhooks::show_pause, webhooks::submit_pause;
    "/projects/{project}/webhooks/{webhook}/resume", ProjectWebhookUpdate, Writes, Interactive, Webhooks => webhooks::show_resume, webhooks::submit_resume;
    "/projects/{project}/webhooks/{webhook}/rotate", ProjectWebhookRotate, Writes, Interactive, Webhooks => webhook_secret::show_rotate, webhook_secret::submit_rotate;
    "/projects/{project}/webhooks/{webhook}/deliveries", ProjectWebhookDeliveries, Writes, Interactive, Webhooks => deliveries::list, deliveries::redeliver;
    "/projects/{project}/webhooks/{webhook}/test", ProjectWebhookTest, Writes, Interactive, Webhooks => deliveries::back, deliveries::send_test;
    "/projects/{project}/webhooks/{webhook}/delete", ProjectWebhookDelete, Writes, Interactive, Webhooks => webhooks::show_delete, webhooks::submit_delete;
    // Project users and their data.
    "/projects/{project}/users", UserList, Reads, Interactive, Users => users::show;
    "/projects/{project}/users/{user}", UserGet, Reads, Interactive, Users => user::show;
    "/projects/{project}/users/{user}/meta", UserUpdate, Writes, Interactive, Users => user::show_meta, user::submit_meta;
    "/projects/{project}/users/{user}/block", UserUpdate, Writes, Interactive, Users => user::show_block, user::submit_block;
    "/projects/{project}/users/{user}/sign-out", UserSignOut, Writes, Interactive, Users => user::show_sign_out, user::submit_sign_out;
    "/projects/{project}/users/{user}/erase", UserDelete, Writes, Interactive, Users => user::show_erase, user::submit_erase;
    "/projects/{project}/users/{user}/export", UserExport, Costly, Interactive, Users => item_export::user;
    "/projects/{project}/users/{user}/tables/{table}", ItemList, Reads, Interactive, Users => items::show;
    "/projects/{project}/users/{user}/tables/{table}/new", ItemCreate, Writes, Interactive, Users => item_form::show_new, item_form::submit_new;
    "/projects/{project}/users/{user}/tables/{table}/delete", ItemBatch, Writes, Interactive, Users => items::show_delete, items::submit_delete;
    "/projects/{project}/users/{user}/tables/{table}/undo", ItemBatch, Writes, Interactive, Users => item_deletions::back, item_deletions::undo;
    "/projects/{project}/users/{user}/tables/{table}/import", ItemBatch, Costly, Interactive, Users => item_import::show, item_import::submit;
    "/projects/{project}/users/{user}/tables/{table}/imports/{import}", ItemBatch, Writes, Interactive, Users => import_progress::show, import_progress::cancel;
    "/projects/{project}/users/{user}/tables/{table}/imports/{import}/report", ItemBatch, Reads, Interactive, Users => import_progress::report;
    "/projects/{project}/users/{user}/tables/{table}/export", ItemList, Costly, Interactive, Users => item_export::items;
    "/projects/{project}/users/{user}/tables/{table}/items/{item}", ItemGet, Writes, Interactive, Users => item_form::show, item_form::submit;
    "/projects/{project}/users/{user}/tables/{table}/items/{item}/delete", ItemDelete, Writes, Interactive, Users => item_delete::show, item_delete::submit;
    // The account of the person.
    "/account", OwnAccountUpdate, Writes, Interactive, Profile => account::show, account::submit;
    "/account/email", EmailChange, Writes, Interactive, Email => account_email::show, account_email::submit;
    "/account/email/confirm", EmailLinkSend, Writes, Interactive, Email => account_email::show_confirm, account_email::submit_confirm;
    "/account/password", PasswordChange, Writes, Interactive, Password => account_password::show, account_password::submit;
    "/account/sessions", SessionEnd, Reads, Interactive, Sessions => account_sessions::show;
    "/account/sessions/end", SessionEnd, Writes, Interactive, Sessions => account_sessions::back, account_sessions::end;
    "/account/sessions/end-program", SessionEnd, Writes, Interactive, Sessions => account_sessions::back, account_sessions::end_program;
    "/account/apps", GrantRevoke, Reads, Interactive, Apps => apps::show;
    "/account/apps/revoke", GrantRevoke, Writes, Interactive, Apps => apps::back, apps::revoke;
    "/account/tokens", PersonalTokenList, Reads, Interactive, Tokens => tokens::list;
    "/account/tokens/new", PersonalTokenCreate, Writes, Interactive, Tokens => tokens::show_new, tokens::submit_new;
    "/account/tokens/{token}/revoke", PersonalTokenRevoke, Writes, Interactive, Tokens => tokens::show_revoke, tokens::submit_revoke;
    "/account/export", OwnAccountExport, Costly, Interactive, Export => account_export::show, account_export::confirm;
    "/account/export/file", OwnAccountExport, Costly, Heavy, Export => account_export::file;
    "/account/delete", OwnAccountDelete, Writes, Interactive, Delete => account_delete::show, account_delete::submit;
    // Operators.
    "/operator", InstanceGet, Reads, Interactive, Health => operator::health;
    "/operator/accounts", AccountList, Reads, Interactive, Accounts => operator_accounts::list;
    "/operator/accounts/{account}", AccountList, Reads, Interactive, Accounts => operator_accounts::show;
    "/operator/accounts/{account}/{action}", AccountDisable, Writes, Interactive, Accounts => operator_action::show, operator_action::submit;
    "/operator/sizes", SizeList, Costly, Interactive, Sizes => operator_sizes::show;
    "/operator/jobs", InstanceGet, Reads, Interactive, Jobs => operator::jobs;
    "/operator/settings", InstanceGet, Reads, Interactive, Settings => operator::settings;
    "/operator/mail", EmailTest, Writes, Interactive, Mail => operator::mail, operator::send_mail;
};

/// Returns every page and file of the console. Paths are relative to `/console`.
pub(super) fn all() -> Vec<Resource> {
    let files = [
        web::resource("/assets/console.css").get(|| async { asset("text/css; charset=utf-8", STYLE) }),
        web::resource("/assets/console.js").get(|| async { asset("text/javascript; charset=utf-8", SCRIPT) }),
        web::resource("/assets/htmx-2.0.11.min.js").get(htmx),
    ];
    PAGES.iter().flat_map(|page| (page.resources)()).chain(files).collect()
}

/// Returns the script of htmx. Its address contains its version, so that browsers may keep it.
async fn htmx() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/javascript; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .body(HTMX)
}
