//! The tables of both databases, and their rows as values of the domain. The columns are documented in `migrations/`.

mod account;
mod audit;
mod authorization;
mod column;
mod item;
mod project;
mod project_user;
mod replaced_value;
mod row;
mod server;
pub(crate) mod server_key_kind;
mod team;
mod webhook;

use diesel::{allow_tables_to_appear_in_same_query, joinable};

pub(crate) use column::{ColumnValue, ValueOf};
pub(crate) use row::{Revised, Stored};
pub(crate) use {
    account::*, audit::*, authorization::*, item::*, project::*, project_user::*, server::*, team::*, webhook::*,
};

joinable!(members -> teams (team_id));
joinable!(projects -> teams (team_id));
joinable!(invites -> teams (team_id));
joinable!(api_keys -> projects (project_id));
joinable!(project_clients -> projects (project_id));
joinable!(identity_providers -> projects (project_id));
joinable!(schema_drafts -> accounts (account_id));
joinable!(grants -> projects (project_id));
joinable!(token_families -> accounts (account_id));
joinable!(refresh_tokens -> token_families (family_id));
joinable!(personal_tokens -> accounts (account_id));
joinable!(sessions -> accounts (account_id));
joinable!(linked_identities -> identity_providers (provider_id));
allow_tables_to_appear_in_same_query!(
    accounts,
    teams,
    members,
    invites,
    projects,
    api_keys,
    schema_versions,
    schema_drafts,
    project_users,
    user_activity,
    request_counts,
    items,
    grants,
    token_families,
    refresh_tokens,
    sessions,
    audit_events,
    audit_seals,
    audit_progress,
    event_marks,
    server_keys,
    webhooks,
    personal_tokens,
    authenticator_apps,
    passkeys,
    identity_providers,
    linked_identities,
    project_clients
);
