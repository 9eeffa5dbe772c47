//! All pages of the console, one row each: the path below `/console`, the operation that the page performs or offers,
//! the conditions that the account must meet, the rate limit of what it does (to open a page is a read, unless it is
//! costly), its lane, its tab, the handler that shows it, and the handler of its form. Mounting, access, rate limits,
//! lanes, tabs and the tests follow from this table.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, Resource, web};

use crate::page::{Page, pages};
use crate::resource::asset;

use super::frame::{back_to, opened};
use super::home;
use crate::console::administration::{audit, key, operator, project, team, webhook};
use crate::console::data::{item, schema, user};
use crate::console::identity::{account, client, provider};

/// The styles of the console. Where two rules are as specific, the later file wins.
pub(crate) const STYLE: &str = concat!(
    include_str!("../../assets/console/frame.css"),
    include_str!("../../assets/console/forms.css"),
    include_str!("../../assets/console/lists.css"),
    include_str!("../../assets/console/text.css"),
    include_str!("../../assets/console/numbers.css"),
    include_str!("../../assets/console/topics.css"),
    include_str!("../../assets/console/overlays.css"),
    include_str!("../../assets/console/windows.css"),
);
const SCRIPT: &str = concat!(
    include_str!("../../assets/console.js"),
    include_str!("../../assets/waiting.js"),
    include_str!("../../assets/palette.js"),
    include_str!("../../assets/grid.js"),
    include_str!("../../assets/schema.js"),
    include_str!("../../assets/colors.js")
);
const HTMX: &str = include_str!("../../assets/htmx/htmx-2.0.11.min.js");

