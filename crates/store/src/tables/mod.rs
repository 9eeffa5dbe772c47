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

pub(crate) use account::{
    AccountRow, AuthenticatorAppRow, EmailLinkRow, LinkedIdentityRow, PasskeyRow, PersonalTokenRow, RecoveryCodesRow,
    SessionRow, accounts, attempts, authenticator_apps, email_links, linked_identities, passkeys, personal_tokens,
    recovery_codes, sessions, sign_in_networks,
};
pub(crate) use audit::{
    AuditSealRow, audit_events, audit_progress, audit_seals, chain, event_marks, item_changes, position_domains,
};
pub(crate) use authorization::{
    AuthorizationCodeRow, AuthorizationRequestRow, DeviceAuthorizationRow, GrantRow, LogoutDeliveryRow,
    RefreshTokenRow, TokenFamilyRow, authorization_codes, authorization_requests, device_authorizations, grants,
    logout_deliveries, refresh_tokens, token_families,
};
pub(crate) use column::{ColumnValue, ValueOf};
pub(crate) use item::{
    ItemColumns, ItemContent, ItemContentColumns, ItemDeletionRow, ItemImportRow, ItemRow, SyncRejectionRow,
    indexed_fields, item_deletions, item_import_chunks, item_import_problems, item_imports, item_keys, item_tombstones,
    items, sync_rejections,
};
pub(crate) use project::{
    ApiKeyRow, IdentityProviderRow, ProjectClientRow, ProjectRow, SchemaDraftRow, SchemaVersionRow, api_keys,
    identity_providers, project_clients, project_slugs, projects, request_counts, schema_drafts, schema_versions,
};
pub(crate) use project_user::{ProjectUserRow, project_users, user_activity};
pub(crate) use row::{Revised, Stored};
pub(crate) use server::{IdempotentRequestRow, ServerKeyRow, idempotency_claims, server_keys, work_leases};
pub(crate) use team::{InviteRow, MemberRow, PENDING, RECIPIENT_KINDS, TeamRow, invites, members, team_slugs, teams};
pub(crate) use webhook::{WebhookDeliveryRow, WebhookRow, deliveries, webhooks};

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
    item_changes,
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
