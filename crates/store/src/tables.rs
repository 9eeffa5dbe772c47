//! Table definitions for both databases. The columns are documented in `migrations/`.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

table! {
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    accounts (id) {
        id -> Uid,
        email -> Text,
        email_folded -> Text,
        email_verified -> Bool,
        username -> Nullable<Text>,
        username_folded -> Nullable<Text>,
        name -> Nullable<Text>,
        password_hash -> Text,
        password_set_at -> Instant,
        created_at -> Instant,
        disabled_at -> Nullable<Instant>,
        deletion_started_at -> Nullable<Instant>,
        is_operator -> Bool,
        deleted_at -> Nullable<Instant>,
        access_epoch -> BigInt,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::{Instant, Uid};

    teams (id) {
        id -> Uid,
        name -> Text,
        slug -> Text,
        owner_id -> Uid,
        created_at -> Instant,
        revision -> BigInt,
        contents_revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::Text;
    use crate::sql_types::Uid;

    team_slugs (slug) {
        slug -> Text,
        team_id -> Uid,
    }
}

table! {
    use diesel::sql_types::Text;
    use crate::sql_types::Uid;

    project_slugs (slug) {
        slug -> Text,
        project_id -> Uid,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::{Instant, Uid};

    members (team_id, account_id) {
        team_id -> Uid,
        account_id -> Uid,
        roles -> Text,
        role_name -> Text,
        created_at -> Instant,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    invites (id) {
        id -> Uid,
        team_id -> Uid,
        recipient_kind -> Text,
        recipient -> Text,
        recipient_folded -> Text,
        roles -> Text,
        role_name -> Text,
        invited_by -> Uid,
        created_at -> Instant,
        expires_at -> Instant,
        state -> Text,
        delivery -> Text,
        decided_by -> Nullable<Uid>,
        decided_at -> Nullable<Instant>,
        revision -> BigInt,
        proof_digest -> Nullable<Text>,
    }
}

table! {
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    use crate::sql_types::{Instant, JsonText, Uid};

    projects (id) {
        id -> Uid,
        team_id -> Uid,
        name -> Text,
        slug -> Text,
        website -> Nullable<Text>,
        profile -> JsonText,
        redirect_uris -> JsonText,
        require_pkce -> Bool,
        legacy_scopes -> Bool,
        post_logout_redirect_uris -> JsonText,
        backchannel_logout_uri -> Nullable<Text>,
        icon -> Nullable<JsonText>,
        background -> Nullable<JsonText>,
        created_at -> Instant,
        updated_at -> Instant,
        deleted_at -> Nullable<Instant>,
        access_epoch -> BigInt,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    api_keys (id) {
        id -> Uid,
        project_id -> Uid,
        label -> Text,
        roles -> Text,
        is_private -> Bool,
        pepper -> BigInt,
        digest -> Text,
        hint -> Text,
        previous_pepper -> Nullable<BigInt>,
        previous_digest -> Nullable<Text>,
        previous_expires_at -> Nullable<Instant>,
        previous_last_used -> Nullable<Instant>,
        created_by -> Uid,
        regenerated_by -> Nullable<Uid>,
        created_at -> Instant,
        expires_at -> Nullable<Instant>,
        last_used -> Nullable<Instant>,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::Integer;
    use crate::sql_types::{Instant, JsonText, Uid};

    schema_versions (id) {
        id -> Uid,
        project_id -> Uid,
        number -> Integer,
        document -> JsonText,
        published_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{Integer, Text};
    use crate::sql_types::{Instant, Uid};

    schema_drafts (project_id, account_id) {
        project_id -> Uid,
        account_id -> Uid,
        editor -> Text,
        content -> Text,
        based_on -> Integer,
        updated_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, JsonText, Uid};

    project_users (project_id, id) {
        project_id -> Uid,
        id -> Uid,
        account_id -> Uid,
        user_did -> Text,
        pds_url -> Text,
        status -> Text,
        meta -> JsonText,
        profile -> JsonText,
        last_seen_at -> Instant,
        created_at -> Instant,
        search -> Text,
        revision -> BigInt,
        deletion_started_at -> Nullable<Instant>,
    }
}

table! {
    use crate::sql_types::{CalendarDay, Uid};

    user_activity (project_id, user_id, day) {
        project_id -> Uid,
        user_id -> Uid,
        day -> CalendarDay,
    }
}

table! {
    use diesel::sql_types::BigInt;
    use crate::sql_types::{CalendarDay, Uid};

    request_counts (project_id, day) {
        project_id -> Uid,
        day -> CalendarDay,
        requests -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::{Instant, JsonDoc, Uid};

    items (project_id, user_id, table_name, id) {
        project_id -> Uid,
        user_id -> Uid,
        table_name -> Text,
        id -> Text,
        value -> JsonDoc,
        created_at -> Instant,
        updated_at -> Instant,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    item_imports (project_id, id) {
        project_id -> Uid,
        id -> Uid,
        user_id -> Uid,
        account_id -> Uid,
        table_name -> Text,
        is_check -> Bool,
        header -> Nullable<Text>,
        state -> Text,
        has_work -> Bool,
        message -> Text,
        bytes -> BigInt,
        chunks -> BigInt,
        next_chunk -> BigInt,
        lines -> BigInt,
        stored -> BigInt,
        refused -> BigInt,
        problems -> BigInt,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::Uid;

    item_import_chunks (project_id, import_id, number) {
        project_id -> Uid,
        import_id -> Uid,
        number -> BigInt,
        records -> Text,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::Uid;

    item_import_problems (project_id, import_id, number) {
        project_id -> Uid,
        import_id -> Uid,
        number -> BigInt,
        line -> BigInt,
        field -> Nullable<Text>,
        message -> Text,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::{Instant, Uid};

    item_deletions (project_id, id) {
        project_id -> Uid,
        id -> Uid,
        user_id -> Uid,
        table_name -> Text,
        deleted_by -> Uid,
        expires_at -> Instant,
        item_count -> BigInt,
        bytes -> BigInt,
        items -> Text,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::Uid;

    indexed_fields (project_id, id) {
        project_id -> Uid,
        id -> BigInt,
        table_name -> Text,
        field -> Text,
        kind -> Text,
        state -> Text,
        filled_user -> Uid,
        filled_table -> Text,
        filled_item -> Text,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::Uid;

    // The columns with the key values are accessed by raw SQL only: see `migrations/`.
    item_keys (project_id, owner_id, item_id, field_id) {
        project_id -> Uid,
        field_id -> BigInt,
        owner_id -> Uid,
        item_id -> Text,
    }
}

table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    server_keys (id) {
        id -> Uid,
        kind -> Text,
        algorithm -> Nullable<Text>,
        generation -> BigInt,
        encrypted -> Binary,
        created_at -> Instant,
        use_from -> Instant,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    authorization_requests (id) {
        id -> Uid,
        digest -> Text,
        client_id -> Text,
        project_id -> Nullable<Uid>,
        redirect_uri -> Text,
        scopes -> Text,
        state -> Nullable<Text>,
        nonce -> Nullable<Text>,
        challenge -> Nullable<Text>,
        prompt -> Text,
        login_hint -> Nullable<Text>,
        max_age -> Nullable<BigInt>,
        created_at -> Instant,
        expires_at -> Instant,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::{Instant, Uid};

    grants (id) {
        id -> Uid,
        account_id -> Uid,
        project_id -> Uid,
        scopes -> Text,
        created_at -> Instant,
        updated_at -> Instant,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    authorization_codes (family_id) {
        family_id -> Uid,
        digest -> Text,
        account_id -> Uid,
        client_id -> Text,
        project_id -> Nullable<Uid>,
        session_id -> Uid,
        redirect_uri -> Text,
        scopes -> Text,
        nonce -> Nullable<Text>,
        challenge -> Nullable<Text>,
        authenticated_at -> Instant,
        password_set_at -> Instant,
        created_at -> Instant,
        expires_at -> Instant,
        redeemed_at -> Nullable<Instant>,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    token_families (id) {
        id -> Uid,
        account_id -> Uid,
        client_id -> Text,
        project_id -> Nullable<Uid>,
        session_id -> Nullable<Uid>,
        scopes -> Text,
        authenticated_at -> Instant,
        password_set_at -> Instant,
        created_at -> Instant,
        revoked_at -> Nullable<Instant>,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    refresh_tokens (id) {
        id -> Uid,
        family_id -> Uid,
        digest -> Text,
        issued_at -> Instant,
        expires_at -> Instant,
        replaced_at -> Nullable<Instant>,
        answer -> Nullable<Binary>,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, Uid};

    sessions (id) {
        id -> Uid,
        digest -> Text,
        account_id -> Uid,
        authenticated_at -> Instant,
        password_set_at -> Instant,
        user_agent -> Text,
        address -> Nullable<Text>,
        expires_at -> Instant,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::{Instant, Uid};

    email_links (id) {
        id -> Uid,
        digest -> Text,
        purpose -> Text,
        email -> Text,
        created_at -> Instant,
        expires_at -> Instant,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, JsonText, Uid};
    audit_events (position) {
        chain_id -> Uid,
        position -> BigInt,
        at -> Instant,
        team_id -> Nullable<Uid>,
        project_id -> Nullable<Uid>,
        actor_kind -> Text,
        actor_id -> Nullable<Uid>,
        token_id -> Nullable<Uid>,
        operation -> Text,
        action -> Text,
        target_kind -> Text,
        target_id -> Text,
        before -> Nullable<JsonText>,
        after -> Nullable<JsonText>,
        request_id -> Text,
        address -> Nullable<Text>,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, Uid};
    item_changes (position) {
        project_id -> Uid,
        position -> BigInt,
        at -> Instant,
        team_id -> Nullable<Uid>,
        user_id -> Uid,
        table_name -> Text,
        item_id -> Text,
        action -> Text,
        actor_kind -> Text,
        actor_id -> Nullable<Uid>,
        token_id -> Nullable<Uid>,
        operation -> Text,
        request_id -> Text,
        address -> Nullable<Text>,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::{Instant, Uid};
    audit_seals (chain_id, number) {
        chain_id -> Uid,
        number -> BigInt,
        team_id -> Uid,
        after_position -> BigInt,
        through_position -> BigInt,
        at -> Instant,
        first_at -> Instant,
        events -> BigInt,
        events_hash -> Text,
        item_changes -> BigInt,
        item_changes_hash -> Text,
        prev -> Text,
        hash -> Text,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable};
    use crate::sql_types::Instant;
    audit_progress (position) {
        position -> BigInt,
        events_kept_from -> Nullable<Instant>,
        item_changes_kept_from -> Nullable<Instant>,
    }
}

table! {
    use diesel::sql_types::BigInt;
    use crate::sql_types::Instant;
    event_marks (at) {
        at -> Instant,
        position -> BigInt,
    }
}

table! {
    use diesel::sql_types::{Binary, Bool, Nullable, Text};
    use crate::sql_types::{Instant, Uid};
    idempotency_claims (caller, key_digest) {
        id -> Uid,
        caller -> Text,
        key_digest -> Text,
        fingerprint -> Text,
        leased_until -> Instant,
        expires_at -> Instant,
        is_effective -> Bool,
        answer -> Nullable<Binary>,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, JsonText, Uid};
    personal_tokens (id) {
        id -> Uid,
        account_id -> Uid,
        label -> Text,
        roles -> Text,
        teams -> JsonText,
        projects -> JsonText,
        pepper -> BigInt,
        digest -> Text,
        hint -> Text,
        created_at -> Instant,
        expires_at -> Instant,
        last_used -> Nullable<Instant>,
        revision -> BigInt,
    }
}

table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, Text};
    use crate::sql_types::{Instant, JsonText, Uid};
    webhooks (id) {
        id -> Uid,
        team_id -> Uid,
        project_id -> Nullable<Uid>,
        url -> Text,
        events -> JsonText,
        secret -> Binary,
        previous_secret -> Nullable<Binary>,
        previous_expires_at -> Nullable<Instant>,
        paused_at -> Nullable<Instant>,
        pause_reason -> Nullable<Text>,
        begins_after -> BigInt,
        created_by -> Uid,
        authorized_by -> Nullable<Uid>,
        created_at -> Instant,
        revision -> BigInt,
        position -> BigInt,
        attempts -> BigInt,
        next_attempt_at -> Instant,
        leased_until -> Instant,
        due_position -> BigInt,
        wake_at -> Nullable<Instant>,
        leased_by -> Nullable<Uid>,
    }
}

table! {
    use diesel::sql_types::Text;
    use crate::sql_types::{Instant, Uid};
    work_leases (share) {
        share -> Text,
        holder -> Uid,
        leased_until -> Instant,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::sql_types::{Instant, Uid};
    deliveries (id) {
        id -> Uid,
        webhook_id -> Uid,
        position -> BigInt,
        event -> Text,
        attempt -> BigInt,
        at -> Instant,
        took_ms -> BigInt,
        status -> Nullable<BigInt>,
        error -> Nullable<Text>,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    attempts (digest) {
        digest -> Text,
        at_rest -> BigInt,
    }
}

table! {
    use diesel::sql_types::Text;
    use crate::sql_types::{Instant, Uid};
    sign_in_networks (account_id, digest) {
        account_id -> Uid,
        digest -> Text,
        seen_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::Uid;
    item_tombstones (project_id, user_id, position, table_name, id) {
        project_id -> Uid,
        user_id -> Uid,
        position -> BigInt,
        table_name -> Text,
        id -> Text,
    }
}

table! {
    use diesel::sql_types::Text;
    use crate::sql_types::{Instant, Uid};
    sync_rejections (id) {
        id -> Uid,
        project_id -> Uid,
        user_id -> Uid,
        at -> Instant,
        device -> Text,
        table_name -> Text,
        item_id -> Text,
        code -> Text,
        message -> Text,
    }
}

table! {
    use diesel::sql_types::{BigInt, Text};
    use crate::sql_types::{Instant, Uid};
    logout_deliveries (id) {
        id -> Uid,
        account_id -> Uid,
        session_id -> Uid,
        client_id -> Text,
        project_id -> Uid,
        attempts -> BigInt,
        next_attempt_at -> Instant,
    }
}

joinable!(members -> teams (team_id));
joinable!(projects -> teams (team_id));
joinable!(invites -> teams (team_id));
joinable!(api_keys -> projects (project_id));
joinable!(schema_drafts -> accounts (account_id));
joinable!(grants -> projects (project_id));
joinable!(token_families -> accounts (account_id));
joinable!(refresh_tokens -> token_families (family_id));
joinable!(personal_tokens -> accounts (account_id));
joinable!(sessions -> accounts (account_id));
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
    personal_tokens
);
