//! Tables for accounts, and for the ways in which they sign in.

use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use steward_domain::identity::{
    Account, AuthenticatorApp, EmailLink, LinkedIdentity, Passkey, PersonalToken, RecoveryCodes, Session, Username,
};
use steward_domain::kernel::KeyDigest;

use super::row::{row, table};
use crate::sql_types::{Instant, JsonText, Uid};

row! {
    struct AccountRow for Account in accounts (id; revision) {
        id -> Uid,
        email -> Text,
        email_verified -> Bool,
        username -> Nullable<Text>,
        name -> Nullable<Text>,
        password: password_hash -> Text,
        password_set_at -> Instant,
        created_at -> Instant,
        disabled_at -> Nullable<Instant>,
        deletion_started_at -> Nullable<Instant>,
        factors_removal_at -> Nullable<Instant>,
        authority_since -> Nullable<Instant>,
        language -> Nullable<Text>,
        is_operator -> Bool,
        revision -> BigInt,
    }
    store |account| {
        email_folded -> Text = account.email.folded(),
        username_folded -> Nullable<Text> = account.username.as_ref().map(Username::folded),
    }
    others {
        deleted_at -> Nullable<Instant>,
        access_epoch -> BigInt,
    }
}

row! {
    struct SessionRow for Session in sessions (id; revision) {
        id -> Uid,
        digest -> Text,
        account_id -> Uid,
        authenticated_at -> Instant,
        methods -> Text,
        password_set_at -> Instant,
        limited_to: project_id -> Nullable<Uid>,
        user_agent -> Text,
        address -> Nullable<Text>,
        expires_at -> Instant,
        last_used -> Nullable<Instant>,
        revision -> BigInt,
    }
}

row! {
    struct AuthenticatorAppRow for AuthenticatorApp in authenticator_apps (id; revision) {
        id -> Uid,
        account_id -> Uid,
        key -> Binary,
        last_step -> BigInt,
        created_at -> Instant,
        last_used -> Instant,
        revision -> BigInt,
    }
}

row! {
    struct PasskeyRow for Passkey in passkeys (id; revision) {
        id -> Uid,
        account_id -> Uid,
        credential_id -> Binary,
        name -> Text,
        credential -> Text,
        is_synced -> Bool,
        last_challenge -> Instant,
        created_at -> Instant,
        last_used -> Instant,
        revision -> BigInt,
    }
}

row! {
    struct LinkedIdentityRow for LinkedIdentity in linked_identities (id; revision) {
        id -> Uid,
        account_id -> Uid,
        provider_id -> Uid,
        subject -> Text,
        email -> Nullable<Text>,
        created_at -> Instant,
        last_used -> Instant,
        revision -> BigInt,
    }
}

row! {
    struct RecoveryCodesRow for RecoveryCodes in recovery_codes (id; revision) {
        id -> Uid,
        account_id -> Uid,
        digests -> Text,
        created_at -> Instant,
        revision -> BigInt,
    }
}

row! {
    struct EmailLinkRow for EmailLink in email_links (id; revision) {
        id -> Uid,
        digest -> Text,
        purpose -> Text,
        email -> Text,
        created_at -> Instant,
        expires_at -> Instant,
        revision -> BigInt,
    }
}

row! {
    struct PersonalTokenRow for PersonalToken in personal_tokens (account_id, id; revision) {
        id -> Uid,
        account_id -> Uid,
        label -> Text,
        roles -> Text,
        teams -> JsonText,
        projects -> JsonText,
        digest = KeyDigest { pepper -> BigInt, hex: digest -> Text },
        hint -> Text,
        created_at -> Instant,
        expires_at -> Instant,
        last_used -> Nullable<Instant>,
        revision -> BigInt,
    }
}

table! {
    attempts (digest) {
        digest -> Text,
        at_rest -> BigInt,
    }
}

table! {
    sign_in_networks (account_id, digest) {
        account_id -> Uid,
        digest -> Text,
        seen_at -> Instant,
    }
}
