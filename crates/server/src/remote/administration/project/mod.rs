//! `steward project`.

mod images;
pub mod settings;

use serde_json::{Map, Value};

use crate::remote::json_input;
use crate::remote::plain::{Commands, Outcome, noun};
use crate::terminal::UsageError;

noun! {
    ProjectCommand {
        /// Manage the settings of a project
        #[command(subcommand)]
        Settings(Commands<settings::SettingsCommand>),
        /// Manage the icon and the background of a project
        #[command(subcommand)]
        Image(images::ImageCommand),
    }

    /// List the projects of your teams, newest first
    "project list", example(""), example("--json --fields id,slug"),
        columns(&["id", "slug", "name", "team_slug", "created_at"]) {}
    /// Get a project with the usage of its quotas
    "project get", example("rocket"), example("--json --fields usage") {}
    /// Show how many requests a project received
    "project requests", example("rocket --series --days 7"),
        prints(Outcome::Series(&["date", "requests"], &["days", "total", "today"])) {
        /// Print the number of requests of each day instead
        switch "series", of("");
        /// Number of days, up to today
        text "days", value("NUMBER"), within(1..=365), or("30");
    }
    /// List the tables of a project, with the number and the size of the items of all users
    "project tables", example("rocket"), remark("At most 10,000 items are counted, so these can be minimum values."),
        columns(&["table", "items", "bytes"]) {}
    /// Create a project in a team
    "project create", example("--team acme --name Rocket --slug rocket") {
        /// ID or slug of the team that owns the project
        text "team", of("team_id");
        /// Display name
        text "name";
        /// URL-friendly name, unique in the service [default: generated from the name]
        text "slug";
    }
    /// Update a project
    "project update", example("rocket --website https://rocket.example.com"),
        example("--public-profile '{\"color\": \"red\"}'") {
        /// New display name
        text "name";
        /// New URL-friendly name
        text "slug";
        /// New website
        text "website", value("URL");
        /// Remove the website
        switch "remove-website", sets("website", Value::Null);
        /// JSON object to merge into the public profile; null removes a member
        text "public-profile", value("JSON"), of("profile"), read(profile);
    }
    /// Delete a project and all its data
    "project delete", example("rocket --yes"), confirm("Delete the project {} and all its data?"),
        done("deleted", "The project {} is deleted.") {}
    /// Check whether a slug is available
    "project check-slug", example("rocket"), prints(Outcome::WithFlags) {
        /// Slug to check
        text "slug", positional();
    }
    /// Get what everyone may read of a project
    "project public" {}
    "project settings" {}
    "project image" {}
}

fn profile(text: Value) -> anyhow::Result<Value> {
    let invalid = |error| UsageError(format!("--public-profile is not a JSON object: {error}"));
    let profile = json_input::parse::<Map<String, Value>>(text.as_str().unwrap_or_default().as_bytes());
    Ok(profile.map_err(invalid)?.into())
}
