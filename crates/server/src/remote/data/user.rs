//! The subcommands of `steward user` that use the API.

use clap::Args;
use serde_json::{Map, Value, json};
use steward_client::ConnectedUser;

use crate::remote::plain::{Outcome, noun};
use crate::remote::{Context, ProjectOption, Remote, json_input, people};

const COLUMNS: &[&str] = &["id", "profile.username", "email", "profile.name", "status", "last_seen_at", "created_at"];

noun! {
    UserCommand {
        /// Print all data that the project stores about a user, as JSON
        #[command(after_help = "Examples:\n  steward user export ann --project notes > ann.json")]
        Export(Remote<NamedUser>) => export,
        /// Connect your own account to a project as a user
        Join(Remote<ProjectOption>) => join,
    }

    /// List the users of a project, newest first
    "user list", example("--project notes --status blocked"), example("--search ann --limit 10 --json"),
        prints(Outcome::Pages(COLUMNS)) {
        /// List only users with this status
        text "status", one_of(["connected", "disconnected", "blocked"]);
        /// List only users whose name, username or DID contains this text, or who granted this email address
        text "search", value("TEXT"), of("q");
    }
    /// Get a user
    "user get" {}
    /// Change what the project stores about a user, or the user's status
    "user update", example("ann --project notes --meta '{\"plan\": \"pro\", \"trial\": null}'") {
        /// JSON object that is merged into the stored data; null removes a member
        text "meta", value("JSON"), parsed(object);
        /// New status
        text "status", one_of(["connected", "blocked"]);
    }
    /// Block a user, who can no longer use the project
    "user block", case_of("user update", "status", "blocked") {}
    /// Unblock a user
    "user unblock", case_of("user update", "status", "connected") {}
    /// Delete a user with all data that the project stores about them
    "user delete", example("ann --project notes --yes"),
        confirm("Delete the user {} and all their data in the project?"),
        done("deleted", "The user {} is deleted.") {}
    /// List where a user is signed in to the project, newest first
    "user sessions", example("ann --project notes"), columns(&["id", "scopes", "signed_in_at", "created_at"]) {}
    /// Sign a user out of the project
    "user sign-out", example("ann --project notes --yes"),
        remark("The user can sign in again. Block the user to prevent that."),
        confirm("Sign the user {} out of the project?"), done("signed_out", "The user {} is signed out.") {}
    "user export" {}
    /// Get the number of users, and how many were active today and in the last 7 and 30 days
    "user stats", example("--project notes --series --days 7"),
        prints(Outcome::Series(&["date", "active_users"], &["total", "dau", "wau", "mau"])) {
        /// Print the number of active users of each day instead
        switch "series", of("");
        /// Number of days, up to today
        text "days", value("NUMBER"), within(1..=365), or("30");
    }
    "user join" {}
}

#[derive(Debug, Args)]
pub struct NamedUser {
    /// ID, DID, username or email address of the user
    user: String,
    #[command(flatten)]
    project: ProjectOption,
}

fn object(text: &str) -> Result<Value, String> {
    let object = json_input::parse::<Map<String, Value>>(text.as_bytes());
    object.map(Value::Object).map_err(|error| format!("must be a JSON object: {error}"))
}

async fn export(context: &Context, named: NamedUser) -> anyhow::Result<()> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    let user = people::user_id(context, &project, &named.user).await?;
    context.output.value(context.client.users(&project).export(&user).send().await?.json()?)
}

async fn join(context: &Context, project: ProjectOption) -> anyhow::Result<()> {
    let project = context.project_id(project.project.as_deref()).await?;
    // Refreshes the token if it has expired.
    context.client.account().credential().done().await?;
    let ConnectedUser { user_did, pds_url, .. } =
        context.client.users(&project).connect(&context.token().await?).json().await?;
    context.output.entry(&json!({"user_did": user_did, "pds_url": pds_url}))
}
