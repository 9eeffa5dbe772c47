//! Settings of the planner for statements that look up many rows by their keys.

/// The planner neither scans nor plans again for each number of rows.
const SETTINGS: [&str; 5] = [
    "plan_cache_mode = force_generic_plan",
    "enable_seqscan = off",
    "enable_hashjoin = off",
    "enable_mergejoin = off",
    "jit = off",
];

/// Returns the statements that apply the settings to the session.
pub(in crate::postgres) fn of_session() -> String {
    SETTINGS.map(|setting| format!("SET {setting};")).concat()
}

/// Returns the statements that apply the settings to the rest of the transaction.
pub(in crate::postgres) fn of_transaction() -> String {
    SETTINGS.map(|setting| format!("SET LOCAL {setting};")).concat()
}