/// Every page of the console. The first page of a tab is the one that the tab opens.
pub(crate) const PAGES: &[Page] = pages! { "/console":
    "/start", TeamCreate, All, Writes, Interactive, None => home::first_run::show, home::first_run::submit;
    "/search", ProjectList, All, Reads, Interactive, None => home::search::show;
    // Teams.
    "/teams/new", TeamCreate, All, Writes, Interactive, None => opened(team::overview::new_page), team::overview::submit_new;
    "/teams/{team}", TeamGet, All, Reads, Interactive, Overview => team::overview::show;
    "/teams/{team}/members", MemberList, All, Reads, Interactive, Members => team::members::list;
    "/teams/{team}/members/{member}", MemberUpdate, All, Writes, Interactive, Members => opened(team::members::edit_page), team::members::submit;
    "/teams/{team}/members/{member}/remove", MemberRemove, All, Writes, Interactive, Members => opened(team::removal::removal_page), team::removal::submit;
    "/teams/{team}/members/{member}/transfer", MemberUpdate, All, Writes, Interactive, Members => opened(team::ownership::transfer_page), team::ownership::submit;
    "/teams/{team}/invites", InviteList, All, Reads, Interactive, Invites => team::invites::list;
    "/teams/{team}/invites/new", InviteCreate, All, Writes, Interactive, Invites => opened(team::invites::new_page), team::invites::submit_new;
    "/teams/{team}/invites/{invite}", InviteList, All, Reads, Interactive, Invites => team::invites::show;
    "/teams/{team}/invites/{invite}/renew", InviteCreate, All, Writes, Interactive, Invites => opened(team::invites::renew_page), team::invites::submit_renew;
    "/teams/{team}/invites/{invite}/revoke", InviteRevoke, All, Writes, Interactive, Invites => opened(team::invites::revoke_page), team::invites::submit_revoke;
    "/teams/{team}/settings", TeamUpdate, All, Writes, Interactive, Settings => opened(team::settings::edit_page), team::settings::submit;
    "/teams/{team}/delete", TeamDelete, All, Writes, Interactive, Delete => opened(team::settings::delete_page), team::settings::submit_delete;
    "/teams/{team}/projects/new", ProjectCreate, All, Writes, Interactive, None => opened(project::new::new_page), project::new::submit;
    "/teams/{team}/audit", TeamAudit, All, Costly, Heavy, AuditLog => audit::log::show;
    "/teams/{team}/audit/chain", TeamEvents, All, Costly, Heavy, AuditLog => audit::chain::show;
    "/teams/{team}/audit/export", TeamAudit, All, Costly, Heavy, AuditLog => audit::log::export;
    "/teams/{team}/webhooks", TeamWebhookList, All, Reads, Interactive, Webhooks => webhook::overview::list;
    "/teams/{team}/webhooks/new", TeamWebhookCreate, All, Writes, Interactive, Webhooks => opened(webhook::form::form_page), webhook::form::submit_new;
    "/teams/{team}/webhooks/{webhook}", TeamWebhookGet, All, Reads, Interactive, Webhooks => opened(webhook::overview::webhook_page);
    "/teams/{team}/webhooks/{webhook}/edit", TeamWebhookUpdate, All, Writes, Interactive, Webhooks => opened(webhook::form::form_page), webhook::form::submit_edit;
    "/teams/{team}/webhooks/{webhook}/pause", TeamWebhookUpdate, All, Writes, Interactive, Webhooks => webhook::overview::PAUSE.opened(), webhook::overview::submit_pause;
    "/teams/{team}/webhooks/{webhook}/resume", TeamWebhookUpdate, All, Writes, Interactive, Webhooks => webhook::overview::RESUME.opened(), webhook::overview::submit_resume;
    "/teams/{team}/webhooks/{webhook}/rotate", TeamWebhookRotate, All, Writes, Interactive, Webhooks => webhook::secret::ROTATE.opened(), webhook::secret::submit_rotate;
    "/teams/{team}/webhooks/{webhook}/deliveries", TeamWebhookDeliveries, All, Writes, Interactive, Webhooks => webhook::deliveries::list, webhook::deliveries::redeliver;
    "/teams/{team}/webhooks/{webhook}/deliveries/{delivery}", TeamWebhookDeliveryGet, All, Reads, Interactive, Webhooks => webhook::deliveries::show;
    "/teams/{team}/webhooks/{webhook}/test", TeamWebhookTest, All, Writes, Interactive, Webhooks => webhook::deliveries::back, webhook::deliveries::send_test;
    "/teams/{team}/webhooks/{webhook}/delete", TeamWebhookDelete, All, Writes, Interactive, Webhooks => webhook::overview::DELETE.opened(), webhook::overview::submit_delete;
    // Projects.
    "/projects/new", ProjectCreate, All, Reads, Interactive, None => project::new::choose;
    "/projects/{project}", ProjectGet, All, Reads, Interactive, Overview => project::overview::show;
    "/projects/{project}/connect", SettingsGet, All, Writes, Interactive, Connect => opened(project::connect::connect_page), project::connect::submit;
    "/projects/{project}/settings", ProjectUpdate, All, Writes, Interactive, Settings => opened(project::settings::edit_page), project::settings::submit;
    "/projects/{project}/sign-in", SettingsGet, All, Writes, Interactive, SignIn => opened(project::sign_in::settings_page), project::sign_in::submit;
    "/projects/{project}/providers", IdentityProviderList, All, Reads, Interactive, SignIn => provider::list;
    "/projects/{project}/providers/new", IdentityProviderCreate, All, Writes, Interactive, SignIn => opened(provider::form::form_page), provider::form::submit_new;
    "/projects/{project}/providers/{provider}", IdentityProviderGet, All, Reads, Interactive, SignIn => provider::show;
    "/projects/{project}/providers/{provider}/failed", IdentityProviderGet, All, Costly, Heavy, SignIn => provider::failed::show;
    "/projects/{project}/providers/{provider}/test", IdentityProviderGet, All, Writes, Interactive, SignIn => provider::show_test, provider::submit_test;
    "/projects/{project}/providers/{provider}/edit", IdentityProviderUpdate, All, Writes, Interactive, SignIn => opened(provider::form::form_page), provider::form::submit_edit;
    "/projects/{project}/providers/{provider}/delete", IdentityProviderDelete, All, Writes, Interactive, SignIn => opened(provider::delete_page), provider::submit_delete;
    "/projects/{project}/clients", ClientList, All, Reads, Interactive, SignIn => client::list;
    "/projects/{project}/refused-requests", ClientList, All, Costly, Heavy, SignIn => client::refused::show;
    "/projects/{project}/clients/new", ClientCreate, All, Writes, Interactive, SignIn => opened(client::form::form_page), client::form::submit_new;
    "/projects/{project}/clients/{client}", ClientGet, All, Reads, Interactive, SignIn => client::show;
    "/projects/{project}/clients/{client}/edit", ClientUpdate, All, Writes, Interactive, SignIn => opened(client::form::form_page), client::form::submit_edit;
    "/projects/{project}/clients/{client}/logo", ClientLogoUpload, All, Writes, Interactive, SignIn => opened(client::logo::upload_page), client::logo::submit;
    "/projects/{project}/clients/{client}/logo/remove", ClientLogoDelete, All, Writes, Interactive, SignIn => opened(client::logo::remove_page), client::logo::submit_remove;
    "/projects/{project}/clients/{client}/rotate", ClientSecretRotate, All, Writes, Interactive, SignIn => opened(client::secret::rotate_page), client::secret::submit_rotate;
    "/projects/{project}/clients/{client}/delete", ClientDelete, All, Writes, Interactive, SignIn => opened(client::delete_page), client::submit_delete;
    "/projects/{project}/images/{use}", ProjectUpdate, All, Writes, Interactive, Settings => opened(project::images::upload_page), project::images::submit;
    "/projects/{project}/images/{use}/remove", ProjectUpdate, All, Writes, Interactive, Settings => opened(project::images::remove_page), project::images::submit_remove;
    "/projects/{project}/delete", ProjectDelete, All, Writes, Interactive, Delete => opened(project::settings::delete_page), project::settings::submit_delete;
    "/projects/{project}/audit", ProjectAudit, All, Costly, Heavy, AuditLog => audit::log::show;
    "/projects/{project}/audit/chain", ProjectEvents, All, Costly, Heavy, AuditLog => audit::chain::show;
    "/projects/{project}/audit/export", ProjectAudit, All, Costly, Heavy, AuditLog => audit::log::export;
    "/projects/{project}/schema", SchemaGet, All, Reads, Interactive, Schema => schema::overview::show;
    "/projects/{project}/schema/compare", SchemaCompare, All, Costly, Heavy, Schema => schema::compare::show;
    "/projects/{project}/schema/download", SchemaGet, All, Reads, Interactive, Schema => schema::overview::download;
    "/projects/{project}/schema/draft", SchemaPublish, All, Writes, Interactive, Schema => schema::draft::show, schema::draft::submit;
    "/projects/{project}/schema/edit", SchemaPublish, All, Writes, Interactive, Schema => schema::editor::show, schema::editor::submit;
    "/projects/{project}/schema/json", SchemaPublish, All, Writes, Interactive, Schema => schema::json::show, schema::json::submit;
    "/projects/{project}/schema/publish", SchemaPublish, All, Costly, Heavy, Schema => schema::publish::show, schema::publish::submit;
    "/projects/{project}/schema/versions/{version}", SchemaGet, All, Reads, Interactive, Schema => schema::overview::show_version;
    "/projects/{project}/schema/versions/{version}/rollback", SchemaRollback, All, Costly, Heavy, Schema => opened(schema::publish::rollback_page), schema::publish::submit_rollback;
    "/projects/{project}/requests", RequestLog, All, Reads, Interactive, Requests => project::requests::show;
    "/projects/{project}/keys", KeyList, All, Reads, Interactive, Keys => key::overview::list;
    "/projects/{project}/keys/new", KeyCreate, All, Writes, Interactive, Keys => opened(key::form::form_page), key::form::submit_new;
    "/projects/{project}/keys/verify", KeyVerify, All, Writes, Interactive, Keys => key::value::show_verify, key::value::submit_verify;
    "/projects/{project}/keys/{key}", KeyGet, All, Reads, Interactive, Keys => key::overview::show;
    "/projects/{project}/keys/{key}/edit", KeyUpdate, All, Writes, Interactive, Keys => opened(key::form::form_page), key::form::submit_edit;
    "/projects/{project}/keys/{key}/rotate", KeyRegenerate, All, Writes, Interactive, Keys => opened(key::value::rotate_page), key::value::submit_rotate;
    "/projects/{project}/keys/{key}/revoke-previous", KeyPreviousRevoke, All, Writes, Interactive, Keys => opened(key::value::revoke_page), key::value::submit_revoke;
    "/projects/{project}/keys/{key}/delete", KeyDelete, All, Writes, Interactive, Keys => opened(key::overview::delete_page), key::overview::submit_delete;
    "/projects/{project}/webhooks", ProjectWebhookList, All, Reads, Interactive, Webhooks => webhook::overview::list;
    "/projects/{project}/webhooks/new", ProjectWebhookCreate, All, Writes, Interactive, Webhooks => opened(webhook::form::form_page), webhook::form::submit_new;
    "/projects/{project}/webhooks/{webhook}", ProjectWebhookGet, All, Reads, Interactive, Webhooks => opened(webhook::overview::webhook_page);
    "/projects/{project}/webhooks/{webhook}/edit", ProjectWebhookUpdate, All, Writes, Interactive, Webhooks => opened(webhook::form::form_page), webhook::form::submit_edit;
    "/projects/{project}/webhooks/{webhook}/pause", ProjectWebhookUpdate, All, Writes, Interactive, Webhooks => webhook::overview::PAUSE.opened(), webhook::overview::submit_pause;
    "/projects/{project}/webhooks/{webhook}/resume", ProjectWebhookUpdate, All, Writes, Interactive, Webhooks => webhook::overview::RESUME.opened(), webhook::overview::submit_resume;
    "/projects/{project}/webhooks/{webhook}/rotate", ProjectWebhookRotate, All, Writes, Interactive, Webhooks => webhook::secret::ROTATE.opened(), webhook::secret::submit_rotate;
    "/projects/{project}/webhooks/{webhook}/deliveries", ProjectWebhookDeliveries, All, Writes, Interactive, Webhooks => webhook::deliveries::list, webhook::deliveries::redeliver;
    "/projects/{project}/webhooks/{webhook}/deliveries/{delivery}", ProjectWebhookDeliveryGet, All, Reads, Interactive, Webhooks => webhook::deliveries::show;
    "/projects/{project}/webhooks/{webhook}/test", ProjectWebhookTest, All, Writes, Interactive, Webhooks => webhook::deliveries::back, webhook::deliveries::send_test;
    "/projects/{project}/webhooks/{webhook}/delete", ProjectWebhookDelete, All, Writes, Interactive, Webhooks => webhook::overview::DELETE.opened(), webhook::overview::submit_delete;
    // Project users and their data.
    "/projects/{project}/data", ProjectTableList, All, Reads, Heavy, Data => item::tables::show;
    "/projects/{project}/data/{table}", ProjectItemList, All, Reads, Interactive, Data => item::grid::show;
    "/projects/{project}/data/{table}/new", ItemCreate, All, Reads, Interactive, Data => user::list::choose;
    "/projects/{project}/data/{table}/export", ProjectItemList, All, Costly, Interactive, Data => item::export::items;
    "/projects/{project}/data/{table}/delete", ItemBatch, All, Writes, Interactive, Data => item::delete_selected::show, item::delete_selected::submit;
    "/projects/{project}/users", UserList, All, Reads, Interactive, Users => user::list::show;
    "/projects/{project}/test-person", ItemCreate, All, Writes, Interactive, Overview => opened(user::test_person::page), user::test_person::submit;
    "/projects/{project}/users/{user}", UserGet, All, Reads, Interactive, Users => user::details::show;
    "/projects/{project}/users/{user}/meta", UserUpdate, All, Writes, Interactive, Users => opened(user::details::meta_page), user::details::submit_meta;
    "/projects/{project}/users/{user}/block", UserUpdate, All, Writes, Interactive, Users => opened(user::details::block_page), user::details::submit_block;
    "/projects/{project}/users/{user}/sign-out", UserSignOut, All, Writes, Interactive, Users => opened(user::details::sign_out_page), user::details::submit_sign_out;
    "/projects/{project}/users/{user}/erase", UserDelete, All, Writes, Interactive, Users => opened(user::details::erase_page), user::details::submit_erase;
    "/projects/{project}/users/{user}/export", UserExport, All, Costly, Interactive, Users => item::export::user;
    "/projects/{project}/users/{user}/tables/{table}", ItemList, All, Reads, Interactive, Users => item::grid::show;
    "/projects/{project}/users/{user}/tables/{table}/new", ItemCreate, All, Writes, Interactive, Users => opened(item::form::new_page), item::form::submit_new;
    "/projects/{project}/users/{user}/tables/{table}/delete", ItemBatch, All, Writes, Interactive, Users => item::delete_selected::show, item::delete_selected::submit;
    "/projects/{project}/users/{user}/tables/{table}/undo", ItemBatch, All, Writes, Interactive, Users => item::undo::back, item::undo::undo;
    "/projects/{project}/users/{user}/tables/{table}/import", ItemBatch, All, Costly, Interactive, Users => item::import::form::show, item::import::form::submit;
    "/projects/{project}/users/{user}/tables/{table}/imports/{import}", ItemBatch, All, Writes, Interactive, Users => opened(item::import::progress::progress_page), item::import::progress::cancel;
    "/projects/{project}/users/{user}/tables/{table}/imports/{import}/report", ItemBatch, All, Reads, Interactive, Users => item::import::progress::report;
    "/projects/{project}/users/{user}/tables/{table}/export", ItemList, All, Costly, Interactive, Users => item::export::items;
    "/projects/{project}/users/{user}/tables/{table}/items/{item}", ItemGet, All, Writes, Interactive, Users => item::form::show, item::form::submit;
    "/projects/{project}/users/{user}/tables/{table}/items/{item}/delete", ItemDelete, All, Writes, Interactive, Users => opened(item::delete::delete_page), item::delete::submit;
    // The account of the person.
    "/account", OwnAccountUpdate, All, Writes, Interactive, Profile => opened(account::profile::profile_page), account::profile::submit;
    "/account/email", EmailChange, WithFactor, Writes, Interactive, Email => opened(account::email::email_page), account::email::submit;
    "/account/email/confirm", EmailLinkSend, WithFactor, Writes, Interactive, Email => opened(account::email::confirm_page), account::email::submit_confirm;
    "/account/password", PasswordChange, All, Writes, Interactive, Password => opened(account::password::password_page), account::password::submit;
    "/account/two-factor", AuthenticatorAppAdd, Confirmed, Reads, Interactive, TwoFactor => account::two_factor::show;
    "/account/two-factor/app", AuthenticatorAppAdd, Confirmed, Writes, Interactive, TwoFactor => account::two_factor::show_app, account::two_factor::submit_app;
    "/account/two-factor/app/remove", AuthenticatorAppRemove, Confirmed, Writes, Interactive, TwoFactor => opened(account::two_factor::remove_page), account::two_factor::submit_remove;
    "/account/two-factor/recovery-codes", RecoveryCodesReplace, Confirmed, Writes, Interactive, TwoFactor => opened(account::two_factor::codes_page), account::two_factor::submit_codes;
    "/account/passkeys", PasskeyAdd, Confirmed, Reads, Interactive, Passkeys => account::passkeys::list;
    "/account/passkeys/new", PasskeyAdd, Confirmed, Writes, Interactive, Passkeys => opened(account::passkeys::new_page), account::passkeys::submit_new;
    "/account/passkeys/{passkey}/rename", PasskeyRename, Confirmed, Writes, Interactive, Passkeys => back_to(account::passkeys::ADDRESS), account::passkeys::submit_rename;
    "/account/passkeys/{passkey}/remove", PasskeyRemove, Confirmed, Writes, Interactive, Passkeys => opened(account::passkeys::remove_page), account::passkeys::submit_remove;
    "/account/lost-factors", OwnFactorsRemove, Confirmed, Writes, Interactive, Passkeys => opened(account::lost_factors::lost_page), account::lost_factors::submit;
    "/account/lost-factors/keep", OwnFactorsKeep, Confirmed, Writes, Interactive, Passkeys => back_to(account::lost_factors::ADDRESS), account::lost_factors::keep;
    "/account/identities", IdentityLink, All, Writes, Interactive, Identities => opened(account::identities::list_page), account::identities::submit;
    "/account/identities/{identity}/unlink", IdentityUnlink, All, Writes, Interactive, Identities => opened(account::identities::unlink_page), account::identities::submit_unlink;
    "/account/sessions", SessionEnd, All, Reads, Interactive, Sessions => account::sessions::show;
    "/account/sessions/end", SessionEnd, All, Writes, Interactive, Sessions => back_to(account::sessions::ADDRESS), account::sessions::end;
    "/account/sessions/end-program", SessionEnd, All, Writes, Interactive, Sessions => back_to(account::sessions::ADDRESS), account::sessions::end_program;
    "/account/activity", OwnAccountEventList, All, Reads, Interactive, Activity => account::activity::show;
    "/account/apps", GrantRevoke, All, Reads, Interactive, Apps => account::apps::show;
    "/account/apps/revoke", GrantRevoke, All, Writes, Interactive, Apps => back_to(account::apps::ADDRESS), account::apps::revoke;
    "/account/tokens", PersonalTokenList, All, Reads, Interactive, Tokens => account::tokens::list;
    "/account/tokens/new", PersonalTokenCreate, All, Writes, Interactive, Tokens => opened(account::tokens::new_page), account::tokens::submit_new;
    "/account/tokens/{token}/revoke", PersonalTokenRevoke, All, Writes, Interactive, Tokens => opened(account::tokens::revoke_page), account::tokens::submit_revoke;
    "/account/export", OwnAccountExport, All, Costly, Interactive, Export => account::export::show, account::export::confirm;
    "/account/export/file", OwnAccountExport, All, Costly, Heavy, Export => account::export::file;
    "/account/delete", OwnAccountDelete, WithFactor, Writes, Interactive, Delete => opened(account::delete::delete_page), account::delete::submit;
    // Operators.
    "/operator", InstanceGet, All, Reads, Interactive, Health => operator::service::health;
    "/operator/accounts", AccountList, All, Reads, Interactive, Accounts => operator::accounts::list;
    "/operator/accounts/{account}", AccountList, All, Reads, Interactive, Accounts => operator::accounts::show;
    "/operator/accounts/{account}/{action}", AccountDisable, All, Writes, Interactive, Accounts => opened(operator::action::show), operator::action::submit;
    "/operator/providers", ServiceProviderList, All, Reads, Interactive, Providers => provider::list;
    "/operator/providers/new", ServiceProviderCreate, All, Writes, Interactive, Providers => opened(provider::form::form_page), provider::form::submit_new;
    "/operator/providers/{provider}", ServiceProviderList, All, Reads, Interactive, Providers => provider::show;
    "/operator/providers/{provider}/failed", ServiceProviderList, All, Costly, Heavy, Providers => provider::failed::show;
    "/operator/providers/{provider}/test", ServiceProviderList, All, Writes, Interactive, Providers => provider::show_test, provider::submit_test;
    "/operator/providers/{provider}/edit", ServiceProviderUpdate, All, Writes, Interactive, Providers => opened(provider::form::form_page), provider::form::submit_edit;
    "/operator/providers/{provider}/delete", ServiceProviderDelete, All, Writes, Interactive, Providers => opened(provider::delete_page), provider::submit_delete;
    "/operator/sizes", SizeList, All, Costly, Interactive, Sizes => operator::sizes::show;
    "/operator/jobs", InstanceGet, All, Reads, Interactive, Jobs => operator::service::jobs;
    "/operator/settings", InstanceGet, All, Reads, Interactive, Settings => operator::service::settings;
    "/operator/mail", EmailTest, All, Writes, Interactive, Mail => opened(operator::service::mail), operator::service::send_mail;
    "/operator/mail/preview", EmailTest, All, Reads, Interactive, Mail => operator::service::preview;
};

/// Returns every page and file of the console. Paths are relative to `/console`.
pub(super) fn all() -> Vec<Resource> {
    let files = [
        web::resource("/assets/console.css").get(|| async { asset("text/css; charset=utf-8", STYLE) }),
        web::resource("/assets/console.js").get(|| async { asset("text/javascript; charset=utf-8", SCRIPT) }),
        web::resource("/assets/htmx-2.0.11.min.js").get(htmx),
        #[cfg(debug_assertions)]
        web::resource("/parts").get(opened(home::all_parts::page)),
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
