//! `steward team`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::Remote;
use super::plain::{Noun, Plain, commands};

#[derive(Debug, Subcommand)]
pub enum TeamCommand {
    /// Check whether a slug is available
    #[command(after_help = "Examples:\n  steward team check-slug acme")]
    CheckSlug(Remote<CheckSlug>),
}

#[derive(Debug, Args)]
pub struct CheckSlug {
    /// Slug to check
    slug: String,
}

impl Noun for TeamCommand {
    fn commands() -> Vec<Plain> {
        commands! {
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
            "team check-slug" {}
        }
    }

    async fn run(self) -> anyhow::Result<()> {
        let Self::CheckSlug(command) = self;
        let context = command.context()?;
        let available = context.client.teams().check_slug(&command.arguments.slug).json().await?.available;
        context.output.entry(&json!({"slug": command.arguments.slug, "available": available}))
    }
}
