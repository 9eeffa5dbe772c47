//! The tables of a backup. A test compares them with those of a migrated database.

/// A table of a backup.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// SQL condition of the rows that are backed up.
    pub(super) condition: &'static str,
    /// Columns that are backed up with a fixed value, as SQL.
    pub(super) fixed: &'static [(&'static str, &'static str)],
}

const fn table(name: &'static str) -> Table {
    Table { name, condition: "1 = 1", fixed: &[] }
}

/// The keys of indexed fields are not part of a backup: a restored database builds them again in the background, as for
/// a field that was just published. Fields whose keys are being deleted have nothing left to delete.
const INDEXED_FIELDS: Table = Table {
    name: "indexed_fields",
    condition: "state <> 'retired'",
    fixed: &[
        ("state", "'new'"),
        ("filled_user", "'00000000-0000-0000-0000-000000000000'"),
        ("filled_table", "''"),
        ("filled_item", "''"),
    ],
};

/// A restored database begins a new history of positions.
const POSITION_DOMAINS: Table =
    Table { name: "position_domains", condition: "1 = 1", fixed: &[("life", "-domain"), ("cluster", "'restored'")] };

/// The tables, each after those that it refers to.
pub(super) const TABLES: &[Table] = &[
    table("accounts"),
    table("teams"),
    table("team_slugs"),
    table("members"),
    table("invites"),
    table("projects"),
    table("project_slugs"),
    table("api_keys"),
    table("schema_versions"),
    table("schema_drafts"),
    table("project_users"),
    table("user_activity"),
    table("activity_counts"),
    table("request_counts"),
    table("items"),
    table("item_tombstones"),
    table("item_imports"),
    table("item_import_chunks"),
    table("item_import_problems"),
    table("sync_receipts"),
    table("sync_rejections"),
    INDEXED_FIELDS,
    table("project_usage"),
    table("authorization_requests"),
    table("device_authorizations"),
    table("grants"),
    table("authorization_codes"),
    table("token_families"),
    table("refresh_tokens"),
    table("sessions"),
    table("logout_deliveries"),
    table("authenticator_apps"),
    table("passkeys"),
    table("recovery_codes"),
    table("project_clients"),
    table("identity_providers"),
    table("linked_identities"),
    table("email_links"),
    table("personal_tokens"),
    table("server_keys"),
    table("audit_events"),
    table("item_changes"),
    table("audit_seals"),
    table(PROGRESS),
    POSITION_DOMAINS,
    table("event_marks"),
    table("webhooks"),
    table("deliveries"),
    table("idempotency_claims"),
    table("attempts"),
    table("sign_in_networks"),
];

/// The table with a row from its migration, which the row of a backup replaces.
pub(super) const PROGRESS: &str = "audit_progress";

/// Tables that are not part of a backup, each with the reason.
const SKIPPED: [(&str, &str); 3] = [
    ("item_deletions", "Deletions can be undone for a few minutes only."),
    ("item_keys", "A restored database builds the keys from the items."),
    ("work_leases", "The leases belong to running processes."),
];

/// Columns that are not part of a backup: transaction IDs of one PostgreSQL server, null for new fields.
pub(super) const SKIPPED_COLUMNS: [(&str, &str); 2] = [("indexed_fields", "noted_by"), ("indexed_fields", "seen_by")];

/// Returns the names of the tables in a backup, each after those that it refers to.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|table| table.name)
}

/// Returns the names of the tables that are not part of a backup.
pub fn skipped() -> impl Iterator<Item = &'static str> {
    SKIPPED.iter().map(|(name, _)| *name)
}
