//! `steward whoami` and `steward auth`.

use serde_json::{Map, Value, json};

use crate::remote::command::by_hand;
use crate::remote::{Context, NoArguments, Remote};
use crate::terminal;

by_hand! {
    AuthCommand {
        /// Print a valid access token, for other programs
        #[command(after_help = "Examples:\n  \
            curl -H \"Authorization: Bearer $(steward auth token)\" http://localhost:3003/team")]
        Token(Remote<NoArguments>) => token,
    }
}

/// Prints the signed-in account, or the credential in the environment.
pub async fn run(context: &Context, _: NoArguments) -> anyhow::Result<()> {
    let credential = context.client.account().credential().data().await?;
    let mut person: Map<String, Value> = serde_json::from_value(serde_json::to_value(&credential)?)?;
    // Personal access tokens, API keys and clients that act on their own behalf cannot read the user info.
    if matches!(credential.kind.as_ref(), "account" | "user") {
        let user_info = context.client.account().user_info().json().await?;
        person.extend(serde_json::from_value::<Map<String, Value>>(serde_json::to_value(user_info)?)?);
        // Its value is that of `username`.
        person.shift_remove("preferred_username");
    }
    person.insert("server".into(), json!(context.client.server().as_str()));
    if let Some(profile) = &context.profile {
        person.insert("profile".into(), json!(profile));
    }
    context.output.json_unless_terminal().entry(&person)
}

async fn token(context: &Context, _: NoArguments) -> anyhow::Result<()> {
    // Refreshes the token if it has expired.
    context.client.account().credential().done().await?;
    terminal::print(&context.token().await?)
}
