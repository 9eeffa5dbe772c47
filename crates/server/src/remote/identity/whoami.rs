//! `steward whoami` and `steward auth`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::remote::{Context, Remote};
use crate::terminal;

#[derive(Debug, Args)]
pub struct WhoAmI {}

#[derive(Debug, Subcommand)]
pub enum AuthCommand {
    /// Print a valid access token, for other programs
    #[command(after_help = "Examples:\n  \
        curl -H \"Authorization: Bearer $(steward auth token)\" http://localhost:3003/team")]
    Token(Remote<WhoAmI>),
}

/// Prints the signed-in account, or the credential in the environment.
pub async fn run(context: &Context) -> anyhow::Result<()> {
    let credential = context.client.account().credential().data().await?;
    let mut person = serde_json::to_value(&credential)?;
    let members = person.as_object_mut();
    // Personal access tokens, API keys and clients that act on their own behalf cannot read the user info.
    let user_info = match credential.kind.as_ref() {
        "account" | "user" => serde_json::to_value(context.client.account().user_info().json().await?)?,
        _ => Value::Null,
    };
    if let Some(members) = members {
        if let Value::Object(mut user_info) = user_info {
            // Its value is that of `username`.
            user_info.shift_remove("preferred_username");
            members.extend(user_info);
        }
        members.insert("server".into(), json!(context.client.server().as_str()));
        if let Some(profile) = &context.profile {
            members.insert("profile".into(), json!(profile));
        }
    }
    context.output.json_unless_terminal().entry(&person)
}

pub async fn run_auth(command: AuthCommand) -> anyhow::Result<()> {
    let AuthCommand::Token(command) = command;
    let context = command.context()?;
    // Refreshes the token if it has expired.
    context.client.account().credential().done().await?;
    terminal::print(&context.token()?)
}
