//! Tables for the users of projects.

use diesel::sql_types::{BigInt, Nullable, Text};
use steward_domain::data::ProjectUser;

use super::row::{row, table};
use crate::sql_types::{Instant, JsonText, Uid};

row! {
    struct ProjectUserRow for ProjectUser in project_users (project_id, id; revision) {
        id -> Uid,
        project_id -> Uid,
        account_id -> Uid,
        user_did -> Text,
        pds_url -> Text,
        status -> Text,
        meta -> JsonText,
        profile -> JsonText,
        /// Never moves backward: see `queries/activity.rs`.
        #[diesel(skip_update)]
        last_seen_at -> Instant,
        created_at -> Instant,
        deletion_started_at -> Nullable<Instant>,
        revision -> BigInt,
    }
    others { search -> Text }
}

table! {
    user_activity (project_id, user_id, day) {
        project_id -> Uid,
        user_id -> Uid,
        day -> CalendarDay,
    }
}

table! {
    activity_counts (project_id, day) {
        project_id -> Uid,
        day -> CalendarDay,
        active -> BigInt,
        latest -> BigInt,
    }
}
