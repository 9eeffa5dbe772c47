//! `steward team`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::Remote;
use super::plain::{Noun, Plain, by_hand, plain};

const SECOND_FACTOR: &str = "The time from which members have to use a second factor: a date or an RFC 3339 timestamp";

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
        vec![
            plain("team list", "List your teams, oldest first")
                .example("")
                .example("--json --fields id,slug")
                .columns(&["id", "slug", "name", "role_name"]),
            plain("team get", "Get a team").example("acme").example("acme --json --fields members"),
            plain("team create", "Create a team and become its owner")
                .example("--name Acme --slug acme")
                .text("name", "Display name")
                .text("slug", "URL-friendly name, unique in the service"),
            plain("team update", "Update a team")
                .example("acme --name \"Acme Inc.\"")
                .text("name", "New display name")
                .text("slug", "New URL-friendly name")
                .text("second-factor-from", SECOND_FACTOR)
                .value("TIME")
                .switch("optional-second-factor", "Members need no second factor")
                .sets("second_factor_from", Value::Null),
            plain("team delete", "Delete a team, which must not own projects")
                .example("acme --yes")
                .confirm("Delete the team {}?")
                .done("deleted", "The team {} is deleted."),
            by_hand("team check-slug"),
        ]
    }

    async fn run(self) -> anyhow::Result<()> {
        let Self::CheckSlug(command) = self;
        let context = command.context()?;
        let available = context.client.teams().check_slug(&command.arguments.slug).json().await?.available;
        context.output.entry(&json!({"slug": command.arguments.slug, "available": available}))
    }
}
