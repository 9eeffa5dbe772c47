//! `steward team`.

use serde_json::Value;

use crate::remote::plain::{Outcome, noun};

noun! {
    TeamCommand {}

    /// List your teams, oldest first
    "team list", example(""), example("--json --fields id,slug"),
        columns(&["id", "slug", "name", "role_name"]) {}
    /// Get a team
    "team get", example("acme"), example("acme --json --fields members") {}
    /// Create a team and become its owner
    "team create", example("--name Acme --slug acme") {
        /// Display name
        text "name";
        /// URL-friendly name, unique in the service
        text "slug";
    }
    /// Update a team
    "team update", example("acme --name \"Acme Inc.\"") {
        /// New display name
        text "name";
        /// New URL-friendly name
        text "slug";
        /// The time from which members have to use a second factor: a date or an RFC 3339 timestamp
        text "second-factor-from", value("TIME");
        /// Members need no second factor
        switch "optional-second-factor", sets("second_factor_from", Value::Null);
    }
    /// Delete a team, which must not own projects
    "team delete", example("acme --yes"), confirm("Delete the team {}?"),
        done("deleted", "The team {} is deleted.") {}
    /// Check whether a slug is available
    "team check-slug", example("acme"), prints(Outcome::WithFlags) {
        /// Slug to check
        text "slug", positional();
    }
}
